// SPDX-License-Identifier: Apache-2.0
//
// The nearest point under three readings of KAIJU1's box of residuals (kaiju1.md 10.2), built
// otherwise than the reference's search.
#ifndef QUANTPROOF_FUZZ_KAIJU1_BOX_H_
#define QUANTPROOF_FUZZ_KAIJU1_BOX_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "fuzz/leech_points.h"

namespace quantproof::fuzz {

// What a residual may be.
enum class Kaiju1Box {
  kLiteral,  // x = m + 2 c + 4 z, z in {-1, 0, 1}
  kCentred,  // the offsets of leech.md 2.4, z in {-1, 0, 1}
  kOutward,  // and one z may be 2 or -2: kaiju1.md 3.6
};

// The least cost over all points of a box (squared distance less |y|^2, in squared units of 2^-13),
// and its m and Golay index, least m and index first.
struct Kaiju1BoxAnswer {
  std::int64_t cost = std::numeric_limits<std::int64_t>::max();
  int m = 0;
  std::uint32_t golay_index = 0;
};

// Two halves of twelve coordinates, each a table of the 4,096 choices of bits with the four states
// (parity of the sum of z, outward used).
inline Kaiju1BoxAnswer find_in_kaiju1_box(const LeechRow& y, Kaiju1Box box) {
  constexpr std::size_t kHalf = 12;
  constexpr std::int64_t kNever = std::int64_t{1} << 60;
  using States = std::array<std::int64_t, 4>;
  static std::vector<std::vector<States>> tables(2, std::vector<States>(1u << kHalf));
  Kaiju1BoxAnswer best;
  for (int m = 0; m < 2; ++m) {
    for (std::size_t half = 0; half < 2; ++half) {
      std::vector<States>& table = tables[half];
      table[0] = {0, kNever, kNever, kNever};
      for (std::size_t i = 0, filled = 1; i < kHalf; ++i, filled *= 2) {
        const std::int64_t target = y[kHalf * half + i];
        std::array<std::array<std::int64_t, 3>, 2> choice{};  // [bit][|z|]
        for (int bit = 0; bit < 2; ++bit) {
          const int offset = box == Kaiju1Box::kLiteral ? m + 2 * bit : leech_offset(m, bit);
          const auto cost = [&](int z) {
            const std::int64_t v = std::int64_t{kLeechUnit} * (offset + 4 * z);
            return v * v - 2 * v * target;
          };
          choice[static_cast<std::size_t>(bit)] = {
              cost(0), std::min(cost(1), cost(-1)),
              box == Kaiju1Box::kOutward ? std::min(cost(2), cost(-2)) : kNever};
        }
        for (std::size_t k = 0; k < filled; ++k) {
          const States before = table[k];
          for (const std::size_t bit : {1u, 0u}) {
            const auto& c = choice[bit];
            table[k + bit * filled] = {
                std::min(before[0] + c[0], before[1] + c[1]),
                std::min(before[1] + c[0], before[0] + c[1]),
                std::min({before[2] + c[0], before[3] + c[1], before[0] + c[2]}),
                std::min({before[3] + c[0], before[2] + c[1], before[1] + c[2]})};
          }
        }
      }
    }
    // In all three the lattice asks for sum z mod 2 = m: 24 m + 2 |c| is a multiple of 8.
    for (std::uint32_t k = 0; k < kGolayWordCount; ++k) {
      const std::uint32_t word = golay_word(k);
      const States& a = tables[0][word & 0xFFFu];
      const States& b = tables[1][word >> kHalf];
      const auto p = static_cast<std::size_t>(m);
      std::int64_t cost = std::min(a[0] + b[p], a[1] + b[1 - p]);
      cost = std::min({cost, a[2] + b[p], a[3] + b[1 - p], a[0] + b[2 + p], a[1] + b[3 - p]});
      if (cost < best.cost) best = {cost, m, k};
    }
  }
  return best;
}

// Points of each squared length up to 96 whose residuals are in a box, by the weights of the Golay
// code: |z| <= most_z, and at most `outward` of them 2 in magnitude (-1: any number).
using Kaiju1Shells = std::array<std::int64_t, 97>;

inline Kaiju1Shells shells_in_box(int most_z, int outward) {
  Kaiju1Shells total{};
  for (const auto& [weight, words] : {std::pair{0, 1}, {8, 759}, {12, 2576}, {16, 759}, {24, 1}}) {
    for (std::size_t m = 0; m < 2; ++m) {
      std::array<std::array<Kaiju1Shells, 2>, 2> states{};  // [parity of the sum of z][outward]
      states[0][0][0] = 1;
      for (int i = 0; i < 24; ++i) {
        std::array<std::array<Kaiju1Shells, 2>, 2> after{};
        for (int z = -most_z; z <= most_z; ++z) {
          const int x = leech_offset(static_cast<int>(m), i < weight ? 1 : 0) + 4 * z;
          const auto square = static_cast<std::size_t>(x * x);
          const std::size_t odd = z % 2 != 0 ? 1 : 0;
          const bool far = outward >= 0 && (z == 2 || z == -2);
          for (std::size_t p = 0; p < 2; ++p) {
            for (std::size_t u = 0; u < 2; ++u) {
              if (far && (u == 1 || outward == 0)) continue;
              for (std::size_t n = 0; n + square < total.size(); ++n) {
                after[p ^ odd][far ? 1 : u][n + square] += states[p][u][n];
              }
            }
          }
        }
        states = after;
      }
      for (std::size_t n = 0; n < total.size(); ++n) {
        total[n] += words * (states[m][0][n] + states[m][1][n]);
      }
    }
  }
  return total;
}

}  // namespace quantproof::fuzz

#endif
