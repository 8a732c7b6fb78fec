// SPDX-License-Identifier: Apache-2.0
//
// The codebook as the encoder walks through it: a row is two pairs of levels. The first pair is
// weights 0 and 1, the second weights 2 and 3; pair (l, m) has number 8 l + m.
#ifndef QUANTPROOF_FAST_IQ3_TABLES_H_
#define QUANTPROOF_FAST_IQ3_TABLES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "quantproof/iq3_codebook.h"
#include "quantproof/iq3_encoding.h"

namespace quantproof::fast {

inline constexpr std::size_t kLevelPairs = kLevels * kLevels;

constexpr auto make_pairs(unsigned shift) {
  std::array<std::uint8_t, kCodebookRows> pairs{};
  for (std::size_t r = 0; r < kCodebookRows; ++r) {
    pairs[r] = static_cast<std::uint8_t>(kIq3RowLevels[r] >> shift & 63u);
  }
  return pairs;
}

inline constexpr auto kFirstPair = make_pairs(6);
inline constexpr auto kSecondPair = make_pairs(0);

// The levels of all rows, weight by weight.
constexpr auto make_row_level() {
  std::array<std::array<std::uint8_t, kCodebookRows>, kRowWeights> levels{};
  for (std::size_t r = 0; r < kCodebookRows; ++r) {
    for (std::size_t j = 0; j < kRowWeights; ++j) {
      const unsigned digit_shift = 3 * static_cast<unsigned>(kRowWeights - 1 - j);
      levels[j][r] = static_cast<std::uint8_t>(kIq3RowLevels[r] >> digit_shift & 7u);
    }
  }
  return levels;
}

inline constexpr auto kRowLevel = make_row_level();

constexpr auto make_row_numbers() {
  std::array<float, kCodebookRows> numbers{};
  for (std::size_t r = 0; r < kCodebookRows; ++r) numbers[r] = static_cast<float>(r);
  return numbers;
}

inline constexpr auto kRowNumber = make_row_numbers();

// encoding.md 4.3: grid values of steps 0 to 63. The second octave is twice the first, exactly.
constexpr auto make_grid_octaves() {
  std::array<float, 2 * std::size_t{kIq3GridSteps}> values{};
  for (std::size_t i = 0; i < kIq3GridSteps; ++i) {
    values[i] = kIq3GridFraction[i];
    values[kIq3GridSteps + i] = 2 * kIq3GridFraction[i];
  }
  return values;
}

inline constexpr auto kGridOctaves = make_grid_octaves();

}  // namespace quantproof::fast

#endif
