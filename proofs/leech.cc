// SPDX-License-Identifier: Apache-2.0
//
// The Leech lattice, leech.md clauses 2, 4 and 5: finite facts by enumeration, the lemma behind
// the candidates (5.7) by SMT. proofs/dn.v has that lemma for every number of coordinates.
#include "quantproof/leech.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "proofs/obligation.h"
#include "quantproof/ref/leech.h"
#include "ref/leech_coordinate.h"

namespace quantproof::proofs {

namespace {

using Vector = std::array<std::int32_t, kLeechDimension>;

bool is_pivot(std::size_t i) { return (0x01177Fu >> i & 1u) != 0; }

Vector offset_of(int m, std::uint32_t word) {
  Vector x{};
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    x[i] = leech_offset(m, static_cast<int>(word >> i & 1u));
  }
  return x;
}

Vector plus(Vector a, const Vector& b, std::int32_t factor) {
  for (std::size_t i = 0; i < kLeechDimension; ++i) a[i] += factor * b[i];
  return a;
}

std::int64_t product(const Vector& a, const Vector& b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < kLeechDimension; ++i) sum += std::int64_t{a[i]} * b[i];
  return sum;
}

// 24 vectors of which vector i has zeros before coordinate i.
std::vector<Vector> triangular_basis() {
  std::vector<Vector> basis;
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    Vector v{};
    if (i == 0) {
      v.fill(1);
      v[23] = -3;
    } else if (is_pivot(i)) {
      for (std::uint32_t b = 0; b < kGolayDimension; ++b) {
        if (kGolayPivot[b] == i) v = offset_of(0, kGolayBasis[b]);
      }
    } else if (i < 23) {
      v[i] = 4;
      v[23] = 4;
    } else {
      v[23] = 8;
    }
    basis.push_back(v);
  }
  return basis;
}

constexpr std::size_t kTerms = 65;  // squared lengths 0 to 64
using Series = std::array<std::int64_t, kTerms>;

Series times(const Series& a, const Series& b) {
  Series c{};
  for (std::size_t i = 0; i < kTerms; ++i) {
    for (std::size_t j = 0; i + j < kTerms; ++j) c[i + j] += a[i] * b[j];
  }
  return c;
}

// One coordinate offset + 4 z: the number of z for each square, counted with `weight` for odd z.
Series coordinate_series(int offset, std::int64_t weight) {
  Series series{};
  for (int z = -3; z <= 3; ++z) {
    const auto x = static_cast<std::size_t>(std::abs(offset + 4 * z));
    if (x * x < kTerms) series[x * x] += z % 2 == 0 ? 1 : weight;
  }
  return series;
}

// The number of points of coset (m, word) for each squared length up to 64.
Series coset_series(int m, std::uint32_t word) {
  Series all = {1};
  Series signs = {1};  // the sum of (-1)^(sum of z)
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    const int offset = leech_offset(m, static_cast<int>(word >> i & 1u));
    all = times(all, coordinate_series(offset, 1));
    signs = times(signs, coordinate_series(offset, -1));
  }
  for (std::size_t n = 0; n < kTerms; ++n) {
    all[n] = (all[n] + (m == 0 ? signs[n] : -signs[n])) / 2;
  }
  return all;
}

// All vectors of leech.md 4.2, shape by shape in the order of that table: visit(shape, v).
template <class Visit>
void visit_facet_vectors(const Visit& visit) {
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    for (std::size_t j = i + 1; j < kLeechDimension; ++j) {
      for (unsigned signs = 0; signs < 4; ++signs) {
        Vector v{};
        v[i] = (signs & 1u) != 0 ? -4 : 4;
        v[j] = (signs & 2u) != 0 ? -4 : 4;
        visit(0, v);
      }
    }
  }
  for (std::uint32_t k = 0; k < kGolayWordCount; ++k) {
    const std::uint32_t word = golay_word(k);
    const int weight = std::popcount(word);
    for (unsigned signs = 0; (weight == 8 || weight == 12) && signs < 1u << weight; ++signs) {
      Vector v{};
      unsigned next = 0;
      for (std::size_t i = 0; i < kLeechDimension; ++i) {
        if ((word >> i & 1u) != 0) v[i] = (signs >> next++ & 1u) != 0 ? -2 : 2;
      }
      if (std::popcount(signs) % 2 == 0) {
        visit(weight == 8 ? 1 : 3, v);
      } else if (weight == 8) {
        for (std::size_t i = 0; i < kLeechDimension; ++i) {
          if ((word >> i & 1u) != 0) continue;
          for (const std::int32_t four : {4, -4}) {
            v[i] = four;
            visit(4, v);
          }
          v[i] = 0;
        }
      }
    }
    Vector ones = offset_of(1, word);
    for (std::size_t a = 0; a < kLeechDimension; ++a) {
      const std::int32_t one = ones[a];
      ones[a] = 5 * one;
      visit(6, ones);
      ones[a] = -3 * one;
      visit(2, ones);
      for (std::size_t b = a + 1; b < kLeechDimension; ++b) {
        ones[b] *= -3;
        for (std::size_t c = b + 1; c < kLeechDimension; ++c) {
          const std::int32_t last = ones[c];
          ones[c] = -3 * last;
          visit(5, ones);
          ones[c] = last;
        }
        ones[b] /= -3;
      }
      ones[a] = one;
    }
  }
}

