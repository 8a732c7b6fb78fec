// SPDX-License-Identifier: Apache-2.0
#include "quantproof/ref/half.h"

#include <bit>
#include <cmath>

namespace quantproof::ref {

namespace {

// half.md 1
struct HalfFields {
  bool negative;
  int exponent;  // 0..31
  int fraction;  // 0..1023
};

HalfFields fields_of(std::uint16_t half) {
  return {(half >> 15) != 0, (half >> 10) & 31, half & 1023};
}

// half.md 1, the other way round; `magnitude` has 15 bits.
std::uint16_t half_of(bool negative, int magnitude) {
  return static_cast<std::uint16_t>((negative ? 0x8000 : 0) | magnitude);
}

}  // namespace

qp_status read_scale(qp_profile profile, std::uint16_t half, Scale* scale) {
  const HalfFields h = fields_of(half);
  Scale result;
  result.negative = h.negative;
  if (h.exponent == 31) {
    if (profile == QP_PROFILE_STRICT) return QP_SCALE_NOT_FINITE;
    if (h.fraction == 0) {
      result.kind = Scale::Class::kInfinite;
    } else {
      result.kind = Scale::Class::kNan;
      result.nan_fraction = (static_cast<std::uint32_t>(h.fraction) << 13) | 0x400000u;
    }
  } else if (h.exponent > 0) {  // normal: 2^(e - 15) (1 + m / 1024)
    result.significand = 1024 + h.fraction;
    result.exponent = h.exponent - 25;
  } else if (h.fraction > 0 && profile == QP_PROFILE_COLIBRI) {  // 2^-14 (1 + m / 1024)
    result.significand = 1024 + h.fraction;
    result.exponent = -24;
  } else {  // zero and subnormal: m 2^-24
    result.significand = h.fraction;
    result.exponent = -24;
  }
  *scale = result;
  return QP_OK;
}

std::uint32_t widen(const Scale& scale) {
  const std::uint32_t sign = scale.negative ? 0x80000000u : 0u;
  if (scale.kind == Scale::Class::kInfinite) return sign | 0x7F800000u;
  if (scale.kind == Scale::Class::kNan) return sign | 0x7F800000u | scale.nan_fraction;
  const double magnitude = std::ldexp(static_cast<double>(scale.significand), scale.exponent);
  return sign | std::bit_cast<std::uint32_t>(static_cast<float>(magnitude));
}

qp_status double_scale(std::uint16_t half, std::uint16_t* result) {
  const HalfFields h = fields_of(half);
  if (h.exponent == 31) return QP_SCALE_NOT_FINITE;
  if (h.exponent == 30) return QP_TRANSCODE_OVERFLOW;
  const int magnitude = half & 0x7FFF;
  *result = half_of(h.negative, h.exponent == 0 ? 2 * magnitude : magnitude + 1024);
  return QP_OK;
}

qp_status halve_scale(std::uint16_t half, std::uint16_t* result) {
  const HalfFields h = fields_of(half);
  if (h.exponent == 31) return QP_SCALE_NOT_FINITE;
  const int magnitude = half & 0x7FFF;
  if (h.exponent >= 2) {
    *result = half_of(h.negative, magnitude - 1024);
    return QP_OK;
  }
  if (magnitude % 2 != 0) return QP_TRANSCODE_INEXACT;
  *result = half_of(h.negative, magnitude / 2);
  return QP_OK;
}

}  // namespace quantproof::ref
