// SPDX-License-Identifier: Apache-2.0
//
// The positive finite binary16 numbers as scales to choose from, spec/formats/encoding.md 4.4.
#ifndef QUANTPROOF_FAST_HALF_NEAREST_H_
#define QUANTPROOF_FAST_HALF_NEAREST_H_

#include <bit>
#include <cstdint>

namespace quantproof::fast {

// `half`: a pattern from 0 to 0x7BFF.
inline double HalfValue(std::uint32_t half) {
  const std::uint32_t exponent = half >> 10;
  const std::uint32_t significand = exponent == 0 ? half : 1024 + (half & 1023);
  const std::uint64_t power = 1023 + (exponent == 0 ? 1 : exponent) - 25;
  return significand * std::bit_cast<double>(power << 52);
}

// The nearest positive finite number, of two the one with an even pattern. `value`: not NaN.
// Neighbouring numbers are neighbouring patterns, so that rounding up may carry into the exponent.
inline std::uint32_t NearestHalf(double value) {
  constexpr double kLeastNormal = 0x1p-14;
  if (!(value > 0)) return 1;
  if (value >= 65504.0) return 0x7BFF;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const auto exponent = value < kLeastNormal ? -14 : static_cast<int>(bits >> 52) - 1023;
  // value 2^(10 - exponent) is below 2^11; its integer part and the rest, both exact.
  const double scaled =
      value * std::bit_cast<double>(static_cast<std::uint64_t>(1023 + 10 - exponent) << 52);
  const auto whole = static_cast<std::uint32_t>(scaled);
  const double rest = scaled - whole;
  const std::uint32_t up = rest > 0.5 || (rest == 0.5 && whole % 2 != 0) ? 1 : 0;
  const std::uint32_t half = static_cast<std::uint32_t>(exponent + 14) * 1024 + whole + up;
  return half == 0 ? 1 : half;
}

}  // namespace quantproof::fast

#endif
