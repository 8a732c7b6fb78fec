// SPDX-License-Identifier: Apache-2.0
//
// What the Leech kernel must compute, in integers, apart from its tricks: leech.md 5.6 in linear
// form, and the answers of its 256 words for one point.
#ifndef QUANTPROOF_PROOFS_LEECH_EXACT_H_
#define QUANTPROOF_PROOFS_LEECH_EXACT_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "fast/leech_word.h"
#include "proofs/leech_lanes.h"
#include "quantproof/golay.h"
#include "quantproof/leech.h"

namespace quantproof::proofs {

// leech.md 5.6 (a) for one coordinate under a parity m and a golay bit c. Squared distances are in
// linear form: r^2 = 2^15 cost + least, where `least` is that of the better of the two golay bits,
// and the change of 5.6 (c) costs 2^15 change. LEECH-WORD-1 compares this with the reference, for
// every y modulo 8 lattice units.
template <class W>
struct ExactCoordinate {
  W r;       // 32 bits, signed: -16384 to 16383
  W odd_z;   // 1 bit
  W cost;    // 32 bits: 0 to 8192
  W change;  // 32 bits: 0 to 32768
};

template <class W>
W absolute(const W& a) {
  const W zero = lanes::zero_like(a);
  return lanes::Bits<W>::select(lanes::Bits<W>::less_signed(a, zero), zero - a, a);
}

template <class W>
W sign_extended(const W& a) {  // 16 bits to 32
  using B = lanes::Bits<W>;
  return B::shift_right_signed(B::join(a, B::value(0, 16)), 16);
}

// `y`: 16 bits. `m`, `c`: 1 bit.
template <class W>
ExactCoordinate<W> exact_coordinate(const W& y, const W& m, const W& c) {
  using B = lanes::Bits<W>;
  const auto number = [](std::int32_t v) { return B::value(static_cast<std::uint32_t>(v), 32); };
  const auto is_one = [](const W& bit) { return B::equal(bit, B::value(1, 1)); };
  const W offset =
      B::select(is_one(m), B::select(is_one(c), number(-1 * kLeechUnit), number(kLeechUnit)),
                B::select(is_one(c), number(2 * kLeechUnit), number(0)));
  const W t = sign_extended(y) - offset;
  const W z = B::shift_right_signed(t + number(2 * kLeechUnit), kLeechUnitBits + 2);  // the floor
  const W r = t - B::shift_left(z, kLeechUnitBits + 2);
  const W beyond = absolute(r) - number(kLeechUnit);
  return {r, B::part(z, 0, 0), B::select(B::less_signed(beyond, number(0)), number(0), beyond),
          number(4 * kLeechUnit) - (absolute(r) + absolute(r))};
}

// The four coordinates of a column: the sum of the costs, the parity of the sum of z, the cheapest
// change.
template <class W>
struct ExactColumn {
  W cost;
  W odd_z;
  W change;
};

template <class W>
ExactColumn<W> exact_column(const std::vector<W>& y, const W& m, const std::vector<W>& c) {
  using B = lanes::Bits<W>;
  const auto first = exact_coordinate(y[0], m, c[0]);
  ExactColumn<W> column = {first.cost, first.odd_z, first.change};
  for (std::size_t r = 1; r < kMogRows; ++r) {
    const auto next = exact_coordinate(y[r], m, c[r]);
    column.cost = column.cost + next.cost;
    column.odd_z = column.odd_z ^ next.odd_z;
    column.change =
        B::select(B::less_signed(next.change, column.change), next.change, column.change);
  }
  return column;
}

// ------------------------------------------------------------------- one point, in plain integers

using LeechCoordinates = std::array<std::int32_t, kLeechDimension>;

// The best candidate among the 32 cosets of a word of the kernel, by leech.md 5.5 and 5.6.
struct WordAnswer {
  std::int64_t distance = 0;  // squared, in squared units of 2^-13
  std::uint32_t index = 0;    // of the Golay word
  unsigned choice = 0;        // as in fast/leech_word.h
  LeechCoordinates residual{};
};

struct PointAnswers {
  std::array<WordAnswer, fast::kLeechWords> words;
  std::array<std::int64_t, 2> least{};  // for each m: what all its words pay

  // The squared distance of the answer of word n, less what every candidate pays, in units of 2^14:
  // 2^-14 in the kernel's unit.
  [[nodiscard]] std::int64_t comparable(std::size_t n) const {
    return (words[n].distance - std::min(least[0], least[1])) >> 14;
  }
};

PointAnswers answer_words(const LeechCoordinates& y);

}  // namespace quantproof::proofs

#endif
