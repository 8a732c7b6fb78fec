// SPDX-License-Identifier: Apache-2.0
//
// Coordinates as fixed point, leech.md 5: from binary32 by integer operations only, so that no
// rounding mode matters.
#ifndef QUANTPROOF_FAST_LEECH_FIXED_H_
#define QUANTPROOF_FAST_LEECH_FIXED_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "quantproof/leech.h"
#include "quantproof/status.h"

namespace quantproof::fast {

// y 2^13 rounded to the nearest integer, ties to even. The greatest int32, which is out of range,
// where y is NaN or |y| >= 2^18.
constexpr std::int32_t leech_fixed_point(float y) {
  const auto bits = std::bit_cast<std::uint32_t>(y);
  const std::uint32_t exponent = bits >> 23 & 0xFFu;
  // |y| 2^13 = significand 2^(exponent - 137); a subnormal y rounds to zero either way.
  const std::uint32_t significand = (bits & 0x7FFFFFu) | 0x800000u;
  const std::uint32_t left = exponent > 137 ? std::min(exponent - 137, 7u) : 0u;
  const std::uint32_t right = exponent < 137 ? std::min(137 - exponent, 25u) : 0u;
  const std::uint32_t floor = significand >> right;
  const std::uint32_t half = (1u << right) >> 1;
  const std::uint32_t below_half = half - (half != 0 ? 1u - (floor & 1u) : 0u);
  const std::uint32_t magnitude = ((significand + below_half) >> right) << left;
  const auto value = static_cast<std::int32_t>((bits >> 31) != 0 ? 0u - magnitude : magnitude);
  return exponent >= 145 ? std::numeric_limits<std::int32_t>::max() : value;
}

constexpr qp_status leech_coordinate_status(std::int32_t y) {
  const bool in_range = y >= -kLeechPointLimit && y <= kLeechPointLimit;
  return in_range ? QP_OK : QP_POINT_OUT_OF_RANGE;
}

constexpr qp_status leech_coordinate_status(float y) {
  const bool finite = (std::bit_cast<std::uint32_t>(y) & 0x7F800000u) != 0x7F800000u;
  return finite ? leech_coordinate_status(leech_fixed_point(y)) : QP_POINT_NOT_FINITE;
}

}  // namespace quantproof::fast

#endif
