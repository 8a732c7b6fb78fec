// SPDX-License-Identifier: Apache-2.0
#include "quantproof/ref/iq3_xxs.h"

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

#include "quantproof/iq3_codebook.h"
#include "quantproof/qp.h"
#include "tests/levels.h"

namespace quantproof {
namespace {

using Block = std::array<std::uint8_t, Iq3Xxs::kBlockBytes>;

// Decodes one block with the reference and every level; all must agree.
std::vector<float> decode(const Block& block) {
  std::vector<float> want(kBlockWeights);
  EXPECT_EQ(ref::decode_iq3_xxs(QP_PROFILE_STRICT, block.data(), block.size(), want.data(),
                                want.size(), nullptr),
            QP_OK);
  for (const auto& level : tests::supported_levels()) {
    std::vector<float> got(kBlockWeights);
    EXPECT_EQ(qp_force_level(level.c_str()), QP_OK);
    EXPECT_EQ(qp_decode(QP_IQ3_XXS, block.data(), block.size(), got.data(), got.size()), QP_OK);
    EXPECT_EQ(got, want) << level;
  }
  qp_force_level(nullptr);
  return want;
}

Block unit_block() {
  Block block{};
  block[1] = 0x3C;  // d = 1.0
  return block;
}

TEST(Iq3Xxs, UnitScaleAndZeroFieldsDecodeToOne) {
  EXPECT_EQ(decode(unit_block()), std::vector<float>(256, 1.0f));
}

// Clause 4.2: a field of seven ones makes all eight weights negative.
TEST(Iq3Xxs, SevenOnesMakeEightNegative) {
  Block block = unit_block();
  block[66] = 0x7F;
  const auto weights = decode(block);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(weights[static_cast<std::size_t>(i)], -1.0f) << i;
  EXPECT_EQ(weights[8], 1.0f);
}

TEST(Iq3Xxs, OneBitMakesTwoNegative) {
  Block block = unit_block();
  block[66] = 0x04;
  const auto weights = decode(block);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(weights[i], i == 2 || i == 7 ? -1.0f : 1.0f) << i;
}

// Clause 3: level 7 is 62, not 60. Row 5 starts with it.
TEST(Iq3Xxs, LevelSevenIsSixtyTwo) {
  EXPECT_EQ(kIq3Codebook[5][0], 62);
  Block block = unit_block();
  block[2] = 5;
  EXPECT_EQ(decode(block)[0], 15.5f);
}

// Clause 4.4: the largest magnitude is 480.5 d.
TEST(Iq3Xxs, LargestMagnitude) {
  Block block = unit_block();
  block[2] = 5;
  block[69] = 0xF0;  // scale code 15 of sub-block 0
  EXPECT_EQ(decode(block)[0], 480.5f);
}

// Clause 2: the scale code is the top nibble of the little-endian word, the sign fields below it.
TEST(Iq3Xxs, FieldsOfAWord) {
  Block block{};
  block[70] = 0x81;
  block[71] = 0xC4;
  block[72] = 0xE6;
  block[73] = 0x94;
  const auto fields = ref::unpack<Iq3Xxs, std::uint32_t>(block.data());
  const std::uint32_t word = 0x94E6C481u;
  EXPECT_EQ(fields.scale_code[1], 9u);
  EXPECT_EQ(fields.sign_field[1][0], word & 0x7F);
  EXPECT_EQ(fields.sign_field[1][1], (word >> 7) & 0x7F);
  EXPECT_EQ(fields.sign_field[1][2], (word >> 14) & 0x7F);
  EXPECT_EQ(fields.sign_field[1][3], (word >> 21) & 0x7F);
  EXPECT_EQ(fields.scale_code[0], 0u);
  Block again{};
  ref::pack<Iq3Xxs>(fields, again.data());
  EXPECT_EQ(again, block);
}

// Clause 4.5: the sign of a zero, and a negative scale.
TEST(Iq3Xxs, SignsOfZeroAndOfTheScale) {
  Block block{};
  block[66] = 0x01;
  auto weights = decode(block);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(weights[0]), 0x80000000u);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(weights[1]), 0u);
  block[1] = 0x80;  // d = -0
  weights = decode(block);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(weights[0]), 0u);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(weights[1]), 0x80000000u);
  block[1] = 0xBC;  // d = -1
  weights = decode(block);
  EXPECT_EQ(weights[0], 1.0f);
  EXPECT_EQ(weights[1], -1.0f);
}

// A bfloat16 1.0 read as binary16 is 1.875: no error, but not 1 either.
TEST(Iq3Xxs, ScaleIsBinary16) {
  Block block{};
  block[0] = 0x80;
  block[1] = 0x3F;
  EXPECT_EQ(decode(block)[0], 1.875f);
}

}  // namespace
}  // namespace quantproof
