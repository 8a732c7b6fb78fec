// SPDX-License-Identifier: Apache-2.0
//
// Finite checks of spec/quantproof/golay.h against leech.md clause 3, all by enumeration.
#include "quantproof/golay.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"

namespace quantproof {
namespace {

std::vector<std::uint32_t> all_words() {
  std::vector<std::uint32_t> words;
  for (std::uint32_t k = 0; k < kGolayWordCount; ++k) words.push_back(golay_word(k));
  return words;
}

// leech.md 3.5, written for one word: column parities and label sums.
bool fits_the_hexacode(std::uint32_t word, const std::set<Hexaword>& hexacode) {
  const int top = std::popcount(word & 0x111111u) % 2;
  for (std::size_t column = 0; column < kMogColumns; ++column) {
    if (std::popcount(word >> mog_coordinate(column, 0) & 15u) % 2 != top) return false;
  }
  return hexacode.contains(mog_column_sums(word));
}

std::set<Hexaword> all_hexawords() {
  std::set<Hexaword> words;
  for (std::size_t k = 0; k < kHexacodeWordCount; ++k) words.insert(hexacode_word(k));
  return words;
}

TEST(Golay, HasTheWeightsOfTheText) {
  std::map<int, int> weights;
  for (const std::uint32_t word : all_words()) ++weights[std::popcount(word)];
  EXPECT_EQ(weights, (std::map<int, int>{{0, 1}, {8, 759}, {12, 2576}, {16, 759}, {24, 1}}));
}

TEST(Golay, IsLinearAndItsOwnDual) {
  std::vector<bool> in_code(std::size_t{1} << kGolayLength);
  for (const std::uint32_t word : all_words()) in_code[word] = true;
  EXPECT_EQ(std::count(in_code.begin(), in_code.end(), true), 4096);
  int not_closed = 0;
  int not_orthogonal = 0;
  for (const std::uint32_t a : all_words()) {
    for (const std::uint32_t b : all_words()) {
      not_closed += in_code[a ^ b] ? 0 : 1;
      not_orthogonal += std::popcount(a & b) % 2;
    }
  }
  EXPECT_EQ(not_closed, 0);
  EXPECT_EQ(not_orthogonal, 0);  // with 2^12 words of 24 bits this makes it the dual
}

TEST(Golay, MembershipIsRightForAll24BitWords) {
  const std::vector<std::uint32_t> words = all_words();
  std::vector<bool> in_code(std::size_t{1} << kGolayLength);
  for (const std::uint32_t word : words) in_code[word] = true;
  std::uint32_t wrong = 0;
  for (std::uint32_t word = 0; word < in_code.size(); ++word) {
    wrong += is_golay_word(word) != in_code[word] ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(Golay, HexacodeConditionsDefineTheSameCode) {
  const std::set<Hexaword> hexacode = all_hexawords();
  std::uint32_t members = 0;
  std::uint32_t wrong = 0;
  for (std::uint32_t word = 0; word < 1u << kGolayLength; ++word) {
    // The column parities alone leave one word in 32; only those need the label sums.
    const std::uint32_t pairs = word ^ word >> 1;
    const std::uint32_t columns = (pairs ^ pairs >> 2) & 0x111111u;
    const bool equal_parities = columns == 0 || columns == 0x111111u;
    const bool member = equal_parities && fits_the_hexacode(word, hexacode);
    members += member ? 1 : 0;
    wrong += member != is_golay_word(word) ? 1 : 0;
  }
  EXPECT_EQ(members, 4096u);
  EXPECT_EQ(wrong, 0u);
}

TEST(Golay, BasisIsReducedAtThePivots) {
  std::uint32_t mask = 0;
  for (std::size_t b = 0; b < kGolayDimension; ++b) {
    mask |= 1u << kGolayPivot[b];
    // Echelon form in coordinate order: the pivot is the first coordinate of its word.
    EXPECT_EQ(std::countr_zero(kGolayBasis[b]), kGolayPivot[b]);
    for (std::size_t other = 0; other < kGolayDimension; ++other) {
      EXPECT_EQ(kGolayBasis[other] >> kGolayPivot[b] & 1u, other == b ? 1u : 0u);
    }
  }
  EXPECT_EQ(mask, 0x01177Fu);
  EXPECT_TRUE(std::is_sorted(kGolayPivot.begin(), kGolayPivot.end()));
}

TEST(Golay, IndexInvertsWord) {
  for (std::uint32_t k = 0; k < kGolayWordCount; ++k) EXPECT_EQ(golay_index(golay_word(k)), k);
}

TEST(Golay, GF4IsTheField) {
  for (std::uint8_t a = 0; a < 4; ++a) {
    EXPECT_EQ(gf4_product(a, 1), a);
    std::set<int> products;
    for (std::uint8_t b = 0; b < 4; ++b) {
      products.insert(gf4_product(a, b));
      EXPECT_EQ(gf4_product(a, b), gf4_product(b, a));
      for (std::uint8_t c = 0; c < 4; ++c) {
        EXPECT_EQ(gf4_product(a, gf4_product(b, c)), gf4_product(gf4_product(a, b), c));
        EXPECT_EQ(gf4_product(a, b ^ c), gf4_product(a, b) ^ gf4_product(a, c));
      }
    }
    EXPECT_EQ(products.size(), a == 0 ? 1u : 4u);
  }
  EXPECT_EQ(gf4_product(2, 2), 3);  // w w = w^2
  EXPECT_EQ(gf4_product(2, 3), 1);  // w w^2 = 1
}

TEST(Golay, HexacodeIsLinearWithDistanceFour) {
  const std::set<Hexaword> words = all_hexawords();
  EXPECT_EQ(words.size(), kHexacodeWordCount);
  std::map<long, int> weights;
  for (const Hexaword& a : words) {
    ++weights[6 - std::count(a.begin(), a.end(), 0)];
    for (const Hexaword& b : words) {
      for (std::uint8_t factor = 0; factor < 4; ++factor) {
        Hexaword sum{};
        for (std::size_t j = 0; j < sum.size(); ++j) {
          sum[j] = static_cast<std::uint8_t>(a[j] ^ gf4_product(factor, b[j]));
        }
        EXPECT_TRUE(words.contains(sum));
      }
    }
  }
  EXPECT_EQ(weights, (std::map<long, int>{{0, 1}, {4, 45}, {6, 18}}));
}

TEST(Golay, EachHexawordBelongsToSixtyFourWords) {
  std::map<Hexaword, int> words;
  for (const std::uint32_t word : all_words()) ++words[mog_column_sums(word)];
  EXPECT_EQ(words.size(), kHexacodeWordCount);
  for (const auto& [hexaword, count] : words) EXPECT_EQ(count, 64);
}

// leech.md 9.6: kept greedily in ascending order, with coordinate 23 as the lowest bit, the words
// at distance 8 or more from all kept ones are this code.
TEST(Golay, IsTheLexicode) {
  const auto mirrored = [](std::uint32_t word) {
    std::uint32_t result = 0;
    for (std::size_t i = 0; i < kGolayLength; ++i) {
      result |= (word >> i & 1u) << (kGolayLength - 1 - i);
    }
    return result;
  };
  std::vector<std::uint32_t> kept = {0};
  for (std::uint32_t candidate = 1; candidate < 1u << kGolayLength && kept.size() < 4096;) {
    const bool far = std::all_of(kept.begin(), kept.end(), [&](std::uint32_t word) {
      return std::popcount(word ^ candidate) >= 8;
    });
    if (!far) {
      ++candidate;
      continue;
    }
    // Greedy codes of this kind are linear (Conway and Sloane 1986): the sums are kept too.
    const std::size_t count = kept.size();
    for (std::size_t k = 0; k < count; ++k) kept.push_back(kept[k] ^ candidate);
    candidate = *std::max_element(kept.begin(), kept.end()) + 1;
  }
  ASSERT_EQ(kept.size(), kGolayWordCount);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  EXPECT_TRUE(std::all_of(kept.begin(), kept.end(),
                          [&](std::uint32_t word) { return is_golay_word(mirrored(word)); }));
}

// Up to three wrong bits have one nearest word.
RC_GTEST_PROP(Golay, ThreeErrorsLeaveOneNearestWord, ()) {
  const std::uint32_t word = golay_word(*rc::gen::inRange(0u, 4096u));
  std::uint32_t errors = 0;
  for (const unsigned bit :
       *rc::gen::container<std::vector<unsigned>>(3, rc::gen::inRange(0u, 24u))) {
    errors |= 1u << bit;
  }
  for (std::uint32_t k = 0; k < kGolayWordCount; ++k) {
    const int distance = std::popcount(golay_word(k) ^ word ^ errors);
    const bool as_it_should = golay_word(k) == word ? distance <= 3 : distance >= 5;
    RC_ASSERT(as_it_should);
  }
}

}  // namespace
}  // namespace quantproof
