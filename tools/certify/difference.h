// SPDX-License-Identifier: Apache-2.0
//
// Where two decoders first give different weights for the same blocks.
#ifndef QUANTPROOF_TOOLS_CERTIFY_DIFFERENCE_H_
#define QUANTPROOF_TOOLS_CERTIFY_DIFFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quantproof/status.h"

namespace quantproof::certify {

struct DifferentWeight {
  std::size_t weight;                 // of the block
  std::optional<std::uint32_t> a, b;  // bits; none: nothing was written
};

struct Difference {
  std::size_t block = 0;
  std::size_t row_blocks = 1;            // blocks of the call that it showed up in
  std::string a_status, b_status;        // of a block that only one of the two decodes; else empty
  std::vector<DifferentWeight> weights;  // all of that block
  std::string crash;                     // how a decoder ended, if it did: then nothing else counts
};

// Decodes `bytes`, whole blocks, with both: rows of up to 64 blocks, in a child process. The
// targets are those of certify, and "ref": the reference. Nothing: every bit is equal. Throws
// UsageError and UnreadableError; `missing` says which symbol a library lacks, and then nothing
// ran.
std::optional<Difference> first_difference(const std::string& a, const std::string& b,
                                           qp_format format, qp_profile profile,
                                           std::span<const std::uint8_t> bytes,
                                           std::string& missing);

// The profile that the built-in decoders take beside `target`: that of its preset; none for a
// target that is itself built in.
std::optional<qp_profile> profile_of_target(const std::string& target);

}  // namespace quantproof::certify

#endif
