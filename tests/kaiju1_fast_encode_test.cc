// SPDX-License-Identifier: Apache-2.0
//
// The fast search of representable points and the fast encoder of KAIJU1 give the reference's
// bytes, ties included, on every level that this CPU has. QUANTPROOF_LONG=1 in the environment
// compares many more.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "fuzz/leech_points.h"
#include "quantproof/kaiju1.h"
#include "quantproof/qp.h"
#include "quantproof/ref/kaiju1_encode.h"
#include "quantproof/ref/kaiju1_nearest.h"
#include "tests/kaiju1_vectors.h"
#include "tests/levels.h"
#include "tests/long_tier.h"

namespace quantproof {
namespace {

using fuzz::LeechFamily;
using fuzz::LeechPoints;
using fuzz::LeechRow;

constexpr std::int32_t kPoison = -77'777;

template <class Body>
void on_every_level(const Body& body) {
  for (const std::string& level : tests::supported_levels()) {
    SCOPED_TRACE(level);
    ASSERT_EQ(qp_force_level(level.c_str()), QP_OK);
    body();
    qp_force_level(nullptr);
    if (testing::Test::HasFatalFailure()) return;
  }
}

std::vector<std::int32_t> reference(const std::vector<std::int32_t>& points) {
  std::vector<std::int32_t> out(points.size());
  EXPECT_EQ(
      ref::kaiju1_nearest(points.data(), points.size() / kLeechDimension, out.data(), nullptr),
      QP_OK);
  return out;
}

void expect_same(const std::vector<std::int32_t>& points) {
  const auto want = reference(points);
  on_every_level([&] {
    std::vector<std::int32_t> got(points.size(), kPoison);
    ASSERT_EQ(qp_kaiju1_nearest(points.data(), points.size() / kLeechDimension, got.data()), QP_OK);
    for (std::size_t p = 0; p < points.size(); p += kLeechDimension) {
      ASSERT_TRUE(std::equal(&got[p], &got[p] + kLeechDimension, &want[p]))
          << "point " << p / kLeechDimension << ": "
          << testing::PrintToString(std::vector(&points[p], &points[p] + kLeechDimension));
    }
  });
}

class Kaiju1FastFamily : public testing::TestWithParam<LeechFamily> {};

INSTANTIATE_TEST_SUITE_P(Families, Kaiju1FastFamily, testing::ValuesIn(fuzz::kLeechFamilies),
                         [](const auto& family) {
                           return std::string(fuzz::leech_family_name(family.param));
                         });

TEST_P(Kaiju1FastFamily, NearestIsTheReference) {
  LeechPoints source(600 + static_cast<std::uint64_t>(GetParam()));
  std::vector<std::int32_t> points;
  for (int k = 0; k < (tests::long_tier() ? 20'000 : 300); ++k) {
    const LeechRow row = source.next(GetParam());
    points.insert(points.end(), row.begin(), row.end());
  }
  expect_same(points);
}

// Where the box binds: bell-shaped points of the sizes that an encoder asks about, points with a
// few coordinates far out, and grids on which points tie.
TEST(Kaiju1Fast, NearestIsTheReferenceAboutTheBox) {
  LeechPoints source(7);
  std::mt19937 bits(7);
  std::normal_distribution<double> normal;
  std::vector<std::int32_t> points;
  const int count = tests::long_tier() ? 5'000 : 120;
  for (const double deviation : {1.5, 2.5, 3.0, 3.5, 5.0, 12.0}) {
    for (int k = 0; k < count; ++k) {
      for (std::size_t i = 0; i < kLeechDimension; ++i) {
        points.push_back(static_cast<std::int32_t>(std::lrint(deviation * 8192 * normal(bits))));
      }
    }
  }
  for (int k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < kLeechDimension; ++i) {
      const std::int32_t most = source.between(0, 5) == 0 ? 14 * kLeechUnit : 4 * kLeechUnit;
      points.push_back(source.between(-most, most));
    }
  }
  for (const std::int32_t grid : {kLeechUnit / 2, kLeechUnit, 2 * kLeechUnit, 4 * kLeechUnit}) {
    for (int k = 0; k < count / 2; ++k) {
      const std::int32_t most = source.between(3, 11) * kLeechUnit / grid + 1;
      for (std::size_t i = 0; i < kLeechDimension; ++i) {
        points.push_back(grid * source.between(-most, most));
      }
    }
  }
  expect_same(points);
}

// Coordinates on both sides of what the int32 search takes.
TEST(Kaiju1Fast, NearestAtTheLimitOfTheFastSearch) {
  LeechPoints source(8);
  std::vector<std::int32_t> points;
  constexpr std::int32_t kLimit = std::int32_t{1} << 19;
  for (int k = 0; k < 60; ++k) {
    for (std::size_t i = 0; i < kLeechDimension; ++i) {
      const std::int32_t y = source.between(0, 2) == 0 ? kLimit - source.between(-1, 2)
                                                       : source.between(-kLimit, kLimit);
      points.push_back(source.between(0, 1) == 0 ? y : -y);
    }
  }
  expect_same(points);
}

TEST(Kaiju1Fast, NearestOfAnyCountAndItsRefusals) {
  LeechPoints source(9);
  std::vector<std::int32_t> points;
  for (std::size_t p = 0; p < 300; ++p) {
    for (std::size_t i = 0; i < kLeechDimension; ++i) {
      points.push_back(source.between(-8 * kLeechUnit, 8 * kLeechUnit));
    }
  }
  const auto want = reference(points);
  on_every_level([&] {
    for (const std::size_t n : {0U, 1U, 2U, 7U, 8U, 9U, 63U, 64U, 65U, 255U, 256U, 257U, 300U}) {
      std::vector<std::int32_t> got(points.size(), kPoison);
      ASSERT_EQ(qp_kaiju1_nearest(points.data(), n, got.data()), QP_OK);
      const auto written = static_cast<std::ptrdiff_t>(kLeechDimension * n);
      ASSERT_TRUE(std::equal(got.begin(), got.begin() + written, want.begin())) << n;
      ASSERT_EQ(std::count(got.begin() + written, got.end(), kPoison),
                got.end() - got.begin() - written);
    }
    for (const std::size_t place : {0U, 23U, 24U * 100U + 5U, 24U * 256U, 24U * 299U + 23U}) {
      auto bad = points;
      bad[place] = kLeechPointLimit + 1;
      std::vector<std::int32_t> got(points.size(), kPoison);
      qp_location where{};
      ASSERT_EQ(qp_kaiju1_nearest_at(bad.data(), 300, got.data(), &where), QP_POINT_OUT_OF_RANGE);
      EXPECT_EQ(where.block, place / kLeechDimension);
      EXPECT_EQ(where.offset, 4 * place);
      EXPECT_STREQ(where.field, "coordinate");
      const auto written = static_cast<std::ptrdiff_t>(place / kLeechDimension * kLeechDimension);
      EXPECT_TRUE(std::equal(got.begin(), got.begin() + written, want.begin()));
      EXPECT_EQ(std::count(got.begin() + written, got.end(), kPoison),
                got.end() - got.begin() - written);
    }
  });
  std::int32_t row[kLeechDimension] = {};
  qp_location where{};
  EXPECT_EQ(qp_kaiju1_nearest(nullptr, 0, nullptr), QP_OK);
  EXPECT_EQ(qp_kaiju1_nearest_at(nullptr, 1, row, &where), QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "points");
  EXPECT_EQ(qp_kaiju1_nearest_at(row, 1, nullptr, &where), QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "out");
}

TEST(Kaiju1Fast, NearestVectors) {
  for (const auto& test : tests::kaiju1_cases("nearest")) {
    SCOPED_TRACE(test["id"].dump() + " " + test["comment"].get<std::string>());
    const auto n = test["n_points"].get<std::size_t>();
    const auto points = test["points"].get<std::vector<std::int32_t>>();
    const auto& expect = test["expect"];
    auto want = expect["nearest"].get<std::vector<std::int32_t>>();
    want.resize(kLeechDimension * n, kPoison);
    on_every_level([&] {
      std::vector<std::int32_t> out(kLeechDimension * n, kPoison);
      qp_location where{};
      const qp_status status = qp_kaiju1_nearest_at(points.data(), n, out.data(), &where);
      EXPECT_EQ(qp_status_name(status), expect["status"].get<std::string>());
      if (status != QP_OK) tests::expect_place(where, expect);
      EXPECT_EQ(out, want);
    });
  }
}

// ------------------------------------------------------------------------------------ the encoder

struct Matrix {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<float> weights;
  std::vector<float> importance;  // empty: none

