// SPDX-License-Identifier: Apache-2.0
//
// A second oracle for spec/formats/leech.md 5.5, built otherwise than leech.cc: it never names a
// coset representative. Each coordinate picks a value of a given residue mod 4, the lattice asks
// for a sum of 4 m mod 8, and the 24 coordinates are two halves of 12 with a table of 4,096
// partial sums each.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <vector>

#include "quantproof/ref/leech.h"

namespace quantproof::ref {

namespace {

constexpr std::size_t kHalf = kLeechDimension / 2;
constexpr std::size_t kHalfWords = std::size_t{1} << kHalf;

// One coordinate with a residue mod 4: the better value and the one that would replace it.
struct Option {
  std::int64_t value;
  std::int64_t other;
  std::int64_t cost;
  std::int64_t penalty;
};

Option best_of_residue(std::int64_t y, std::int64_t residue) {
  constexpr std::int64_t kPeriod = std::int64_t{4} << kLeechUnitBits;
  const std::int64_t above = (y - (residue << kLeechUnitBits)) & (kPeriod - 1);  // y - low value
  const std::int64_t below = kPeriod - above;                                    // high value - y
  const std::int64_t low = (y - above) >> kLeechUnitBits;
  const std::int64_t near = above * above;
  const std::int64_t far = below * below;
  if (near < far) return {low, low + 4, near, far - near};
  return {low + 4, low, far, near - far};
}

// Twelve coordinates with the residues that the bits of an index choose.
struct Partial {
  std::int64_t cost = 0;
  std::int64_t penalty = std::numeric_limits<std::int64_t>::max();  // least of one replacement
  std::int64_t sum = 0;                                             // of the values
};

using Options = std::array<std::array<Option, 2>, kHalf>;  // [coordinate][bit]

Options options_of_half(const std::int32_t* y, int m) {
  Options options;
  for (std::size_t i = 0; i < kHalf; ++i) {
    for (std::size_t bit = 0; bit < 2; ++bit) {
      options[i][bit] = best_of_residue(y[i], m == 0 ? (bit != 0 ? 2 : 0) : (bit != 0 ? 3 : 1));
    }
  }
  return options;
}

std::vector<Partial> partial_sums(const Options& options) {
  std::vector<Partial> sums(kHalfWords);
  for (std::size_t i = 0, filled = 1; i < kHalf; ++i, filled *= 2) {
    for (std::size_t k = 0; k < filled; ++k) {
      for (const std::size_t bit : {1u, 0u}) {  // entry k itself is overwritten last
        const Option& option = options[i][bit];
        sums[k + bit * filled] = {sums[k].cost + option.cost,
                                  std::min(sums[k].penalty, option.penalty),
                                  sums[k].sum + option.value};
      }
    }
  }
  return sums;
}

// The Golay words by hexaword, column patterns and parity (leech.md 3.5), in the order of 5.5.
std::vector<std::uint32_t> make_words() {
  // For parity and symbol: the column pattern without its top bit. Its complement is the other.
  std::uint32_t pattern[2][4] = {};
  for (std::uint32_t rows = 0; rows < 8; ++rows) {
    std::uint32_t symbol = 0;
    std::uint32_t parity = 0;
    for (std::uint32_t row = 1; row < 4; ++row) {
      if ((rows >> (row - 1) & 1u) == 0) continue;
      symbol ^= row;
      parity ^= 1u;
    }
    pattern[parity][symbol] = rows << 1;
  }
  std::vector<std::uint32_t> words;
  for (std::size_t hexaword = 0; hexaword < kHexacodeWordCount; ++hexaword) {
    const Hexaword symbols = hexacode_word(hexaword);
    for (std::uint32_t tops = 0; tops < 64; ++tops) {
      const auto parity = static_cast<std::uint32_t>(std::popcount(tops) % 2);
      std::uint32_t word = 0;
      for (std::uint32_t column = 0; column < kMogColumns; ++column) {
        const std::uint32_t rows = pattern[parity][symbols[column]];
        word |= ((tops >> column & 1u) != 0 ? rows ^ 15u : rows) << (4 * column);
      }
      words.push_back(word);
    }
  }
  // The pivots ascend with the basis, so the index orders words as their pivot bits do.
  constexpr std::uint32_t kPivots = 0x01177F;
  std::sort(words.begin(), words.end(),
            [](std::uint32_t a, std::uint32_t b) { return (a & kPivots) < (b & kPivots); });
  return words;
}

}  // namespace

LeechNearest find_nearest_leech_point_split(const std::int32_t* y) {
  static const std::vector<std::uint32_t> words = make_words();
  LeechNearest best;
  best.squared_distance = std::numeric_limits<std::int64_t>::max();
  for (int m = 0; m < 2; ++m) {
    const std::array<Options, 2> options = {options_of_half(y, m), options_of_half(y + kHalf, m)};
    const std::vector<Partial> low = partial_sums(options[0]);
    const std::vector<Partial> high = partial_sums(options[1]);
    bool improved = false;
    std::size_t best_index = 0;
    bool replace = false;
    for (std::size_t k = 0; k < words.size(); ++k) {
      const Partial& a = low[words[k] & (kHalfWords - 1)];
      const Partial& b = high[words[k] >> kHalf];
      const bool wrong_sum = ((a.sum + b.sum - std::int64_t{4} * m) & 7) != 0;
      const std::int64_t cost = a.cost + b.cost + (wrong_sum ? std::min(a.penalty, b.penalty) : 0);
      if (cost < best.squared_distance) {
        best.squared_distance = cost;
        best_index = k;
        replace = wrong_sum;
        improved = true;
      }
    }
    if (!improved) continue;
    best.m = m;
    best.golay_index = static_cast<std::uint32_t>(best_index);
    const Option* cheapest = nullptr;
    std::size_t place = 0;
    for (std::size_t i = 0; i < kLeechDimension; ++i) {
      const Option& option = options[i / kHalf][i % kHalf][words[best_index] >> i & 1u];
      best.point[i] = static_cast<std::int32_t>(option.value);
      if (cheapest == nullptr || option.penalty < cheapest->penalty) {
        cheapest = &option;
        place = i;
      }
    }
    if (replace) best.point[place] = static_cast<std::int32_t>(cheapest->other);
  }
  return best;
}

}  // namespace quantproof::ref
