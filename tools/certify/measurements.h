// SPDX-License-Identifier: Apache-2.0
//
// How fast the built-in decoders are, in this process, next to the reference.
#ifndef QUANTPROOF_TOOLS_CERTIFY_MEASUREMENTS_H_
#define QUANTPROOF_TOOLS_CERTIFY_MEASUREMENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "quantproof/status.h"

namespace quantproof::certify {

struct Measurement {
  std::string name;   // "decode FORMAT LEVEL"
  std::string unit;   // "GB/s" of binary32 output
  double value = 0;   // median of the rounds
  std::string peer;   // what runs next to it in each round
  double peer_ratio;  // median over the rounds of (the peer's time / ours)
};

// One thread, every level that this CPU supports.
std::vector<Measurement> measure_decoders(const std::vector<qp_format>& formats, bool kaiju1,
                                          std::uint64_t seed);

}  // namespace quantproof::certify

#endif
