// SPDX-License-Identifier: Apache-2.0
#include "quantproof/qp.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

#include "tests/levels.h"

namespace {

constexpr qp_format kNoFormat = static_cast<qp_format>(0);

TEST(Qp, RowSize) {
  EXPECT_EQ(qp_row_size(QP_IQ3_XXS, 0), 0u);
  EXPECT_EQ(qp_row_size(QP_IQ3_XXS, 256), 98u);
  EXPECT_EQ(qp_row_size(QP_IQ3_XXS, 255), 0u);
  EXPECT_EQ(qp_row_size(QP_E8_IQ3, 1), 98u);
  EXPECT_EQ(qp_row_size(QP_E8_IQ3, 300), 196u);
  EXPECT_EQ(qp_row_size(kNoFormat, 256), 0u);
  EXPECT_EQ(qp_row_size(QP_E8_IQ3, std::numeric_limits<size_t>::max()),
            (std::numeric_limits<size_t>::max() / 256 + 1) * 98);
}

// formats/README.md 5.1 and 5.3: the order of the checks and the place of each.
TEST(Qp, OrderOfVerdicts) {
  std::array<std::uint8_t, 98> bytes{};
  bytes[1] = 0x7C;  // an infinite scale, which is found last
  std::array<float, 256> out{};
  qp_location where{};
  const auto decode = [&](int profile, qp_format format, const void* in, size_t n_bytes, float* to,
                          size_t n) {
    where = {99, 99, "none"};
    return qp_decode_at(static_cast<qp_profile>(profile), format, in, n_bytes, to, n, &where);
  };
  const auto place = [&] { return std::string(where.field); };
  EXPECT_EQ(decode(3, kNoFormat, nullptr, 1, nullptr, 1), QP_BAD_ARGUMENT);
  EXPECT_EQ(place(), "profile");
  EXPECT_EQ(decode(0, kNoFormat, nullptr, 1, nullptr, 1), QP_BAD_ARGUMENT);
  EXPECT_EQ(place(), "format");
  EXPECT_EQ(decode(0, QP_IQ3_XXS, nullptr, 1, nullptr, 1), QP_BAD_ARGUMENT);
  EXPECT_EQ(place(), "bytes");
  EXPECT_EQ(decode(0, QP_IQ3_XXS, bytes.data(), 1, nullptr, 1), QP_BAD_ARGUMENT);
  EXPECT_EQ(place(), "out");
  EXPECT_EQ(decode(0, QP_IQ3_XXS, bytes.data(), 1, out.data(), 1), QP_BAD_WIDTH);
  EXPECT_EQ(place(), "n_values");
  EXPECT_EQ(decode(0, QP_IQ3_XXS, bytes.data(), 97, out.data(), 256), QP_BAD_SIZE);
  EXPECT_EQ(place(), "n_bytes");
  EXPECT_EQ(decode(0, QP_IQ3_XXS, bytes.data(), 98, out.data(), 256), QP_SCALE_NOT_FINITE);
  EXPECT_EQ(place(), "scale");
  EXPECT_EQ(where.block, 0u);
  EXPECT_EQ(where.offset, 0u);
  EXPECT_EQ(decode(0, QP_E8_IQ3, nullptr, 0, nullptr, 0), QP_OK);
}

TEST(Qp, StatusNames) {
  std::set<std::string> names;
  for (int status = QP_OK; status <= QP_IMPORTANCE_NEGATIVE; ++status) {
    names.insert(qp_status_name(static_cast<qp_status>(status)));
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(QP_IMPORTANCE_NEGATIVE) + 1);
  EXPECT_EQ(names.count("unknown_status"), 0u);
  EXPECT_STREQ(qp_status_name(static_cast<qp_status>(31)), "unknown_status");
}

TEST(Qp, Levels) {
  ASSERT_GT(qp_level_count(), 0u);
  EXPECT_EQ(qp_level_name(qp_level_count()), nullptr);
  EXPECT_EQ(qp_level_supported(qp_level_count()), 0);
  const auto supported = quantproof::tests::supported_levels();
  ASSERT_FALSE(supported.empty());
  for (const auto& level : supported) {
    EXPECT_EQ(qp_force_level(level.c_str()), QP_OK);
    EXPECT_EQ(qp_level(), level);
  }
  EXPECT_EQ(qp_force_level("NOSUCH"), QP_UNKNOWN_LEVEL);
  EXPECT_EQ(qp_level(), supported.back()) << "left as it was";
  for (size_t i = 0; i < qp_level_count(); ++i) {
    if (qp_level_supported(i) == 0) {
      EXPECT_EQ(qp_force_level(qp_level_name(i)), QP_UNSUPPORTED_LEVEL);
    }
  }
  EXPECT_EQ(qp_force_level(nullptr), QP_OK);
  EXPECT_EQ(qp_level(), supported.front()) << "the best one again";
}

// Each level is its own code: were the switch to do nothing, this would be the test that knows.
TEST(Qp, AllLevelsDecodeManyRowsInThreads) {
  std::vector<std::uint8_t> bytes(98 * 64);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 251 % 255);
  for (size_t b = 0; b < 64; ++b) bytes[98 * b + 1] &= 0x3F;
  std::vector<float> want(64 * 256);
  ASSERT_EQ(qp_decode(QP_IQ3_XXS, bytes.data(), bytes.size(), want.data(), want.size()), QP_OK);
  for (const auto& level : quantproof::tests::supported_levels()) {
    qp_force_level(level.c_str());
    std::vector<std::vector<float>> got(4, std::vector<float>(want.size()));
    std::vector<std::thread> threads;
    for (auto& out : got) {
      threads.emplace_back(
          [&] { qp_decode(QP_IQ3_XXS, bytes.data(), bytes.size(), out.data(), out.size()); });
    }
    for (auto& thread : threads) thread.join();
    for (const auto& out : got) EXPECT_EQ(out, want) << level;
  }
  qp_force_level(nullptr);
}

}  // namespace