z3::expr real(symbolic::Session& s, const std::string& name) {
  return s.z3.real_const(name.c_str());
}

z3::expr integer(symbolic::Session& s, const std::string& name) {
  return s.z3.int_const(name.c_str());
}

z3::expr magnitude(const z3::expr& a) { return z3::ite(a >= 0, a, -a); }

// leech.md 5.6 in squared units of 2^-13: what `steps` steps of 32768 cost, and what the step to
// the second nearest value costs.
z3::expr cost_of_steps(const z3::expr& r, const z3::expr& steps) {
  return (r - 32768 * steps) * (r - 32768 * steps) - r * r;
}
z3::expr cost_of_second(const z3::expr& r) { return (1 << 30) - 65536 * magnitude(r); }

std::string model_text(const z3::model& model) { return Z3_model_to_string(model.ctx(), model); }

}  // namespace

void leech_lattice_1(Obligation& o) {
  const std::vector<Vector> basis = triangular_basis();
  int exponent = 0;  // of the determinant, a power of two
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    const std::string which = "basis vector " + std::to_string(i);
    for (std::size_t j = 0; j < i; ++j) o.check(basis[i][j] == 0, which + " is not triangular");
    o.check(std::has_single_bit(static_cast<std::uint32_t>(basis[i][i])), which + ": diagonal");
    exponent += std::countr_zero(static_cast<std::uint32_t>(basis[i][i]));
    o.check(ref::is_leech_point(basis[i].data()), which + " is not in the lattice");
    o.check(product(basis[i], basis[i]) % 16 == 0, which + ": squared length");
    for (std::size_t j = 0; j < i; ++j) {
      o.check(product(basis[i], basis[j]) % 8 == 0, which + ": inner product");
    }
  }
  // 8,192 cosets of 4 D_24, which has density 2^-49: the same as that of the span.
  o.check(exponent == 36 && 49 - 13 == 36, "the determinant is not 2^36");

  // The set is closed under adding basis vectors, coset by coset; membership does not change
  // within a coset (LEECH-COSETS-1). So it contains the span, and by density it is the span.
  for (int m = 0; m < 2; ++m) {
    for (std::uint32_t k = 0; k < kGolayWordCount; ++k) {
      Vector x = offset_of(m, golay_word(k));
      if (m == 1) x[0] += 4;
      for (const Vector& v : basis) {
        o.check(
            ref::is_leech_point(plus(x, v, 1).data()) && ref::is_leech_point(plus(x, v, -1).data()),
            "not closed at coset " + std::to_string(m) + ", " + std::to_string(k));
      }
    }
  }
  o.note("24 basis vectors, 276 inner products, 393,216 sums and differences");
}

void leech_cosets_1(Obligation& o) {
  // One coordinate: for each integer exactly one m, one c_i and one z. 16 integers stand for all,
  // as x + 8 has the same m and c_i, and z + 2.
  for (int x = -8; x < 8; ++x) {
    int ways = 0;
    for (int m = 0; m < 2; ++m) {
      for (int bit = 0; bit < 2; ++bit) {
        const int rest = x - leech_offset(m, bit);
        if (rest % 4 != 0) continue;
        ++ways;
        const std::int32_t twice = x - m;
        o.check((x & 1) == m && (twice >> 1 & 1) == bit, "m and c of " + std::to_string(x));
      }
    }
    o.check(ways == 1, std::to_string(x) + " is in " + std::to_string(ways) + " residues");
  }
  // All coordinates: the sum of x is the sum of the offset plus four times the sum of z.
  for (int m = 0; m < 2; ++m) {
    for (std::uint32_t k = 0; k < kGolayWordCount; ++k) {
      const std::string which = "coset " + std::to_string(m) + ", " + std::to_string(k);
      Vector x = offset_of(m, golay_word(k));
      std::int32_t sum = 0;
      for (const std::int32_t value : x) sum += value;
      o.check(sum % 8 == 0, which + ": the sum of the offset");
      o.check(ref::is_leech_point(x.data()) == (m == 0), which + ": an even sum of z");
      for (std::size_t i = 0; i < kLeechDimension; ++i) {
        x[i] += 4;
        o.check(ref::is_leech_point(x.data()) == (m == 1), which + ": an odd sum of z");
        x[i] -= 4;
      }
    }
  }
}

