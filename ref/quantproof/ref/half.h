// SPDX-License-Identifier: Apache-2.0
//
// The binary16 scale of a block, literally as spec/formats/half.md states it.
#ifndef QUANTPROOF_REF_HALF_H_
#define QUANTPROOF_REF_HALF_H_

#include <cstdint>

#include "quantproof/status.h"

namespace quantproof::ref {

// What a scale pattern stands for under a profile.
struct Scale {
  enum class Class { kFinite, kInfinite, kNan };
  Class kind = Class::kFinite;
  bool negative = false;
  std::int64_t significand = 0;    // finite: the magnitude is significand * 2^exponent
  int exponent = 0;                //
  std::uint32_t nan_fraction = 0;  // NaN: the 23 fraction bits of the widened value
};

// half.md 2 and 3. `half`: any of the 65,536 patterns. Returns QP_OK or QP_SCALE_NOT_FINITE
// (profile strict only, *scale is then left alone).
qp_status read_scale(qp_profile profile, std::uint16_t half, Scale* scale);

// The widened scale as binary32 bits. Exact for every finite scale.
std::uint32_t widen(const Scale& scale);

// half.md 4: 2 d and d / 2 as binary16. Returns QP_OK, QP_SCALE_NOT_FINITE, and
// QP_TRANSCODE_OVERFLOW (doubling) or QP_TRANSCODE_INEXACT (halving); *result only on QP_OK.
qp_status double_scale(std::uint16_t half, std::uint16_t* result);
qp_status halve_scale(std::uint16_t half, std::uint16_t* result);

}  // namespace quantproof::ref

#endif
