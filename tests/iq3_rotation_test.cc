// SPDX-License-Identifier: Apache-2.0
//
// The rotation of spec/formats/rotation.md: its literal signs and tiles, what it does to each
// number, and that the fast rotation gives the reference's bits on every level that this CPU has.
#include "quantproof/iq3_rotation.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

#include "quantproof/qp.h"
#include "quantproof/ref/iq3_rotation.h"
#include "tests/levels.h"

namespace quantproof {
namespace {

using Floats = std::vector<float>;

constexpr std::size_t kDimensions[] = {3584, 6144, 1536, 768, 12};

// A linear congruential generator: the same numbers everywhere.
Floats numbers(std::size_t n, std::uint32_t seed) {
  Floats row(n);
  std::uint32_t state = seed;
  for (float& v : row) {
    state = state * 1664525u + 1013904223u;
    v = static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-31f;
  }
  return row;
}

bool same_bits(const Floats& a, const Floats& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

std::vector<std::size_t> tiles(std::size_t n) {
  std::vector<std::size_t> sizes;
  for (std::size_t done = 0; done < n; done += sizes.back())
    sizes.push_back(rotation_tile(n - done));
  return sizes;
}

// Clause 2.1.
TEST(Iq3Rotation, Tiles) {
  EXPECT_EQ(tiles(12), (std::vector<std::size_t>{4, 8}));
  EXPECT_EQ(tiles(768), (std::vector<std::size_t>{256, 512}));
  EXPECT_EQ(tiles(1536), (std::vector<std::size_t>{512, 1024}));
  EXPECT_EQ(tiles(3584), (std::vector<std::size_t>{512, 1024, 2048}));
  EXPECT_EQ(tiles(6144), (std::vector<std::size_t>{2048, 4096}));
  EXPECT_EQ(tiles(65536), (std::vector<std::size_t>{32768, 32768}));
  EXPECT_EQ(tiles(7), (std::vector<std::size_t>{1, 2, 4}));
  EXPECT_TRUE(tiles(0).empty());
}

// Clause 3.1.
TEST(Iq3Rotation, LiteralSignBytes) {
  const struct {
    std::size_t tile;
    std::vector<std::uint8_t> bytes;
  } literals[] = {
      {4, {0xE8, 0x5A, 0x53, 0x27, 0x0B, 0x5D, 0x25, 0x8E}},
      {8, {0x23, 0x55, 0xF9, 0xC1, 0xE4, 0x0C, 0x8B, 0x6F}},
      {256, {0xDE, 0x65, 0x8F, 0x16, 0x78, 0xEE, 0xA0, 0x3B}},
      {512, {0x15, 0x33, 0x31, 0xEA, 0x11, 0xC0, 0x78, 0xFC}},
      {1024, {0x3B, 0xC2, 0xAC, 0x6A, 0xEA, 0xB1, 0x51, 0x46}},
      {2048, {0xA0, 0x38, 0xF9, 0x27, 0xCB, 0x70, 0x35, 0x2E}},
      {4096, {0x0B, 0x17, 0x8F, 0xD2, 0xCC, 0xF1, 0x30, 0x27}},
  };
  for (const auto& literal : literals) {
    RotationSigns signs(literal.tile);
    for (const std::uint8_t byte : literal.bytes)
      EXPECT_EQ(signs.next_byte(), byte) << literal.tile;
  }
}

// Clauses 3.2 to 3.4, number by number: number i of a tile alone becomes, at k, its sign times
// (-1)^(number of common bits of i and k) times f. No sum is rounded.
TEST(Iq3Rotation, EachNumberAlone) {
  for (const std::size_t b : {1u, 2u, 4u, 8u, 64u, 512u}) {
    const float f = 1.0f / std::sqrt(static_cast<float>(b));
    RotationSigns signs(b);
    std::uint8_t byte = 0;
    for (std::size_t i = 0; i < b; ++i) {
      if (i % 8 == 0) byte = signs.next_byte();
      const bool sign = (byte >> i % 8 & 1) != 0;
      Floats row(b);
      row[i] = 3;
      ref::rotate(row.data(), b);
      for (std::size_t k = 0; k < b; ++k) {
        const bool negative = sign != (std::popcount(i & k) % 2 != 0);
        ASSERT_EQ(row[k], negative ? -3 * f : 3 * f) << b << " " << i << " " << k;
      }
    }
  }
}

// Clause 3.5. Tiles of 4, 16, ..., and integers: all exact.
TEST(Iq3Rotation, TurningBackIsTheInverse) {
  for (const std::size_t b : {1u, 4u, 16u, 256u, 1024u, 4096u, 16384u}) {
    Floats row = numbers(b, 5);
    for (float& v : row) v = std::trunc(v * 64);
    const Floats before = row;
    ref::rotate(row.data(), b);
    if (b > 1) {
      EXPECT_NE(row, before);
    }
    ref::unrotate(row.data(), b);
    EXPECT_EQ(row, before) << b;
    ref::unrotate(row.data(), b);
    ref::rotate(row.data(), b);
    EXPECT_EQ(row, before) << b;
  }
}

// For the widths of the models: each of the log2(b) + 2 operations on a number errs by 2^-24 of
// what stands there at most, and what stands there before the last factor is at most sqrt(b) times
// the norm of its tile.
TEST(Iq3Rotation, WidthsOfModels) {
  for (const std::size_t n : kDimensions) {
    const Floats before = numbers(n, static_cast<std::uint32_t>(n));
    Floats row = before;
    ref::rotate(row.data(), n);
    double norm = 0;
    double rotated_norm = 0;
    for (std::size_t i = 0; i < n; ++i) {
      norm += static_cast<double>(before[i]) * static_cast<double>(before[i]);
      rotated_norm += static_cast<double>(row[i]) * static_cast<double>(row[i]);
    }
    const double bound = 2 * (15 + 2) * 0x1p-24 * std::sqrt(norm);
    EXPECT_LE(std::fabs(std::sqrt(rotated_norm) - std::sqrt(norm)),
              bound * std::sqrt(static_cast<double>(n)));
    ref::unrotate(row.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_LE(std::fabs(static_cast<double>(row[i]) - static_cast<double>(before[i])), bound);
    }
  }
}

// Clause 3.4 by the fast code.
TEST(Iq3Rotation, FastIsTheReference) {
  std::vector<std::size_t> widths(std::begin(kDimensions), std::end(kDimensions));
  for (std::size_t n = 0; n <= 70; ++n) widths.push_back(n);
  for (const std::size_t n : {255u, 257u, 2047u, 4096u, 8191u, 65536u, 98304u}) widths.push_back(n);
  for (const auto& level : tests::supported_levels()) {
    ASSERT_EQ(qp_force_level(level.c_str()), QP_OK);
    for (const std::size_t n : widths) {
      const Floats before = numbers(2 * n, static_cast<std::uint32_t>(n + 1));
      for (const bool back : {false, true}) {
        Floats want = before;
        for (std::size_t row = 0; row < 2; ++row) {
          (back ? ref::unrotate : ref::rotate)(want.data() + n * row, n);
        }
        Floats got = before;
        EXPECT_EQ((back ? qp_unrotate : qp_rotate)(got.data(), 2, n), QP_OK);
        EXPECT_TRUE(same_bits(got, want)) << level << " " << n << (back ? " back" : "");
      }
    }
  }
  qp_force_level(nullptr);
}

// Clause 1.2: signs of zero move, and a NaN stays within its tile.
TEST(Iq3Rotation, SpecialNumbers) {
  Floats row(12);
  row[5] = std::numeric_limits<float>::quiet_NaN();
  ASSERT_EQ(qp_rotate(row.data(), 1, 12), QP_OK);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(row[i], 0.0f);
  for (std::size_t i = 4; i < 12; ++i) EXPECT_TRUE(std::isnan(row[i]));
  EXPECT_EQ(qp_rotate(nullptr, 1, 12), QP_BAD_ARGUMENT);
  EXPECT_EQ(qp_unrotate(nullptr, 1, 12), QP_BAD_ARGUMENT);
  EXPECT_EQ(qp_rotate(nullptr, 0, 12), QP_OK);
  EXPECT_EQ(qp_unrotate(nullptr, 5, 0), QP_OK);
}

}  // namespace
}  // namespace quantproof
