// SPDX-License-Identifier: Apache-2.0
//
// The proofs of fast/leech-inl.h, as templates over a kernel: the shipped text, or one with a
// seeded mistake (leech_mutants.cc). Steps and trust: SOUNDNESS.md.
#ifndef QUANTPROOF_PROOFS_LEECH_KERNEL_H_
#define QUANTPROOF_PROOFS_LEECH_KERNEL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fast/leech_word.h"
#include "proofs/leech_exact.h"
#include "proofs/leech_lanes.h"
#include "proofs/obligation.h"
#include "quantproof/golay.h"
#include "quantproof/leech.h"

// Names the templates of a text in namespace quantproof::`space`.
#define QP_LEECH_KERNEL(Name, space)                                                 \
  struct Name {                                                                      \
    using Portable = space::PortableLeechTags<8>;                                    \
    template <class T>                                                               \
    using Planes = space::LeechPlanes<T>;                                            \
    template <class T>                                                               \
    using Sums = space::WeightSums<T>;                                               \
    template <class T>                                                               \
    using Bounds = space::ColumnBounds<T>;                                           \
    template <class V>                                                               \
    using Row = space::RowBounds<V>;                                                 \
    template <class V>                                                               \
    using Masks = space::WordMasks<V>;                                               \
    template <class V>                                                               \
    using Costs = space::ColumnCosts<V>;                                             \
    template <class V>                                                               \
    using Keys = space::ColumnKeys<V>;                                               \
    using RowsInOrder = space::RowsInOrder;                                          \
    using RowsByNumber = space::RowsByNumber;                                        \
    QP_LEECH_FUNCTION(space, weigh_coordinate, WeighCoordinate)                      \
    QP_LEECH_FUNCTION(space, compare_parities, CompareParities)                      \
    QP_LEECH_FUNCTION(space, turn_to_odd, TurnToOdd)                                 \
    QP_LEECH_FUNCTION(space, bound_row, BoundRow)                                    \
    QP_LEECH_FUNCTION(space, bound_column, BoundColumn)                              \
    QP_LEECH_FUNCTION(space, filter_block, FilterBlock)                              \
    QP_LEECH_FUNCTION(space, keys_of_column, KeysOfColumn)                           \
    QP_LEECH_FUNCTION(space, evaluate_words, EvaluateWords)                          \
    QP_LEECH_FUNCTION(space, evaluate_free_words, EvaluateFreeWords)                 \
    QP_LEECH_FUNCTION(space, emit_residuals, EmitResiduals)                          \
    QP_LEECH_FUNCTION(space, load_planes, LoadPlanes)                                \
    QP_LEECH_FUNCTION(space, store_points, StorePoints)                              \
    template <bool kMoves, class T, class... A>                                      \
    static void cost_first_row(A&&... a) {                                           \
      space::CostFirstRow<kMoves, T>(std::forward<A>(a)...);                         \
    }                                                                                \
    template <bool kMoves, class T, class... A>                                      \
    static void cost_next_row(A&&... a) {                                            \
      space::CostNextRow<kMoves, T>(std::forward<A>(a)...);                          \
    }                                                                                \
    template <bool kMoves, class T, class... A>                                      \
    static void cost_column(A&&... a) {                                              \
      space::CostColumn<kMoves, T>(std::forward<A>(a)...);                           \
    }                                                                                \
    template <class V>                                                               \
    static void fill_word_masks(V word, Masks<V>& masks) {                           \
      space::FillWordMasks(word, masks);                                             \
    }                                                                                \
    template <class V>                                                               \
    static void join_column(V* state, const V* column) {                             \
      space::JoinColumn(state, column);                                              \
    }                                                                                \
    template <class T>                                                               \
    static constexpr std::size_t wide_position(std::size_t lane) {                   \
      return space::WidePosition<T>(lane);                                           \
    }                                                                                \
    static constexpr std::size_t byte_of_point(std::size_t half, std::size_t lane) { \
      return space::ByteOfPoint(half, lane);                                         \
    }                                                                                \
  };
#define QP_LEECH_FUNCTION(space, name, Function) \
  template <class T, class... A>                 \
  static void name(A&&... a) {                   \
    space::Function<T>(std::forward<A>(a)...);   \
  }

namespace quantproof::proofs {

using lanes::Workspace;
using symbolic::Session;
using Term = z3::expr;
using Terms = std::vector<z3::expr>;

template <std::size_t kLanes>
using SymbolicTags = lanes::Tags<Term, kLanes>;

// What a processor shows: the first place where a kernel, run on portable vectors, and the integers
// of answer_words differ on a point. Empty: nowhere.
using Replay = std::function<std::string(const LeechCoordinates&)>;

// Collects what replays show.
class Witness {
 public:
  explicit Witness(Replay replay) : replay_(std::move(replay)) {}
  // These points, then those of search(), until one shows a difference. Returns what was seen.
  std::string show(const std::vector<LeechCoordinates>& points);
  // Seeded points of several families.
  std::string search();
  [[nodiscard]] const std::string& shown() const { return shown_; }

 private:
  Replay replay_;
  std::string shown_;
};

// Points that have the values `y` in column j, and fit some candidate of parity m without cost
// elsewhere.
std::vector<LeechCoordinates> points_around(std::size_t j, const std::array<std::int32_t, 4>& y);

// ------------------------------------------------------------------------------ terms and lanes

inline Term bit_of(const Term& a, unsigned i) { return a.extract(i, i); }
inline Term wide(const Term& a, unsigned bits) {
  return z3::zext(a, bits - a.get_sort().bv_size());
}
inline Term number(std::uint64_t v, unsigned bits) { return Session::current().value(v, bits); }
inline Term is_one(const Term& bit) { return bit == number(1, 1); }
inline Term unsigned_least(const Term& a, const Term& b) { return z3::ite(z3::ule(a, b), a, b); }
inline Term shifted(const Term& a, unsigned n) { return lanes::Bits<Term>::shift_left(a, n); }
inline Term at_most(const Term& a, const Term& b) { return z3::ule(a, b); }

// An equal term, by Z3's simplifier, which lets equal summands of a difference cancel: other
// solvers find that hard. Sums of many are taken apart again, as not all solvers read them.
inline Term without_equal_summands(const Term& difference) {
  const std::function<Term(const Term&)> binary = [&](const Term& term) -> Term {
    if (!term.is_app() || term.num_args() == 0) return term;
    z3::expr_vector args(term.ctx());
    for (unsigned i = 0; i < term.num_args(); ++i) args.push_back(binary(term.arg(i)));
    if (term.decl().decl_kind() != Z3_OP_BADD) return term.decl()(args);
    Term sum = args[0];
    for (unsigned i = 1; i < args.size(); ++i) sum = sum + args[static_cast<int>(i)];
    return sum;
  };
  return binary(difference.simplify());
}

// Replaces terms by other terms, mostly by fresh variables. What holds for all values of the
// variables holds for the terms.
class Replacement {
 public:
  Replacement() : from_(Session::current().z3), to_(Session::current().z3) {}
  void add(const Term& from, const Term& to) {
    from_.push_back(from);
    to_.push_back(to);
  }
  [[nodiscard]] Term apply(Term term) const { return term.substitute(from_, to_); }

 private:
  z3::expr_vector from_;
  z3::expr_vector to_;
};

// A vector all of whose lanes are `term`.
template <class D>
lanes::VectorOf<D> all_lanes(D, const Term& term) {
  return lanes::VectorOf<D>::make([&](std::size_t) { return term; });
}

// 24 coordinates, a word and a choice in each lane: variables of their own.
template <std::size_t kLanes>
class LaneInputs {
 public:
  explicit LaneInputs(Workspace& w) {
    w.add_array(planes, kLeechDimension * kLanes, "planes");
    w.add_array(words, kLanes, "words");
    w.add_array(choices, kLanes, "choices");
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      for (std::size_t i = 0; i < kLeechDimension; ++i) {
        w.element(planes + kLanes * i + lane, 2) = y(i, lane);
      }
      w.element(words + lane, 2) = wide(word(lane), 16);
      w.element(choices + lane, 2) = wide(choice(lane), 16);
    }
  }
  static Term y(std::size_t i, std::size_t lane = 0) { return variable("y", i, lane, 16); }
  static Term word(std::size_t lane = 0) { return variable("word", 0, lane, 8); }
  static Term choice(std::size_t lane = 0) {
    return variable("choice", 0, lane, fast::kChoiceBits);
  }
  // Checks that the results of all lanes are the same function of the lane's inputs.
  void expect_same(Obligation& o, const std::string& what, const Terms& of_lane) const {
    for (std::size_t lane = 1; lane < kLanes; ++lane) {
      Replacement names;
      for (std::size_t i = 0; i < kLeechDimension; ++i) names.add(y(i, lane), y(i));
      names.add(word(lane), word());
      names.add(choice(lane), choice());
      o.check(z3::eq(names.apply(of_lane[lane]), of_lane[0]),
              what + ": lane " + std::to_string(lane) + " is not lane 0 with other inputs");
    }
  }

  alignas(64) std::int16_t planes[kLeechDimension * kLanes];
  alignas(64) std::uint16_t words[kLanes];
  alignas(64) std::uint16_t choices[kLanes];

 private:
  static Term variable(const char* stem, std::size_t i, std::size_t lane, unsigned bits) {
    return Session::current().constant(stem + std::to_string(i) + "_" + std::to_string(lane), bits);
  }
};

// Wider vectors give the formulas of eight lanes. `run`: with LaneInputs, the results of lane 0.
template <class Run>
void expect_more_lanes(Obligation& o, const Terms& of_eight, const Run& run) {
  const auto expect = [&](const Terms& of_more) {
    for (std::size_t i = 0; i < of_eight.size(); ++i) {
      o.check(z3::eq(of_more[i], of_eight[i]), "wider vectors have another formula");
    }
  };
  const LaneInputs<16> sixteen(Workspace::current());
  expect(run(sixteen));
  const LaneInputs<32> thirty_two(Workspace::current());
  expect(run(thirty_two));
}

