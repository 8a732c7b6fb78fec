// SPDX-License-Identifier: Apache-2.0
//
// spec/formats/kaiju1.md clause 8: the encoder of the reference, by what a decoder makes of it.
// QUANTPROOF_LONG=1 in the environment encodes more weights.
#include "quantproof/ref/kaiju1_encode.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "quantproof/qp.h"
#include "quantproof/ref/kaiju1.h"
#include "tests/kaiju1_vectors.h"
#include "tests/long_tier.h"

namespace quantproof {
namespace {

struct Matrix {
  std::uint32_t rows;
  std::uint32_t cols;
  std::vector<float> weights;
};

// Normally distributed weights, by the method of Box and Muller.
Matrix normal_matrix(std::uint32_t rows, std::uint32_t cols, double deviation, std::uint32_t seed) {
  std::mt19937 bits(seed);
  Matrix matrix{rows, cols, {}};
  for (std::size_t n = 0; n < std::size_t{rows} * cols; ++n) {
    const double radius = std::sqrt(-2 * std::log((static_cast<double>(bits()) + 1) * 0x1p-32));
    const double angle = static_cast<double>(bits()) * 0x1p-32 * 2 * 3.14159265358979;
    matrix.weights.push_back(static_cast<float>(deviation * radius * std::cos(angle)));
  }
  return matrix;
}

std::vector<std::uint8_t> encode(const Matrix& matrix, const float* importance,
                                 std::uint32_t hi_frac) {
  std::vector<std::uint8_t> bytes(kaiju1_size(matrix.rows, matrix.cols, hi_frac).value());
  EXPECT_EQ(ref::encode_kaiju1(matrix.weights.data(), matrix.rows, matrix.cols, importance, hi_frac,
                               bytes.data(), bytes.size(), nullptr),
            QP_OK);
  return bytes;
}

std::vector<float> decode(const std::vector<std::uint8_t>& bytes, const Matrix& matrix) {
  std::vector<float> weights(matrix.weights.size());
  EXPECT_EQ(
      ref::decode_kaiju1_rows(bytes.data(), bytes.size(), 0, matrix.rows, weights.data(), nullptr),
      QP_OK);
  return weights;
}

double relative_error(const Matrix& matrix, const std::vector<float>& decoded,
                      const std::vector<float>& importance) {
  double error = 0;
  double length = 0;
  for (std::size_t n = 0; n < decoded.size(); ++n) {
    const double h = importance.empty() ? 1 : static_cast<double>(importance[n % matrix.cols]);
    const double w = static_cast<double>(matrix.weights[n]);
    const double e = w - static_cast<double>(decoded[n]);
    error += h * e * e;
    length += h * w * w;
  }
  return error / length;
}

TEST(Kaiju1Encode, Vectors) {
  for (const auto& test : tests::kaiju1_cases("encode")) {
    SCOPED_TRACE(test["id"].dump() + " " + test["comment"].get<std::string>());
    const auto rows = test["rows"].get<std::uint32_t>();
    const auto cols = test["cols"].get<std::uint32_t>();
    const auto hi_frac = test["hi_frac"].get<std::uint32_t>();
    const auto weights = tests::floats_of_hex(test["weights"].get<std::string>());
    ASSERT_EQ(weights.size(), std::size_t{rows} * cols);
    std::vector<float> importance;
    if (!test["importance"].is_null()) {
      importance = tests::floats_of_hex(test["importance"].get<std::string>());
      ASSERT_EQ(importance.size(), cols);
    }
    std::vector<std::uint8_t> out(kaiju1_size(rows, cols, hi_frac).value(), 0xA5);
    qp_location where{};
    const qp_status status = ref::encode_kaiju1(weights.data(), rows, cols,
                                                importance.empty() ? nullptr : importance.data(),
                                                hi_frac, out.data(), out.size(), &where);
    const auto& expect = test["expect"];
    ASSERT_EQ(qp_status_name(status), expect["status"].get<std::string>());
    if (status != QP_OK) {
      tests::expect_place(where, expect);
      EXPECT_EQ(std::count(out.begin(), out.end(), 0xA5), static_cast<std::ptrdiff_t>(out.size()));
    } else {
      EXPECT_EQ(out, tests::bytes_of_hex(expect["bytes"].get<std::string>()));
    }
  }
}

// 8.12
TEST(Kaiju1Encode, QualityOnNormalRows) {
  const std::uint32_t rows = tests::long_tier() ? 40 : 6;
  const Matrix matrix = normal_matrix(rows, 24 * 40, 0.02, 7);
  const auto bytes = encode(matrix, nullptr, 0);
  const double error = relative_error(matrix, decode(bytes, matrix), {});
  RecordProperty("relative_error", std::to_string(error));
  EXPECT_LE(error, 0.0530);
}

// Multiplying all weights by a power of two multiplies all decoded weights by it: the step takes
// it up. The least and greatest weights that this holds for are far apart.
TEST(Kaiju1Encode, ScalesByPowersOfTwo) {
  Matrix matrix = normal_matrix(2, 48, 1.0, 11);
  const auto want = decode(encode(matrix, nullptr, 0), matrix);
  for (const int exponent : {-12, -5, 3, 17}) {
    Matrix other = matrix;
    for (float& w : other.weights) w = std::ldexp(w, exponent);
    auto got = decode(encode(other, nullptr, 0), other);
    for (float& w : got) w = std::ldexp(w, -exponent);
    EXPECT_EQ(got, want) << exponent;
  }
}

TEST(Kaiju1Encode, ImportanceLowersTheErrorThatItWeighs) {
  const Matrix matrix = normal_matrix(2, 24 * 8, 0.1, 13);
  std::vector<float> importance(matrix.cols);
  for (std::size_t j = 0; j < importance.size(); ++j) importance[j] = j % 8 == 0 ? 20.0f : 0.25f;
  const auto with = decode(encode(matrix, importance.data(), 0), matrix);
  const auto without = decode(encode(matrix, nullptr, 0), matrix);
  EXPECT_LT(relative_error(matrix, with, importance), relative_error(matrix, without, importance));
  EXPECT_LT(relative_error(matrix, without, {}), relative_error(matrix, with, {}));
}

// 8.4
TEST(Kaiju1Encode, SideBandHoldsTheMostImportantColumns) {
  const Matrix matrix = normal_matrix(1, 60, 0.1, 17);
  std::vector<float> importance(60, 1.0f);
  for (const std::size_t j : {5u, 17u, 18u, 59u}) importance[j] = 2.0f;
  const auto bytes = encode(matrix, importance.data(), 100'000);  // 12 columns: 60 - 48
  const Kaiju1Header header = read_kaiju1_header(bytes.data());
  ASSERT_EQ(header.hi_count, 12u);
  std::vector<std::uint32_t> columns;
  for (std::uint32_t j = 0; j < header.hi_count; ++j) {
    columns.push_back(read_kaiju1_u32(bytes.data() + kKaiju1HeaderBytes + 4 * j));
  }
  EXPECT_EQ(columns, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 17, 18, 59}));
  const auto decoded = decode(bytes, matrix);
  for (const std::uint32_t c : columns) {
    EXPECT_LE(std::fabs(decoded[c] - matrix.weights[c]), std::fabs(matrix.weights[c]) / 127);
  }
}

// 8.5: no decoded weight of the side-band is more than half a step of its channel away.
TEST(Kaiju1Encode, SideBandIsWithinHalfAStep) {
  const Matrix matrix = normal_matrix(64, 20, 3.0, 19);
  const auto decoded = decode(encode(matrix, nullptr, 1'000'000), matrix);
  for (std::size_t c = 0; c < matrix.cols; ++c) {
    float most = 0;
    for (std::size_t r = 0; r < matrix.rows; ++r) {
      most = std::max(most, std::fabs(matrix.weights[r * matrix.cols + c]));
    }
    for (std::size_t r = 0; r < matrix.rows; ++r) {
      const std::size_t n = r * matrix.cols + c;
      EXPECT_LE(std::fabs(decoded[n] - matrix.weights[n]), 1.002f * most / 254);
    }
  }
}

// 8.3: what a row becomes does not depend on the rows about it, but for the step.
TEST(Kaiju1Encode, RowsAreIndependent) {
  Matrix matrix = normal_matrix(3, 48, 1.0, 23);
  matrix.weights[48] = matrix.weights[0] = matrix.weights[96] = 7.0f;  // one step for all
  const auto whole = encode(matrix, nullptr, 0);
  const auto layout = kaiju1_layout(read_kaiju1_header(whole.data())).value();
  for (std::uint32_t r = 0; r < 3; ++r) {
    const auto first = matrix.weights.begin() + 48 * static_cast<std::ptrdiff_t>(r);
    const Matrix row{1, 48, {first, first + 48}};
    const auto alone = encode(row, nullptr, 0);
    const auto begin =
        whole.begin() + static_cast<std::ptrdiff_t>(layout.bulk_rows_offset + layout.row_bytes * r);
    EXPECT_TRUE(std::equal(begin, begin + static_cast<std::ptrdiff_t>(layout.row_bytes),
                           alone.begin() + kKaiju1HeaderBytes));
  }
}

TEST(Kaiju1Encode, RefusesArguments) {
  std::vector<float> weights(48, 1.0f);
  std::vector<std::uint8_t> out(kaiju1_size(2, 24, 0).value(), 0xA5);
  qp_location where{};
  const auto refused = [&](const float* w, std::size_t rows, std::size_t cols,
                           std::uint32_t hi_frac, std::uint8_t* to, std::size_t n_bytes,
                           qp_status status, const char* field) {
    EXPECT_EQ(ref::encode_kaiju1(w, rows, cols, nullptr, hi_frac, to, n_bytes, &where), status);
    EXPECT_STREQ(where.field, field);
    EXPECT_EQ(where.block, 0u);
    EXPECT_EQ(where.offset, 0u);
  };
  constexpr std::size_t kLarge = std::size_t{1} << 32;
  refused(nullptr, 2, 24, 2'000'000, nullptr, 0, QP_BAD_ARGUMENT, "weights");
  refused(weights.data(), 2, 24, 1'000'001, nullptr, 0, QP_BAD_ARGUMENT, "hi_frac");
  refused(weights.data(), 2, 24, 0, nullptr, 0, QP_BAD_ARGUMENT, "out");
  refused(weights.data(), kLarge, kLarge, 0, out.data(), out.size(), QP_BAD_WIDTH, "rows");
  refused(weights.data(), 2, kLarge, 0, out.data(), out.size(), QP_BAD_WIDTH, "cols");
  refused(weights.data(), kLarge - 1, kLarge - 1, 1'000'000, out.data(), out.size(), QP_BAD_SIZE,
          "n_bytes");
  refused(weights.data(), 2, 24, 0, out.data(), out.size() - 1, QP_BAD_SIZE, "n_bytes");
  refused(weights.data(), 2, 24, 0, out.data(), out.size() + 1, QP_BAD_SIZE, "n_bytes");
  EXPECT_EQ(std::count(out.begin(), out.end(), 0xA5), static_cast<std::ptrdiff_t>(out.size()));
}

// 8.2: the place of the first bad number, wherever it stands.
TEST(Kaiju1Encode, NamesTheFirstBadWeight) {
  const float kInfinity = std::numeric_limits<float>::infinity();
  const float kNan = std::numeric_limits<float>::quiet_NaN();
  const float kBeyond = std::nextafter(ref::kKaiju1WeightLimit, kInfinity);
  EXPECT_EQ(ref::kKaiju1WeightLimit, 8'319'008.0f);
  std::vector<std::uint8_t> out(kaiju1_size(3, 5, 0).value(), 0xA5);
  for (std::size_t place = 0; place < 15; ++place) {
    for (const float bad : {kInfinity, -kInfinity, kNan, kBeyond, -kBeyond}) {
      std::vector<float> weights(15, ref::kKaiju1WeightLimit);
      weights[place] = bad;
      if (place < 14) weights[14] = kNan;
      qp_location where{};
      EXPECT_EQ(
          ref::encode_kaiju1(weights.data(), 3, 5, nullptr, 0, out.data(), out.size(), &where),
          std::isfinite(bad) ? QP_WEIGHT_OUT_OF_RANGE : QP_WEIGHT_NOT_FINITE);
      EXPECT_EQ(where.block, place / 5);
      EXPECT_EQ(where.offset, 4 * place);
      EXPECT_STREQ(where.field, "weight");
    }
  }
  EXPECT_EQ(std::count(out.begin(), out.end(), 0xA5), static_cast<std::ptrdiff_t>(out.size()));
}

// 8.7 to 8.9: zeros are zeros, with the codes that the text names.
TEST(Kaiju1Encode, ZerosBecomeOriginCodes) {
  const Matrix matrix{1, 48, std::vector<float>(48)};
  const auto bytes = encode(matrix, nullptr, 0);
  const std::vector<std::uint8_t> row(bytes.begin() + kKaiju1HeaderBytes, bytes.end());
  std::vector<std::uint8_t> want = {0, 0, 0};
  for (int b = 0; b < 2; ++b) {
    want.insert(want.end(), kLeechCodeOrigin.begin(), kLeechCodeOrigin.end());
  }
  EXPECT_EQ(row, want);
}

}  // namespace
}  // namespace quantproof
