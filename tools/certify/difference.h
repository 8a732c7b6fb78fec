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

struct Comparison {
  qp_profile profile = QP_PROFILE_STRICT;
  std::optional<Difference> difference;  // none: every bit is equal
  std::string not_run;                   // why nothing was compared; empty: it was
};

// Decodes `bytes`, whole blocks, with both: rows of up to 64 blocks, in a child process. The
// targets are those of certify, and "ref": the reference. `profile`: none for that of the first
// target with one of its own, else strict. Throws UsageError and UnreadableError.
Comparison compare_targets(const std::string& a, const std::string& b, qp_format format,
                           std::optional<qp_profile> profile, std::span<const std::uint8_t> bytes);

}  // namespace quantproof::certify

#endif