inline std::array<std::int32_t, 4> column_value(const z3::model& model, const Terms& y) {
  std::array<std::int32_t, 4> values{};
  for (std::size_t r = 0; r < kMogRows; ++r) {
    values[r] = static_cast<std::int16_t>(model.eval(y[r], true).get_numeral_uint64());
  }
  return values;
}

// ---------------------------------------------------------------------------------- the filter

// One coordinate: bytes at 2^-6 that bound |w| from both sides, for both m, and the sums.
template <class Kernel, std::size_t kLanes>
void prove_coordinate_weights(Obligation& o, Witness& witness) {
  using Tags = SymbolicTags<kLanes>;
  using V8 = lanes::VectorOf<typename Tags::Bytes>;
  Session s;
  Workspace w;
  typename Kernel::template Planes<Tags> planes;
  w.add_array(planes.at, kLeechDimension * 2 * kLanes, "planes");
  const auto y_of = [&](std::size_t i, std::size_t half, std::size_t lane) {
    return s.constant(
        "y" + std::to_string(i) + "_" + std::to_string(half) + "_" + std::to_string(lane), 16);
  };
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    for (std::size_t half = 0; half < 2; ++half) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        w.element(planes.plane(i, half) + lane, 2) = y_of(i, half, lane);
      }
    }
  }
  const typename Tags::UShorts du;
  const Term sum = s.constant("sum", 16);
  const Term high_sum = s.constant("high_sum", 16);
  using Sums = typename Kernel::template Sums<Tags>;
  struct Weighed {
    Sums sums;
    V8 weight;
    V8 y8;
    V8 odd_weight;
    V8 odd_y8;
  };
  std::vector<Weighed> weighed;
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    Weighed one;
    one.sums = {{all_lanes(du, sum), all_lanes(du, sum)},
                {all_lanes(du, high_sum), all_lanes(du, high_sum)}};
    Kernel::template weigh_coordinate<Tags>(planes, i, one.sums, one.weight, one.y8);
    one.odd_weight = one.weight;
    one.odd_y8 = one.y8;
    Kernel::template turn_to_odd<Tags>(one.odd_weight, one.odd_y8);
    weighed.push_back(one);
  }

  // The invariant of the sums: `total` is the true sum so far, the parts are what they say.
  const Term total = s.constant("total", 32);
  const Term count = s.constant("count", 32);
  const auto invariant = [&](const Term& all, const Term& n, const Term& part, const Term& high) {
    const Term rest = all - shifted(wide(high, 32), 8);
    return part == all.extract(15, 0) && at_most(rest, number(255, 32) * n) &&
           at_most(wide(high, 32), number(64, 32) * n) && bit_of(all, 0) == number(0, 1);
  };
  const Term y = y_of(0, 0, 0);
  const Weighed& first_one = weighed.front();
  const std::size_t byte = Kernel::byte_of_point(0, 0);
  Term even_w = number(0, 32);
  const auto explain = [&](const z3::model& model) {
    return witness.show(points_around(1, column_value(model, {y, y, y, y})));
  };
  for (unsigned m = 0; m < 2; ++m) {
    const auto zero = exact_coordinate(y, number(m, 1), number(0, 1));
    const auto one = exact_coordinate(y, number(m, 1), number(1, 1));
    const Term w14 = (zero.cost + one.cost) * number(2, 32);  // |w|: one of the costs is zero
    const Term bound = wide((m == 0 ? first_one.weight : first_one.odd_weight).lane(byte), 32);
    const Term low = shifted(bound, 8);
    o.prove(s, "coordinate.m" + std::to_string(m), Obligation::Logic::kBitVectors,
            at_most(bound, number(63, 32)) && at_most(low, w14) &&
                at_most(w14, low + number(256, 32)) &&
                (m == 0 ? first_one.y8 : first_one.odd_y8).lane(byte) ==
                    (y - number(m * kLeechUnit, 16)).extract(15, 8),
            explain);
    if (m == 0) even_w = w14;
  }
  o.prove(s, "sums", Obligation::Logic::kBitVectors,
          z3::implies(at_most(count, number(23, 32)) && invariant(total, count, sum, high_sum),
                      invariant(total + even_w, count + number(1, 32),
                                first_one.sums.sum[0].lane(0), first_one.sums.high_sum[0].lane(0))),
          explain);
  // All coordinates and lanes of a half have one formula; those of the halves are equal.
  const auto results = [&](std::size_t i, std::size_t half, std::size_t lane) {
    const Weighed& one = weighed[i];
    const std::size_t at = Kernel::byte_of_point(half, lane);
    const Terms all = {one.weight.lane(at),           one.y8.lane(at),
                       one.odd_weight.lane(at),       one.odd_y8.lane(at),
                       one.sums.sum[half].lane(lane), one.sums.high_sum[half].lane(lane)};
    Replacement names;
    names.add(y_of(i, half, lane), y);
    Terms renamed;
    for (const Term& result : all) renamed.push_back(names.apply(result));
    return renamed;
  };
  Terms halves_agree;
  for (std::size_t half = 0; half < 2; ++half) {
    const Terms first = results(0, half, 0);
    for (std::size_t k = 0; k < first.size(); ++k) {
      halves_agree.push_back(first[k] == results(0, 0, 0)[k]);
    }
    for (std::size_t i = 0; i < kLeechDimension; ++i) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const Terms others = results(i, half, lane);
        for (std::size_t k = 0; k < first.size(); ++k) {
          o.check(z3::eq(others[k], first[k]), "weights: coordinate " + std::to_string(i) +
                                                   ", lane " + std::to_string(lane) +
                                                   " is not lane 0 of coordinate 0");
        }
      }
    }
  }
  o.prove(s, "halves", Obligation::Logic::kBitVectors, s.all(halves_agree), explain);
}

// K is exact, and what the words of each m pay is its floor, from the invariant above at 24.
template <class Kernel, std::size_t kLanes>
void prove_parities(Obligation& o, Witness& witness) {
  using Tags = SymbolicTags<kLanes>;
  using VU16 = lanes::VectorOf<typename Tags::UShorts>;
  using V8 = lanes::VectorOf<typename Tags::Bytes>;
  Session s;
  Workspace w;
  const auto name = [&](const char* stem, std::size_t half, std::size_t lane) {
    return s.constant(stem + std::to_string(half) + "_" + std::to_string(lane), 16);
  };
  typename Kernel::template Sums<Tags> sums;
  for (std::size_t half = 0; half < 2; ++half) {
    sums.sum[half] = VU16::make([&](std::size_t i) { return name("sum", half, i); });
    sums.high_sum[half] = VU16::make([&](std::size_t i) { return name("high_sum", half, i); });
  }
  alignas(64) std::int32_t k_of_point[2 * kLanes];
  w.add_array(k_of_point, 2 * kLanes, "k");
  V8 addend[2];
  Kernel::template compare_parities<Tags>(sums, k_of_point, addend);
  const auto k_at = [&](std::size_t half, std::size_t lane) {
    return w.read(k_of_point + kLanes * half + Kernel::template wide_position<Tags>(lane), 4);
  };
  const auto results = [&](std::size_t half, std::size_t lane) {
    const std::size_t byte = Kernel::byte_of_point(half, lane);
    return Terms{k_at(half, lane), addend[0].lane(byte), addend[1].lane(byte)};
  };
  for (std::size_t half = 0; half < 2; ++half) {
    const Term total = s.constant("total", 32);
    const Term high = wide(name("high_sum", half, 0), 32);
    const Term invariant = at_most(high, number(64 * 24, 32)) && bit_of(total, 0) == number(0, 1) &&
                           at_most(total - shifted(high, 8), number(255 * 24, 32)) &&
                           name("sum", half, 0) == total.extract(15, 0);
    // leech.md 5.3 for both m: the difference of what all words pay, in units of 2^14.
    const Term k = number(6 * 16384, 32) - z3::lshr(total, number(1, 32));
    const Terms got = results(half, 0);
    Terms claims = {got[0] == k};
    for (unsigned m = 0; m < 2; ++m) {
      const Term pays = m == 0 ? k : -k;
      const Term least = z3::ite(pays > 0, z3::lshr(pays, number(8, 32)), number(0, 32));
      claims.push_back(wide(got[1 + m], 32) == unsigned_least(least, number(255, 32)));
    }
    o.prove(s, "parities.half_" + std::to_string(half), Obligation::Logic::kBitVectors,
            z3::implies(invariant, s.all(claims)),
            [&](const z3::model&) { return witness.search(); });
    for (std::size_t lane = 1; lane < kLanes; ++lane) {
      Replacement names;
      for (std::size_t either = 0; either < 2; ++either) {
        names.add(name("sum", either, lane), name("sum", either, 0));
        names.add(name("high_sum", either, lane), name("high_sum", either, 0));
      }
      const Terms others = results(half, lane);
      for (std::size_t i = 0; i < got.size(); ++i) {
        o.check(z3::eq(names.apply(others[i]), got[i]),
                "K: lane " + std::to_string(lane) + " is not lane 0");
      }
    }
  }
}

// What the filter takes of a coordinate, for both golay bits c: a pattern of c costs `cost`, moving
// z costs `change`, both at 2^-6 and rounded down; the parity of z.
struct CoordinateBounds {
  CoordinateBounds(const Term& weight, const Term& y8, const Term& c)
      : cost(number(0, 16)), change(number(0, 16)), odd_z(bit_of(y8, 7) ^ (bit_of(y8, 6) & ~c)) {
    // The golay bit 1 is nearer where y modulo 4 is nearer to 2 than to 0.
    const Term other = is_one(c ^ bit_of(y8, 6) ^ bit_of(y8, 5));
    const Term w = wide(weight, 16);
    cost = z3::ite(other, w, number(0, 16));
    change = z3::ite(other, number(126, 16) - shifted(w, 1), number(126, 16) + shifted(w, 1));
  }
  Term cost;
  Term change;
  Term odd_z;  // as the kernel counts z: from 1 + 2 c for m = 1, not from 1 - 2 c
};

