// SPDX-License-Identifier: Apache-2.0
//
// spec/formats/kaiju1.md clause 7 and the readings of the box in 10.2: the literal search against
// an oracle that is built otherwise. QUANTPROOF_LONG=1 in the environment runs many more points.
#include "quantproof/ref/kaiju1_nearest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "fuzz/kaiju1_box.h"
#include "fuzz/leech_points.h"
#include "quantproof/qp.h"
#include "quantproof/ref/kaiju1.h"
#include "quantproof/ref/leech.h"
#include "tests/kaiju1_vectors.h"
#include "tests/long_tier.h"

namespace quantproof {
namespace {

using fuzz::LeechFamily;
using fuzz::LeechPoints;
using fuzz::LeechRow;

std::string text_of(const LeechRow& row) {
  std::string text;
  for (const std::int32_t value : row) text += std::to_string(value) + " ";
  return text;
}

// Squared distance less |y|^2 (7.5).
std::int64_t cost_of(const LeechRow& y, const LeechRow& x) {
  std::int64_t cost = 0;
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    const std::int64_t v = std::int64_t{kLeechUnit} * x[i];
    cost += v * v - 2 * v * y[i];
  }
  return cost;
}

bool representable(const LeechRow& x) {
  LeechCode<std::uint32_t> code;
  return ref::leech_code_of_point(x.data(), &code) == QP_OK;
}

void expect_one_answer(const LeechRow& y) {
  const ref::Kaiju1Nearest nearest = ref::find_nearest_kaiju1_point(y.data());
  const auto oracle = fuzz::find_in_kaiju1_box(y, fuzz::Kaiju1Box::kOutward);
  ASSERT_EQ(nearest.cost, oracle.cost) << text_of(y);
  ASSERT_EQ(nearest.m, oracle.m) << text_of(y);
  ASSERT_EQ(nearest.golay_index, oracle.golay_index) << text_of(y);
  ASSERT_EQ(nearest.cost, cost_of(y, nearest.point)) << text_of(y);
  ASSERT_LT(std::abs(nearest.cost), std::int64_t{1} << 53) << text_of(y);
  LeechCode<std::uint32_t> code;
  ASSERT_EQ(ref::leech_code_of_point(nearest.point.data(), &code), QP_OK) << text_of(y);
  ASSERT_EQ(code.golay_index, nearest.golay_index) << text_of(y);
  ASSERT_EQ(nearest.point[0] & 1, nearest.m) << text_of(y);
  const ref::LeechNearest free = ref::find_nearest_leech_point(y.data());
  if (representable(free.point)) {  // 7.6
    ASSERT_EQ(nearest.point, free.point) << text_of(y);
  }
}

class Kaiju1Families : public testing::TestWithParam<LeechFamily> {};

INSTANTIATE_TEST_SUITE_P(All, Kaiju1Families, testing::ValuesIn(fuzz::kLeechFamilies),
                         [](const auto& named) { return fuzz::leech_family_name(named.param); });

TEST_P(Kaiju1Families, SearchAndOracleAgree) {
  LeechPoints points(400 + static_cast<std::uint64_t>(GetParam()));
  for (int k = 0; k < (tests::long_tier() ? 5000 : 120); ++k) {
    ASSERT_NO_FATAL_FAILURE(expect_one_answer(points.next(GetParam())));
  }
}

// About the box: where it binds, and on grids where many points are equally near.
TEST(Kaiju1Nearest, SearchAndOracleAgreeAboutTheBox) {
  LeechPoints points(411);
  int inside = 0;
  int count = 0;
  for (const std::int32_t grid : {1, kLeechUnit / 2, kLeechUnit, 2 * kLeechUnit}) {
    for (const std::int32_t most : {3, 5, 8, 11}) {
      for (int k = 0; k < (tests::long_tier() ? 500 : 8); ++k) {
        LeechRow y{};
        for (std::int32_t& v : y) {
          v = grid * points.between(-most * kLeechUnit / grid, most * kLeechUnit / grid);
        }
        ASSERT_NO_FATAL_FAILURE(expect_one_answer(y));
        inside += representable(ref::find_nearest_leech_point(y.data()).point) ? 1 : 0;
        ++count;
      }
    }
  }
  EXPECT_GT(inside, 0);
  EXPECT_LT(inside, count);
}

TEST(Kaiju1Nearest, RepresentablePointsAreTheirOwnAnswers) {
  LeechPoints points(421);
  for (int k = 0; k < (tests::long_tier() ? 20000 : 300); ++k) {
    LeechCode<std::uint32_t> code;
    for (std::size_t g = 0; g < kTritGroups; ++g) {
      code.trit_group[g] = static_cast<std::uint32_t>(points.between(0, g < 4 ? 242 : 80));
    }
    code.golay_index = static_cast<std::uint32_t>(points.between(0, 4095));
    code.fix = static_cast<std::uint32_t>(points.between(0, 24));
    if (code.fix == kLeechDimension) code.fix = kNoFix;
    if (ref::check_leech_code(code, nullptr) != QP_OK) continue;
    const LeechRow x = ref::leech_code_point(code);
    ASSERT_EQ(ref::find_nearest_kaiju1_point(fuzz::leech_scaled(x, kLeechUnit).data()).point, x);
  }
}

TEST(Kaiju1Nearest, Vectors) {
  constexpr std::int32_t kUntouched = 0x55555555;
  for (const auto& test : tests::kaiju1_cases("nearest")) {
    SCOPED_TRACE(test["id"].dump() + " " + test["comment"].get<std::string>());
    const auto n = test["n_points"].get<std::size_t>();
    const auto points = test["points"].get<std::vector<std::int32_t>>();
    ASSERT_EQ(points.size(), 24 * n);
    std::vector<std::int32_t> out(24 * n, kUntouched);
    qp_location where{};
    const qp_status status = ref::kaiju1_nearest(points.data(), n, out.data(), &where);
    const auto& expect = test["expect"];
    EXPECT_EQ(qp_status_name(status), expect["status"].get<std::string>());
    if (status != QP_OK) tests::expect_place(where, expect);
    auto want = expect["nearest"].get<std::vector<std::int32_t>>();
    for (std::size_t p = 0; p < want.size() / 24; ++p) {
      const auto nearest = ref::find_nearest_kaiju1_point(points.data() + 24 * p);
      EXPECT_EQ(nearest.m, expect["rows"][p]["m"].get<int>());
      EXPECT_EQ(nearest.golay_index, expect["rows"][p]["k"].get<std::uint32_t>());
      EXPECT_EQ(nearest.cost, expect["rows"][p]["cost"].get<std::int64_t>());
    }
    want.resize(24 * n, kUntouched);
    EXPECT_EQ(out, want);
  }
}

TEST(Kaiju1Nearest, RefusesNullPointers) {
  LeechRow row{};
  qp_location where{};
  EXPECT_EQ(ref::kaiju1_nearest(nullptr, 1, row.data(), &where), QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "points");
  EXPECT_EQ(ref::kaiju1_nearest(row.data(), 1, nullptr, &where), QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "out");
  EXPECT_EQ(ref::kaiju1_nearest(nullptr, 0, nullptr, nullptr), QP_OK);
}

// Normally distributed numbers, by the method of Box and Muller.
class Normal {
 public:
  explicit Normal(std::uint32_t seed) : bits_(seed) {}
  double next() {
    const double radius = std::sqrt(-2 * std::log((static_cast<double>(bits_()) + 1) * 0x1p-32));
    return radius * std::cos(static_cast<double>(bits_()) * 0x1p-32 * 2 * 3.14159265358979);
  }

