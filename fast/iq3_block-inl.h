// SPDX-License-Identifier: Apache-2.0
//
// The decode kernel of IQ3_XXS and E8/IQ3. This text ships (compiled once per CPU level) and is
// proved (proofs/iq3_block.cc instantiates it with symbolic vectors): every operation is a free
// function found by argument-dependent lookup, every type comes from `Tags`.
//
//   Tags::kLanes   lanes of the weight vectors: 1, 4, 8 or 16
//   Tags::Floats   vector of kLanes binary32       Tags::Masks   the same of uint32
//   Tags::Words    vector of at most 8 uint32, with Tags::WordInts and Tags::WordFloats beside it
//   Tags::Uint32, Tags::Float                      one lane of each

#if defined(QUANTPROOF_FAST_IQ3_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTPROOF_FAST_IQ3_BLOCK_INL_H_
#undef QUANTPROOF_FAST_IQ3_BLOCK_INL_H_
#else
#define QUANTPROOF_FAST_IQ3_BLOCK_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

#include "quantproof/iq3_block.h"

HWY_BEFORE_NAMESPACE();
namespace quantproof {
namespace fast {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Scalable vectors are builtin types, which argument-dependent lookup does not see.
using hn::And;
using hn::BitCast;
using hn::ConvertTo;
using hn::CopySignToAbs;
using hn::Iota;
using hn::Lanes;
using hn::LoadU;
using hn::Mul;
using hn::Or;
using hn::Set;
using hn::ShiftLeft;
using hn::ShiftRight;
using hn::Shl;
using hn::StoreU;
using hn::Sub;
using hn::Xor;
#if HWY_TARGET != HWY_SCALAR  // one lane: nothing to combine
using hn::Combine;
#endif

struct NativeTags {
#if HWY_HAVE_SCALABLE
  static constexpr std::size_t kLanes = 4;
#else
  static constexpr std::size_t kLanes = HWY_MIN(16, HWY_LANES(float));
#endif
  using Floats = hn::CappedTag<float, kLanes>;
  using Masks = hn::CappedTag<std::uint32_t, kLanes>;
  using Words = hn::CappedTag<std::uint32_t, HWY_MIN(8, kLanes)>;
  using WordInts = hn::CappedTag<std::int32_t, HWY_MIN(8, kLanes)>;
  using WordFloats = hn::CappedTag<float, HWY_MIN(8, kLanes)>;
  using Uint32 = std::uint32_t;
  using Float = float;
};

// Clause 2: little-endian words at any address.
template <class D>
HWY_INLINE hn::Vec<D> LoadWords(D d, const std::uint8_t* bytes) {
#if HWY_TARGET != HWY_SCALAR  // which cannot load four bytes as one lane
  if constexpr (std::endian::native == std::endian::little) {
    const hn::Repartition<std::uint8_t, D> d8;
    return BitCast(d, LoadU(d8, bytes));
  }
#endif
  std::uint32_t words[kSubblocks];
  for (std::size_t i = 0; i < Lanes(d); ++i) {
    const std::uint8_t* b = bytes + 4 * i;
    words[i] = b[0] | (std::uint32_t{b[1]} << 8) | (std::uint32_t{b[2]} << 16) |
               (std::uint32_t{b[3]} << 24);
  }
  return LoadU(d, words);
}

HWY_INLINE std::size_t RowOffset(std::uint8_t index) { return kRowWeights * index; }

// Clause 4.2: words of four 7-bit sign fields to words of 32 sign bits, one per weight. The
// fields are spread to bytes first. Folding by 4, 2 and 1 then leaves the parity of a byte in
// its bit 0: what the shifts bring in from the byte above only reaches bits 1 to 7.
// IQ3-SIGN-1.
template <class D, class V>
HWY_INLINE V SignWords(D d, V words) {
  const V field0 = And(words, Set(d, 0x0000007Fu));
  const V field1 = And(ShiftLeft<1>(words), Set(d, 0x00007F00u));
  const V field2 = And(ShiftLeft<2>(words), Set(d, 0x007F0000u));
  const V field3 = And(ShiftLeft<3>(words), Set(d, 0x7F000000u));
  const V fields = Or(Or(field0, field1), Or(field2, field3));
  V parity = Xor(fields, ShiftRight<4>(fields));
  parity = Xor(parity, ShiftRight<2>(parity));
  parity = Xor(parity, ShiftRight<1>(parity));
  return Or(fields, ShiftLeft<7>(And(parity, Set(d, 0x01010101u))));
}

// Clauses 4.3 and 4.4: d (2s + 1) for each word's scale code s; `d` already holds the format's
// power of two. The shift leaves the bit below the code in bit 0, where the 1 covers it.
template <class Tags, class V, class Float>
HWY_INLINE auto SubblockScales(V words, Float d) {
  const typename Tags::Words dw;
  const typename Tags::WordInts di;
  const typename Tags::WordFloats df;
  const V multiplier = Or(ShiftRight<27>(words), Set(dw, 1u));
  return Mul(Set(df, d), ConvertTo(df, BitCast(di, multiplier)));
}

// Clause 4.1: the magnitudes of weights [first, first + kLanes) of a sub-block, from the rows that
// its eight `indices` name.
template <std::size_t kLanes, class D, class Codebook, class Indices>
HWY_INLINE auto LoadMagnitudes(D d, Codebook codebook, Indices indices, std::size_t first) {
  if constexpr (kLanes <= kRowWeights) {
    return LoadU(d, codebook + RowOffset(indices[first / kRowWeights]) + first % kRowWeights);
  } else {
    const hn::Half<D> half;
    constexpr std::size_t kHalf = kLanes / 2;
    const auto upper = LoadMagnitudes<kHalf>(half, codebook, indices, first + kHalf);
    const auto lower = LoadMagnitudes<kHalf>(half, codebook, indices, first);
    return Combine(d, upper, lower);
  }
}

// Clause 4: the 256 weights of one block. `codebook`: 256 rows of four binary32 magnitudes;
// `d`: the widened scale times 2^-kValueShift, finite. Reads the block's 98 bytes and nothing
// else, writes out[0, 256). IQ3XXS-KERNEL-1, E8IQ3-KERNEL-1.
template <class Layout, class Tags, class Block, class Codebook, class Float, class Out>
HWY_INLINE void DecodeBlock(Block block, Codebook codebook, Float d, Out out) {
  const typename Tags::Words dw;
  const typename Tags::WordFloats dwf;
  const typename Tags::Floats df;
  const typename Tags::Masks du;
  constexpr std::size_t kLanes = Tags::kLanes;
  HWY_ALIGN typename Tags::Uint32 sign_words[kSubblocks];
  HWY_ALIGN typename Tags::Float scales[kSubblocks];
  for (std::size_t ib = 0; ib < kSubblocks; ib += Lanes(dw)) {
    const auto words = LoadWords(dw, block + Layout::kSignScaleOffset + 4 * ib);
    StoreU(SignWords(dw, words), dw, sign_words + ib);
    StoreU(SubblockScales<Tags>(words, d), dwf, scales + ib);
  }
  for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
    const auto signs = Set(du, sign_words[ib]);
    const auto scale = Set(df, scales[ib]);
    const auto indices = block + Layout::kIndexOffset + kSubblockWeights / kRowWeights * ib;
    const auto target = out + kSubblockWeights * ib;
    for (std::size_t i = 0; i < kSubblockWeights; i += kLanes) {
      const auto magnitudes = LoadMagnitudes<kLanes>(df, codebook, indices, i);
      // Weight i + lane finds its sign in bit i + lane of the word: move it to the top.
      const auto to_top = Sub(Set(du, static_cast<std::uint32_t>(31 - i)), Iota(du, 0));
      const auto negative = BitCast(df, Shl(signs, to_top));
      StoreU(Mul(scale, CopySignToAbs(magnitudes, negative)), df, target + i);
    }
  }
}

// Clause 4.5: a block whose scale is infinite or NaN. Every weight is the widened scale, `bits`,
// with its sign flipped where the weight is negative; magnitudes do not matter, and no float
// arithmetic touches the NaN. IQ3XXS-NONFINITE-1, E8IQ3-NONFINITE-1.
template <class Layout, class Tags, class Block, class Bits, class Out>
HWY_INLINE void FillNonFinite(Block block, Bits bits, Out out) {
  const typename Tags::Words dw;
  const typename Tags::Floats df;
  const typename Tags::Masks du;
  HWY_ALIGN typename Tags::Uint32 sign_words[kSubblocks];
  for (std::size_t ib = 0; ib < kSubblocks; ib += Lanes(dw)) {
    const auto words = LoadWords(dw, block + Layout::kSignScaleOffset + 4 * ib);
    StoreU(SignWords(dw, words), dw, sign_words + ib);
  }
  for (std::size_t i = 0; i < kBlockWeights; i += Tags::kLanes) {
    const auto signs = Set(du, sign_words[i / kSubblockWeights]);
    const auto to_top =
        Sub(Set(du, static_cast<std::uint32_t>(31 - i % kSubblockWeights)), Iota(du, 0));
    const auto flip = And(Shl(signs, to_top), Set(du, 0x80000000u));
    StoreU(BitCast(df, Xor(Set(du, bits), flip)), df, out + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace fast
}  // namespace quantproof
HWY_AFTER_NAMESPACE();

#endif