// One coordinate: these bounds are bounds, for each weight that prove_coordinate_weights allows.
inline void prove_coordinate_bounds(Obligation& o) {
  Session s;
  const Term y = s.constant("y", 16);
  const Term m = s.constant("m", 1);
  const Term c = s.constant("c", 1);
  const Term weight = s.constant("weight", 8);
  const Term w14 =
      (exact_coordinate(y, m, number(0, 1)).cost + exact_coordinate(y, m, number(1, 1)).cost) *
      number(2, 32);
  const Term low = shifted(wide(weight, 32), 8);
  s.assume(at_most(weight, number(63, 8)) && at_most(low, w14) &&
           at_most(w14, low + number(256, 32)));
  const Term unit = z3::ite(is_one(m), number(kLeechUnit, 16), number(0, 16));
  const CoordinateBounds bounds(weight, (y - unit).extract(15, 8), c);
  const auto exact = exact_coordinate(y, m, c);
  // 2^-6 is 128 units of 2^-13.
  o.prove(s, "coordinate_bounds", Obligation::Logic::kBitVectors,
          at_most(shifted(wide(bounds.cost, 32), 7), exact.cost) &&
              at_most(shifted(wide(bounds.change, 32), 7), exact.change) &&
              bounds.odd_z == (exact.odd_z ^ (m & c)),
          [](const z3::model&) { return std::string("a bound of a coordinate is none"); });
}

// Points with these high bytes in column 2: low bytes where |w| is least, greatest and between.
inline std::vector<LeechCoordinates> points_with_bytes(const z3::model& model,
                                                       const Terms& high_bytes) {
  std::vector<LeechCoordinates> points;
  for (const std::uint64_t low : {0u, 255u, 128u}) {
    std::array<std::int32_t, 4> y{};
    for (std::size_t r = 0; r < kMogRows; ++r) {
      const std::uint64_t high = model.eval(high_bytes[r], true).get_numeral_uint64();
      y[r] = static_cast<std::int16_t>(high << 8 | low);
    }
    const auto some = points_around(2, y);
    points.insert(points.end(), some.begin(), some.end());
  }
  return points;
}

// One row of a column is what CoordinateBounds says.
template <class Kernel>
void prove_row_bounds(Obligation& o, Witness& witness) {
  using Tags = SymbolicTags<8>;
  using V8 = lanes::VectorOf<typename Tags::Bytes>;
  const typename Tags::Bytes d8;
  Session s;
  Workspace w;
  const Term weight = wide(s.constant("weight", 6), 8);
  const Term y8 = s.constant("y", 8);
  const Term parity_before = s.constant("parity", 8);
  V8 parity = all_lanes(d8, parity_before);
  typename Kernel::template Row<V8> row;
  Kernel::template bound_row<Tags>(all_lanes(d8, weight), all_lanes(d8, y8), parity, row);
  const CoordinateBounds bounds[2] = {CoordinateBounds(weight, y8, number(0, 1)),
                                      CoordinateBounds(weight, y8, number(1, 1))};
  Terms claims = {row.cost[0].lane(0) + row.cost[1].lane(0) == weight,
                  row.turn.lane(0) == z3::concat(bounds[0].odd_z ^ bounds[1].odd_z, number(0, 7)),
                  bit_of(parity.lane(0), 7) == (bit_of(parity_before, 7) ^ bounds[0].odd_z)};
  for (std::size_t c = 0; c < 2; ++c) {
    claims.push_back(wide(row.cost[c].lane(0), 16) == bounds[c].cost &&
                     wide(row.flip[c].lane(0), 16) == bounds[c].change);
  }
  o.prove(s, "row", Obligation::Logic::kBitVectors, s.all(claims), [&](const z3::model& model) {
    return witness.show(points_with_bytes(model, {y8, y8, y8, y8}));
  });
}

// One column: its bounds against its four states, for each p and symbol. A state is a top row and a
// parity of z; it costs the pattern and, where z has the other parity, the cheapest change. The
// rows may be any: cost0 + cost1 = weight at most 63.
template <class Kernel>
void prove_column_bounds(Obligation& o, Witness& witness) {
  using Tags = SymbolicTags<8>;
  using V8 = lanes::VectorOf<typename Tags::Bytes>;
  const typename Tags::Bytes d8;
  Session s;
  Workspace w;
  Terms high_bytes;
  V8 weight[kMogRows];
  V8 y8[kMogRows];
  for (std::size_t r = 0; r < kMogRows; ++r) {
    high_bytes.push_back(s.constant("y" + std::to_string(r), 8));
    weight[r] = all_lanes(d8, s.constant("weight" + std::to_string(r), 8));
    y8[r] = all_lanes(d8, high_bytes[r]);
  }
  const Term odd = s.constant("odd", 1);
  V8 parity = all_lanes(d8, z3::concat(odd, number(0, 7)));
  typename Kernel::template Bounds<Tags> bounds;
  Kernel::template bound_column<Tags>(weight, y8, parity, bounds);

  struct AnyRow {
    Term cost[2];
    V8 change[2];
    Term turn;
  };
  std::vector<AnyRow> rows;
  Replacement names;
  for (std::size_t r = 0; r < kMogRows; ++r) {
    typename Kernel::template Row<V8> computed;
    Kernel::template bound_row<Tags>(weight[r], y8[r], parity, computed);
    const auto any = [&](const char* stem, unsigned bits) {
      return s.constant(stem + std::to_string(r), bits);
    };
    rows.push_back({{wide(any("cost0_", 6), 8), wide(any("cost1_", 6), 8)},
                    {all_lanes(d8, any("change0_", 8)), all_lanes(d8, any("change1_", 8))},
                    any("turn", 1)});
    const AnyRow& row = rows.back();
    for (std::size_t c = 0; c < 2; ++c) {
      names.add(computed.cost[c].lane(0), row.cost[c]);
      names.add(computed.flip[c].lane(0), row.change[c].lane(0));
    }
    names.add(computed.turn.lane(0), z3::concat(row.turn, number(0, 7)));
    names.add(weight[r].lane(0), row.cost[0] + row.cost[1]);
  }
  const Term parity_of_rows = s.constant("parity", 8);
  names.add(parity.lane(0), parity_of_rows);
  const auto four = [](const Terms& a) { return (a[0] + a[1]) + (a[2] + a[3]); };
  Terms weights;
  for (const AnyRow& row : rows) weights.push_back(row.cost[0] + row.cost[1]);

  Terms formula;  // cost, leave and state, the same for each p and symbol
  for (unsigned p = 0; p < 2; ++p) {
    for (unsigned symbol = 0; symbol < 4; ++symbol) {
      const std::string name = "column.p" + std::to_string(p) + "_symbol" + std::to_string(symbol);
      // Of the pattern [0] and of its complement [1]: the costs, which are the total together; the
      // cheapest change; the parity of z.
      const Terms cost_of = {s.constant("cost_pattern", 8), s.constant("cost_complement", 8)};
      const Terms change_of = {s.constant("change_pattern", 8), s.constant("change_complement", 8)};
      Terms sums;
      Terms odd_z;
      Terms facts;
      Replacement columns;
      for (unsigned top = 0; top < 2; ++top) {
        const unsigned pattern = fast::column_pattern(p, symbol) ^ (top == 0 ? 0u : 0xFu);
        Terms costs;
        odd_z.push_back(bit_of(parity_of_rows, 7));
        for (unsigned r = 0; r < kMogRows; ++r) {
          costs.push_back(rows[r].cost[pattern >> r & 1u]);
          if ((pattern >> r & 1u) != 0) odd_z.back() = odd_z.back() ^ rows[r].turn;
        }
        sums.push_back(four(costs));
        const auto change = [&](unsigned r) { return rows[r].change[pattern >> r & 1u]; };
        const Term least = Min(Min(change(0), change(1)), Min(change(2), change(3))).lane(0);
        for (unsigned r = 0; r < kMogRows; ++r) facts.push_back(at_most(least, change(r).lane(0)));
        columns.add(least, change_of[top]);
      }
      facts.push_back(sums[0] + sums[1] == four(weights));
      o.prove(s, name + ".sums", Obligation::Logic::kBitVectors, s.all(facts),
              [](const z3::model&) { return std::string("the total is another"); });
      columns.add(sums[0], cost_of[0]);
      columns.add(four(weights), cost_of[0] + cost_of[1]);
      const auto renamed = [&](const V8& v) { return columns.apply(names.apply(v.lane(0))); };
      const Term cost = renamed(bounds.cost[p][symbol]);
      const Term leave = renamed(bounds.leave[p][symbol]);
      const Term computed_state = renamed(bounds.parity[p][symbol]);
      // The state is one part for the pattern and one more where the complement is cheaper.
      const auto is_xor = [](const Term& a) { return a.is_app() && a.num_args() == 2; };
      if (!o.check(is_xor(computed_state) && computed_state.arg(1).num_args() == 3,
                   name + ": the parities are not put together in that way")) {
        return;
      }
      const Term of_pattern = computed_state.arg(0);
      const Term turn = computed_state.arg(1).arg(2);
      Replacement parts;
      const Terms z = {s.constant("odd_pattern", 1), s.constant("odd_complement", 1)};
      parts.add(of_pattern, z3::concat(z[0], number(0, 7)));
      parts.add(turn, z3::concat(z[0] ^ z[1], number(64, 7)));
      facts = {of_pattern == z3::concat(odd_z[0], number(0, 7)),
               turn == z3::concat(odd_z[0] ^ odd_z[1], number(64, 7))};
      o.prove(s, name + ".parities", Obligation::Logic::kBitVectors, s.all(facts),
              [&](const z3::model& model) {
                return witness.show(points_with_bytes(model, high_bytes));
              });
      const Terms now = {cost, leave, parts.apply(computed_state)};
      if (formula.empty()) formula = now;
      for (std::size_t i = 0; i < now.size(); ++i) {
        o.check(z3::eq(now[i], formula[i]), name + " has another formula");
      }
    }
  }
  if (o.failed()) {
    witness.search();
    return;
  }
  // That formula, for the two orders of the costs.
  const Terms cost_of = {s.constant("cost_pattern", 8), s.constant("cost_complement", 8)};
  const Terms change_of = {s.constant("change_pattern", 8), s.constant("change_complement", 8)};
  const Terms z = {s.constant("odd_pattern", 1), s.constant("odd_complement", 1)};
  const Term state = formula[2];
  Terms claims = {state.extract(5, 0) == number(0, 6)};
  for (unsigned top = 0; top < 2; ++top) {
    for (unsigned state_z = 0; state_z < 2; ++state_z) {
      const Term moved = is_one(z[top] ^ number(state_z, 1));
      const Term as_cheapest =
          bit_of(state, 6) == number(top, 1) && bit_of(state, 7) == number(state_z, 1);
      const Term paid =
          wide(formula[0], 10) + z3::ite(as_cheapest, number(0, 10), wide(formula[1], 10));
      claims.push_back(at_most(
          paid, wide(cost_of[top], 10) + z3::ite(moved, wide(change_of[top], 10), number(0, 10))));
    }
  }
  // Four times 63 at most.
  const Term in_range = at_most(wide(cost_of[0], 10) + wide(cost_of[1], 10), number(252, 10));
  for (unsigned order = 0; order < 2; ++order) {
    const Term ordered =
        order == 0 ? at_most(cost_of[0], cost_of[1]) : z3::ult(cost_of[1], cost_of[0]);
    o.prove(s, "column.order_" + std::to_string(order), Obligation::Logic::kBitVectors,
            z3::implies(in_range && ordered, s.all(claims)),
            [&](const z3::model&) { return witness.search(); });
  }
}

