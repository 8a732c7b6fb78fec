// SPDX-License-Identifier: Apache-2.0
//
// The Leech kernel as it ships, fast/leech-inl.h, against leech.md 5.
#include "proofs/leech_kernel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include "fast/leech-inl.h"
#include "proofs/leech_exact.h"
#include "proofs/obligation.h"
#include "ref/leech_coordinate.h"

namespace quantproof::proofs {

QP_LEECH_KERNEL(ShippedLeech, fast::HWY_NAMESPACE)

std::string Witness::show(const std::vector<LeechCoordinates>& points) {
  for (const LeechCoordinates& point : points) {
    if (shown_.empty()) shown_ = replay_(point);
  }
  return shown_.empty() ? search() : shown_;
}

std::string Witness::search() {
  std::mt19937 random(424242);  // fixed: the same points on every run
  for (unsigned p = 0; p < 96; ++p) {
    // All values, multiples of a half or a quarter, and points near the lattice.
    const unsigned zeros = std::array{0u, 12u, 11u, 13u}[p % 4];
    const std::uint32_t spread = p % 3 == 0 ? 0xFFFFu : p % 3 == 1 ? 0x7FFu : 0x3FFFu;
    LeechCoordinates y{};
    for (std::int32_t& value : y) {
      const auto bits = static_cast<std::uint32_t>(random()) & spread;
      value = static_cast<std::int16_t>(bits >> zeros << zeros);
      if (zeros == 0 && spread != 0xFFFFu && p % 8 < 4) value += 4 * kLeechUnit;
    }
    if (shown_.empty()) shown_ = replay_(y);
  }
  return shown_.empty() ? "the processor shows no difference" : shown_;
}

std::vector<LeechCoordinates> points_around(std::size_t j, const std::array<std::int32_t, 4>& y) {
  std::vector<LeechCoordinates> points;
  for (int m = 0; m < 2; ++m) {
    for (unsigned p = 0; p < 2; ++p) {
      for (unsigned symbol = 0; symbol < 4; ++symbol) {
        // A word with this symbol in column j: the constant hexacode word.
        const unsigned word = 64 * p + 4 * symbol + (j < 4 ? symbol : 0);
        for (unsigned variant = 0; variant < 4; ++variant) {
          std::uint32_t pattern = fast::word_pattern(word);
          const std::size_t other = (j + 1) % kMogColumns;
          if ((variant & 1u) != 0) pattern ^= 0xFu << mog_coordinate(other, 0);
          LeechCoordinates point{};
          for (std::size_t i = 0; i < kLeechDimension; ++i) {
            point[i] = kLeechUnit * leech_offset(m, static_cast<int>(pattern >> i & 1u));
          }
          if ((variant & 2u) != 0) point[mog_coordinate(other, 2)] -= 4 * kLeechUnit;
          std::copy(y.begin(), y.end(), point.begin() + static_cast<int>(mog_coordinate(j, 0)));
          points.push_back(point);
        }
      }
    }
  }
  return points;
}

namespace {

Witness shipped_witness() { return Witness(replay_point<ShippedLeech>); }

// exact_coordinate is the reference, in linear form, and K compares what all words of each m pay.
void check_exact_coordinate(Obligation& o) {
  using B = lanes::Bits<lanes::Number>;
  std::size_t wrong = 0;
  for (std::int32_t y = -32768; y < 32768; ++y) {
    const auto bits = lanes::make_number(static_cast<std::uint32_t>(y), 16);
    std::array<std::int64_t, 2> least{};
    std::int64_t w = 0;
    for (int m = 0; m < 2; ++m) {
      std::array<ref::LeechChoice, 2> choice{};
      for (int c = 0; c < 2; ++c) {
        choice[static_cast<std::size_t>(c)] = ref::choose_leech_coordinate(y, leech_offset(m, c));
      }
      const auto at = static_cast<std::size_t>(m);
      least[at] = std::min(choice[0].cost, choice[1].cost);
      for (int c = 0; c < 2; ++c) {
        const auto& want = choice[static_cast<std::size_t>(c)];
        const auto exact =
            exact_coordinate(bits, lanes::make_number(static_cast<std::uint32_t>(m), 1),
                             lanes::make_number(static_cast<std::uint32_t>(c), 1));
        const std::int64_t r = y - kLeechUnit * (leech_offset(m, c) + 4 * want.z);
        const bool same = B::as_signed(exact.r) == r && exact.odd_z.bits == (want.z & 1) &&
                          least[at] + (std::int64_t{exact.cost.bits} << 15) == want.cost &&
                          std::int64_t{exact.change.bits} << 15 == want.change_cost;
        wrong += same ? 0 : 1;
        if (m == 0) w += exact.cost.bits;
      }
    }
    // A coordinate's part of K: a quarter at 2^-14 minus |w| at 2^-13.
    wrong += least[0] - least[1] == (4096 - w) << 14 ? 0 : 1;
  }
  o.check(wrong == 0, std::to_string(wrong) + " coordinates differ from the reference");
}

// leech.md 5.6 (c) and 5.5 over the flips of the columns: with an odd number wanted, the first
// column of the cheapest flip is the least key; with an even number, none.
void prove_flips(Obligation& o) {
  Session s;
  Term total = s.z3.real_val(0);
  Term odd = s.z3.bool_val(false);
  Term any = s.z3.bool_val(false);
  Terms cost;
  Terms flip;
  for (std::size_t j = 0; j < kMogColumns; ++j) {
    cost.push_back(s.z3.real_const(("change" + std::to_string(j)).c_str()));
    flip.push_back(s.z3.bool_const(("flip" + std::to_string(j)).c_str()));
    s.assume(cost[j] >= 0);
    total = total + z3::ite(flip[j], cost[j], s.z3.real_val(0));
    odd = odd != flip[j];
    any = any || flip[j];
  }
  o.prove(s, "no_flip", Obligation::Logic::kLinearReals, total >= 0,
          [](const z3::model&) { return std::string("flips gain"); });
  for (std::size_t first = 0; first < kMogColumns; ++first) {
    Term is_first = s.z3.bool_val(true);
    for (std::size_t j = 0; j < kMogColumns; ++j) {
      if (j != first)
        is_first = is_first && (j < first ? cost[first] < cost[j] : cost[first] <= cost[j]);
    }
    // The label of the flips is a number with bit 1 + j for column j.
    Term alone = s.z3.bool_val(true);
    Term greater = s.z3.bool_val(false);
    for (std::size_t j = kMogColumns; j-- > 0;) {
      const Term here = s.z3.bool_val(j == first);
      greater = greater || (alone && flip[j] && !here);
      alone = alone && flip[j] == here;
    }
    o.prove(s, "flip_" + std::to_string(first), Obligation::Logic::kLinearReals,
            z3::implies(odd && is_first,
                        total > cost[first] || (total == cost[first] && (greater || alone))),
            [](const z3::model&) { return std::string("another set of flips has a lesser key"); });
  }
}

// The free choice: with a strictly best pattern in each column and the right parities, every other
// choice has a greater key.
void prove_free_choice(Obligation& o) {
  Session s;
  Term best = s.z3.real_val(0);
  Term other = s.z3.real_val(0);
  Term differs = s.z3.bool_val(false);
  for (std::size_t j = 0; j < kMogColumns; ++j) {
    const std::string name = std::to_string(j);
    const Term better = s.z3.real_const(("better" + name).c_str());
    const Term worse = s.z3.real_const(("worse" + name).c_str());
    const Term change = s.z3.real_const(("change" + name).c_str());
    const Term leaves = s.z3.bool_const(("leaves" + name).c_str());
    const Term flips = s.z3.bool_const(("flips" + name).c_str());
    s.assume(better < worse && change >= 0);
    best = best + better;
    other = other + z3::ite(leaves, worse, better) + z3::ite(flips, change, s.z3.real_val(0));
    differs = differs || leaves;
  }
  o.prove(s, "strictly_best", Obligation::Logic::kLinearReals,
          z3::ite(differs, other > best, other >= best),
          [](const z3::model&) { return std::string("another choice is as cheap"); });
}

// One coordinate of true y: y - r is 8192 times the candidate's coordinate, leech.md 5.6 and 5.8.
void prove_true_coordinates(Obligation& o) {
  Session s;
  const Term y = s.constant("y", 32);
  const Term m = s.constant("m", 1);
  const Term c = s.constant("c", 1);
  const Term moves = s.constant("moves", 1);
  const auto wide64 = [](const Term& a) { return z3::sext(a, 64 - a.get_sort().bv_size()); };
  const Term limit = number(kLeechPointLimit, 64);
  s.assume(wide64(y) >= -limit && wide64(y) <= limit);
  const Term modulo = exact_coordinate(y.extract(15, 0), m, c).r;
  const Term step = number(4 * kLeechUnit, 32);
  const Term residual =
      z3::ite(is_one(moves), z3::ite(modulo >= 0, modulo - step, modulo + step), modulo)
          .extract(15, 0);
  const Term x = z3::ashr(y - sign_extended(residual), number(kLeechUnitBits, 32));
  // In 64 bits, from the text.
  const Term offset = z3::ite(is_one(m), z3::ite(is_one(c), number(~0ull, 64), number(1, 64)),
                              z3::ite(is_one(c), number(2, 64), number(0, 64)));
  const Term t = wide64(y) - number(8192, 64) * offset;
  const Term z = z3::ashr(t + number(16384, 64), number(15, 64));
  const Term r = t - number(32768, 64) * z;
  const Term second = z3::ite(r >= 0, z + number(1, 64), z - number(1, 64));
  o.prove(
      s, "true_coordinate", Obligation::Logic::kBitVectors,
      wide64(x) == offset + number(4, 64) * z3::ite(is_one(moves), second, z),
      [](const z3::model& model) { return std::string(Z3_model_to_string(model.ctx(), model)); });
}

}  // namespace

void leech_filter_1(Obligation& o) {
  check_exact_coordinate(o);
  Witness witness = shipped_witness();
  prove_filter<ShippedLeech>(o, witness);
}

void leech_word_1(Obligation& o) {
  check_exact_coordinate(o);
  Witness witness = shipped_witness();
  prove_words<ShippedLeech>(o, witness);
}

void leech_word_2(Obligation& o) {
  Witness witness = shipped_witness();
  prove_free_words<ShippedLeech>(o, witness);
  prove_free_choice(o);
}

void leech_emit_1(Obligation& o) {
  Witness witness = shipped_witness();
  prove_emission<ShippedLeech>(o, witness);
  prove_rows<ShippedLeech, 16>(o);
  prove_true_coordinates(o);
}

void leech_tie_1(Obligation& o) {
  prove_flips(o);
  // The words and their top rows are the Golay code, each once.
  std::vector<int> seen(2 * kGolayWordCount, 0);
  for (unsigned word = 0; word < fast::kLeechWords; ++word) {
    const std::uint32_t pattern = fast::word_pattern(word);
    struct Choice {
      std::uint32_t label;  // as EvaluateWords compares them
      unsigned rank;
    };
    std::vector<Choice> choices;
    for (unsigned tops = 0; tops < 64; ++tops) {
      if ((std::popcount(tops) & 1) != static_cast<int>(word >> 6 & 1u)) continue;
      std::uint32_t golay = pattern;
      unsigned choice = 0;
      std::uint32_t label = 0;
      for (std::size_t j = 0; j < kMogColumns; ++j) {
        const std::uint32_t top = tops >> j & 1u;
        if (top != 0) golay ^= 0xFu << mog_coordinate(j, 0);
        choice |= top << fast::top_bit(j);
        const std::size_t row = j < kMogColumns - 1 ? first_pivot_row(j) : 0;
        label |= (golay >> mog_coordinate(j, row) & 1u) << fast::top_bit(j);
      }
      const unsigned rank = fast::leech_rank(word, choice);
      const std::string which =
          "word " + std::to_string(word) + ", top rows " + std::to_string(tops);
      o.check(is_golay_word(golay), which + " are not a Golay word");
      o.check(rank == (word >> 7) * kGolayWordCount + golay_index(golay), which + ": the rank");
      ++seen[rank];
      choices.push_back({label, rank});
    }
    for (const Choice& a : choices) {
      for (const Choice& b : choices) {
        o.check((a.label < b.label) == (a.rank < b.rank),
                "word " + std::to_string(word) + ": labels are not in the order of the index");
      }
    }
  }
  o.check(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }),
          "a Golay word is missing or comes twice");
  // Labels of different columns share no bit, and flips lie below the top rows that order words.
  unsigned bits = 0;
  for (std::size_t j = 0; j < kMogColumns; ++j) {
    const unsigned of_column = 1u << fast::top_bit(j) | 1u << fast::flip_bit(j);
    o.check((bits & of_column) == 0 && of_column < 1u << fast::kChoiceBits, "labels overlap");
    bits |= of_column;
    o.check(j == 5 || fast::top_bit(j) > fast::flip_bit(5), "a flip comes before a top row");
  }
  o.note("8,192 pairs of m and Golay word, 262,144 comparisons of labels");
}

}  // namespace quantproof::proofs
