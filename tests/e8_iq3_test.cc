// SPDX-License-Identifier: Apache-2.0
#include "quantproof/ref/e8_iq3.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

#include "quantproof/qp.h"
#include "tests/levels.h"

namespace quantproof {
namespace {

std::vector<std::uint8_t> unit_row(std::size_t blocks) {
  std::vector<std::uint8_t> row(E8Iq3::kBlockBytes * blocks);
  for (std::size_t b = 0; b < blocks; ++b) row[98 * b + 97] = 0x3C;  // d = 1.0, at the end
  return row;
}

std::vector<float> decode(const std::vector<std::uint8_t>& row, std::size_t n,
                          qp_profile profile = QP_PROFILE_STRICT) {
  std::vector<float> want(n);
  EXPECT_EQ(ref::decode_e8_iq3(profile, row.data(), row.size(), want.data(), n, nullptr), QP_OK);
  for (const auto& level : tests::supported_levels()) {
    std::vector<float> got(n);
    EXPECT_EQ(qp_force_level(level.c_str()), QP_OK);
    EXPECT_EQ(qp_decode_at(profile, QP_E8_IQ3, row.data(), row.size(), got.data(), n, nullptr),
              QP_OK);
    EXPECT_EQ(got, want) << level;
  }
  qp_force_level(nullptr);
  return want;
}

// Half the value of the same fields in IQ3_XXS.
TEST(E8Iq3, UnitScaleAndZeroFieldsDecodeToOneHalf) {
  EXPECT_EQ(decode(unit_row(1), 256), std::vector<float>(256, 0.5f));
}

TEST(E8Iq3, LargestMagnitude) {
  auto row = unit_row(1);
  row[0] = 5;
  row[67] = 0xF0;
  EXPECT_EQ(decode(row, 256)[0], 240.25f);
}

// Clause 5: a row of 300 weights has two blocks; what the second one says beyond is not read into
// any result.
TEST(E8Iq3, PartialLastBlock) {
  auto row = unit_row(2);
  for (std::size_t i = 98 + 11; i < 98 + 64; ++i) row[i] = 0xFF;
  for (std::size_t i = 98 + 72; i < 98 + 96; ++i) row[i] = 0xFF;
  EXPECT_EQ(decode(row, 300), std::vector<float>(300, 0.5f));
}

// half.md 3.3: the subnormal scale 0x0200 under each profile.
TEST(E8Iq3, SubnormalScale) {
  auto row = unit_row(1);
  row[96] = 0x00;
  row[97] = 0x02;
  EXPECT_EQ(decode(row, 256)[0], 1.52587890625e-05f);
  EXPECT_EQ(decode(row, 256, QP_PROFILE_GGML)[0], 1.52587890625e-05f);
  EXPECT_EQ(decode(row, 256, QP_PROFILE_COLIBRI)[0], 3 * 1.52587890625e-05f);
}

}  // namespace
}  // namespace quantproof