// The whole filter: its bounds are those of the columns, joined; K and the addends as above.
template <class Kernel, std::size_t kLanes>
void prove_word_bounds(Obligation& o, Witness& witness) {
  using Tags = SymbolicTags<kLanes>;
  using V8 = lanes::VectorOf<typename Tags::Bytes>;
  constexpr std::size_t kBytes = 2 * kLanes;
  const typename Tags::Bytes d8;
  const typename Tags::UShorts du;
  Session s;
  Workspace w;
  typename Kernel::template Planes<Tags> planes;
  w.add_array(planes.at, kLeechDimension * kBytes, "planes");
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    for (std::size_t half = 0; half < 2; ++half) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        w.element(planes.plane(i, half) + lane, 2) = s.constant(
            "y" + std::to_string(i) + "_" + std::to_string(half) + "_" + std::to_string(lane), 16);
      }
    }
  }
  alignas(64) std::uint8_t bounds[fast::kLeechWords * kBytes];
  alignas(64) std::int32_t k_of_point[kBytes];
  alignas(64) std::uint16_t best_word[kBytes];
  alignas(64) std::uint16_t fitting_word[kBytes];
  alignas(64) std::uint8_t fitting_bound[kBytes];
  w.add_array(bounds, fast::kLeechWords * kBytes, "bounds");
  w.add_array(k_of_point, kBytes, "k");
  w.add_array(best_word, kBytes, "favourite words");
  w.add_array(fitting_word, kBytes, "fitting words");
  w.add_array(fitting_bound, kBytes, "fitting bounds");
  Kernel::template filter_block<Tags>(planes, k_of_point, bounds, best_word, fitting_word,
                                      fitting_bound);

  // The same steps, to know their terms.
  V8 weight[kLeechDimension];
  V8 y8[kLeechDimension];
  typename Kernel::template Sums<Tags> sums = {{Zero(du), Zero(du)}, {Zero(du), Zero(du)}};
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    Kernel::template weigh_coordinate<Tags>(planes, i, sums, weight[i], y8[i]);
  }
  alignas(64) std::int32_t k_again[kBytes];
  w.add_array(k_again, kBytes, "k again");
  V8 addend[2];
  Kernel::template compare_parities<Tags>(sums, k_again, addend);
  for (std::size_t i = 0; i < kBytes; ++i) {
    o.check(z3::eq(w.read(k_of_point + i, 4), w.read(k_again + i, 4)), "K is another");
  }
  typename Kernel::template Bounds<Tags> columns[2][kMogColumns];
  for (std::size_t m = 0; m < 2; ++m) {
    for (std::size_t i = 0; m == 1 && i < kLeechDimension; ++i) {
      Kernel::template turn_to_odd<Tags>(weight[i], y8[i]);
    }
    for (std::size_t j = 0; j < kMogColumns; ++j) {
      const V8 odd = Set(d8, static_cast<std::uint8_t>(j == 0 && m == 1 ? 0x80 : 0));
      Kernel::template bound_column<Tags>(weight + kMogRows * j, y8 + kMogRows * j, odd,
                                          columns[m][j]);
    }
  }

  // Word by word and byte by byte: the same formula of what the word's columns have.
  const auto variable = [&](const char* stem, std::size_t j) {
    return s.constant(stem + std::to_string(j), 8);
  };
  const Term pays = s.constant("addend", 8);
  for (unsigned p = 0; p < 2; ++p) {
    std::vector<Term> formula;
    for (unsigned m = 0; m < 2; ++m) {
      for (unsigned n = 0; n < 64; ++n) {
        const unsigned word = 128 * m + 64 * p + n;
        const std::uint32_t pattern = fast::word_pattern(word);
        for (std::size_t byte = 0; byte < kBytes; ++byte) {
          Replacement names;
          names.add(addend[m].lane(byte), pays);
          for (std::size_t j = 0; j < kMogColumns; ++j) {
            const Hexaword sums_of = mog_column_sums(pattern);
            const unsigned symbol = sums_of[j];
            names.add(columns[m][j].cost[p][symbol].lane(byte), variable("cost", j));
            names.add(columns[m][j].leave[p][symbol].lane(byte), variable("leave", j));
            names.add(columns[m][j].parity[p][symbol].lane(byte), variable("parity", j));
          }
          const Term bound = names.apply(w.read(bounds + kBytes * word + byte, 1));
          if (formula.empty()) formula.push_back(bound);
          if (!o.check(z3::eq(bound, formula.front()),
                       "the bound of word " + std::to_string(word) + " has another formula")) {
            return;
          }
        }
      }
    }
    const auto v = [&](const char* stem, std::size_t j) {
      return all_lanes(d8, variable(stem, j));
    };
    const auto pair_cost = [&](V8 first, std::size_t j) {
      return SaturatedAdd(first, v("cost", j));
    };
    const V8 cost =
        SaturatedAdd(SaturatedAdd(pair_cost(SaturatedAdd(v("cost", 0), all_lanes(d8, pays)), 1),
                                  pair_cost(v("cost", 2), 3)),
                     pair_cost(v("cost", 4), 5));
    const auto pair_leave = [&](std::size_t j) { return Min(v("leave", j), v("leave", j + 1)); };
    const V8 leave = Min(Min(pair_leave(0), pair_leave(2)), pair_leave(4));
    Term parity = number(p << 6, 8);
    for (std::size_t j = 0; j < kMogColumns; ++j) parity = parity ^ variable("parity", j);
    const V8 more = all_lanes(d8, z3::ite(parity == number(0, 8), number(0, 8), leave.lane(0)));
    o.prove(s, "words_p" + std::to_string(p), Obligation::Logic::kBitVectors,
            formula.front() == SaturatedAdd(cost, more).lane(0),
            [&](const z3::model&) { return witness.search(); });
  }
}

// Such a bound is at most the sum of the costs and, where the parities are wrong, the least leave:
// saturated sums are at most the sums.
inline void prove_saturated_sums(Obligation& o) {
  using V8 = lanes::Vector<Term, std::uint8_t, 16>;
  Session s;
  Workspace w;
  const Term x = s.constant("x", 8);
  const Term y = s.constant("y", 8);
  const auto all = [](const Term& a) { return V8::make([&](std::size_t) { return a; }); };
  const Term least = Min(all(x), all(y)).lane(0);
  o.prove(s, "saturated_sum", Obligation::Logic::kBitVectors,
          at_most(wide(SaturatedAdd(all(x), all(y)).lane(0), 9), wide(x, 9) + wide(y, 9)) &&
              at_most(least, x) && at_most(least, y),
          [](const z3::model&) { return std::string("a sum is greater"); });
  const auto real = [&](const std::string& name) { return s.z3.real_const(name.c_str()); };
  Terms cost;
  Terms leave;
  for (std::size_t j = 0; j < kMogColumns; ++j) {
    cost.push_back(real("cost" + std::to_string(j)));
    leave.push_back(real("leave" + std::to_string(j)));
  }
  const Term wrong = s.z3.bool_const("wrong");
  const Term least_leave = real("least_leave");
  for (const Term& of_column : leave) s.assume(least_leave <= of_column);
  const auto at_most_sum = [&](const std::string& name, const Term& a, const Term& b) {
    const Term sum = real(name);
    s.assume(sum <= a + b);
    return sum;
  };
  const Term pair01 = at_most_sum("pair01", at_most_sum("first", cost[0], real("addend")), cost[1]);
  const Term pair23 = at_most_sum("pair23", cost[2], cost[3]);
  const Term pair45 = at_most_sum("pair45", cost[4], cost[5]);
  const Term bound =
      at_most_sum("bound", at_most_sum("all", at_most_sum("pairs", pair01, pair23), pair45),
                  z3::ite(wrong, least_leave, s.z3.real_val(0)));
  // States with the right parities: where the cheapest ones have wrong ones, a column leaves.
  Term paid = real("addend");
  Term leaves = s.z3.bool_val(false);
  for (std::size_t j = 0; j < kMogColumns; ++j) {
    const Term leaves_here = s.z3.bool_const(("leaves" + std::to_string(j)).c_str());
    const Term state = real("state" + std::to_string(j));
    s.assume(state >= cost[j] && z3::implies(leaves_here, state >= cost[j] + leave[j]));
    paid = paid + state;
    leaves = leaves || leaves_here;
  }
  o.prove(s, "bound", Obligation::Logic::kLinearReals,
          z3::implies(z3::implies(wrong, leaves), bound <= paid),
          [](const z3::model&) { return std::string("a word costs less than its bound"); });
}

// ------------------------------------------------------------------------------- exact evaluation

