// SPDX-License-Identifier: Apache-2.0
//
// What a wrong row looks like: where it is wrong, and which known slip gives the same bits. An aid
// to whoever mends the decoder; the verdict never depends on it.
#ifndef QUANTPROOF_TOOLS_CERTIFY_DIAGNOSIS_H_
#define QUANTPROOF_TOOLS_CERTIFY_DIAGNOSIS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "quantproof/status.h"

namespace quantproof::certify {

struct WrongRow {
  qp_format format = QP_IQ3_XXS;
  std::span<const std::uint8_t> bytes;
  std::span<const std::uint32_t> want;  // bits of every value
  std::span<const std::uint32_t> got;
  std::span<const std::uint32_t> previous;  // what the call before was to give
  std::uint32_t poison = 0;                 // bits that stood in the output before
};

struct Diagnosis {
  std::string where;  // "64 of 256 weights are wrong, exactly those of magnitude 62"
  std::string slip;   // "62 of the codebook decoded as 60"; empty where no known slip fits
  std::string text() const;
};

// `row` must be wrong somewhere.
Diagnosis diagnose(const WrongRow& row);

}  // namespace quantproof::certify

#endif
