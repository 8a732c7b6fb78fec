// SPDX-License-Identifier: Apache-2.0
//
// The nearest point that a LeechCode can hold (kaiju1.md 7), for as many points as an int32 vector
// has lanes. Costs are squared distances less |y|^2, over 16384 squared units of 2^-13: integers.
//
// A coordinate of offset o has three choices: z = 0, the better of +-1, the better of +-2. With
// t = y - 8192 o the last two cost 65536 - 4 |t| and 262144 - 8 |t| more than the first. At most
// one coordinate may take the last.
//
// Filter: a lower bound for each of the 256 words (leech_word.h) that lets any number of
// coordinates go outward. Evaluate: the least cost of one word per lane. Emit: the point, and
// whether it is the only one.

#if defined(QUANTPROOF_FAST_KAIJU1_NEAREST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTPROOF_FAST_KAIJU1_NEAREST_INL_H_
#undef QUANTPROOF_FAST_KAIJU1_NEAREST_INL_H_
#else
#define QUANTPROOF_FAST_KAIJU1_NEAREST_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

#include "fast/leech_word.h"
#include "quantproof/leech.h"

HWY_BEFORE_NAMESPACE();
namespace quantproof {
namespace fast {
namespace HWY_NAMESPACE {
namespace kaiju1 {

namespace hn = hwy::HWY_NAMESPACE;

// Where coordinates are at most this large, in units of 2^-13, no sum leaves int32: a coordinate
// costs at most 10 (2^19 + 10 * 4096) < 2^22.5 in magnitude, 24 of them less than 2^27.1.
inline constexpr std::int32_t kBoxPointLimit = std::int32_t{1} << 19;
inline constexpr std::int32_t kUnreached = std::int32_t{1} << 29;

using D = hn::CappedTag<std::int32_t, 16>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;
inline constexpr std::size_t kMostLanes = 16;

// Planes: [coordinate][lane], as many lanes as D has.
HWY_INLINE V LoadPlane(const std::int32_t* planes, std::size_t i) {
  const D d;
  return hn::Load(d, planes + hn::Lanes(d) * i);
}

// One coordinate under one offset: what z = 0 costs, and what the others cost beyond that.
struct Choices {
  V even;
  V odd;
  V outward;
};

HWY_INLINE Choices ChoicesOf(V y, V offset, V even) {
  const D d;
  const V distance = hn::Abs(hn::Sub(y, hn::ShiftLeft<kLeechUnitBits>(offset)));
  return {even, hn::Sub(hn::Set(d, 65536), hn::ShiftLeft<2>(distance)),
          hn::Sub(hn::Set(d, 262144), hn::ShiftLeft<3>(distance))};
}

// The two golay bits of a coordinate for m = 0 or 1: offsets 0 and 2, or 1 and -1.
HWY_INLINE void ChoicesOfM(V y, unsigned m, Choices* of_bit) {
  const D d;
  if (m == 0) {
    of_bit[0] = ChoicesOf(y, hn::Zero(d), hn::Zero(d));
    of_bit[1] = ChoicesOf(y, hn::Set(d, 2), hn::Sub(hn::Set(d, 16384), hn::Add(y, y)));
  } else {
    of_bit[0] = ChoicesOf(y, hn::Set(d, 1), hn::Sub(hn::Set(d, 4096), y));
    of_bit[1] = ChoicesOf(y, hn::Set(d, -1), hn::Add(hn::Set(d, 4096), y));
  }
}

// ------------------------------------------------------------------------------------ the filter

// Of a part of the coordinates: the least cost when none is outward; at least how much more it
// costs to leave the parities of those choices; at least how much more, or less, with one outward;
// and the parities: bit 0 that of sum z, bit 1 the top row.
struct Bound {
  V cost;
  V leave;
  V outward;
  V parity;
};

HWY_INLINE Bound Join(const Bound& a, const Bound& b) {
  return {hn::Add(a.cost, b.cost), hn::Min(a.leave, b.leave), hn::Min(a.outward, b.outward),
          hn::Xor(a.parity, b.parity)};
}

HWY_INLINE void BoundColumn(const std::int32_t* planes, std::size_t column, unsigned m,
                            Bound out[2][4]) {
  const D d;
  Bound of_row[kMogRows][2];
  for (std::size_t r = 0; r < kMogRows; ++r) {
    Choices choices[2];
    ChoicesOfM(LoadPlane(planes, mog_coordinate(column, r)), m, choices);
    for (std::size_t bit = 0; bit < 2; ++bit) {
      const V odd = hn::Min(hn::Zero(d), choices[bit].odd);
      of_row[r][bit] = {hn::Add(choices[bit].even, odd), hn::Abs(choices[bit].odd),
                        hn::Sub(choices[bit].outward, odd),
                        hn::IfThenElseZero(hn::Lt(odd, hn::Zero(d)), hn::Set(d, 1))};
    }
  }
  Bound rows01[4];
  Bound rows23[4];
  for (std::size_t bits = 0; bits < 4; ++bits) {
    rows01[bits] = Join(of_row[0][bits & 1u], of_row[1][bits >> 1]);
    rows23[bits] = Join(of_row[2][bits & 1u], of_row[3][bits >> 1]);
  }
  for (unsigned p = 0; p < 2; ++p) {
    for (unsigned symbol = 0; symbol < 4; ++symbol) {
      const unsigned pattern = column_pattern(p, symbol);  // its top row is 0
      const Bound plain = Join(rows01[pattern & 3u], rows23[pattern >> 2]);
      const Bound turned = Join(rows01[3u - (pattern & 3u)], rows23[3u - (pattern >> 2)]);
      const M turns = hn::Lt(turned.cost, plain.cost);
      const V least = hn::Min(plain.cost, turned.cost);
      const V leave = hn::Min(hn::IfThenElse(turns, turned.leave, plain.leave),
                              hn::Abs(hn::Sub(plain.cost, turned.cost)));
      const V outward = hn::Sub(
          hn::Min(hn::Add(plain.cost, plain.outward), hn::Add(turned.cost, turned.outward)), least);
      out[p][symbol] = {least, leave, outward,
                        hn::IfThenElse(turns, hn::Xor(turned.parity, hn::Set(d, 2)), plain.parity)};
    }
  }
}

// Keeps the kFavourites least of some bounds, and their words.
inline constexpr std::size_t kFavourites = 3;

struct Favourites {
  V bound[kFavourites];
  V word[kFavourites];

