// SPDX-License-Identifier: Apache-2.0
//
// Finite facts about the Golay code and the hexacode, leech.md clause 3, by enumeration.
#include "quantproof/golay.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <string>
#include <vector>

#include "proofs/obligation.h"

namespace quantproof::proofs {

namespace {

// leech.md 3.1, apart from the table in golay.h: polynomials over two elements modulo w^2 + w + 1.
std::uint8_t field_product(unsigned a, unsigned b) {
  unsigned product = ((b & 1u) != 0 ? a : 0u) ^ ((b & 2u) != 0 ? a << 1 : 0u);
  if ((product & 4u) != 0) product ^= 7u;
  return static_cast<std::uint8_t>(product);
}

// leech.md 3.2, word by word from the definition.
std::set<Hexaword> hexacode() {
  std::set<Hexaword> words;
  for (unsigned a = 0; a < 4; ++a) {
    for (unsigned b = 0; b < 4; ++b) {
      for (unsigned c = 0; c < 4; ++c) {
        Hexaword word = {static_cast<std::uint8_t>(a),
                         static_cast<std::uint8_t>(b),
                         static_cast<std::uint8_t>(c),
                         0,
                         0,
                         0};
        for (unsigned x = 1; x < 4; ++x) {
          word[2 + x] = static_cast<std::uint8_t>(field_product(a, field_product(x, x)) ^
                                                  field_product(b, x) ^ c);
        }
        words.insert(word);
      }
    }
  }
  return words;
}

// leech.md 3.5 for one word.
bool meets_column_conditions(std::uint32_t word, const std::set<Hexaword>& hexawords) {
  int top_parity = 0;
  Hexaword sums{};
  std::array<int, kMogColumns> parity{};
  for (std::size_t column = 0; column < kMogColumns; ++column) {
    for (std::uint8_t row = 0; row < kMogRows; ++row) {
      if ((word >> (4 * column + row) & 1u) == 0) continue;
      parity[column] ^= 1;
      sums[column] ^= row;
      if (row == 0) top_parity ^= 1;
    }
  }
  const bool parities =
      std::all_of(parity.begin(), parity.end(), [&](int p) { return p == top_parity; });
  return parities && hexawords.contains(sums);
}

}  // namespace

void golay_code_1(Obligation& o) {
  std::vector<bool> in_code(std::size_t{1} << kGolayLength);
  std::array<int, kGolayLength + 1> words_of_weight{};
  for (std::uint32_t k = 0; k < kGolayWordCount; ++k) {
    o.check(!in_code[golay_word(k)], "word " + std::to_string(k) + " is there twice");
    in_code[golay_word(k)] = true;
    ++words_of_weight[static_cast<std::size_t>(std::popcount(golay_word(k)))];
  }
  std::array<int, kGolayLength + 1> want{};
  want[0] = want[24] = 1;
  want[8] = want[16] = 759;
  want[12] = 2576;
  o.check(words_of_weight == want, "the number of words of each weight");

  std::size_t not_closed = 0;
  std::size_t odd_overlaps = 0;
  for (std::uint32_t a = 0; a < kGolayWordCount; ++a) {
    for (std::uint32_t b = 0; b < kGolayWordCount; ++b) {
      not_closed += in_code[golay_word(a) ^ golay_word(b)] ? 0 : 1;
      odd_overlaps += static_cast<std::size_t>(std::popcount(golay_word(a) & golay_word(b)) % 2);
    }
  }
  o.check(not_closed == 0, "a sum of two words is not a word");
  // 2^12 words that meet each other evenly, in 24 bits: the code is its own dual.
  o.check(odd_overlaps == 0, "two words meet in an odd number of places");

  std::size_t wrong_verdicts = 0;
  for (std::uint32_t word = 0; word < in_code.size(); ++word) {
    wrong_verdicts += is_golay_word(word) == in_code[word] ? 0 : 1;
  }
  o.check(wrong_verdicts == 0, "is_golay_word is wrong");
  o.note("4,096 words, 16,777,216 pairs of words, 16,777,216 verdicts of is_golay_word");
}

void golay_basis_1(Obligation& o) {
  std::uint32_t pivots = 0;
  for (std::size_t b = 0; b < kGolayDimension; ++b) {
    const std::string which = "basis word " + std::to_string(b);
    const std::uint32_t pivot = 1u << kGolayPivot[b];
    o.check(pivot > pivots, which + ": the pivots do not ascend");
    pivots |= pivot;
    o.check(std::countr_zero(kGolayBasis[b]) == kGolayPivot[b],
            which + ": its first one is not at the pivot");
    for (std::size_t other = 0; other < kGolayDimension; ++other) {
      o.check(((kGolayBasis[other] & pivot) != 0) == (other == b),
              which + ": its pivot is not zero in basis word " + std::to_string(other));
    }
  }
  o.check(pivots == 0x01177F, "the mask of the pivots");
  for (std::uint32_t k = 0; k < kGolayWordCount; ++k) {
    std::uint32_t sum = 0;
    for (std::uint32_t b = 0; b < kGolayDimension; ++b) {
      if ((k >> b & 1u) != 0) sum ^= kGolayBasis[b];
    }
    o.check(golay_word(k) == sum, "the word of index " + std::to_string(k));
    o.check(golay_index(sum) == k, "the index of word " + std::to_string(k));
  }
}

void golay_hexacode_1(Obligation& o) {
  for (unsigned a = 0; a < 4; ++a) {
    for (unsigned b = 0; b < 4; ++b) {
      o.check(gf4_product(static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b)) ==
                  field_product(a, b),
              "product " + std::to_string(a) + " " + std::to_string(b));
    }
  }
  const std::set<Hexaword> hexawords = hexacode();
  std::set<Hexaword> listed;
  for (std::size_t k = 0; k < kHexacodeWordCount; ++k) {
    const Hexaword word = hexacode_word(k);
    o.check(16u * word[0] + 4u * word[1] + word[2] == k, "the index of a hexacode word");
    listed.insert(word);
  }
  o.check(listed == hexawords && hexawords.size() == kHexacodeWordCount,
          "the hexacode words are not those of the definition");
  for (const Hexaword& a : hexawords) {
    o.check(a == Hexaword{} || std::count(a.begin(), a.end(), 0) <= 2, "a word of weight below 4");
    for (const Hexaword& b : hexawords) {
      for (unsigned factor = 0; factor < 4; ++factor) {
        Hexaword sum{};
        for (std::size_t j = 0; j < sum.size(); ++j) {
          sum[j] = static_cast<std::uint8_t>(a[j] ^ field_product(factor, b[j]));
        }
        o.check(hexawords.contains(sum), "the hexacode is not linear");
      }
    }
  }

  std::size_t wrong = 0;
  std::size_t members = 0;
  for (std::uint32_t word = 0; word < std::uint32_t{1} << kGolayLength; ++word) {
    const bool member = meets_column_conditions(word, hexawords);
    members += member ? 1 : 0;
    wrong += member == is_golay_word(word) ? 0 : 1;
  }
  o.check(members == kGolayWordCount, "the number of words that meet the column conditions");
  o.check(wrong == 0, "the column conditions define another code");
  o.note("64 hexacode words, 16,384 sums of them, 16,777,216 words of 24 bits");
}

}  // namespace quantproof::proofs