void leech_shells_1(Obligation& o) {
  // The series of a coset depends on m and on the weight of the word alone.
  std::array<std::array<Series, kGolayLength + 1>, 2> known{};
  std::array<std::array<bool, kGolayLength + 1>, 2> have{};
  Series total{};
  for (std::size_t m = 0; m < 2; ++m) {
    for (std::uint32_t k = 0; k < kGolayWordCount; ++k) {
      const auto weight = static_cast<std::size_t>(std::popcount(golay_word(k)));
      if (!have[m][weight]) {
        known[m][weight] = coset_series(static_cast<int>(m), golay_word(k));
        have[m][weight] = true;
      }
      for (std::size_t n = 0; n < kTerms; ++n) total[n] += known[m][weight][n];
    }
  }
  Series want{};
  want[0] = 1;
  want[32] = kLeechShell4;
  want[48] = kLeechShell6;
  want[64] = kLeechShell8;
  for (std::size_t n = 0; n < kTerms; ++n) {
    o.check(total[n] == want[n],
            "squared length " + std::to_string(n) + ": " + std::to_string(total[n]) + " points");
  }
  o.check(1 + kLeechShell4 / 2 + kLeechShell6 / 2 + kLeechShell8 / 48 == 1 << 24,
          "the classes of L / 2L are not all there");
}

void leech_facets_1(Obligation& o) {
  std::array<std::int64_t, 7> count{};
  std::int64_t outside = 0;
  std::int64_t wrong_norm = 0;
  visit_facet_vectors([&](std::size_t shape, const Vector& v) {
    ++count[shape];
    outside += ref::is_leech_point(v.data()) ? 0 : 1;
    wrong_norm += product(v, v) == (shape < 3 ? 32 : 48) ? 0 : 1;
  });
  o.check(count == std::array<std::int64_t, 7>{1'104, 97'152, 98'304, 5'275'648, 3'108'864,
                                               8'290'304, 98'304},
          "the number of vectors of a shape");
  o.check(outside == 0, std::to_string(outside) + " vectors are not in the lattice");
  o.check(wrong_norm == 0, std::to_string(wrong_norm) + " vectors have another norm");
  // The shapes are disjoint and their vectors distinct by construction, so with LEECH-SHELLS-1
  // they are all vectors of norm 4 and 6.
  o.check(count[0] + count[1] + count[2] == kLeechShell4, "norm 4 is not complete");
  o.check(count[3] + count[4] + count[5] + count[6] == kLeechShell6, "norm 6 is not complete");
  o.note("16,969,680 vectors");
}

void leech_dn_1(Obligation& o) {
  {
    symbolic::Session s;
    const z3::expr r = real(s, "r");
    const z3::expr steps = real(s, "steps");
    s.assume(r >= -16384 && r <= 16384 && (steps <= -1 || steps >= 1));
    o.prove(s, "any_step", Obligation::Logic::kReals,
            cost_of_steps(r, steps) >= cost_of_second(r) && cost_of_second(r) >= 0, model_text);
  }
  {
    symbolic::Session s;
    const z3::expr r = real(s, "r");
    s.assume(r >= -16384 && r <= 16384);
    const z3::expr one = z3::ite(r >= 0, s.z3.real_val(1), s.z3.real_val(-1));
    o.prove(s, "second_nearest", Obligation::Logic::kReals,
            cost_of_steps(r, one) == cost_of_second(r), model_text);
  }
  // The whole lemma for small n: `least` is at most every step to a second nearest value. Steps are
  // relaxed to real numbers: an even one is 0 or at least 2 in magnitude, an odd one at least 1.
  for (int n = 2; n <= 3; ++n) {
    symbolic::Session s;
    z3::expr total = s.z3.real_val(0);
    z3::expr odd = s.z3.bool_val(false);
    const z3::expr least = real(s, "least");
    for (int i = 0; i < n; ++i) {
      const std::string name = std::to_string(i);
      const z3::expr r = real(s, "r" + name);
      const z3::expr steps = real(s, "steps" + name);
      const z3::expr odd_steps = s.z3.bool_const(("odd" + name).c_str());
      s.assume(r >= -16384 && r <= 16384 && least <= cost_of_second(r));
      s.assume(
          z3::ite(odd_steps, steps <= -1 || steps >= 1, steps == 0 || steps <= -2 || steps >= 2));
      total = total + cost_of_steps(r, steps);
      odd = odd != odd_steps;
    }
    const std::string size = std::to_string(n);
    o.prove(s, "n" + size, Obligation::Logic::kReals, z3::ite(odd, total >= least, total >= 0),
            model_text);
  }
}

void leech_dn_2(Obligation& o) {
  symbolic::Session s;
  z3::expr total = s.z3.real_val(0);
  z3::expr odd = s.z3.bool_val(false);
  const z3::expr least = real(s, "least");
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    const std::string name = std::to_string(i);
    const z3::expr cost = real(s, "cost" + name);
    const z3::expr second = real(s, "second" + name);
    const z3::expr odd_steps = s.z3.bool_const(("odd" + name).c_str());
    // What LEECH-DN-1 says of one coordinate, and that `least` is at most each step.
    s.assume(cost >= 0 && second >= 0 && z3::implies(odd_steps, cost >= second) && least <= second);
    total = total + cost;
    odd = odd != odd_steps;
  }
  o.prove(s, "odd_subset", Obligation::Logic::kLinearReals,
          total >= 0 && z3::implies(odd, total >= least), model_text);
}

