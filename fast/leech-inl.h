// SPDX-License-Identifier: Apache-2.0
//
// The nearest point of the Leech lattice for many points at once, one point per lane. This text
// ships (compiled once per CPU level) and runs on other vectors in tests and proofs: every vector
// operation is a free function found by argument-dependent lookup, every type comes from `Tags`.
//
//   Tags::kLanes  16-bit lanes of a vector, a multiple of 8
//   Tags::Bytes, Shorts, UShorts, Ints, Words  tags of uint8, int16, uint16, int32, uint32 lanes
//   Tags::V<D>, Tags::Half<D>                  the vector of a tag, the tag of half as many lanes
//
// Costs are squared distances over 4, in lattice units, minus what every word of the same m pays;
// in `y` mod 8 they are linear, so 16 bits at 2^-13 hold what a column costs (LEECH-WORD-1).
//
// Filter: for each of the 256 words (leech_word.h) a lower bound of its cost in bytes at 2^-6.
// Verify: the exact cost of the two most promising words, then of every word whose bound does not
// exceed the best. A block of 2 kLanes points keeps its bounds in a table of 256 rows.

#if defined(QUANTPROOF_FAST_LEECH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTPROOF_FAST_LEECH_INL_H_
#undef QUANTPROOF_FAST_LEECH_INL_H_
#else
#define QUANTPROOF_FAST_LEECH_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

#include "fast/leech_word.h"
#include "fast/portable_vectors.h"
#include "quantproof/leech.h"

HWY_BEFORE_NAMESPACE();
namespace quantproof {
namespace fast {
namespace HWY_NAMESPACE {

template <std::size_t kLaneCount>
struct PortableLeechTags {
  static constexpr std::size_t kLanes = kLaneCount;
  using Bytes = portable::Tag<std::uint8_t, 2 * kLanes>;
  using Shorts = portable::Tag<std::int16_t, kLanes>;
  using UShorts = portable::Tag<std::uint16_t, kLanes>;
  using Ints = portable::Tag<std::int32_t, kLanes / 2>;
  using Words = portable::Tag<std::uint32_t, kLanes / 2>;
  template <class D>
  using V = portable::VectorOf<D>;
  template <class D>
  using Half = portable::HalfOf<D>;
};

// Scalable vectors cannot be members of arrays, single lanes cannot be packed, and the halves of a
// block share bytes of 16-bit lanes in little-endian order.
#if HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
using LeechTags = PortableLeechTags<8>;
#else
namespace hn = hwy::HWY_NAMESPACE;

struct LeechTags {
  static constexpr std::size_t kLanes = HWY_LANES(std::int16_t);
  using Bytes = hn::ScalableTag<std::uint8_t>;
  using Shorts = hn::ScalableTag<std::int16_t>;
  using UShorts = hn::ScalableTag<std::uint16_t>;
  using Ints = hn::ScalableTag<std::int32_t>;
  using Words = hn::ScalableTag<std::uint32_t>;
  template <class D>
  using V = hn::Vec<D>;
  template <class D>
  using Half = hn::Half<D>;
};
#endif

inline constexpr std::size_t kBlockHalves = 2;  // of kLanes points each

// Coordinates modulo 8, one vector per coordinate: [coordinate][half][lane], int16 at 2^-13.
template <class Tags>
struct LeechPlanes {
  static constexpr std::size_t kStride = kBlockHalves * Tags::kLanes;
  alignas(64) std::int16_t at[kLeechDimension * kStride];

