// SPDX-License-Identifier: Apache-2.0
//
// The decode kernel of KAIJU1: LeechCodes to lattice points, one code per byte lane, and points to
// weights. This text ships (compiled once per CPU level) and is proved (proofs/kaiju1.cc
// instantiates it with symbolic vectors): every vector operation is a free function found by
// argument-dependent lookup, every type comes from `Tags`.
//
//   Tags::kLanes          codes decoded at once, a multiple of 16
//   Tags::Bytes, UShorts, Longs   tags of kLanes uint8, kLanes / 2 uint16, kLanes / 8 uint64
//   Tags::V<D>, Tags::Half<D>     the vector of a tag, the tag of half as many lanes
//
// A block below is 128 bits of a vector: 16 codes.

#if defined(QUANTPROOF_FAST_KAIJU1_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTPROOF_FAST_KAIJU1_INL_H_
#undef QUANTPROOF_FAST_KAIJU1_INL_H_
#else
#define QUANTPROOF_FAST_KAIJU1_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

#include "fast/kaiju1_tables.h"
#include "fast/portable_vectors.h"
#include "quantproof/kaiju1.h"

HWY_BEFORE_NAMESPACE();
namespace quantproof {
namespace fast {
namespace HWY_NAMESPACE {

template <std::size_t kLaneCount>
struct PortableKaiju1Tags {
  static constexpr std::size_t kLanes = kLaneCount;
  using Bytes = portable::Tag<std::uint8_t, kLanes>;
  using UShorts = portable::Tag<std::uint16_t, kLanes / 2>;
  using Longs = portable::Tag<std::uint64_t, kLanes / 8>;
  template <class D>
  using V = portable::VectorOf<D>;
  template <class D>
  using Half = portable::HalfOf<D>;
};

// Scalable vectors cannot be members of arrays, and single lanes cannot be interleaved.
#if HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR
using Kaiju1Tags = PortableKaiju1Tags<16>;
#else
struct Kaiju1Tags {
  static constexpr std::size_t kLanes = HWY_LANES(std::uint8_t);
  using Bytes = hwy::HWY_NAMESPACE::ScalableTag<std::uint8_t>;
  using UShorts = hwy::HWY_NAMESPACE::ScalableTag<std::uint16_t>;
  using Longs = hwy::HWY_NAMESPACE::ScalableTag<std::uint64_t>;
  template <class D>
  using V = hwy::HWY_NAMESPACE::Vec<D>;
  template <class D>
  using Half = hwy::HWY_NAMESPACE::Half<D>;
};
#endif

// ------------------------------------------------------------------------------- bytes and planes

// The kLanes codes of a batch have this many bytes, and two after them are read, whatever they are.
template <class Tags>
inline constexpr std::size_t kBatchBytes = kLeechCodeBytes* Tags::kLanes;
inline constexpr std::size_t kBatchPadding = 2;

// Block b: 16 bytes from code 16 b + `code` on.
template <std::size_t kBlocks, class Tags, class D>
HWY_INLINE typename Tags::template V<D> LoadCodes(D d, const std::uint8_t* codes,
                                                  std::size_t code) {
  if constexpr (kBlocks == 1) {
    return LoadU(d, codes + kLeechCodeBytes * code);
  } else {
    const typename Tags::template Half<D> half;
    const auto upper = LoadCodes<kBlocks / 2, Tags>(half, codes, code + 8 * kBlocks);
    const auto lower = LoadCodes<kBlocks / 2, Tags>(half, codes, code);
    return Combine(d, upper, lower);
  }
}

// Block b: 16 bytes of the points of codes 16 b + `code` and the next, from byte `offset` on.
template <std::size_t kBlocks, class Tags, class D, class V>
HWY_INLINE void StoreCodePoints(D d, const V& v, std::uint8_t* x, std::size_t code,
                                std::size_t offset) {
  if constexpr (kBlocks == 1) {
    StoreU(v, d, x + kLeechDimension * code + offset);
  } else {
    const typename Tags::template Half<D> half;
    StoreCodePoints<kBlocks / 2, Tags>(half, LowerHalf(half, v), x, code, offset);
    StoreCodePoints<kBlocks / 2, Tags>(half, UpperHalf(half, v), x, code + 8 * kBlocks, offset);
  }
}

// A byte of eight vectors has an address of seven bits within its block: vector and lane. This
// moves the bit kBit of the vector to the lane's lowest place, and the lane's highest bit to its.
template <std::size_t kBit, class D, class V>
HWY_INLINE void InterleaveVectors(D d, V* v) {
  constexpr std::size_t kStep = std::size_t{1} << kBit;
  for (std::size_t i = 0; i < 8; ++i) {
    if ((i & kStep) != 0) continue;
    const V lower = InterleaveLower(d, v[i], v[i + kStep]);
    v[i + kStep] = InterleaveUpper(d, v[i], v[i + kStep]);
    v[i] = lower;
  }
}

// plane[t]: byte t of all codes, 3.1.
template <class Tags, class V>
HWY_INLINE void LoadCodePlanes(const std::uint8_t* codes, V* plane) {
  const typename Tags::Bytes d;
  const V spread = LoadDup128(d, kKaiju1Tables.two_codes.data());
  V v[8];
  for (std::size_t i = 0; i < 8; ++i) {
    v[i] = TableLookupBytes(LoadCodes<Tags::kLanes / 16, Tags>(d, codes, 2 * i), spread);
  }
  // Vector i2 i1 i0, lane e t2 t1 t0, for byte t of code i e, becomes vector t0 t2 t1, lane i e.
  InterleaveVectors<2>(d, v);
  InterleaveVectors<1>(d, v);
  InterleaveVectors<0>(d, v);
  InterleaveVectors<2>(d, v);
  for (std::size_t t = 0; t < kLeechCodeBytes; ++t) plane[t] = v[(t & 1) << 2 | t >> 1];
}

// ---------------------------------------------------------------------------------------- digits

// floor(n / kDivisor) of bytes, for divisors 3, 9 and 27. KAIJU1-KERNEL-1.
template <class Tags, unsigned kDivisor, class V>
HWY_INLINE V Quotient(const V& n) {
  const typename Tags::Bytes d;
  const typename Tags::UShorts du;
  const auto factor = Set(du, static_cast<std::uint16_t>(65536 / kDivisor + 1));
  const auto both = BitCast(du, n);
  const auto even = MulHigh(And(both, Set(du, std::uint16_t{0xFF})), factor);
  const auto odd = MulHigh(ShiftRight<8>(both), factor);
  return BitCast(d, Or(even, ShiftLeft<8>(odd)));
}

// Nine times bytes of at most 28.
template <class Tags, class V>
HWY_INLINE V NineTimes(const V& n) {
  const typename Tags::Bytes d;
  const typename Tags::UShorts du;
  return Add(BitCast(d, ShiftLeft<3>(BitCast(du, n))), n);
}

// 3.2: the digits to the base 3 of trit groups, by twos: 3 t' + t for trits t' above t, each of
// them as 0 to 2. Groups that are too large give numbers of at most 15.
template <class V>
struct TritPairs {
  V low;     // trit 0 of a group of five alone; trits 1 and 0 of a group of four
  V middle;  // trits 2 and 1 of a group of five
  V high;    // trits 4 and 3; 3 and 2
};

template <class Tags, class V>
HWY_INLINE void SplitFive(const V& group, TritPairs<V>& pairs) {
  const V third = Quotient<Tags, 3>(group);
  pairs.high = Quotient<Tags, 27>(group);
  pairs.middle = Sub(third, NineTimes<Tags>(pairs.high));
  pairs.low = Sub(group, Add(third, Add(third, third)));
}

template <class Tags, class V>
HWY_INLINE void SplitFour(const V& group, TritPairs<V>& pairs) {
  pairs.high = Quotient<Tags, 9>(group);
  pairs.low = Sub(group, NineTimes<Tags>(pairs.high));
}

// ---------------------------------------------------------------------------------- coordinates

template <class V>
struct CodeFields {
  TritPairs<V> trits[kTritGroups];
  V fix;
  V turned_word[6];  // 4 bits each of the Golay word, inverted where m = 1
  V minus_m;         // 0 or -1
};

// 4 times the trit of coordinate i.
template <class Tags, std::size_t i, class V>
HWY_INLINE V FourTrits(const CodeFields<V>& fields) {
  const typename Tags::Bytes d;
  constexpr std::size_t kGroup = trit_group_of(i);
  constexpr std::size_t kPlace = trit_place_of(i);
  const TritPairs<V>& pairs = fields.trits[kGroup];
  const Table16& low = kKaiju1Tables.low_trit;
  const Table16& high = kKaiju1Tables.high_trit;
  if constexpr (kGroup == kTritGroups - 1) {
    const V table = LoadDup128(d, (kPlace % 2 == 0 ? low : high).data());
    return TableLookupBytes(table, kPlace < 2 ? pairs.low : pairs.high);
  } else {
    const V table = LoadDup128(d, (kPlace % 2 == 0 && kPlace > 0 ? high : low).data());
    return TableLookupBytes(table, kPlace == 0  ? pairs.low
                                   : kPlace < 3 ? pairs.middle
                                                : pairs.high);
  }
}

// Twice bit i of the turned word.
template <class Tags, std::size_t i, class V>
HWY_INLINE V TwiceBit(const CodeFields<V>& fields) {
  const typename Tags::Bytes d;
  return TableLookupBytes(LoadDup128(d, kKaiju1Tables.twice_bit[i % 4].data()),
                          fields.turned_word[i / 4]);
}

// 3.4 and 3.5: coordinate i. With the turned bit b = c xor m, the offset is 2 b - m. `outward`
// collects bits of the trit that the fix names.
template <class Tags, std::size_t i, class V>
HWY_INLINE V Coordinate(const CodeFields<V>& fields, V& outward) {
  const typename Tags::Bytes d;
  const V offset = Add(TwiceBit<Tags, i>(fields), fields.minus_m);
  const V four_z = FourTrits<Tags, i>(fields);
  const V more = IfThenElseZero(Eq(fields.fix, Set(d, std::uint8_t{i})), four_z);
  outward = Or(outward, more);
  return Add(Add(four_z, more), offset);
}

// Coordinates first to first + 7 of all codes, 8 bytes per code: pair[j] has those of code 2 j of
// each block, then those of code 2 j + 1.
template <class Tags, std::size_t first, class V>
HWY_INLINE void EightCoordinates(const CodeFields<V>& fields, V& outward, V* pair) {
  const typename Tags::Bytes d;
  pair[0] = Coordinate<Tags, first>(fields, outward);
  pair[1] = Coordinate<Tags, first + 1>(fields, outward);
  pair[2] = Coordinate<Tags, first + 2>(fields, outward);
  pair[3] = Coordinate<Tags, first + 3>(fields, outward);
  pair[4] = Coordinate<Tags, first + 4>(fields, outward);
  pair[5] = Coordinate<Tags, first + 5>(fields, outward);
  pair[6] = Coordinate<Tags, first + 6>(fields, outward);
  pair[7] = Coordinate<Tags, first + 7>(fields, outward);
  // Vector i2 i1 i0, lane c3 c2 c1 c0, for coordinate i of code c, becomes vector c3 c2 c1,
  // lane c0 i2 i1 i0.
  InterleaveVectors<2>(d, pair);
  InterleaveVectors<1>(d, pair);
  InterleaveVectors<0>(d, pair);
}

// 3.1 to 3.5: the points of kLanes codes, 24 signed bytes each, to `x`. Returns lanes that are not
// 0 iff the code is invalid; its point then means nothing. Reads kBatchBytes + kBatchPadding bytes.
// KAIJU1-KERNEL-1.
template <class Tags>
HWY_INLINE typename Tags::template V<typename Tags::Bytes> DecodePoints(const std::uint8_t* codes,
                                                                        std::uint8_t* x) {
  const typename Tags::Bytes d;
  const typename Tags::UShorts du;
  const typename Tags::Longs dl;
  using V = typename Tags::template V<typename Tags::Bytes>;
  constexpr std::size_t kBlocks = Tags::kLanes / 16;
  V plane[kLeechCodeBytes];
  LoadCodePlanes<Tags>(codes, plane);

  const V low_half = Set(d, std::uint8_t{0x0F});
  const auto high_halves = [&](const V& v) HWY_ATTR {
    return And(BitCast(d, ShiftRight<4>(BitCast(du, v))), low_half);
  };
  CodeFields<V> fields;
  const V sixteens = And(plane[6], Set(d, std::uint8_t{7}));
  const V last_group = Or(high_halves(plane[5]), BitCast(d, ShiftLeft<4>(BitCast(du, sixteens))));
  fields.fix = And(BitCast(d, ShiftRight<3>(BitCast(du, plane[6]))), Set(d, std::uint8_t{31}));
  for (std::size_t g = 0; g < 4; ++g) SplitFive<Tags>(plane[g], fields.trits[g]);
  SplitFour<Tags>(last_group, fields.trits[4]);

  // A power of 3 is odd, so a group has the parity of the sum of its digits t + 1. The sum of the
  // 24 residuals has the parity of that over all groups, plus one where a trit counts twice.
  const V one = Set(d, std::uint8_t{1});
  const auto no_fix = Eq(fields.fix, Set(d, static_cast<std::uint8_t>(kNoFix)));
  const V groups = Xor(Xor(Xor(plane[0], plane[1]), Xor(plane[2], plane[3])), last_group);
  const V sum = Xor(groups, IfThenZeroElse(no_fix, one));
  fields.minus_m = VecFromMask(d, Eq(And(sum, one), one));
  const V index[3] = {And(plane[4], low_half), high_halves(plane[4]), And(plane[5], low_half)};
  for (std::size_t byte = 0; byte < 3; ++byte) {
    V word = fields.minus_m;
    for (std::size_t part = 0; part < 3; ++part) {
      word = Xor(word, TableLookupBytes(LoadDup128(d, kKaiju1Tables.golay[byte][part].data()),
                                        index[part]));
    }
    fields.turned_word[2 * byte] = And(word, low_half);
    fields.turned_word[2 * byte + 1] = high_halves(word);
  }

  V outward = Zero(d);
  V pair0[8];
  V pair1[8];
  V pair2[8];
  EightCoordinates<Tags, 0>(fields, outward, pair0);
  EightCoordinates<Tags, 8>(fields, outward, pair1);
  EightCoordinates<Tags, 16>(fields, outward, pair2);
  for (std::size_t j = 0; j < 8; ++j) {
    // 48 bytes of two codes: the lower halves of the three vectors, then the upper ones.
    const auto a = BitCast(dl, pair0[j]);
    const auto b = BitCast(dl, pair1[j]);
    const auto c = BitCast(dl, pair2[j]);
    StoreCodePoints<kBlocks, Tags>(d, BitCast(d, InterleaveLower(dl, a, b)), x, 2 * j, 0);
    StoreCodePoints<kBlocks, Tags>(d, BitCast(d, OddEven(a, c)), x, 2 * j, 16);
    StoreCodePoints<kBlocks, Tags>(d, BitCast(d, InterleaveUpper(dl, b, c)), x, 2 * j, 32);
  }

  // 3.3. A fix from 24 to 30 names no coordinate, and one that names a trit 0 finds no bit.
  const V limit5 = Set(d, static_cast<std::uint8_t>(kTritGroupLimit));
  const V limit4 = Set(d, static_cast<std::uint8_t>(kLastTritGroupLimit));
  const V greatest = Max(Max(plane[0], plane[1]), Max(plane[2], plane[3]));
  const V too_large = Or(Xor(Max(greatest, limit5), limit5), Xor(Max(last_group, limit4), limit4));
  const V no_outward = VecFromMask(d, Eq(outward, Zero(d)));
  return Or(too_large, IfThenZeroElse(no_fix, no_outward));
}

// --------------------------------------------------------------------------------------- weights

// Scalable vectors are builtin types, which argument-dependent lookup does not see.
using hwy::HWY_NAMESPACE::ConvertTo;
using hwy::HWY_NAMESPACE::LoadU;
using hwy::HWY_NAMESPACE::Mul;
using hwy::HWY_NAMESPACE::PromoteTo;
using hwy::HWY_NAMESPACE::Set;
using hwy::HWY_NAMESPACE::StoreU;

struct Kaiju1FloatTags {
#if HWY_HAVE_SCALABLE
  static constexpr std::size_t kLanes = 4;
#else
  static constexpr std::size_t kLanes = HWY_MIN(16, HWY_LANES(float));
#endif
  using Floats = hwy::HWY_NAMESPACE::CappedTag<float, kLanes>;
  using Ints = hwy::HWY_NAMESPACE::CappedTag<std::int32_t, kLanes>;
  using SmallInts = hwy::HWY_NAMESPACE::Rebind<std::int8_t, Ints>;
};

// 4.3: what a point is multiplied with. `scale` is the row scale times the multiplier: the product
// with a coordinate is exact, and that with the step rounds once.
template <class Float>
struct ScaleThenStep {
  Float scale;
  Float step;
};

// The same where the step is a power of two, which `scale` already has in it: exact.
template <class Float>
struct ScaleWithStep {
  Float scale;
};

template <class D, class Float>
HWY_INLINE auto SetScale(D d, const ScaleThenStep<Float>& factors) {
  const auto scale = Set(d, factors.scale);
  return ScaleThenStep<decltype(scale)>{scale, Set(d, factors.step)};
}

template <class D, class Float>
HWY_INLINE auto SetScale(D d, const ScaleWithStep<Float>& factors) {
  const auto scale = Set(d, factors.scale);
  return ScaleWithStep<decltype(scale)>{scale};
}

template <class V, class Points>
HWY_INLINE Points Scaled(const ScaleThenStep<V>& factors, const Points& points) {
  return Mul(Mul(factors.scale, points), factors.step);
}

template <class V, class Points>
HWY_INLINE Points Scaled(const ScaleWithStep<V>& factors, const Points& points) {
  return Mul(factors.scale, points);
}

// kLanes weights; `factors` are those of SetScale.
template <class Tags, class X, class Factors>
HWY_INLINE auto ScaledVector(X x, const Factors& factors) {
  const typename Tags::Floats df;
  const typename Tags::Ints di;
  const typename Tags::SmallInts ds;
  return Scaled(factors, ConvertTo(df, PromoteTo(di, LoadU(ds, x))));
}

// `count` weights of one block, at least kLanes of them. KAIJU1-KERNEL-2.
template <class Tags, class X, class Factors, class Out>
HWY_INLINE void ScaleRun(X x, std::size_t count, const Factors& factors, Out out) {
  const typename Tags::Floats df;
  const auto vectors = SetScale(df, factors);
  std::size_t i = 0;
  for (; i + Tags::kLanes <= count; i += Tags::kLanes) {
    StoreU(ScaledVector<Tags>(x + i, vectors), df, out + i);
  }
  if (i < count) {  // some once more
    const std::size_t last = count - Tags::kLanes;
    StoreU(ScaledVector<Tags>(x + last, vectors), df, out + last);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace fast
}  // namespace quantproof
HWY_AFTER_NAMESPACE();

#endif