  [[nodiscard]] const float* h() const { return importance.empty() ? nullptr : importance.data(); }
};

void expect_same_bytes(const Matrix& matrix, std::uint32_t hi_frac) {
  const std::size_t size = qp_kaiju1_size(matrix.rows, matrix.cols, hi_frac);
  std::vector<std::uint8_t> want(size);
  ASSERT_EQ(ref::encode_kaiju1(matrix.weights.data(), matrix.rows, matrix.cols, matrix.h(), hi_frac,
                               want.data(), size, nullptr),
            QP_OK);
  on_every_level([&] {
    for (const std::size_t threads : {1U, 2U, 5U}) {
      std::vector<std::uint8_t> got(size, 0xA5);
      ASSERT_EQ(qp_kaiju1_encode(matrix.weights.data(), matrix.rows, matrix.cols, matrix.h(),
                                 hi_frac, threads, got.data(), size),
                QP_OK);
      ASSERT_EQ(got, want) << matrix.rows << " x " << matrix.cols << ", threads " << threads;
    }
  });
}

TEST(Kaiju1Fast, EncodesTheReferencesBytes) {
  std::mt19937 bits(31);
  std::normal_distribution<float> normal;
  for (int round = 0; round < (tests::long_tier() ? 200 : 14); ++round) {
    Matrix matrix{bits() % 4, bits() % 80, {}, {}};
    const float scale = std::ldexp(1.0F, static_cast<int>(bits() % 40) - 30);
    for (std::size_t n = 0; n < matrix.rows * matrix.cols; ++n) {
      float w = scale * normal(bits);
      if (round % 3 == 1 && bits() % 20 == 0) w *= 12;               // outliers
      if (round % 3 == 2) w = scale * std::round(2 * normal(bits));  // few values: ties
      matrix.weights.push_back(w);
    }
    for (std::size_t j = 0; round % 2 == 1 && j < matrix.cols; ++j) {
      matrix.importance.push_back(bits() % 10 == 0 ? 0.0F : std::exp(2 * normal(bits)));
    }
    expect_same_bytes(matrix,
                      std::vector<std::uint32_t>{0, 100'000, 500'000, 1'000'000}[bits() % 4]);
    if (HasFatalFailure()) return;
  }
}

TEST(Kaiju1Fast, EncodesExtremes) {
  const float least = std::numeric_limits<float>::denorm_min();
  for (const float w : {0.0F, -0.0F, least, -1e-30F, 1.0F, ref::kKaiju1WeightLimit}) {
    Matrix matrix{2, 50, std::vector<float>(100, w), {}};
    matrix.weights[3] = -w;
    matrix.weights[60] = w / 2;
    expect_same_bytes(matrix, 0);
    matrix.importance.assign(50, 0.0F);
    expect_same_bytes(matrix, 100'000);
  }
}

TEST(Kaiju1Fast, EncodeVectors) {
  for (const auto& test : tests::kaiju1_cases("encode")) {
    SCOPED_TRACE(test["id"].dump() + " " + test["comment"].get<std::string>());
    const auto rows = test["rows"].get<std::size_t>();
    const auto cols = test["cols"].get<std::size_t>();
    const auto hi_frac = test["hi_frac"].get<std::uint32_t>();
    const auto weights = tests::floats_of_hex(test["weights"].get<std::string>());
    std::vector<float> importance;
    if (!test["importance"].is_null()) {
      importance = tests::floats_of_hex(test["importance"].get<std::string>());
    }
    const auto& expect = test["expect"];
    on_every_level([&] {
      std::vector<std::uint8_t> out(qp_kaiju1_size(rows, cols, hi_frac), 0xA5);
      qp_location where{};
      const qp_status status = qp_kaiju1_encode_at(weights.data(), rows, cols,
                                                   importance.empty() ? nullptr : importance.data(),
                                                   hi_frac, 2, out.data(), out.size(), &where);
      ASSERT_EQ(qp_status_name(status), expect["status"].get<std::string>());
      if (status != QP_OK) {
        tests::expect_place(where, expect);
        EXPECT_EQ(std::count(out.begin(), out.end(), 0xA5),
                  static_cast<std::ptrdiff_t>(out.size()));
      } else {
        EXPECT_EQ(out, tests::bytes_of_hex(expect["bytes"].get<std::string>()));
      }
    });
  }
}

TEST(Kaiju1Fast, EncoderRefusesArguments) {
  const std::vector<float> weights(48, 1.0F);
  std::vector<std::uint8_t> out(qp_kaiju1_size(2, 24, 0), 0xA5);
  constexpr std::size_t kLarge = std::size_t{1} << 32;
  qp_location where{};
  const auto refused = [&](const float* w, std::size_t rows, std::size_t cols,
                           std::uint32_t hi_frac, std::size_t threads, std::uint8_t* to,
                           std::size_t n_bytes, qp_status status, const char* field) {
    EXPECT_EQ(qp_kaiju1_encode_at(w, rows, cols, nullptr, hi_frac, threads, to, n_bytes, &where),
              status);
    EXPECT_STREQ(where.field, field);
  };
  refused(weights.data(), 2, 24, 0, 0, out.data(), out.size(), QP_BAD_ARGUMENT, "threads");
  refused(nullptr, 2, 24, 0, 1, out.data(), out.size(), QP_BAD_ARGUMENT, "weights");
  refused(weights.data(), 2, 24, 1'000'001, 1, out.data(), out.size(), QP_BAD_ARGUMENT, "hi_frac");
  refused(weights.data(), 2, 24, 0, 1, nullptr, out.size(), QP_BAD_ARGUMENT, "out");
  refused(weights.data(), kLarge, 24, 0, 1, out.data(), out.size(), QP_BAD_WIDTH, "rows");
  refused(weights.data(), 2, kLarge, 0, 1, out.data(), out.size(), QP_BAD_WIDTH, "cols");
  refused(weights.data(), 2, 24, 0, 1, out.data(), out.size() - 1, QP_BAD_SIZE, "n_bytes");
  EXPECT_EQ(std::count(out.begin(), out.end(), 0xA5), static_cast<std::ptrdiff_t>(out.size()));
  EXPECT_EQ(qp_kaiju1_size(kLarge, 1, 0), 0U);
  EXPECT_EQ(qp_kaiju1_size(1, kLarge, 0), 0U);
  EXPECT_EQ(qp_kaiju1_size(1, 1, 1'000'001), 0U);
  EXPECT_EQ(qp_kaiju1_size(kLarge - 1, kLarge - 1, 1'000'000), 0U);
  EXPECT_EQ(qp_kaiju1_size(4096, 4096, 100'000), 6'449'676U);
}

}  // namespace
}  // namespace quantproof
