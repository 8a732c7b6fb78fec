// SPDX-License-Identifier: Apache-2.0
//
// How the Leech kernel numbers its 256 words, and what it remembers of a decoded word.
//
// A word of the kernel is a parity m, a column parity p and a hexacode word. With the hexacode
// word written (a, a+k, c, c+k, a+c+kw, a+c+kw^2) over GF(4), its number is
// 128 m + 64 p + 16 k + 4 a + c. It stands for 32 Golay words: each column's pattern is fixed up
// to complement, and an even (p = 0) or odd number of columns has its top row set.
#ifndef QUANTPROOF_FAST_LEECH_WORD_H_
#define QUANTPROOF_FAST_LEECH_WORD_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "quantproof/golay.h"

namespace quantproof::fast {

inline constexpr std::size_t kLeechWords = 256;

// Products of GF(4) with w = 2 and w^2 = 3.
constexpr unsigned times_w(unsigned k) { return gf4_product(static_cast<std::uint8_t>(k), 2); }
constexpr unsigned times_w2(unsigned k) { return gf4_product(static_cast<std::uint8_t>(k), 3); }

// The choice within a word, 12 bits: bit 0 is the top row of column 5, bit 1 + j says that column
// j's coordinate of greatest |r| moves to its second nearest value, bit 7 + j (j < 5) is the top
// row of column j.
inline constexpr int kChoiceBits = 12;
constexpr int flip_bit(std::size_t column) { return 1 + static_cast<int>(column); }
constexpr int top_bit(std::size_t column) { return column < 5 ? 7 + static_cast<int>(column) : 0; }

// The pattern of a column with top row 0, from the column parity and the symbol. Bit r is row r.
constexpr unsigned column_pattern(unsigned p, unsigned symbol) {
  const unsigned high = symbol >> 1;
  const unsigned low = symbol & 1u;
  return (p ^ high) << 1 | (p ^ low) << 2 | (p ^ high ^ low) << 3;
}

// The Golay word with all top rows 0 that belongs to word number `word` (whose m plays no part).
constexpr std::uint32_t word_pattern(unsigned word) {
  const unsigned p = word >> 6 & 1u;
  const unsigned k = word >> 4 & 3u;
  const unsigned a = word >> 2 & 3u;
  const unsigned c = word & 3u;
  const unsigned symbols[kMogColumns] = {
      a, a ^ k, c, c ^ k, a ^ c ^ times_w(k), a ^ c ^ times_w2(k)};
  std::uint32_t pattern = 0;
  for (std::size_t j = 0; j < kMogColumns; ++j) {
    pattern |= std::uint32_t{column_pattern(p, symbols[j])} << mog_coordinate(j, 0);
  }
  return pattern;
}

// golay_index is linear: that of a choice is the sum of those of its word and of the columns whose
// patterns it complements.
constexpr std::array<std::uint16_t, kLeechWords> make_word_indices() {
  std::array<std::uint16_t, kLeechWords> indices{};
  for (std::size_t word = 0; word < kLeechWords; ++word) {
    indices[word] =
        static_cast<std::uint16_t>(golay_index(word_pattern(static_cast<unsigned>(word))));
  }
  return indices;
}

inline constexpr auto kWordIndices = make_word_indices();

constexpr std::array<std::uint16_t, kMogColumns> make_column_indices() {
  std::array<std::uint16_t, kMogColumns> indices{};
  for (std::size_t j = 0; j < kMogColumns; ++j) {
    indices[j] = static_cast<std::uint16_t>(golay_index(0xFu << mog_coordinate(j, 0)));
  }
  return indices;
}

inline constexpr auto kColumnIndices = make_column_indices();

// The tie rule's order of words: m first, then the Golay index (leech.md 5.5).
constexpr unsigned leech_rank(unsigned word, unsigned choice) {
  unsigned index = kWordIndices[word];
  for (std::size_t j = 0; j < kMogColumns; ++j) {
    index ^= (choice >> top_bit(j) & 1u) * kColumnIndices[j];
  }
  return word >> 7 << 12 | index;
}

}  // namespace quantproof::fast

#endif