// All 256 words, on portable vectors.
template <class Kernel>
void check_word_masks(Obligation& o, Witness& witness) {
  using Tags = typename Kernel::Portable;
  using V16 = typename Tags::template V<typename Tags::Shorts>;
  for (unsigned word = 0; word < fast::kLeechWords; ++word) {
    typename Kernel::template Masks<V16> masks;
    Kernel::fill_word_masks(Set(typename Tags::Shorts(), static_cast<std::int16_t>(word)), masks);
    const std::uint32_t pattern = fast::word_pattern(word);
    bool same = masks.m.lane[0] == (word >= 128 ? -1 : 0) &&
                masks.p.lane[0] == ((word & 64u) != 0 ? -1 : 0);
    for (std::size_t j = 0; j < kMogColumns; ++j) {
      for (std::size_t r = 1; r < kMogRows; ++r) {
        const bool one = (pattern >> mog_coordinate(j, r) & 1u) != 0;
        same = same && masks.row[j][r].lane[0] == (one ? -1 : 0);
      }
    }
    if (!o.check(same, "the masks of word " + std::to_string(word))) {
      witness.search();
      return;
    }
  }
}

// Masks of one word: variables that are all ones or zero, with what they mean as bits.
template <class Kernel, std::size_t kLanes>
struct SymbolicMasks {
  using Tags = SymbolicTags<kLanes>;
  using V16 = lanes::VectorOf<typename Tags::Shorts>;
  explicit SymbolicMasks(Session& s) : m(s.constant("m", 1)), p(s.constant("p", 1)) {
    const typename Tags::Shorts ds;
    masks.m = all_lanes(ds, filled(m));
    masks.p = all_lanes(ds, filled(p));
    for (std::size_t j = 0; j < kMogColumns; ++j) {
      Term odd = number(0, 1);
      for (std::size_t r = 0; r < kMogRows; ++r) {
        golay[j].push_back(r == 0 ? number(0, 1)
                                  : s.constant("bit" + std::to_string(mog_coordinate(j, r)), 1));
        odd = odd ^ golay[j][r];
        if (r > 0) masks.row[j][r] = all_lanes(ds, filled(golay[j][r]));
      }
      s.assume(odd == p);  // clause 3.5 (a) of the pattern with row 0 zero
    }
  }
  static Term filled(const Term& bit) {
    return z3::ite(is_one(bit), number(0xFFFF, 16), number(0, 16));
  }
  // Puts these masks where a text computed them from the word.
  template <class Masks>
  void replace(Replacement& names, const Masks& computed, std::size_t lane) const {
    names.add(computed.m.lane(lane), filled(m));
    names.add(computed.p.lane(lane), filled(p));
    for (std::size_t j = 0; j < kMogColumns; ++j) {
      for (std::size_t r = 1; r < kMogRows; ++r) {
        names.add(computed.row[j][r].lane(lane), filled(golay[j][r]));
      }
    }
  }
  [[nodiscard]] Terms column(std::size_t j, const Term& complement) const {
    Terms bits;
    for (const Term& bit : golay[j]) bits.push_back(bit ^ complement);
    return bits;
  }

  Term m;
  Term p;
  Terms golay[kMogColumns];  // the patterns with row 0 zero
  typename Kernel::template Masks<V16> masks;
};

// The row of a column that the Golay index reads first, leech.md 3.4.
constexpr std::size_t first_pivot_row(std::size_t j) { return j == 0 ? 3 : j < 3 ? 2 : 0; }

constexpr std::uint64_t kMostColumnCost = 32768;
constexpr std::uint64_t kMostColumnKey = kMostColumnCost << fast::kChoiceBits | 0xFFF;

// Some rows of a column, exactly: costs and changes of the pattern [0] and of its complement [1].
struct ExactRows {
  Terms cost;    // 32 bits
  Terms change;  // 32 bits, the cheapest
  Terms odd_z;   // 1 bit
  Term odd_pattern;
};

// Unknown values.
inline ExactRows any_rows(Session& s, const std::string& name) {
  const auto two = [&](const char* stem, unsigned bits) {
    return Terms{s.constant(stem + name + "_0", bits), s.constant(stem + name + "_1", bits)};
  };
  return {two("exact_cost", 32), two("exact_change", 32), two("odd_z", 1),
          s.constant("odd_pattern" + name, 1)};
}

// The row of coordinate y with bit c of the pattern, after the rows before.
inline ExactRows next_rows(const ExactRows& before, const Term& y, const Term& m, const Term& c) {
  ExactRows after = before;
  for (std::size_t h = 0; h < 2; ++h) {
    const auto exact = exact_coordinate(y, m, h == 0 ? c : ~c);
    after.cost[h] = before.cost[h] + exact.cost;
    after.change[h] = unsigned_least(before.change[h], exact.change);
    after.odd_z[h] = before.odd_z[h] ^ exact.odd_z;
  }
  after.odd_pattern = before.odd_pattern ^ c;
  return after;
}

template <class Costs>
std::vector<decltype(Costs::cost)> list_of(const Costs& costs, bool moves) {
  std::vector all = {costs.cost, costs.sum, costs.parity, costs.complement_turn};
  if (moves) all.insert(all.end(), {costs.greatest, costs.least});
  return all;
}

// Kernel facts of a column, 16 bits each, as variables.
template <class Costs, class D>
Costs any_costs(Session& s, D d, const std::string& name, bool moves) {
  Costs costs;
  const Term cost = s.constant("cost" + name, 16);
  costs.cost = all_lanes(d, cost);
  costs.sum = all_lanes(d, cost - s.constant("complement" + name, 16));
  costs.parity = all_lanes(d, s.constant("parity" + name, 16));
  costs.complement_turn = all_lanes(d, s.constant("turn" + name, 16));
  if (moves) {
    costs.greatest = all_lanes(d, s.constant("greatest" + name, 16));
    costs.least = all_lanes(d, s.constant("least" + name, 16));
  }
  return costs;
}

// The kernel's facts of n rows say what the exact rows are. The kernel counts z from 1 + 2 c for
// m = 1, and not from 1 - 2 c: in a column that differs by m p, in six columns not at all.
template <class Costs>
Terms agree(const Costs& costs, const ExactRows& exact, const Term& m, const Term& odd_rows,
            bool moves) {
  const Term cost = costs.cost.lane(0);
  const Term complement = without_equal_summands(cost - costs.sum.lane(0));
  const Term turn = odd_rows & m;
  Terms all = {
      wide(cost, 32) == exact.cost[0], wide(complement, 32) == exact.cost[1],
      bit_of(costs.parity.lane(0), 15) == (exact.odd_z[0] ^ (m & exact.odd_pattern)),
      bit_of(costs.complement_turn.lane(0), 15) == (exact.odd_z[0] ^ exact.odd_z[1] ^ turn)};
  for (std::size_t h = 0; h < 2; ++h) {
    if (!moves) break;
    const Term extreme = sign_extended(h == 0 ? costs.greatest.lane(0) : costs.least.lane(0));
    const Term beyond = h == 0 ? extreme : -extreme;  // the greatest |r| less 8192
    all.push_back(exact.change[h] == number(2 * kLeechUnit, 32) - shifted(beyond, 1) &&
                  beyond >= -number(kLeechUnit, 32) && beyond <= number(kLeechUnit, 32));
  }
  return all;
}

// The rows of a column one after the other.
template <class Kernel, bool kMoves>
void prove_column_rows(Obligation& o, Witness& witness) {
  using Tags = SymbolicTags<8>;
  using V16 = lanes::VectorOf<typename Tags::Shorts>;
  using Costs = typename Kernel::template Costs<V16>;
  const typename Tags::Shorts ds;
  Session s;
  Workspace w;
  const LaneInputs<8> in(w);
  const Term y = in.y(0);
  const Term m = s.constant("m", 1);
  const Term c = s.constant("c", 1);
  const V16 offset = all_lanes(ds, z3::ite(is_one(m), number(kLeechUnit, 16), number(0, 16)));
  const V16 row = all_lanes(ds, z3::ite(is_one(c), number(0xFFFF, 16), number(0, 16)));
  const std::string name = kMoves ? "row_" : "free_row_";
  const auto explain = [&](const z3::model& model) {
    const std::array<std::int32_t, 4> value = column_value(model, {y, y, y, y});
    std::vector<LeechCoordinates> points;
    for (std::size_t r = 0; r < kMogRows; ++r) {
      std::array<std::int32_t, 4> column{};
      column[r] = value[r];
      const auto some = points_around(1, column);
      points.insert(points.end(), some.begin(), some.end());
    }
    return witness.show(points);
  };
  const ExactRows none = {{number(0, 32), number(0, 32)},
                          {number(4 * kLeechUnit, 32), number(4 * kLeechUnit, 32)},
                          {number(0, 1), number(0, 1)},
                          number(0, 1)};
  const auto grows = [&](const ExactRows& before, const ExactRows& after) {
    return at_most(after.cost[0], before.cost[0] + number(kLeechUnit, 32)) &&
           at_most(after.cost[1], before.cost[1] + number(kLeechUnit, 32));
  };
  Costs first;
  Kernel::template cost_first_row<kMoves, Tags>(in.planes, offset, first);
  const ExactRows one = next_rows(none, y, m, number(0, 1));
  o.prove(s, name + "0", Obligation::Logic::kBitVectors,
          s.all(agree(first, one, m, number(1, 1), kMoves)) && grows(none, one), explain);
  const auto before = any_costs<Costs>(s, ds, "", kMoves);
  const ExactRows exact = any_rows(s, "");
  Costs after = before;
  Kernel::template cost_next_row<kMoves, Tags>(in.planes, offset, row, after);
  const ExactRows next = next_rows(exact, y, m, c);
  const Term odd_rows = s.constant("odd_rows", 1);
  // Three rows before at most.
  const Term most = number(3 * kLeechUnit, 32);
  const Term hypothesis = s.all(agree(before, exact, m, odd_rows, kMoves)) &&
                          at_most(exact.cost[0], most) && at_most(exact.cost[1], most);
  Terms claims = agree(after, next, m, ~odd_rows, kMoves);
  claims.push_back(grows(exact, next));
  for (std::size_t i = 0; i < claims.size(); ++i) {
    o.prove(s, name + "next_" + std::to_string(i), Obligation::Logic::kBitVectors,
            z3::implies(hypothesis, claims[i]), explain);
  }
}