  std::int16_t* plane(std::size_t coordinate, std::size_t half) {
    return at + kStride * coordinate + Tags::kLanes * half;
  }
  const std::int16_t* plane(std::size_t coordinate, std::size_t half) const {
    return at + kStride * coordinate + Tags::kLanes * half;
  }
};

// A byte vector of a block interleaves the halves: the point of lane l of half h has byte 2 l + h.
constexpr std::size_t ByteOfPoint(std::size_t half, std::size_t lane) { return 2 * lane + half; }

// 32-bit values of the kLanes points of a half live in two vectors, made by InterleaveLower and
// InterleaveUpper: where lane l of 16 bits went.
template <class Tags>
constexpr std::size_t WidePosition(std::size_t lane) {
  const std::size_t in_block = lane % 8;
  return (in_block < 4 ? 0 : Tags::kLanes / 2) + lane / 8 * 4 + in_block % 4;
}

// ------------------------------------------------------------------------- rows to planes and back

// Four coordinates of one row per 128-bit block: block b holds those of point 8 b.
template <class Tags, class D, class Rows>
HWY_INLINE typename Tags::template V<D> LoadBlocks(D d, Rows rows, std::size_t point,
                                                   std::size_t coordinate) {
  constexpr std::size_t kBlocks = sizeof(typename Tags::template V<D>) / 16;
  if constexpr (kBlocks == 1) {
    return LoadU(d, rows.row(point) + coordinate);
  } else {
    const typename Tags::template Half<D> half;
    const auto upper = LoadBlocks<Tags>(half, rows, point + 4 * kBlocks, coordinate);
    const auto lower = LoadBlocks<Tags>(half, rows, point, coordinate);
    return Combine(d, upper, lower);
  }
}

template <class Tags, class D, class V>
HWY_INLINE void StoreBlocks(D d, V v, std::int32_t* rows, std::size_t point,
                            std::size_t coordinate) {
  constexpr std::size_t kBlocks = sizeof(V) / 16;
  if constexpr (kBlocks == 1) {
    StoreU(v, d, rows + kLeechDimension * point + coordinate);
  } else {
    const typename Tags::template Half<D> half;
    StoreBlocks<Tags>(half, LowerHalf(half, v), rows, point, coordinate);
    StoreBlocks<Tags>(half, UpperHalf(half, v), rows, point + 4 * kBlocks, coordinate);
  }
}

// Transposes the 4 x 4 matrices of 32-bit elements in the blocks of v[0..3]. Its own inverse.
template <class D, class V>
HWY_INLINE void Transpose(D d, V* v) {
  const V even_lower = InterleaveLower(d, v[0], v[2]);
  const V even_upper = InterleaveUpper(d, v[0], v[2]);
  const V odd_lower = InterleaveLower(d, v[1], v[3]);
  const V odd_upper = InterleaveUpper(d, v[1], v[3]);
  v[0] = InterleaveLower(d, even_lower, odd_lower);
  v[1] = InterleaveUpper(d, even_lower, odd_lower);
  v[2] = InterleaveLower(d, even_upper, odd_upper);
  v[3] = InterleaveUpper(d, even_upper, odd_upper);
}

// Rows one after the other.
struct RowsInOrder {
  const std::int32_t* points;
  const std::int32_t* row(std::size_t i) const { return points + kLeechDimension * i; }
};

// Rows picked from a list.
struct RowsByNumber {
  const std::int32_t* points;
  const std::uint32_t* numbers;
  const std::int32_t* row(std::size_t i) const { return points + kLeechDimension * numbers[i]; }
};

// The low 16 bits of kLanes rows of int32: the coordinates modulo 8.
template <class Tags, class Rows>
HWY_INLINE void LoadPlanes(Rows rows, std::int16_t* planes, std::size_t stride) {
  const typename Tags::Ints di;
  const typename Tags::Words dw;
  const typename Tags::Shorts ds;
  for (std::size_t c = 0; c < kLeechDimension; c += 4) {
    typename Tags::template V<typename Tags::Words> pairs[4];
    for (std::size_t i = 0; i < 4; ++i) {
      const auto even = LoadBlocks<Tags>(di, rows, 2 * i, c);
      const auto odd = LoadBlocks<Tags>(di, rows, 2 * i + 1, c);
      pairs[i] = BitCast(dw, OddEven(BitCast(ds, ShiftLeft<16>(odd)), BitCast(ds, even)));
    }
    Transpose(dw, pairs);
    for (std::size_t i = 0; i < 4; ++i) {
      Store(BitCast(ds, pairs[i]), ds, planes + stride * (c + i));
    }
  }
}

// x = y - r for kLanes points in order: r as planes, x as rows of integers. LEECH-EMIT-1.
template <class Tags>
HWY_INLINE void StorePoints(const std::int16_t* residuals, RowsInOrder rows, std::int32_t* out) {
  const typename Tags::Ints di;
  const typename Tags::Words dw;
  const typename Tags::Shorts ds;
  for (std::size_t c = 0; c < kLeechDimension; c += 4) {
    typename Tags::template V<typename Tags::Words> pairs[4];
    for (std::size_t i = 0; i < 4; ++i) {
      pairs[i] = BitCast(dw, Load(ds, residuals + Tags::kLanes * (c + i)));
    }
    Transpose(dw, pairs);
    for (std::size_t i = 0; i < 4; ++i) {
      const auto pair = BitCast(di, pairs[i]);
      const auto even = ShiftRight<16>(ShiftLeft<16>(pair));
      const auto odd = ShiftRight<16>(pair);
      const auto y_even = LoadBlocks<Tags>(di, rows, 2 * i, c);
      const auto y_odd = LoadBlocks<Tags>(di, rows, 2 * i + 1, c);
      StoreBlocks<Tags>(di, ShiftRight<kLeechUnitBits>(Sub(y_even, even)), out, 2 * i, c);
      StoreBlocks<Tags>(di, ShiftRight<kLeechUnitBits>(Sub(y_odd, odd)), out, 2 * i + 1, c);
    }
  }
}

// ------------------------------------------------------------------------------------ the filter

// What the filter knows of a column under each parity p and symbol: a lower bound of the cheapest
// pattern, a lower bound of leaving it, and its parities (bit 7: of z, bit 6: top row).
template <class Tags>
struct ColumnBounds {
  using V8 = typename Tags::template V<typename Tags::Bytes>;
  V8 cost[2][4];
  V8 leave[2][4];
  V8 parity[2][4];
};

// What the filter knows of a row under golay bit 0 and 1.
template <class V8>
struct RowBounds {
  V8 cost[2];
  V8 flip[2];  // of moving z to its second nearest value
  V8 turn;     // bit 7: z has another parity for golay bit 1
};

// `weight`: |w| in bytes at 2^-6, rounded down and at most 63. `y`: the high byte of y - m.
// `parity`: its bit 7 takes in the parity of z.
template <class Tags, class V8>
HWY_INLINE void BoundRow(V8 weight, V8 y, V8& parity, RowBounds<V8>& row) {
  const typename Tags::Bytes d8;
  const V8 bit6 = Set(d8, std::uint8_t{0x40});
  const V8 slack = Set(d8, std::uint8_t{126});
  const V8 y2 = Add(y, y);
  const V8 z = Xor(y, y2);
  // Bit 6 of z: |y mod 4| > 1, so golay bit 1 is nearer.
  const auto nearer1 = Eq(And(z, bit6), bit6);
  row.cost[0] = IfThenElseZero(nearer1, weight);
  row.cost[1] = IfThenZeroElse(nearer1, weight);
  const V8 difference = Sub(row.cost[1], row.cost[0]);
  const V8 twice = Add(difference, difference);
  row.flip[0] = Add(slack, twice);
  row.flip[1] = Sub(slack, twice);
  row.turn = And(y2, Set(d8, std::uint8_t{0x80}));
  parity = Xor(parity, z);
}

// `weight`, `y`: of the four rows, see BoundRow. `odd`: bit 7 is the parity that sum z shall have,
// in one of the columns.
template <class Tags, class V8>
HWY_INLINE void BoundColumn(const V8* weight, const V8* y, V8 odd, ColumnBounds<Tags>& out) {
  const typename Tags::Bytes d8;
  RowBounds<V8> row[kMogRows];
  V8 parity = odd;
  for (std::size_t r = 0; r < kMogRows; ++r) BoundRow<Tags>(weight[r], y[r], parity, row[r]);
  parity = And(parity, Set(d8, std::uint8_t{0x80}));
  const V8 complement_turn = Xor(Xor(row[0].turn, row[1].turn),
                                 Xor(Xor(row[2].turn, row[3].turn), Set(d8, std::uint8_t{0x40})));
  const V8 total = Add(Add(weight[0], weight[1]), Add(weight[2], weight[3]));
  const V8 cost01[2] = {Add(row[0].cost[0], row[1].cost[0]), Add(row[0].cost[0], row[1].cost[1])};
  const V8 flip01[2] = {Min(row[0].flip[0], row[1].flip[0]), Min(row[0].flip[0], row[1].flip[1])};
  const V8 flip01_complement[2] = {Min(row[0].flip[1], row[1].flip[1]),
                                   Min(row[0].flip[1], row[1].flip[0])};
  const V8 parity01[2] = {parity, Xor(parity, row[1].turn)};
  const V8 cost23[4] = {Add(row[2].cost[0], row[3].cost[0]), Add(row[2].cost[1], row[3].cost[0]),
                        Add(row[2].cost[0], row[3].cost[1]), Add(row[2].cost[1], row[3].cost[1])};
  const V8 flip23[4] = {Min(row[2].flip[0], row[3].flip[0]), Min(row[2].flip[1], row[3].flip[0]),
                        Min(row[2].flip[0], row[3].flip[1]), Min(row[2].flip[1], row[3].flip[1])};
  const V8 parity23[4] = {Zero(d8), row[2].turn, row[3].turn, Xor(row[2].turn, row[3].turn)};
  for (unsigned p = 0; p < 2; ++p) {
    for (unsigned symbol = 0; symbol < 4; ++symbol) {
      const unsigned pattern = column_pattern(p, symbol);
      const unsigned row1 = pattern >> 1 & 1u;
      const unsigned rows23 = pattern >> 2;
      const V8 cost = Add(cost01[row1], cost23[rows23]);
      const V8 best = Min(cost, Sub(total, cost));  // the complement costs the rest
      const auto stays = Eq(best, cost);
      const V8 flip = IfThenElse(stays, Min(flip01[row1], flip23[rows23]),
                                 Min(flip01_complement[row1], flip23[3 - rows23]));
      const V8 difference = Sub(Sub(total, best), best);
      out.cost[p][symbol] = best;
      out.leave[p][symbol] = Min(flip, difference);
      out.parity[p][symbol] =
          Xor(Xor(parity01[row1], parity23[rows23]), IfThenZeroElse(stays, complement_turn));
    }
  }
}

// What the filter knows of the pairs of columns 01, 23 and 45 under one parity and one k. Entries
// are in the order of a, of c and of a + c.
template <class Tags>
struct PairBounds {
  using V8 = typename Tags::template V<typename Tags::Bytes>;
  V8 cost[3][4];
  V8 leave[3][4];
  V8 parity[3][4];
};

template <class Tags>
HWY_INLINE void BoundPairs(const ColumnBounds<Tags>* columns, unsigned p, std::size_t pair,
                           PairBounds<Tags>* pairs_of_k) {
  const ColumnBounds<Tags>& first = columns[2 * pair];
  const ColumnBounds<Tags>& second = columns[2 * pair + 1];
  for (unsigned s = 0; s < 4; ++s) {
    for (unsigned k = 0; k < 4; ++k) {
      const unsigned entry = pair == 2 ? s ^ times_w(k) : s;
      PairBounds<Tags>& out = pairs_of_k[k];
      out.cost[pair][entry] = SaturatedAdd(first.cost[p][s], second.cost[p][s ^ k]);
      out.leave[pair][entry] = Min(first.leave[p][s], second.leave[p][s ^ k]);
      out.parity[pair][entry] = Xor(first.parity[p][s], second.parity[p][s ^ k]);
    }
  }
}

// The most promising words so far: by bound, and by bound among the words whose cheapest patterns
// have the right parities.
template <class V8>
struct Favourites {
  V8 bound;
  V8 word;
  V8 fitting_bound;
  V8 fitting_word;
  V8 next;  // number of the word to come
};

template <class V8>
HWY_INLINE void Prefer(V8 bound, V8 word, V8& best_bound, V8& best_word) {
  const V8 better = Min(bound, best_bound);
  best_word = IfThenElse(Eq(better, best_bound), best_word, word);
  best_bound = better;
}

// One word; `bounds` is its row of the table.
template <class Tags, unsigned a, unsigned c, class V8>
HWY_INLINE void BoundWord(const PairBounds<Tags>& pairs, std::uint8_t* bounds,
                          Favourites<V8>& favourites) {
  const typename Tags::Bytes d8;
  const V8 cost =
      SaturatedAdd(SaturatedAdd(pairs.cost[0][a], pairs.cost[1][c]), pairs.cost[2][a ^ c]);
  const V8 leave = Min(Min(pairs.leave[0][a], pairs.leave[1][c]), pairs.leave[2][a ^ c]);
  const V8 parity = Xor(Xor(pairs.parity[0][a], pairs.parity[1][c]), pairs.parity[2][a ^ c]);
  const auto fits = Eq(parity, Zero(d8));
  const V8 bound = SaturatedAdd(cost, IfThenZeroElse(fits, leave));
  Store(bound, d8, bounds);
  Prefer(bound, favourites.next, favourites.bound, favourites.word);
  Prefer(IfThenElse(fits, cost, Set(d8, std::uint8_t{255})), favourites.next,
         favourites.fitting_bound, favourites.fitting_word);
  favourites.next = Add(favourites.next, Set(d8, std::uint8_t{1}));
}

template <class Tags, unsigned a, class V8>
HWY_INLINE void BoundFourWords(const PairBounds<Tags>& pairs, std::uint8_t* bounds,
                               Favourites<V8>& favourites) {
  std::uint8_t* const rows = bounds + sizeof(V8) * 4 * a;
  BoundWord<Tags, a, 0>(pairs, rows, favourites);
  BoundWord<Tags, a, 1>(pairs, rows + sizeof(V8), favourites);
  BoundWord<Tags, a, 2>(pairs, rows + sizeof(V8) * 2, favourites);
  BoundWord<Tags, a, 3>(pairs, rows + sizeof(V8) * 3, favourites);
}

// Sums over the coordinates, by half.
template <class Tags>
struct WeightSums {
  using VU16 = typename Tags::template V<typename Tags::UShorts>;
  VU16 sum[kBlockHalves];       // of |w| at 2^-14, modulo 2^16
  VU16 high_sum[kBlockHalves];  // of |w| at 2^-6, rounded down
};

// One coordinate of a block for m = 0: |w| in bytes at 2^-6, rounded down and at most 63, and the
// high bytes of y.
template <class Tags, class V8>
HWY_INLINE void WeighCoordinate(const LeechPlanes<Tags>& planes, std::size_t coordinate,
                                WeightSums<Tags>& sums, V8& weight, V8& y8) {
  const typename Tags::Bytes d8;
  const typename Tags::Shorts ds;
  const typename Tags::UShorts du;
  using V16 = typename Tags::template V<typename Tags::Shorts>;
  using VU16 = typename Tags::template V<typename Tags::UShorts>;
  const V16 one = Set(ds, std::int16_t{16384});
  VU16 y[kBlockHalves];
  VU16 w[kBlockHalves];
  VU16 high[kBlockHalves];
  for (std::size_t half = 0; half < kBlockHalves; ++half) {
    const V16 v = Load(ds, planes.plane(coordinate, half));
    w[half] = BitCast(du, Abs(Sub(Abs(Add(v, v)), one)));
    high[half] = ShiftRight<8>(w[half]);
    y[half] = BitCast(du, v);
    sums.sum[half] = Add(sums.sum[half], w[half]);
    sums.high_sum[half] = Add(sums.high_sum[half], high[half]);
  }
  weight = Min(OddEven(BitCast(d8, w[1]), BitCast(d8, high[0])), Set(d8, std::uint8_t{63}));
  y8 = OddEven(BitCast(d8, y[1]), BitCast(d8, ShiftRight<8>(y[0])));
}

// What the words of each m pay on top, in bytes at 2^-6, from K: rounded down and at most 255.
template <class Tags, class V8>
HWY_INLINE void CompareParities(const WeightSums<Tags>& sums, std::int32_t* k_of_point,
                                V8* addend) {
  const typename Tags::Bytes d8;
  const typename Tags::Shorts ds;
  const typename Tags::UShorts du;
  const typename Tags::Ints di;
  using VU16 = typename Tags::template V<typename Tags::UShorts>;
  using V32 = typename Tags::template V<typename Tags::Ints>;
  VU16 parts[2][kBlockHalves];
  const V32 most = Set(di, 255);
  const V32 none = Zero(di);
  const VU16 zero = Zero(du);
  for (std::size_t half = 0; half < kBlockHalves; ++half) {
    // The sums' low parts tell what the high parts leave out: 24 * 255 at most.
    const VU16 rest = Sub(sums.sum[half], ShiftLeft<8>(sums.high_sum[half]));
    V32 k[2];
    for (std::size_t side = 0; side < 2; ++side) {
      const V32 high = BitCast(di, side == 0 ? InterleaveLower(du, zero, sums.high_sum[half])
                                             : InterleaveUpper(du, zero, sums.high_sum[half]));
      const V32 low = BitCast(
          di, side == 0 ? InterleaveLower(du, rest, zero) : InterleaveUpper(du, rest, zero));
      const V32 twice_sum = Add(ShiftRight<8>(high), low);
      k[side] = Sub(Set(di, 6 * 16384), ShiftRight<1>(twice_sum));
      Store(k[side], di, k_of_point + Tags::kLanes * half + Tags::kLanes / 2 * side);
    }
    const auto clamp = [&](const V32& x)
                           HWY_ATTR { return Min(ShiftRight<8>(Max(x, none)), most); };
    parts[0][half] = BitCast(du, ReorderDemote2To(ds, clamp(k[0]), clamp(k[1])));
    parts[1][half] =
        BitCast(du, ReorderDemote2To(ds, clamp(Sub(none, k[0])), clamp(Sub(none, k[1]))));
  }
  for (std::size_t m = 0; m < 2; ++m) {
    addend[m] = BitCast(d8, Or(parts[m][0], ShiftLeft<8>(parts[m][1])));
  }
}

// From m = 0 to m = 1: |w| becomes 1 - |w|, y becomes y - 1.
template <class Tags, class V8>
HWY_INLINE void TurnToOdd(V8& weight, V8& y8) {
  const typename Tags::Bytes d8;
  weight = Sub(Set(d8, std::uint8_t{63}), weight);
  y8 = Sub(y8, Set(d8, std::uint8_t{32}));
}

// Twice the cost of a word of one m is comparable with that of the other m after adding max(K, 0)
// for m = 0 and max(-K, 0) for m = 1; K = 6 - sum |w| / 2, here at 2^-14.
// Fills K (wide positions), the table of bounds (256 rows of 2 kLanes bytes), the numbers of the
// two favourite words per half and the second one's bounds. LEECH-FILTER-1.
template <class Tags>
HWY_NOINLINE void FilterBlock(const LeechPlanes<Tags>& planes, std::int32_t* k_of_point,
                              std::uint8_t* bounds, std::uint16_t* best_word,
                              std::uint16_t* fitting_word, std::uint8_t* fitting_bound) {
  const typename Tags::Bytes d8;
  const typename Tags::UShorts du;
  using V8 = typename Tags::template V<typename Tags::Bytes>;
  using VU16 = typename Tags::template V<typename Tags::UShorts>;
  constexpr std::size_t kLanes = Tags::kLanes;

  V8 weight[kLeechDimension];
  V8 y8[kLeechDimension];
  WeightSums<Tags> sums = {{Zero(du), Zero(du)}, {Zero(du), Zero(du)}};
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    WeighCoordinate<Tags>(planes, i, sums, weight[i], y8[i]);
  }
  V8 addend[2];
  CompareParities<Tags>(sums, k_of_point, addend);