 private:
  std::mt19937 bits_;
};

// 10.2: the three readings of the box at their best scales.
TEST(Kaiju1Nearest, ReadingsOfTheBox) {
  constexpr double kStated[] = {0.100, 0.0857, 0.0614};
  constexpr fuzz::Kaiju1Box kReadings[] = {fuzz::Kaiju1Box::kLiteral, fuzz::Kaiju1Box::kCentred,
                                           fuzz::Kaiju1Box::kOutward};
  const int count = tests::long_tier() ? 4000 : 300;
  for (std::size_t reading = 0; reading < 3; ++reading) {
    double least = 1;
    for (const double scale : {2.9, 3.0, 3.4}) {
      Normal normal(2);
      double error = 0;
      double length = 0;
      for (int k = 0; k < count; ++k) {
        LeechRow y{};
        double square = 0;
        for (std::int32_t& v : y) {
          v = static_cast<std::int32_t>(std::lrint(normal.next() * scale * kLeechUnit));
          square += static_cast<double>(v) * v;
        }
        length += square;
        error += square + static_cast<double>(fuzz::find_in_kaiju1_box(y, kReadings[reading]).cost);
      }
      least = std::min(least, error / length);
    }
    RecordProperty("relative_error_" + std::to_string(reading), std::to_string(least));
    EXPECT_GT(least, 0.95 * kStated[reading]);
    EXPECT_LT(least, 1.05 * kStated[reading]);
  }
}

}  // namespace
}  // namespace quantproof