// A whole column, after checking that it is its rows in order.
template <class Kernel, bool kMoves, class Tags, class V16>
typename Kernel::template Costs<V16> cost_of_column(Obligation& o, const std::int16_t* planes,
                                                    std::size_t j, V16 offset, const V16* row) {
  typename Kernel::template Costs<V16> whole;
  Kernel::template cost_column<kMoves, Tags>(planes, Tags::kLanes, j, offset, row, whole);
  typename Kernel::template Costs<V16> rows;
  const auto plane = [&](std::size_t r) { return planes + Tags::kLanes * mog_coordinate(j, r); };
  Kernel::template cost_first_row<kMoves, Tags>(plane(0), offset, rows);
  for (std::size_t r = 1; r < kMogRows; ++r) {
    Kernel::template cost_next_row<kMoves, Tags>(plane(r), offset, row[r], rows);
  }
  const auto a = list_of(whole, kMoves);
  const auto b = list_of(rows, kMoves);
  for (std::size_t i = 0; i < a.size(); ++i) {
    o.check(z3::eq(a[i].lane(0), b[i].lane(0)),
            "column " + std::to_string(j) + " is not its rows in order");
  }
  return whole;
}

// One column of EvaluateWords: the keys are cost and label of the four exact states.
template <class Kernel>
void prove_column_keys(Obligation& o, Witness& witness) {
  using Tags = SymbolicTags<8>;
  using V16 = lanes::VectorOf<typename Tags::Shorts>;
  using V32 = lanes::VectorOf<typename Tags::Ints>;
  using Costs = typename Kernel::template Costs<V16>;
  const typename Tags::Shorts ds;
  for (std::size_t j = 0; j < kMogColumns; ++j) {
    Session s;
    Workspace w;
    const LaneInputs<8> in(w);
    const SymbolicMasks<Kernel, 8> word(s);
    const V16 offset = And(word.masks.m, Set(ds, std::int16_t{kLeechUnit}));
    const Term tops_before = s.constant("tops", 16);
    const Term parity_before = s.constant("parity_before", 16);
    V16 tops = all_lanes(ds, tops_before);
    V16 parity = all_lanes(ds, parity_before);
    typename Kernel::template Keys<V32> keys;
    Kernel::template keys_of_column<Tags>(in.planes, std::size_t{8}, j, offset, word.masks, tops,
                                          parity, keys);
    // The column's facts become variables that agree with exact ones.
    const Costs computed =
        cost_of_column<Kernel, true, Tags>(o, in.planes, j, offset, word.masks.row[j]);
    const auto costs = any_costs<Costs>(s, ds, "", true);
    const auto from = list_of(computed, true);
    const auto to = list_of(costs, true);
    Replacement facts;
    for (std::size_t i = 0; i < from.size(); ++i) facts.add(from[i].lane(0), to[i].lane(0));
    const ExactRows exact = any_rows(s, "");
    s.assume(s.all(agree(costs, exact, word.m, number(0, 1), true)) && exact.odd_pattern == word.p);
    const Term most = number(kMostColumnCost, 32);  // prove_most_cost
    for (std::size_t h = 0; h < 2; ++h) s.assume(at_most(exact.cost[h] + exact.change[h], most));

    const Term parity_after = bit_of(parity_before, 15) ^ exact.odd_z[0] ^ (word.m & word.p);
    Terms claims = {bit_of(facts.apply(parity.lane(0)), 15) == parity_after};
    const bool last = j == kMogColumns - 1;
    const Term pivot = word.golay[j][first_pivot_row(j)];
    if (!last) {
      const auto place = static_cast<unsigned>(fast::top_bit(j) + 16 - fast::kChoiceBits);
      claims.push_back(tops.lane(0) == (tops_before | shifted(wide(pivot, 16), place)));
    }
    for (unsigned state = 0; state < 4; ++state) {
      const Term state_top = number(state & 1u, 1);
      const Term state_z = number(state >> 1, 1);
      const Term top = last ? state_top ^ word.p : state_top;
      const auto of_top = [&](const Terms& a) { return z3::ite(is_one(top), a[1], a[0]); };
      // Beyond the parity of the pattern; in the last column, what is still wanted.
      const Term z = last ? state_z ^ parity_after : state_z;
      const Term moved = z ^ exact.odd_z[0] ^ of_top(exact.odd_z);
      const Term cost =
          of_top(exact.cost) + z3::ite(is_one(moved), of_top(exact.change), number(0, 32));
      const auto at_bit = [](const Term& bit, int place) {
        return shifted(wide(bit, 32), static_cast<unsigned>(place));
      };
      const Term label =
          at_bit(last ? top : pivot ^ top, fast::top_bit(j)) | at_bit(moved, fast::flip_bit(j));
      claims.push_back(at_most(cost, most) && facts.apply(keys.lower[state].lane(0)) ==
                                                  (shifted(cost, fast::kChoiceBits) | label));
    }
    o.prove(s, "column_" + std::to_string(j), Obligation::Logic::kBitVectors, s.all(claims),
            [&](const z3::model&) { return witness.search(); });
    if (o.failed()) return;
  }
}

// No state of a column costs more than 4 at 2^-13. For four values |r| - 8192, at most 8192 each:
// the positive ones together, and the change for the greatest.
inline void prove_most_cost(Obligation& o) {
  Session s;
  Term cost = s.z3.real_val(0);
  Term greatest = s.z3.real_val(-kLeechUnit);
  for (std::size_t r = 0; r < kMogRows; ++r) {
    const Term beyond = s.z3.real_const(("beyond" + std::to_string(r)).c_str());
    s.assume(beyond >= -kLeechUnit && beyond <= kLeechUnit);
    cost = cost + z3::ite(beyond >= 0, beyond, s.z3.real_val(0));
    greatest = z3::ite(beyond >= greatest, beyond, greatest);
  }
  o.prove(s, "most_cost", Obligation::Logic::kLinearReals,
          cost + 2 * kLeechUnit - 2 * greatest <= static_cast<int>(kMostColumnCost),
          [](const z3::model&) { return std::string("a state costs more"); });
}

// Joining columns: each new state is the least of its four sums.
template <class Kernel>
void prove_join(Obligation& o, Witness& witness) {
  using Tags = SymbolicTags<8>;
  using V32 = lanes::VectorOf<typename Tags::Ints>;
  const typename Tags::Ints di;
  Session s;
  Workspace w;
  Terms state_term;
  Terms column_term;
  V32 state[4];
  V32 column[4];
  for (std::size_t i = 0; i < 4; ++i) {
    state_term.push_back(s.constant("state" + std::to_string(i), 32));
    column_term.push_back(s.constant("column" + std::to_string(i), 32));
    // Four columns before at most: no sum reaches 2^31.
    s.assume(at_most(state_term[i], number(4 * kMostColumnKey, 32)) &&
             at_most(column_term[i], number(kMostColumnKey, 32)));
    state[i] = all_lanes(di, state_term[i]);
    column[i] = all_lanes(di, column_term[i]);
  }
  Kernel::join_column(state, column);
  // No sum reaches 2^31. After that they may be any numbers below.
  Terms no_overflow;
  Terms claims;
  Replacement sums;
  for (std::size_t target = 0; target < 4; ++target) {
    for (std::size_t from = 0; from < 4; ++from) {
      const Term sum = state_term[from] + column_term[from ^ target];
      no_overflow.push_back(at_most(state_term[from], sum) && sum >= 0);
      sums.add(sum, z3::zext(s.constant("sum" + std::to_string(4 * target + from), 31), 1));
    }
  }
  for (std::size_t target = 0; target < 4; ++target) {
    const Term joined = sums.apply(state[target].lane(0));
    Term attained = s.z3.bool_val(false);
    for (std::size_t from = 0; from < 4; ++from) {
      const Term sum = sums.apply(state_term[from] + column_term[from ^ target]);
      claims.push_back(at_most(joined, sum));
      attained = attained || joined == sum;
    }
    claims.push_back(attained);
  }
  const auto explain = [&](const z3::model&) { return witness.search(); };
  o.prove(s, "join.no_overflow", Obligation::Logic::kBitVectors, s.all(no_overflow), explain);
  o.prove(s, "join", Obligation::Logic::kBitVectors, s.all(claims), explain);
}

// The whole of EvaluateWords: columns joined in order, the least key taken apart.
template <class Kernel, std::size_t kLanes>
Terms word_results(Obligation& o, Workspace& w, const LaneInputs<kLanes>& in) {
  using Tags = SymbolicTags<kLanes>;
  alignas(64) std::int32_t costs[kLanes] = {};
  alignas(64) std::uint16_t choices[kLanes] = {};
  w.add_array(costs, kLanes, "costs");
  w.add_array(choices, kLanes, "choices out");
  Kernel::template evaluate_words<Tags>(in.planes, kLanes, in.words, costs, choices);
  Terms cost_of_lane;
  Terms choice_of_lane;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    cost_of_lane.push_back(w.read(costs + Kernel::template wide_position<Tags>(lane), 4));
    choice_of_lane.push_back(w.read(choices + lane, 2));
  }
  in.expect_same(o, "costs of words", cost_of_lane);
  in.expect_same(o, "choices of words", choice_of_lane);
  return {cost_of_lane[0], choice_of_lane[0]};
}

