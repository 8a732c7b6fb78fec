// SPDX-License-Identifier: Apache-2.0
//
// Integer forms of spec/formats/half.md: no binary32 subnormal and no rounding appears on the
// way, so flush-to-zero and rounding modes cannot reach them. Templates over the integer type,
// because proofs/half.cc proves this text with symbolic integers.
#ifndef QUANTPROOF_FAST_HALF_H_
#define QUANTPROOF_FAST_HALF_H_

#include <bit>
#include <cstdint>

#include "quantproof/status.h"

namespace quantproof::fast {

inline std::uint32_t Select(bool condition, std::uint32_t yes, std::uint32_t no) {
  return condition ? yes : no;
}

// binary32 bits of a small integer; exact below 2^24.
inline std::uint32_t FloatBits(std::uint32_t value) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(value)));
}

// half.md 2 and 3: a binary16 pattern to binary32 bits, for every pattern. Infinite and NaN
// patterns widen as in profile ggml; refusing them is the caller's part. HALF-WIDEN-1, -2.
template <class Int>
Int WidenScale(qp_profile profile, const Int& half) {
  const Int sign = (half & Int(0x8000u)) << 16;
  const Int magnitude = half & Int(0x7FFFu);
  const Int moved = magnitude << 13;
  const Int normal = moved + Int(112u << 23);
  const Int subnormal = profile == QP_PROFILE_COLIBRI
                            ? moved | Int(113u << 23)
                            : FloatBits(magnitude) - Int(24u << 23);  // m 2^-24
  const Int quiet = Select((half & Int(0x3FFu)) == Int(0u), Int(0u), Int(0x400000u));
  const Int special = moved | Int(0x7F800000u) | quiet;
  const Int tiny = Select(magnitude == Int(0u), Int(0u), subnormal);
  const Int large = Select(magnitude < Int(0x7C00u), normal, special);
  return sign | Select(magnitude < Int(0x400u), tiny, large);
}

// half.md 4.1: twice the value, for patterns with an exponent field below 30. TRANSCODE-1, -2.
template <class Int>
Int DoubleHalf(const Int& half) {
  const Int magnitude = half & Int(0x7FFFu);
  const Int doubled = Select(magnitude < Int(0x400u), magnitude << 1, magnitude + Int(0x400u));
  return (half & Int(0x8000u)) | doubled;
}

// half.md 4.2: half the value, for finite patterns that have an exponent field of at least 2 or
// an even magnitude. TRANSCODE-1, -2.
template <class Int>
Int HalveHalf(const Int& half) {
  const Int magnitude = half & Int(0x7FFFu);
  const Int halved = Select(magnitude < Int(0x800u), magnitude >> 1, magnitude - Int(0x400u));
  return (half & Int(0x8000u)) | halved;
}

}  // namespace quantproof::fast

#endif