  HWY_INLINE void Offer(V new_bound, V new_word) {
    for (std::size_t f = 0; f < kFavourites; ++f) {
      const M better = hn::Lt(new_bound, bound[f]);
      const V worse_bound = hn::Max(new_bound, bound[f]);
      const V worse_word = hn::IfThenElse(better, word[f], new_word);
      bound[f] = hn::Min(new_bound, bound[f]);
      word[f] = hn::IfThenElse(better, new_word, word[f]);
      new_bound = worse_bound;
      new_word = worse_word;
    }
  }
};

// Fills `bounds`, 256 rows of one vector, and `favourites`, kFavourites rows of words that are
// likely to be the answer: those of the least bounds, at most one of each sixteen.
HWY_NOINLINE void FilterWords(const std::int32_t* planes, std::int32_t* bounds,
                              std::int32_t* favourite_words) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  Favourites favourites;
  for (std::size_t f = 0; f < kFavourites; ++f) {
    favourites.bound[f] = hn::Set(d, kUnreached);
    favourites.word[f] = hn::Zero(d);
  }
  for (unsigned m = 0; m < 2; ++m) {
    Bound columns[kMogColumns][2][4];
    for (std::size_t j = 0; j < kMogColumns; ++j) BoundColumn(planes, j, m, columns[j]);
    for (unsigned p = 0; p < 2; ++p) {
      const V wanted = hn::Set(d, static_cast<std::int32_t>(m + 2 * p));
      for (unsigned k = 0; k < 4; ++k) {
        Bound pairs[3][4];  // by a, by c, by a + c
        for (unsigned s = 0; s < 4; ++s) {
          pairs[0][s] = Join(columns[0][p][s], columns[1][p][s ^ k]);
          pairs[1][s] = Join(columns[2][p][s], columns[3][p][s ^ k]);
          pairs[2][s] = Join(columns[4][p][s ^ times_w(k)], columns[5][p][s ^ times_w2(k)]);
        }
        V least = hn::Set(d, kUnreached);
        V word_of_least = hn::Zero(d);
        for (unsigned a = 0; a < 4; ++a) {
          for (unsigned c = 0; c < 4; ++c) {
            const unsigned word = 128 * m + 64 * p + 16 * k + 4 * a + c;
            const Bound all = Join(Join(pairs[0][a], pairs[1][c]), pairs[2][a ^ c]);
            const M fits = hn::Eq(all.parity, wanted);
            const V bound =
                hn::Add(all.cost, hn::Min(hn::IfThenZeroElse(fits, all.leave), all.outward));
            hn::Store(bound, d, bounds + lanes * word);
            const M better = hn::Lt(bound, least);
            least = hn::Min(bound, least);
            word_of_least =
                hn::IfThenElse(better, hn::Set(d, static_cast<std::int32_t>(word)), word_of_least);
          }
        }
        favourites.Offer(least, word_of_least);
      }
    }
  }
  for (std::size_t f = 0; f < kFavourites; ++f) {
    hn::Store(favourites.word[f], d, favourite_words + lanes * f);
  }
}

// --------------------------------------------------------------------------------- the evaluation

// What one word per lane says, as masks: m, p, and the golay bits of the patterns with top row 0.
struct WordMasks {
  M m;
  M p;
  M row[kMogColumns][kMogRows];  // row 0 is not used: it is zero
};

HWY_INLINE void FillWordMasks(V word, WordMasks& masks) {
  const D d;
  const auto bit = [&](int n)
                       HWY_ATTR { return hn::And(hn::ShiftRightSame(word, n), hn::Set(d, 1)); };
  const auto mask = [&](V value) HWY_ATTR { return hn::Ne(value, hn::Zero(d)); };
  const V p = bit(6);
  const V k1 = bit(5);
  const V k0 = bit(4);
  const V a1 = bit(3);
  const V a0 = bit(2);
  const V c1 = bit(1);
  const V c0 = bit(0);
  masks.m = mask(bit(7));
  masks.p = mask(p);
  const V sum1 = hn::Xor(a1, c1);
  const V sum0 = hn::Xor(a0, c0);
  const auto fill = [&](V low, V high, M* row) HWY_ATTR {
    row[1] = mask(hn::Xor(p, high));
    row[2] = mask(hn::Xor(p, low));
    row[3] = mask(hn::Xor(hn::Xor(p, low), high));
  };
  fill(a0, a1, masks.row[0]);
  fill(hn::Xor(a0, k0), hn::Xor(a1, k1), masks.row[1]);
  fill(c0, c1, masks.row[2]);
  fill(hn::Xor(c0, k0), hn::Xor(c1, k1), masks.row[3]);
  // k w has bits (k0 ^ k1, k1), k w^2 has bits (k0, k0 ^ k1); high bit first.
  fill(hn::Xor(sum0, k1), hn::Xor(sum1, hn::Xor(k0, k1)), masks.row[4]);
  fill(hn::Xor(sum0, hn::Xor(k0, k1)), hn::Xor(sum1, k0), masks.row[5]);
}

// Least costs by state: the parity of sum z, and whether a coordinate is outward.
struct States {
  V at[2][2];  // [parity][outward]
};

// A column under a pattern and its complement: [top row][parity][outward].
struct ColumnStates {
  States of_top[2];
};

HWY_INLINE States FirstStates(const Choices& choices) {
  const D d;
  return {{{choices.even, hn::Add(choices.even, choices.outward)},
           {hn::Add(choices.even, choices.odd), hn::Set(d, kUnreached)}}};
}

HWY_INLINE States NextStates(const States& before, const Choices& choices) {
  States after;
  for (std::size_t k = 0; k < 2; ++k) {
    after.at[k][0] =
        hn::Add(choices.even, hn::Min(before.at[k][0], hn::Add(before.at[1 - k][0], choices.odd)));
    after.at[k][1] = hn::Add(
        choices.even, hn::Min(hn::Min(before.at[k][1], hn::Add(before.at[1 - k][1], choices.odd)),
                              hn::Add(before.at[k][0], choices.outward)));
  }
  return after;
}

HWY_INLINE Choices Select(M mask, const Choices& yes, const Choices& no) {
  return {hn::IfThenElse(mask, yes.even, no.even), hn::IfThenElse(mask, yes.odd, no.odd),
          hn::IfThenElse(mask, yes.outward, no.outward)};
}

// The choices of a coordinate under the pattern (top 0) and its complement (top 1).
HWY_INLINE void ChoicesOfTops(V y, M m, M bit, bool top_row, Choices* of_top) {
  const D d;
  Choices bits[2];
  const V one = hn::Set(d, 1);
  bits[0] =
      ChoicesOf(y, hn::IfThenElseZero(m, one), hn::IfThenElseZero(m, hn::Sub(hn::Set(d, 4096), y)));
  bits[1] = ChoicesOf(
      y, hn::IfThenElse(m, hn::Set(d, -1), hn::Set(d, 2)),
      hn::IfThenElse(m, hn::Add(hn::Set(d, 4096), y), hn::Sub(hn::Set(d, 16384), hn::Add(y, y))));
  if (top_row) {
    of_top[0] = bits[0];
    of_top[1] = bits[1];
  } else {
    of_top[0] = Select(bit, bits[1], bits[0]);
    of_top[1] = Select(bit, bits[0], bits[1]);
  }
}

HWY_INLINE ColumnStates JoinColumns(const ColumnStates& a, const ColumnStates& b) {
  ColumnStates joined;
  for (std::size_t top = 0; top < 2; ++top) {
    for (std::size_t k = 0; k < 2; ++k) {
      V plain{};
      V outward{};
      for (std::size_t way = 0; way < 4; ++way) {
        const States& left = a.of_top[way >> 1];
        const States& right = b.of_top[top ^ (way >> 1)];
        const std::size_t kl = way & 1u;
        const std::size_t kr = k ^ kl;
        const V neither = hn::Add(left.at[kl][0], right.at[kr][0]);
        const V one = hn::Min(hn::Add(left.at[kl][1], right.at[kr][0]),
                              hn::Add(left.at[kl][0], right.at[kr][1]));
        plain = way == 0 ? neither : hn::Min(plain, neither);
        outward = way == 0 ? one : hn::Min(outward, one);
      }
      joined.of_top[top].at[k][0] = plain;
      joined.of_top[top].at[k][1] = outward;
    }
  }
  return joined;
}

// The states as seen from the parities that are wanted: those become top 0, parity 0.
HWY_INLINE ColumnStates Relative(const ColumnStates& states, M top, M parity) {
  ColumnStates turned;
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t u = 0; u < 2; ++u) {
      const V zero =
          hn::IfThenElse(parity, states.of_top[0].at[1 - k][u], states.of_top[0].at[k][u]);
      const V one =
          hn::IfThenElse(parity, states.of_top[1].at[1 - k][u], states.of_top[1].at[k][u]);
      turned.of_top[0].at[k][u] = hn::IfThenElse(top, one, zero);
      turned.of_top[1].at[k][u] = hn::IfThenElse(top, zero, one);
    }
  }
  return turned;
}

// The least cost of one word per lane.
HWY_NOINLINE void EvaluateWords(const std::int32_t* planes, const std::int32_t* words,
                                std::int32_t* costs) {
  const D d;
  WordMasks masks;
  FillWordMasks(hn::Load(d, words), masks);
  ColumnStates all;
  for (std::size_t j = 0; j < kMogColumns; ++j) {
    ColumnStates column;
    for (std::size_t r = 0; r < kMogRows; ++r) {
      Choices of_top[2];
      ChoicesOfTops(LoadPlane(planes, mog_coordinate(j, r)), masks.m, masks.row[j][r], r == 0,
                    of_top);
      for (std::size_t top = 0; top < 2; ++top) {
        column.of_top[top] =
            r == 0 ? FirstStates(of_top[top]) : NextStates(column.of_top[top], of_top[top]);
      }
    }
    all = j == 0 ? column : JoinColumns(all, column);
  }
  const States wanted = Relative(all, masks.p, masks.m).of_top[0];
  hn::Store(hn::Min(wanted.at[0][0], wanted.at[0][1]), d, costs);
}

// -------------------------------------------------------------------------------------- the point

// Which one of several ways leads to `value`; whether it is more than one.
struct Ways {
  V count;  // minus the number of ways found
  M Take(V value, V way, M allowed) {
    const D d;
    const M here = hn::And(hn::Eq(value, way), allowed);
    count = hn::Add(count, hn::VecFromMask(d, here));
    return here;
  }
};

// The point of least cost of one word per lane, as planes of coordinates in lattice units, and
// `unique`: 1 where no other point of that word costs as little, else 0.
HWY_NOINLINE void EmitPoints(const std::int32_t* planes, const std::int32_t* words,
                             std::int32_t* points, std::int32_t* unique) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  WordMasks masks;
  FillWordMasks(hn::Load(d, words), masks);
  Choices choices[kMogColumns][kMogRows][2];
  ColumnStates rows[kMogColumns][kMogRows];
  ColumnStates all[kMogColumns];
  for (std::size_t j = 0; j < kMogColumns; ++j) {
    for (std::size_t r = 0; r < kMogRows; ++r) {
      Choices* const of_top = choices[j][r];
      ChoicesOfTops(LoadPlane(planes, mog_coordinate(j, r)), masks.m, masks.row[j][r], r == 0,
                    of_top);
      for (std::size_t top = 0; top < 2; ++top) {
        rows[j][r].of_top[top] =
            r == 0 ? FirstStates(of_top[top]) : NextStates(rows[j][r - 1].of_top[top], of_top[top]);
      }
    }
    all[j] = j == 0 ? rows[j][kMogRows - 1] : JoinColumns(all[j - 1], rows[j][kMogRows - 1]);
  }