void leech_cost_1(Obligation& o) {
  {
    symbolic::Session s;
    const z3::expr y = integer(s, "y");
    const z3::expr offset = integer(s, "offset");
    const z3::expr z = integer(s, "z");
    const z3::expr t = y - 8192 * offset;
    s.assume(y >= -kLeechPointLimit && y <= kLeechPointLimit && offset >= -1 && offset <= 2);
    s.assume(32768 * z <= t + 16384 && t + 16384 < 32768 * z + 32768);  // the floor of 5.6 (a)
    const z3::expr r = t - 32768 * z;
    const z3::expr second = z3::ite(r >= 0, z + 1, z - 1);
    const z3::expr second_r = t - 32768 * second;
    const z3::expr bound = s.z3.int_val(kLeechCoordinateLimit);
    o.prove(s, "ranges", Obligation::Logic::kIntegers,
            r >= -16384 && r < 16384 && magnitude(second_r) <= 32768 &&
                magnitude(offset + 4 * z) <= bound && magnitude(offset + 4 * second) <= bound &&
                cost_of_second(r) >= 0 && cost_of_second(r) <= 1 << 30,
            model_text);
    o.prove(s, "linear", Obligation::Logic::kIntegers,
            second_r * second_r - r * r == cost_of_second(r), model_text);
  }
  // The reference does that arithmetic: every residue of y, at both ends of the range and at 0.
  std::size_t wrong = 0;
  std::int64_t greatest = 0;
  for (const std::int64_t start : {-std::int64_t{kLeechPointLimit}, std::int64_t{-65536},
                                   std::int64_t{kLeechPointLimit} - 65535}) {
    for (std::int64_t y = start; y < start + (start == -65536 ? 131072 : 65536); ++y) {
      for (int offset = -1; offset <= 2; ++offset) {
        const ref::LeechChoice choice = ref::choose_leech_coordinate(y, offset);
        const std::int64_t r = y - 8192 * (offset + 4 * choice.z);
        const std::int64_t step = r >= 0 ? 1 : -1;
        const bool right = r >= -16384 && r < 16384 && choice.cost == r * r &&
                           choice.second_z == choice.z + step &&
                           choice.change_cost == (1 << 30) - 65536 * step * r;
        wrong += right ? 0 : 1;
        greatest = std::max(greatest, choice.cost);
      }
    }
  }
  o.check(wrong == 0, std::to_string(wrong) + " choices of the reference are not those of 5.6");
  o.check(greatest == 1 << 28, "the greatest cost of a coordinate");
  o.check(24 * greatest + (1 << 30) < std::int64_t{1} << 33, "the sum of a candidate");
  o.note("262,144 values of y, 4 offsets each");
}

}  // namespace quantproof::proofs