template <class Kernel>
void prove_evaluation(Obligation& o, Witness& witness) {
  constexpr std::size_t kLanes = 8;
  using Tags = SymbolicTags<kLanes>;
  using V16 = lanes::VectorOf<typename Tags::Shorts>;
  using V32 = lanes::VectorOf<typename Tags::Ints>;
  const typename Tags::Shorts ds;
  const typename Tags::UShorts du;
  const typename Tags::Ints di;
  Session s;
  Workspace w;
  const LaneInputs<kLanes> in(w);
  const Terms results = word_results<Kernel, 8>(o, w, in);
  expect_more_lanes(o, results, [&]<std::size_t kMore>(const LaneInputs<kMore>& more) {
    return word_results<Kernel, kMore>(o, w, more);
  });
  s.take_conditions();  // asked for each column in prove_column_keys

  typename Kernel::template Masks<V16> masks;
  Kernel::fill_word_masks(BitCast(ds, Load(du, in.words)), masks);
  const V16 offset = And(masks.m, Set(ds, std::int16_t{kLeechUnit}));
  V16 tops = Zero(ds);
  V16 parity = masks.m;
  Replacement keys;
  V32 state[4];
  V32 last[4];
  for (std::size_t j = 0; j < kMogColumns; ++j) {
    typename Kernel::template Keys<V32> computed;
    Kernel::template keys_of_column<Tags>(in.planes, kLanes, j, offset, masks, tops, parity,
                                          computed);
    V32 key[4];
    for (std::size_t i = 0; i < 4; ++i) {
      const Term k = s.constant("key" + std::to_string(j) + "_" + std::to_string(i), 32);
      keys.add(computed.lower[i].lane(0), k);
      key[i] = all_lanes(di, k);
    }
    if (j == 0) std::copy_n(key, 4, state);
    if (j > 0 && j < kMogColumns - 1) Kernel::join_column(state, key);
    if (j == kMogColumns - 1) std::copy_n(key, 4, last);
  }
  s.take_conditions();
  keys.add(tops.lane(0), s.constant("tops", 16));
  Replacement states;
  Term least = number(0, 32);
  for (std::size_t i = 0; i < 4; ++i) {
    const Term joined = s.constant("joined" + std::to_string(i), 32);
    states.add(state[i].lane(0), joined);
    s.assume(at_most(joined, number(5 * kMostColumnKey, 32)) &&
             at_most(last[i].lane(0), number(kMostColumnKey, 32)));
    const Term sum = joined + last[i].lane(0);
    least = i == 0 ? sum : unsigned_least(least, sum);
  }
  const Term cost = states.apply(keys.apply(results[0]));
  const Term choice = states.apply(keys.apply(results[1]));
  const Term labels = least.extract(fast::kChoiceBits - 1, 0);
  o.prove(s, "least_key", Obligation::Logic::kBitVectors,
          cost == z3::lshr(least, number(fast::kChoiceBits, 32)) &&
              choice == (wide(labels, 16) ^
                         z3::lshr(s.constant("tops", 16), number(16 - fast::kChoiceBits, 16))),
          [&](const z3::model&) { return witness.search(); });
}

// The whole of EvaluateFreeWords, from what prove_column_rows shows of its columns.
template <class Kernel, std::size_t kLanes>
Terms free_results(Obligation& o, Workspace& w, const LaneInputs<kLanes>& in) {
  using Tags = SymbolicTags<kLanes>;
  alignas(64) std::uint16_t costs[kLanes] = {};
  alignas(64) std::uint16_t choices[kLanes] = {};
  alignas(64) std::uint16_t unsure[kLanes] = {};
  w.add_array(costs, kLanes, "costs");
  w.add_array(choices, kLanes, "choices out");
  w.add_array(unsure, kLanes, "unsure");
  Kernel::template evaluate_free_words<Tags>(in.planes, kLanes, in.words, costs, choices, unsure);
  Terms results[3];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    results[0].push_back(w.read(costs + lane, 2));
    results[1].push_back(w.read(choices + lane, 2));
    results[2].push_back(w.read(unsure + lane, 2));
  }
  for (const Terms& of_lane : results) in.expect_same(o, "free words", of_lane);
  return {results[0][0], results[1][0], results[2][0]};
}

template <class Kernel>
void prove_free_evaluation(Obligation& o, Witness& witness) {
  constexpr std::size_t kLanes = 8;
  using Tags = SymbolicTags<kLanes>;
  using V16 = lanes::VectorOf<typename Tags::Shorts>;
  const typename Tags::Shorts ds;
  const typename Tags::UShorts du;
  Session s;
  Workspace w;
  const LaneInputs<kLanes> in(w);
  const Terms results = free_results<Kernel, 8>(o, w, in);
  expect_more_lanes(o, results, [&]<std::size_t kMore>(const LaneInputs<kMore>& more) {
    return free_results<Kernel, kMore>(o, w, more);
  });

  typename Kernel::template Masks<V16> masks;
  Kernel::fill_word_masks(BitCast(ds, Load(du, in.words)), masks);
  const V16 offset = And(masks.m, Set(ds, std::int16_t{kLeechUnit}));
  Replacement columns;
  const auto saturated_sum = [](const Term& a, const Term& b) {
    return z3::ite(z3::ult(a + b, a), number(65535, 16), a + b);
  };
  {
    // One such sum, and how it goes on: the last one is the sum of all, or 65535 if that is less.
    const Term x = s.constant("x", 16);
    const Term y = s.constant("y", 16);
    const Term all = s.constant("all", 20);
    const auto capped = [](const Term& a) { return unsigned_least(a, number(65535, 20)); };
    o.prove(s, "saturated_sum", Obligation::Logic::kBitVectors,
            z3::implies(wide(x, 20) == capped(all) && at_most(all, number(5 * 65535, 20)),
                        wide(saturated_sum(x, y), 20) == capped(all + wide(y, 20))),
            [](const z3::model&) { return std::string("a saturated sum is another"); });
  }
  Term wrong_z = s.constant("m", 1);
  Term wrong_tops = s.constant("p", 1);
  Term tie = s.z3.bool_val(false);
  Term total = number(0, 16);
  Term choice = number(0, 16);
  for (std::size_t j = 0; j < kMogColumns; ++j) {
    const auto computed =
        list_of(cost_of_column<Kernel, false, Tags>(o, in.planes, j, offset, masks.row[j]), false);
    const auto any = list_of(
        any_costs<typename Kernel::template Costs<V16>>(s, ds, std::to_string(j), false), false);
    for (std::size_t i = 0; i < any.size(); ++i) {
      columns.add(computed[i].lane(0), any[i].lane(0));
    }
    const Term cost = any[0].lane(0);
    const Term sum = any[1].lane(0);
    const Term parity = any[2].lane(0);
    const Term turn = any[3].lane(0);
    const Term complement = cost - sum;
    s.assume(at_most(cost, number(kMostColumnCost, 16)) &&
             at_most(complement, number(kMostColumnCost, 16)));
    const Term changes = z3::ult(complement, cost);
    const Term changes_bit = z3::ite(changes, number(1, 1), number(0, 1));
    tie = tie || cost == complement;
    total = saturated_sum(total, z3::ite(changes, complement, cost));
    wrong_z = wrong_z ^ bit_of(parity, 15) ^ (changes_bit & bit_of(turn, 15));
    wrong_tops = wrong_tops ^ changes_bit;
    choice = choice | shifted(wide(changes_bit, 16), static_cast<unsigned>(fast::top_bit(j)));
  }
  columns.add(masks.m.lane(0), SymbolicMasks<Kernel, kLanes>::filled(s.constant("m", 1)));
  columns.add(masks.p.lane(0), SymbolicMasks<Kernel, kLanes>::filled(s.constant("p", 1)));
  Terms got;
  for (const Term& result : results) got.push_back(columns.apply(result));
  const Term sure = got[2] == number(0, 16);
  const Term wrong = is_one(wrong_z | wrong_tops);
  const Term most = number(65535, 16);
  const auto prove = [&](const char* query, const Term& statement) {
    o.prove(s, query, Obligation::Logic::kBitVectors, statement,
            [&](const z3::model&) { return witness.search(); });
  };
  prove("wrong", z3::implies(wrong, got[0] == number(65535, 16) && !sure));
  prove("cost", z3::implies(!wrong, got[0] == total));
  prove("choice", z3::implies(!wrong, got[1] == choice));
  prove("sure", z3::implies(!wrong, sure == (!tie && got[0] != most)));
}

// --------------------------------------------------------------------------- residuals and rows

template <class Kernel, std::size_t kLanes>
Terms residual_results(Obligation& o, Workspace& w, const LaneInputs<kLanes>& in) {
  using Tags = SymbolicTags<kLanes>;
  alignas(64) std::int16_t residuals[kLeechDimension * kLanes] = {};
  w.add_array(residuals, kLeechDimension * kLanes, "residuals");
  Kernel::template emit_residuals<Tags>(in.planes, kLanes, in.words, in.choices, residuals);
  Terms results;
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    Terms of_lane;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      of_lane.push_back(w.read(residuals + kLanes * i + lane, 2));
    }
    in.expect_same(o, "residuals", of_lane);
    results.push_back(of_lane[0]);
  }
  return results;
}