  const M never = hn::MaskFromVec(hn::Zero(d));
  const M always = hn::Not(never);
  M ambiguous = never;
  M top = masks.p;  // what is still wanted
  M parity = masks.m;
  const States wanted = Relative(all[kMogColumns - 1], top, parity).of_top[0];
  V value = hn::Min(wanted.at[0][0], wanted.at[0][1]);
  M outward = hn::Lt(wanted.at[0][1], wanted.at[0][0]);
  ambiguous = hn::Or(ambiguous, hn::Eq(wanted.at[0][0], wanted.at[0][1]));

  for (std::size_t j = kMogColumns; j-- > 0;) {
    M column_top = top;
    M column_parity = parity;
    M column_outward = outward;
    V column_value = value;
    if (j > 0) {
      const ColumnStates left = Relative(all[j - 1], top, parity);
      const ColumnStates& right = rows[j][kMogRows - 1];
      Ways ways{hn::Zero(d)};
      column_top = never;
      column_parity = never;
      column_outward = never;
      column_value = hn::Zero(d);
      for (std::size_t way = 0; way < 4; ++way) {
        const States& l = left.of_top[way >> 1];
        const States& r = right.of_top[way >> 1];
        const std::size_t k = way & 1u;
        const V left_same = hn::IfThenElse(outward, l.at[k][1], l.at[k][0]);
        const M same = ways.Take(value, hn::Add(left_same, r.at[k][0]), always);
        const M here = ways.Take(value, hn::Add(l.at[k][0], r.at[k][1]), outward);
        const M either = hn::Or(same, here);
        if ((way >> 1) != 0) column_top = hn::Or(column_top, either);
        if (k != 0) column_parity = hn::Or(column_parity, either);
        column_outward = hn::Or(column_outward, here);
        column_value = hn::IfThenElse(same, r.at[k][0], column_value);
        column_value = hn::IfThenElse(here, r.at[k][1], column_value);
      }
      ambiguous = hn::Or(ambiguous, hn::Ne(ways.count, hn::Set(d, -1)));
      top = hn::Xor(top, column_top);
      parity = hn::Xor(parity, column_parity);
      outward = hn::And(outward, hn::Not(column_outward));
      value = hn::Sub(value, column_value);
    }
    // The rows of the column, from the last to the first.
    for (std::size_t r = kMogRows; r-- > 0;) {
      const std::size_t i = mog_coordinate(j, r);
      const Choices choice = Select(column_top, choices[j][r][1], choices[j][r][0]);
      M odd;
      M far;
      if (r == 0) {
        odd = column_parity;
        far = column_outward;
      } else {
        States before;
        for (std::size_t k = 0; k < 2; ++k) {
          for (std::size_t u = 0; u < 2; ++u) {
            before.at[k][u] = hn::IfThenElse(column_top, rows[j][r - 1].of_top[1].at[k][u],
                                             rows[j][r - 1].of_top[0].at[k][u]);
          }
        }
        const V rest = hn::Sub(column_value, choice.even);
        const auto state = [&](M k, M u) HWY_ATTR {
          return hn::IfThenElse(k, hn::IfThenElse(u, before.at[1][1], before.at[1][0]),
                                hn::IfThenElse(u, before.at[0][1], before.at[0][0]));
        };
        const V with_even = state(column_parity, column_outward);
        const V with_odd = state(hn::Not(column_parity), column_outward);
        const V with_far = state(column_parity, never);
        Ways ways{hn::Zero(d)};
        ways.Take(rest, with_even, always);
        odd = ways.Take(rest, hn::Add(with_odd, choice.odd), always);
        far = ways.Take(rest, hn::Add(with_far, choice.outward), column_outward);
        ambiguous = hn::Or(ambiguous, hn::Ne(ways.count, hn::Set(d, -1)));
        column_value = hn::IfThenElse(odd, with_odd, with_even);
        column_value = hn::IfThenElse(far, with_far, column_value);
        column_parity = hn::Xor(column_parity, odd);
        column_outward = hn::And(column_outward, hn::Not(far));
      }
      const V y = LoadPlane(planes, i);
      const M bit = r == 0 ? column_top : hn::Xor(column_top, masks.row[j][r]);
      const V one = hn::Set(d, 1);
      const V offset = hn::IfThenElse(masks.m, hn::IfThenElse(bit, hn::Set(d, -1), one),
                                      hn::IfThenElseZero(bit, hn::Set(d, 2)));
      const V step = hn::IfThenElse(far, hn::Set(d, 8), hn::IfThenElseZero(odd, hn::Set(d, 4)));
      const M below = hn::Lt(y, hn::ShiftLeft<kLeechUnitBits>(offset));
      const V x = hn::IfThenElse(below, hn::Sub(offset, step), hn::Add(offset, step));
      hn::Store(x, d, points + lanes * i);
    }
  }
  hn::Store(hn::IfThenZeroElse(ambiguous, hn::Set(d, 1)), d, unique);
}

}  // namespace kaiju1
}  // namespace HWY_NAMESPACE
}  // namespace fast
}  // namespace quantproof
HWY_AFTER_NAMESPACE();

#endif