  Favourites<V8> favourites = {Set(d8, std::uint8_t{255}), Zero(d8), Set(d8, std::uint8_t{255}),
                               Zero(d8), Zero(d8)};
  for (std::size_t m = 0; m < 2; ++m) {
    ColumnBounds<Tags> columns[kMogColumns];
    if (m == 1) {
      for (std::size_t i = 0; i < kLeechDimension; ++i) TurnToOdd<Tags>(weight[i], y8[i]);
    }
    for (std::size_t j = 0; j < kMogColumns; ++j) {
      const V8 odd = Set(d8, static_cast<std::uint8_t>(j == 0 && m == 1 ? 0x80 : 0));
      BoundColumn<Tags>(weight + kMogRows * j, y8 + kMogRows * j, odd, columns[j]);
    }
    for (std::size_t p = 0; p < 2; ++p) {
      for (std::size_t s = 0; s < 4; ++s) {
        columns[0].cost[p][s] = SaturatedAdd(columns[0].cost[p][s], addend[m]);
        // An odd number of top rows is wanted for p = 1.
        if (p == 1) {
          columns[0].parity[p][s] = Xor(columns[0].parity[p][s], Set(d8, std::uint8_t{0x40}));
        }
      }
    }
    for (unsigned p = 0; p < 2; ++p) {
      PairBounds<Tags> pairs[4];
      for (std::size_t pair = 0; pair < 3; ++pair) BoundPairs<Tags>(columns, p, pair, pairs);
      for (std::size_t k = 0; k < 4; ++k) {  // the filter's inner loop: 16 words
        std::uint8_t* const rows = bounds + sizeof(V8) * (128 * m + 64 * p + 16 * k);
        BoundFourWords<Tags, 0>(pairs[k], rows, favourites);
        BoundFourWords<Tags, 1>(pairs[k], rows, favourites);
        BoundFourWords<Tags, 2>(pairs[k], rows, favourites);
        BoundFourWords<Tags, 3>(pairs[k], rows, favourites);
      }
    }
  }
  const VU16 low_byte = Set(du, std::uint16_t{0x00FF});
  const VU16 best = BitCast(du, favourites.word);
  // Where no word fits there is no second favourite: word 0 must not be taken for one.
  const auto nothing_fits = Eq(favourites.fitting_bound, Set(d8, std::uint8_t{255}));
  const VU16 fitting =
      BitCast(du, IfThenElse(nothing_fits, favourites.word, favourites.fitting_word));
  Store(And(best, low_byte), du, best_word);
  Store(ShiftRight<8>(best), du, best_word + kLanes);
  Store(And(fitting, low_byte), du, fitting_word);
  Store(ShiftRight<8>(fitting), du, fitting_word + kLanes);
  Store(favourites.fitting_bound, d8, fitting_bound);
}

// --------------------------------------------------------------------------------- the verifier

// Per-lane words as masks of all ones: m, p, and the golay bits of the patterns with top row 0.
template <class V16>
struct WordMasks {
  V16 m;
  V16 p;
  V16 row[kMogColumns][kMogRows];  // row 0 is not used: it is zero
};

template <class V16>
HWY_INLINE void FillColumnMasks(V16 p, V16 symbol_low, V16 symbol_high, V16* row) {
  row[1] = Xor(p, symbol_high);
  row[2] = Xor(p, symbol_low);
  row[3] = Xor(row[2], symbol_high);
}

template <class V16>
HWY_INLINE void FillWordMasks(V16 word, WordMasks<V16>& masks) {
  masks.m = BroadcastSignBit(ShiftLeft<8>(word));
  masks.p = BroadcastSignBit(ShiftLeft<9>(word));
  const V16 k1 = BroadcastSignBit(ShiftLeft<10>(word));
  const V16 k0 = BroadcastSignBit(ShiftLeft<11>(word));
  const V16 a1 = BroadcastSignBit(ShiftLeft<12>(word));
  const V16 a0 = BroadcastSignBit(ShiftLeft<13>(word));
  const V16 c1 = BroadcastSignBit(ShiftLeft<14>(word));
  const V16 c0 = BroadcastSignBit(ShiftLeft<15>(word));
  const V16 sum1 = Xor(a1, c1);
  const V16 sum0 = Xor(a0, c0);
  FillColumnMasks(masks.p, a0, a1, masks.row[0]);
  FillColumnMasks(masks.p, Xor(a0, k0), Xor(a1, k1), masks.row[1]);
  FillColumnMasks(masks.p, c0, c1, masks.row[2]);
  FillColumnMasks(masks.p, Xor(c0, k0), Xor(c1, k1), masks.row[3]);
  // k w has bits (k0 ^ k1, k1), k w^2 has bits (k0, k0 ^ k1); high bit first.
  FillColumnMasks(masks.p, Xor(sum0, k1), Xor(sum1, Xor(k0, k1)), masks.row[4]);
  FillColumnMasks(masks.p, Xor(sum0, Xor(k0, k1)), Xor(sum1, k0), masks.row[5]);
}

// Exact facts of one column under the word's pattern (top row 0) and its complement.
template <class V16>
struct ColumnCosts {
  V16 cost;             // of the pattern, at 2^-13, 0 to 4.0 unsigned
  V16 sum;              // that minus the cost of the complement
  V16 greatest;         // s w of the coordinate that moves most cheaply, for the pattern
  V16 least;            // minus the same for the complement
  V16 parity;           // sign bit: parity of z under the pattern
  V16 complement_turn;  // sign bit: the complement has the other parity
};

// Row 0 of a column. `plane`: its coordinate.
template <bool kMoves, class Tags, class V16>
HWY_INLINE void CostFirstRow(const std::int16_t* plane, V16 offset, ColumnCosts<V16>& out) {
  const typename Tags::Shorts ds;
  const V16 y = Sub(Load(ds, plane), offset);
  out.complement_turn = Add(y, y);
  out.parity = Xor(y, out.complement_turn);
  out.sum = Sub(Abs(ShiftRight<1>(out.complement_turn)), Set(ds, std::int16_t{kLeechUnit}));
  out.cost = Max(out.sum, Zero(ds));
  if (kMoves) out.greatest = out.least = out.sum;
}

// One of the other rows, with its mask.
template <bool kMoves, class Tags, class V16>
HWY_INLINE void CostNextRow(const std::int16_t* plane, V16 offset, V16 row, ColumnCosts<V16>& out) {
  const typename Tags::Shorts ds;
  const V16 y = Sub(Load(ds, plane), offset);
  const V16 y2 = Add(y, y);
  const V16 w = Sub(Abs(ShiftRight<1>(y2)), Set(ds, std::int16_t{kLeechUnit}));
  const V16 signed_w = Sub(Xor(w, row), row);
  out.cost = Add(out.cost, Max(signed_w, Zero(ds)));
  out.sum = Add(out.sum, signed_w);
  out.parity = Xor(out.parity, Xor(y, AndNot(row, y2)));
  out.complement_turn = Xor(out.complement_turn, y2);
  if (kMoves) {
    out.greatest = Max(out.greatest, signed_w);
    out.least = Min(out.least, signed_w);
  }
}

template <bool kMoves, class Tags, class V16>
HWY_INLINE void CostColumn(const std::int16_t* planes, std::size_t stride, std::size_t column,
                           V16 offset, const V16* row, ColumnCosts<V16>& out) {
  CostFirstRow<kMoves, Tags>(planes + stride * mog_coordinate(column, 0), offset, out);
  for (std::size_t r = 1; r < kMogRows; ++r) {
    CostNextRow<kMoves, Tags>(planes + stride * mog_coordinate(column, r), offset, row[r], out);
  }
}

// One half of the lanes, each a 32-bit key: cost at 2^-13 above the choice (leech_word.h). Adding
// keys adds costs and joins choices; the least key is the cheapest choice, and among those the one
// that the tie rule wants (leech.md 5.5, LEECH-TIE-1).
template <class V32>
HWY_INLINE void JoinColumn(V32* state, const V32* column) {
  V32 joined[4];
  for (unsigned target = 0; target < 4; ++target) {
    joined[target] = Add(state[0], column[target]);
    for (unsigned from = 1; from < 4; ++from) {
      joined[target] = Min(joined[target], Add(state[from], column[from ^ target]));
    }
  }
  for (unsigned target = 0; target < 4; ++target) state[target] = joined[target];
}

// The keys of a column by state: top row + 2 * parity of z beyond the pattern's. In the last column
// the states are relative to those that the other columns must have.
template <class V32>
struct ColumnKeys {
  V32 lower[4];  // lanes of InterleaveLower
  V32 upper[4];
};

// `pattern_tops`: labels say "pivot row set", this turns them into "top row set". `parity`: sign
// bit: still wanted of z when this and all earlier columns keep their patterns.
template <class Tags, class V16, class V32>
HWY_INLINE void KeysOfColumn(const std::int16_t* planes, std::size_t stride, std::size_t j,
                             V16 offset, const WordMasks<V16>& masks, V16& pattern_tops,
                             V16& parity, ColumnKeys<V32>& keys) {
  const typename Tags::Shorts ds;
  const typename Tags::Ints di;
  const typename Tags::Words dw;
  constexpr int kLabelShift = 16 - kChoiceBits;
  const V16 one = Set(ds, std::int16_t{16384});
  const auto label = [&](int bit) HWY_ATTR {
    return Set(ds,
               static_cast<std::int16_t>(static_cast<std::uint16_t>(1u << (bit + kLabelShift))));
  };
  ColumnCosts<V16> column;
  CostColumn<true, Tags>(planes, stride, j, offset, masks.row[j], column);
  parity = Xor(parity, column.parity);
  V16 cost[2] = {column.cost, Sub(column.cost, column.sum)};
  V16 moved[2] = {Sub(Add(cost[0], one), Add(column.greatest, column.greatest)),
                  Add(Add(cost[1], one), Add(column.least, column.least))};
  const V16 turn = BroadcastSignBit(column.complement_turn);
  const V16 flip = label(flip_bit(j));
  // Which state needs the move: parity of z beyond that of the pattern.
  V16 needs[2] = {Zero(ds), turn};
  V16 tops[2];  // labels of the two patterns
  if (j == kMogColumns - 1) {
    // Here the total must come out right: states are relative to (p, wanted parity).
    const auto odd = MaskFromVec(masks.p);
    const V16 plain = cost[0];
    const V16 plain_moved = moved[0];
    cost[0] = IfThenElse(odd, cost[1], plain);
    cost[1] = IfThenElse(odd, plain, cost[1]);
    moved[0] = IfThenElse(odd, moved[1], plain_moved);
    moved[1] = IfThenElse(odd, plain_moved, moved[1]);
    const V16 wanted = BroadcastSignBit(parity);
    needs[0] = Xor(wanted, And(masks.p, turn));
    needs[1] = Xor(wanted, AndNot(masks.p, turn));
    tops[0] = And(masks.p, label(top_bit(j)));
    tops[1] = AndNot(masks.p, label(top_bit(j)));
  } else {
    // The Golay index reads row 3 of column 0, row 2 of columns 1 and 2, row 0 of 3 and 4 first.
    const V16 pivot = label(top_bit(j));
    tops[0] = Zero(ds);
    if (j == 0) tops[0] = And(masks.row[0][3], pivot);
    if (j == 1 || j == 2) tops[0] = And(masks.row[j][2], pivot);
    tops[1] = Xor(tops[0], pivot);
    pattern_tops = Or(pattern_tops, tops[0]);
  }
  for (unsigned top = 0; top < 2; ++top) {
    const auto need = MaskFromVec(needs[top]);
    const V16 flip_label = And(needs[top], flip);
    const V16 costs_by_parity[2] = {IfThenElse(need, moved[top], cost[top]),
                                    IfThenElse(need, cost[top], moved[top])};
    const V16 labels[2] = {Or(tops[top], flip_label), Or(tops[top], Xor(flip_label, flip))};
    for (unsigned z = 0; z < 2; ++z) {
      keys.lower[top + 2 * z] = BitCast(
          di,
          ShiftRight<kLabelShift>(BitCast(dw, InterleaveLower(ds, labels[z], costs_by_parity[z]))));
      keys.upper[top + 2 * z] = BitCast(
          di,
          ShiftRight<kLabelShift>(BitCast(dw, InterleaveUpper(ds, labels[z], costs_by_parity[z]))));
    }
  }
}

// The exact cost of one word per lane and its best choice. `words`: kLanes numbers below 256.
// `costs`: kLanes at wide positions, at 2^-13. `choices`: kLanes. LEECH-WORD-1.
template <class Tags>
HWY_NOINLINE void EvaluateWords(const std::int16_t* planes, std::size_t stride,
                                const std::uint16_t* words, std::int32_t* costs,
                                std::uint16_t* choices) {
  const typename Tags::Shorts ds;
  const typename Tags::UShorts du;
  const typename Tags::Ints di;
  using V16 = typename Tags::template V<typename Tags::Shorts>;
  using V32 = typename Tags::template V<typename Tags::Ints>;
  constexpr int kLabelShift = 16 - kChoiceBits;
  WordMasks<V16> masks;
  FillWordMasks(BitCast(ds, Load(du, words)), masks);
  const V16 offset = And(masks.m, Set(ds, std::int16_t{kLeechUnit}));
  V32 lower[4];
  V32 upper[4];
  V16 pattern_tops = Zero(ds);
  V16 parity = masks.m;
  for (std::size_t j = 0; j < kMogColumns; ++j) {
    ColumnKeys<V32> column;
    KeysOfColumn<Tags>(planes, stride, j, offset, masks, pattern_tops, parity, column);
    if (j == 0) {
      for (unsigned s = 0; s < 4; ++s) {
        lower[s] = column.lower[s];
        upper[s] = column.upper[s];
      }
    } else if (j < kMogColumns - 1) {
      JoinColumn(lower, column.lower);
      JoinColumn(upper, column.upper);
    } else {
      for (unsigned s = 0; s < 4; ++s) {
        lower[s] = Add(lower[s], column.lower[s]);
        upper[s] = Add(upper[s], column.upper[s]);
      }
    }
  }
  const V32 key_lower = Min(Min(lower[0], lower[1]), Min(lower[2], lower[3]));
  const V32 key_upper = Min(Min(upper[0], upper[1]), Min(upper[2], upper[3]));
  Store(ShiftRight<kChoiceBits>(key_lower), di, costs);
  Store(ShiftRight<kChoiceBits>(key_upper), di, costs + Tags::kLanes / 2);
  const V32 choice = Set(di, (1 << kChoiceBits) - 1);
  const V16 labels = ReorderDemote2To(ds, And(key_lower, choice), And(key_upper, choice));
  const auto tops = ShiftRight<kLabelShift>(BitCast(du, pattern_tops));
  Store(Xor(BitCast(du, labels), tops), du, choices);
}

// The cost of one word per lane when no constraint is looked at: exact where the cheapest patterns
// have the right parities. `costs`: 65535 where they do not. `unsure`: not zero there, and where
// two choices cost the same, so that EvaluateWords must have the last word. LEECH-WORD-2.
template <class Tags>
HWY_NOINLINE void EvaluateFreeWords(const std::int16_t* planes, std::size_t stride,
                                    const std::uint16_t* words, std::uint16_t* costs,
                                    std::uint16_t* choices, std::uint16_t* unsure) {
  const typename Tags::Shorts ds;
  const typename Tags::UShorts du;
  using V16 = typename Tags::template V<typename Tags::Shorts>;
  using VU16 = typename Tags::template V<typename Tags::UShorts>;
  WordMasks<V16> masks;
  FillWordMasks(BitCast(ds, Load(du, words)), masks);
  const V16 offset = And(masks.m, Set(ds, std::int16_t{kLeechUnit}));
  V16 parity = masks.m;
  V16 tops_parity = masks.p;
  VU16 total = Zero(du);
  VU16 choice = Zero(du);
  V16 tie = Zero(ds);
  for (std::size_t j = 0; j < kMogColumns; ++j) {
    ColumnCosts<V16> column;
    CostColumn<false, Tags>(planes, stride, j, offset, masks.row[j], column);
    const VU16 cost = BitCast(du, column.cost);
    const VU16 complement = BitCast(du, Sub(column.cost, column.sum));
    const VU16 best = Min(cost, complement);
    const V16 stays = BitCast(ds, VecFromMask(du, Eq(best, cost)));
    tie = Or(tie, BitCast(ds, VecFromMask(du, Eq(cost, complement))));
    total = SaturatedAdd(total, best);
    const V16 top = Set(ds, static_cast<std::int16_t>(1 << top_bit(j)));
    choice = Or(choice, BitCast(du, AndNot(stays, top)));
    parity = Xor(parity, Xor(column.parity, AndNot(stays, column.complement_turn)));
    tops_parity = Xor(tops_parity, stays);  // six columns: as good as the complements
  }
  const V16 wrong = BroadcastSignBit(Or(parity, tops_parity));
  const VU16 cost = Or(total, BitCast(du, wrong));
  const auto saturated = Eq(cost, Set(du, std::uint16_t{65535}));
  Store(cost, du, costs);
  Store(choice, du, choices);
  Store(Or(BitCast(du, tie), VecFromMask(du, saturated)), du, unsure);
}

// The residuals y - x modulo 8 of one word and choice per lane, [coordinate][lane]: leech.md 5.6,
// (c) included. LEECH-EMIT-1.
template <class Tags>
HWY_NOINLINE void EmitResiduals(const std::int16_t* planes, std::size_t stride,
                                const std::uint16_t* words, const std::uint16_t* choices,
                                std::int16_t* residuals) {
  const typename Tags::Shorts ds;
  const typename Tags::UShorts du;
  using V16 = typename Tags::template V<typename Tags::Shorts>;
  WordMasks<V16> masks;
  FillWordMasks(BitCast(ds, Load(du, words)), masks);
  const V16 choice = BitCast(ds, Load(du, choices));
  const V16 offset = And(masks.m, Set(ds, std::int16_t{kLeechUnit}));
  const V16 two = Set(ds, std::int16_t{2 * kLeechUnit});
  const V16 four = Set(ds, std::int16_t{-32768});
  const auto mask_of = [&](int bit) HWY_ATTR {
    const V16 single = Set(ds, static_cast<std::int16_t>(1 << bit));
    return VecFromMask(ds, Eq(And(choice, single), single));
  };
  for (std::size_t j = 0; j < kMogColumns; ++j) {
    const V16 top = mask_of(top_bit(j));
    V16 to_move = And(mask_of(flip_bit(j)), four);
    V16 r[kMogRows];
    V16 size[kMogRows];
    for (std::size_t i = 0; i < kMogRows; ++i) {
      const V16 y = Sub(Load(ds, planes + stride * mog_coordinate(j, i)), offset);
      const V16 bit = i == 0 ? top : Xor(top, masks.row[j][i]);
      r[i] = ShiftRight<1>(ShiftLeft<1>(Xor(y, And(bit, two))));
      size[i] = Abs(r[i]);
    }
    const V16 greatest = Max(Max(size[0], size[1]), Max(size[2], size[3]));
    for (std::size_t i = 0; i < kMogRows; ++i) {
      // The first coordinate of greatest |r| takes the move.
      const V16 here = And(to_move, VecFromMask(ds, Eq(size[i], greatest)));
      to_move = Xor(to_move, here);
      Store(Xor(r[i], here), ds, residuals + Tags::kLanes * mog_coordinate(j, i));
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace fast
}  // namespace quantproof
HWY_AFTER_NAMESPACE();

#endif