template <class Kernel>
void prove_residuals(Obligation& o, Witness& witness) {
  constexpr std::size_t kLanes = 8;
  using Tags = SymbolicTags<kLanes>;
  using V16 = lanes::VectorOf<typename Tags::Shorts>;
  const typename Tags::Shorts ds;
  const typename Tags::UShorts du;
  Session s;
  Workspace w;
  const LaneInputs<kLanes> in(w);
  const Terms results = residual_results<Kernel, 8>(o, w, in);
  expect_more_lanes(o, results, [&]<std::size_t kMore>(const LaneInputs<kMore>& more) {
    return residual_results<Kernel, kMore>(o, w, more);
  });
  typename Kernel::template Masks<V16> computed;
  Kernel::fill_word_masks(BitCast(ds, Load(du, in.words)), computed);
  const SymbolicMasks<Kernel, kLanes> word(s);
  const Term top = s.constant("top", 1);
  const Term flip = s.constant("flip", 1);
  Terms y;
  Terms exact;
  Terms formula;
  const Terms c = word.column(0, top);
  for (std::size_t r = 0; r < kMogRows; ++r) {
    y.push_back(in.y(r));
    exact.push_back(exact_coordinate(y[r], word.m, c[r]).r);
  }
  // All columns have the formula of column 0, of their own coordinates, pattern and choice.
  for (std::size_t j = 0; j < kMogColumns; ++j) {
    Replacement names;
    names.add(computed.m.lane(0), SymbolicMasks<Kernel, kLanes>::filled(word.m));
    for (std::size_t r = 0; r < kMogRows; ++r) {
      names.add(in.y(mog_coordinate(j, r)), y[r]);
      if (r == 0) continue;
      names.add(computed.row[j][r].lane(0),
                SymbolicMasks<Kernel, kLanes>::filled(word.golay[0][r]));
    }
    // The two bits of the choice, and no other, may be read.
    const auto chosen = [&](int place, const Term& bit) {
      const auto single = number(std::uint64_t{1} << place, 16);
      names.add((wide(in.choice(), 16) & single) == single, is_one(bit));
    };
    chosen(fast::top_bit(j), top);
    chosen(fast::flip_bit(j), flip);
    for (std::size_t r = 0; r < kMogRows; ++r) {
      const Term result = names.apply(results[mog_coordinate(j, r)]);
      if (j == 0) formula.push_back(result);
      o.check(z3::eq(result, formula[r]), "column " + std::to_string(j) + " has another formula");
    }
  }
  for (std::size_t r = 0; r < kMogRows; ++r) {
    // leech.md 5.6 (c): the greatest |r|, of several the least i.
    Term moves = is_one(flip);
    for (std::size_t other = 0; other < kMogRows; ++other) {
      if (other == r) continue;
      const Term size = absolute(exact[r]);
      const Term other_size = absolute(exact[other]);
      moves = moves && (other < r ? other_size < size : other_size <= size);
    }
    const Term step = number(4 * kLeechUnit, 32);
    const Term moved = z3::ite(exact[r] >= 0, exact[r] - step, exact[r] + step);
    o.prove(s, "row_" + std::to_string(r), Obligation::Logic::kBitVectors,
            sign_extended(formula[r]) == z3::ite(moves, moved, exact[r]),
            [&](const z3::model& model) {
              return witness.show(points_around(0, column_value(model, y)));
            });
  }
}

// Rows become planes modulo 8 lattice units, and residuals become rows of lattice points.
template <class Kernel, std::size_t kLanes>
void prove_rows(Obligation& o) {
  using Tags = SymbolicTags<kLanes>;
  Session s;
  Workspace w;
  constexpr std::size_t kNumbers = kLeechDimension * kLanes;
  std::int32_t rows[kNumbers];
  std::int32_t out[kNumbers];
  std::uint32_t numbers[kLanes];
  alignas(64) std::int16_t planes[kNumbers];
  alignas(64) std::int16_t residuals[kNumbers];
  w.add_array(rows, kNumbers, "rows");
  w.add_array(out, kNumbers, "rows out");
  w.add_array(residuals, kNumbers, "residuals");
  const auto y = [&](std::size_t lane, std::size_t i) {
    return s.constant("y" + std::to_string(lane) + "_" + std::to_string(i), 32);
  };
  const auto residual = [&](std::size_t lane, std::size_t i) {
    return s.constant("r" + std::to_string(lane) + "_" + std::to_string(i), 16);
  };
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    numbers[lane] = static_cast<std::uint32_t>((5 * lane + 3) % kLanes);
    for (std::size_t i = 0; i < kLeechDimension; ++i) {
      w.element(rows + kLeechDimension * lane + i, 4) = y(lane, i);
      w.element(residuals + kLanes * i + lane, 2) = residual(lane, i);
    }
  }
  const typename Kernel::RowsInOrder in_order{rows};
  const typename Kernel::RowsByNumber by_number{rows, numbers};
  for (const bool listed : {false, true}) {
    w.add_array(planes, kNumbers, "planes");
    if (listed) {
      Kernel::template load_planes<Tags>(by_number, planes, kLanes);
    } else {
      Kernel::template load_planes<Tags>(in_order, planes, kLanes);
    }
    Terms claims;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      for (std::size_t i = 0; i < kLeechDimension; ++i) {
        claims.push_back(w.read(planes + kLanes * i + lane, 2) ==
                         y(listed ? numbers[lane] : lane, i).extract(15, 0));
      }
    }
    o.prove(s, std::string(listed ? "listed" : "ordered") + "_planes_" + std::to_string(kLanes),
            Obligation::Logic::kBitVectors, s.all(claims),
            [](const z3::model&) { return std::string("a plane has another coordinate"); });
  }
  Kernel::template store_points<Tags>(residuals, in_order, out);
  Terms claims;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (std::size_t i = 0; i < kLeechDimension; ++i) {
      const Term x =
          z3::ashr(y(lane, i) - sign_extended(residual(lane, i)), number(kLeechUnitBits, 32));
      claims.push_back(w.read(out + kLeechDimension * lane + i, 4) == x);
    }
  }
  o.prove(s, "points_" + std::to_string(kLanes), Obligation::Logic::kBitVectors, s.all(claims),
          [](const z3::model&) { return std::string("a row has another coordinate"); });
}

// ---------------------------------------------------------------------------------- obligations

template <class Kernel>
void prove_filter(Obligation& o, Witness& witness) {
  prove_coordinate_weights<Kernel, 8>(o, witness);
  prove_parities<Kernel, 8>(o, witness);
  prove_coordinate_bounds(o);
  prove_row_bounds<Kernel>(o, witness);
  prove_column_bounds<Kernel>(o, witness);
  prove_word_bounds<Kernel, 8>(o, witness);
  prove_saturated_sums(o);
}

template <class Kernel>
void prove_words(Obligation& o, Witness& witness) {
  check_word_masks<Kernel>(o, witness);
  prove_column_rows<Kernel, true>(o, witness);
  prove_most_cost(o);
  prove_column_keys<Kernel>(o, witness);
  prove_join<Kernel>(o, witness);
  prove_evaluation<Kernel>(o, witness);
}

template <class Kernel>
void prove_free_words(Obligation& o, Witness& witness) {
  prove_column_rows<Kernel, false>(o, witness);
  prove_free_evaluation<Kernel>(o, witness);
}

template <class Kernel>
void prove_emission(Obligation& o, Witness& witness) {
  prove_residuals<Kernel>(o, witness);
  prove_rows<Kernel, 8>(o);
}

// The kernel on portable vectors against answer_words.
template <class Kernel>
std::string replay_point(const LeechCoordinates& y) {
  using Tags = typename Kernel::Portable;
  constexpr std::size_t kLanes = Tags::kLanes;
  const PointAnswers want = answer_words(y);
  typename Kernel::template Planes<Tags> planes;
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    for (std::size_t half = 0; half < 2; ++half) {
      std::fill_n(planes.plane(i, half), kLanes, static_cast<std::int16_t>(y[i]));
    }
  }
  std::string place = "at (";
  for (const std::int32_t value : y)
    place += (place.size() == 4 ? "" : " ") + std::to_string(value);
  place += "), word ";
  const auto differ = [&](std::size_t word, const char* what, std::int64_t got,
                          std::int64_t exact) {
    return place + std::to_string(word) + ": " + what + " " + std::to_string(got) + ", exact " +
           std::to_string(exact);
  };
  alignas(64) std::int32_t k[2 * kLanes];
  alignas(64) std::uint8_t bounds[fast::kLeechWords * 2 * kLanes];
  alignas(64) std::uint16_t best[2 * kLanes];
  alignas(64) std::uint16_t fitting[2 * kLanes];
  alignas(64) std::uint8_t fitting_bound[2 * kLanes];
  Kernel::template filter_block<Tags>(planes, k, bounds, best, fitting, fitting_bound);
  const std::int64_t exact_k = (want.least[0] - want.least[1]) >> 14;
  if (k[0] != exact_k) return differ(0, "K", k[0], exact_k);
  for (std::size_t word = 0; word < fast::kLeechWords; ++word) {
    const std::int64_t bound = 256 * std::int64_t{bounds[2 * kLanes * word]};
    if (bound > want.comparable(word)) return differ(word, "bound", bound, want.comparable(word));
  }
  for (std::size_t first = 0; first < fast::kLeechWords; first += kLanes) {
    alignas(64) std::uint16_t words[kLanes];
    alignas(64) std::int32_t costs[kLanes];
    alignas(64) std::uint16_t choices[kLanes];
    alignas(64) std::uint16_t free_costs[kLanes];
    alignas(64) std::uint16_t free_choices[kLanes];
    alignas(64) std::uint16_t unsure[kLanes];
    alignas(64) std::uint16_t right_choices[kLanes];
    alignas(64) std::int16_t residuals[kLeechDimension * kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) {
      words[i] = static_cast<std::uint16_t>(first + i);
      right_choices[i] = static_cast<std::uint16_t>(want.words[first + i].choice);
    }
    Kernel::template evaluate_words<Tags>(planes.at, 2 * kLanes, words, costs, choices);
    Kernel::template evaluate_free_words<Tags>(planes.at, 2 * kLanes, words, free_costs,
                                               free_choices, unsure);
    Kernel::template emit_residuals<Tags>(planes.at, 2 * kLanes, words, right_choices, residuals);
    for (std::size_t i = 0; i < kLanes; ++i) {
      const WordAnswer& answer = want.words[first + i];
      const std::int64_t exact = (answer.distance - want.least[(first + i) / 128]) >> 15;
      const std::int64_t cost = costs[Kernel::template wide_position<Tags>(i)];
      if (cost != exact) return differ(first + i, "cost", cost, exact);
      if (choices[i] != answer.choice) {
        return differ(first + i, "choice", choices[i], answer.choice);
      }
      if (free_costs[i] != 65535 && free_costs[i] != exact) {
        return differ(first + i, "free cost", free_costs[i], exact);
      }
      if (unsure[i] == 0 && (free_costs[i] == 65535 || free_choices[i] != answer.choice)) {
        return differ(first + i, "free choice", free_choices[i], answer.choice);
      }
      for (std::size_t c = 0; c < kLeechDimension; ++c) {
        const std::int32_t r = residuals[kLanes * c + i];
        if (r != answer.residual[c]) return differ(first + i, "residual", r, answer.residual[c]);
      }
    }
  }
  return "";
}

}  // namespace quantproof::proofs

#endif
