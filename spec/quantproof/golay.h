// SPDX-License-Identifier: Apache-2.0
//
// The extended binary Golay code in MOG coordinates and the hexacode, spec/formats/leech.md
// clause 3. A word is 24 bits; bit i is coordinate i = 4 j + r: column j, row r of the MOG.
#ifndef QUANTPROOF_GOLAY_H_
#define QUANTPROOF_GOLAY_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace quantproof {

inline constexpr std::size_t kGolayLength = 24;
inline constexpr std::size_t kGolayDimension = 12;
inline constexpr std::size_t kGolayWordCount = 4096;
inline constexpr std::size_t kMogColumns = 6;
inline constexpr std::size_t kMogRows = 4;
inline constexpr std::size_t kHexacodeWordCount = 64;

constexpr std::size_t mog_coordinate(std::size_t column, std::size_t row) {
  return kMogRows * column + row;
}

// leech.md 3.3: the reduced row echelon basis in coordinate order, "generator order".
inline constexpr std::array<std::uint32_t, kGolayDimension> kGolayBasis = {
    0x24E881, 0x722882, 0xB84884, 0x1E8888, 0x5C6090, 0xC6A0A0,
    0x6AC0C0, 0x966900, 0xAAAA00, 0xCCCC00, 0xF0F000, 0xFF0000,
};

// leech.md 3.4: the coordinate at which only basis word b has a one.
inline constexpr std::array<std::uint8_t, kGolayDimension> kGolayPivot = {0, 1, 2, 3,  4,  5,
                                                                          6, 8, 9, 10, 12, 16};

// leech.md 3.3: the word of index k, 0 to 4095: xor of basis words b over the set bits b of k.
constexpr std::uint32_t golay_word(std::uint32_t index) {
  std::uint32_t word = 0;
  for (std::size_t b = 0; b < kGolayDimension; ++b) {
    if ((index >> b & 1u) != 0) word ^= kGolayBasis[b];
  }
  return word;
}

// leech.md 3.4: the index of a Golay word. Of any other 24 bits: the index of the only Golay
// word that agrees with them at the pivots.
constexpr std::uint32_t golay_index(std::uint32_t word) {
  std::uint32_t index = 0;
  for (std::size_t b = 0; b < kGolayDimension; ++b) index |= (word >> kGolayPivot[b] & 1u) << b;
  return index;
}

// `word`: 24 bits.
constexpr bool is_golay_word(std::uint32_t word) { return golay_word(golay_index(word)) == word; }

// leech.md 3.1: GF(4) as 0, 1, w = 2, w^2 = 3. The sum of two elements is their xor.
constexpr std::uint8_t gf4_product(std::uint8_t a, std::uint8_t b) {
  constexpr std::uint8_t kProduct[4][4] = {{0, 0, 0, 0}, {0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}};
  return kProduct[a][b];
}

// One element of GF(4) for each column.
using Hexaword = std::array<std::uint8_t, kMogColumns>;

// leech.md 3.2: the hexacode word (a, b, c, f(1), f(w), f(w^2)), f(x) = a x^2 + b x + c, of the
// index 16 a + 4 b + c, 0 to 63.
constexpr Hexaword hexacode_word(std::size_t index) {
  const auto a = static_cast<std::uint8_t>(index >> 4 & 3u);
  const auto b = static_cast<std::uint8_t>(index >> 2 & 3u);
  const auto c = static_cast<std::uint8_t>(index & 3u);
  Hexaword word = {a, b, c, 0, 0, 0};
  for (std::uint8_t x = 1; x < 4; ++x) {
    word[2u + x] =
        static_cast<std::uint8_t>(gf4_product(a, gf4_product(x, x)) ^ gf4_product(b, x) ^ c);
  }
  return word;
}

// leech.md 3.5: the sum in GF(4) of the row labels 0, 1, w, w^2 of the ones in each column.
constexpr Hexaword mog_column_sums(std::uint32_t word) {
  Hexaword sums{};
  for (std::size_t column = 0; column < kMogColumns; ++column) {
    for (std::uint8_t row = 0; row < kMogRows; ++row) {
      if ((word >> mog_coordinate(column, row) & 1u) != 0) sums[column] ^= row;
    }
  }
  return sums;
}

}  // namespace quantproof

#endif
