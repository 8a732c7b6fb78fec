// SPDX-License-Identifier: Apache-2.0
//
// OPS-CONFORM-1: what one compiled level reports.
#ifndef QUANTPROOF_PROOFS_CONFORMANCE_H_
#define QUANTPROOF_PROOFS_CONFORMANCE_H_

#include <cstdint>
#include <string>

namespace quantproof::proofs {

struct Conformance {
  std::uint64_t comparisons = 0;  // of one lane
  std::string mismatch;           // the first one; empty: none
};

// The lanes of the KAIJU1 kernel on one compiled level that this CPU has.
Conformance check_kaiju1_lanes(std::int64_t target);

}  // namespace quantproof::proofs

#endif
