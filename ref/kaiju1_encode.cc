// SPDX-License-Identifier: Apache-2.0
//
// All arithmetic is binary64, rounded to nearest even, in the order of the text. The build does
// not fuse multiplications with additions.
#include "quantproof/ref/kaiju1_encode.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "quantproof/ref/half.h"
#include "quantproof/ref/iq3_block.h"
#include "quantproof/ref/kaiju1.h"
#include "quantproof/ref/kaiju1_nearest.h"

namespace quantproof::ref {

namespace {

// ---- Numbers (8.3) ----------------------------------------------------------------------------

double value_of_half(std::uint16_t half) {
  Scale scale;
  read_scale(QP_PROFILE_STRICT, half, &scale);  // finite by construction
  return std::ldexp(static_cast<double>(scale.significand), scale.exponent);
}

// The greatest binary16 number that is at most `value`, 0 <= value < 65,536.
std::uint16_t half_below(double value) {
  const int exponent = std::max(value > 0 ? std::ilogb(value) : -14, -14);
  const auto significand = static_cast<int>(std::floor(std::ldexp(value, 10 - exponent)));
  return static_cast<std::uint16_t>(1024 * (exponent + 14) + significand);
}

// The nearest binary16 number, ties to even, 0 <= value <= 65,504. Neighbours are neighbours as
// patterns too, and an even pattern has an even significand.
std::uint16_t nearest_half(double value) {
  const std::uint16_t below = half_below(value);
  const auto above = static_cast<std::uint16_t>(below + 1);
  const double down = value - value_of_half(below);
  if (down == 0) return below;
  const double up = value_of_half(above) - value;
  return down < up || (down == up && below % 2 == 0) ? below : above;
}

// The nearest integer, ties to even. |value| < 2^52.
double nearest_integer(double value) {
  const double low = std::floor(value);
  const double rest = value - low;
  const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(low, 2) != 0);
  return up ? low + 1 : low;
}

// 8.8: to a coordinate in units of 2^-13, at the end of the range where it lies beyond.
std::int32_t fixed_point(double value) {
  const double limit = kLeechPointLimit;
  return static_cast<std::int32_t>(nearest_integer(std::clamp(value, -limit, limit)));
}

// ---- The bulk of one row (8.7 to 8.10) --------------------------------------------------------

using Block = std::array<double, kKaiju1BlockCols>;
using Point = std::array<std::int32_t, kLeechDimension>;

struct BlockCode {
  std::uint32_t multiplier = 0;
  Point x{};
  double error = 0;
};

struct RowCode {
  std::uint16_t scale = 0;  // binary16
  std::vector<BlockCode> blocks;
  double error = 0;
};

// The bulk of one row: weights and importances, block by block.
struct BulkWeights {
  std::vector<Block> weights;
  std::vector<Block> importance;
};

// 8.7: about the best unit of a block: the distance of two integers on the scale of its weights.
double expected_unit(const Block& weights) {
  double sum = 0;
  double greatest = 0;
  for (const double w : weights) {
    sum += w * w;
    greatest = std::max(greatest, std::fabs(w));
  }
  return std::max(0.3125 * std::sqrt(sum / 24), greatest / 9);
}

// 8.8
double block_error(const Block& weights, const Block& importance, double unit, const Point& x) {
  double error = 0;
  for (std::size_t i = 0; i < kKaiju1BlockCols; ++i) {
    const double e = weights[i] - unit * x[i];
    error += importance[i] * e * e;
  }
  return error;
}

// 8.8: the code of a block under one multiplier.
BlockCode try_multiplier(const Block& weights, const Block& importance, double row_unit,
                         std::uint32_t multiplier) {
  const double unit = row_unit * multiplier;
  const double factor = kLeechUnit / unit;
  Point y{};
  for (std::size_t i = 0; i < kKaiju1BlockCols; ++i) y[i] = fixed_point(weights[i] * factor);
  BlockCode code;
  code.multiplier = multiplier;
  code.x = find_nearest_kaiju1_point(y.data()).point;
  code.error = block_error(weights, importance, unit, code.x);
  if (code.x == Point{}) code.multiplier = 0;
  return code;
}

// 8.9: the best of the multipliers up to `reach` away from `centre`, nearest first.
BlockCode search_block(const Block& weights, const Block& importance, double row_unit, int centre,
                       int reach) {
  BlockCode best;
  best.error = std::numeric_limits<double>::infinity();
  const auto visit = [&](int multiplier) {
    if (multiplier < 1 || multiplier > static_cast<int>(kKaiju1MaxMultiplier)) return;
    const BlockCode code =
        try_multiplier(weights, importance, row_unit, static_cast<std::uint32_t>(multiplier));
    if (code.error < best.error) best = code;
  };
  visit(centre);
  for (int distance = 1; distance <= reach; ++distance) {
    visit(centre - distance);
    visit(centre + distance);
  }
  return best;
}

RowCode search_row(const BulkWeights& row, std::uint16_t scale, double step,
                   const std::vector<int>& centres, int reach) {
  RowCode code;
  code.scale = scale;
  const double row_unit = value_of_half(scale) * step;
  for (std::size_t b = 0; b < row.weights.size(); ++b) {
    code.blocks.push_back(
        search_block(row.weights[b], row.importance[b], row_unit, centres[b], reach));
    code.error += code.blocks.back().error;
  }
  return code;
}

// 8.10: the scale that suits the codes of a row best, or 0 where there is none.
std::uint16_t refit_scale(const BulkWeights& row, const RowCode& code, double step) {
  double with_weights = 0;
  double with_itself = 0;
  for (std::size_t b = 0; b < row.weights.size(); ++b) {
    double block_with_weights = 0;
    double block_with_itself = 0;
    for (std::size_t i = 0; i < kKaiju1BlockCols; ++i) {
      const double t = static_cast<double>(code.blocks[b].multiplier) * code.blocks[b].x[i];
      block_with_weights += row.importance[b][i] * row.weights[b][i] * t;
      block_with_itself += row.importance[b][i] * t * t;
    }
    with_weights += block_with_weights;
    with_itself += block_with_itself;
  }
  if (!(with_weights > 0) || !(with_itself > 0)) return 0;
  return nearest_half(with_weights / with_itself / step);  // at most 2^15 by 8.6
}

RowCode encode_row(const BulkWeights& row, double step) {
  RowCode code;
  code.blocks.resize(row.weights.size());
  std::vector<double> expected;
  for (const Block& weights : row.weights) expected.push_back(expected_unit(weights));
  const double greatest =
      expected.empty() ? 0 : *std::max_element(expected.begin(), expected.end());
  const std::uint16_t scale = nearest_half(greatest / kKaiju1MaxMultiplier / step);
  if (scale == 0) return code;  // 8.7
  std::vector<int> centres;
  for (const double unit : expected) {
    const double centre = std::floor(unit / (value_of_half(scale) * step) + 0.5);
    centres.push_back(static_cast<int>(std::clamp(centre, 1.0, 15.0)));
  }
  code = search_row(row, scale, step, centres, 2);
  const std::uint16_t refit = refit_scale(row, code, step);  // 8.10
  if (refit == 0) return code;
  for (std::size_t b = 0; b < centres.size(); ++b) {
    centres[b] = std::max(static_cast<int>(code.blocks[b].multiplier), 1);
  }
  RowCode second = search_row(row, refit, step, centres, 1);
  return second.error < code.error ? second : code;
}

// ---- The tensor (8.4 to 8.6) --------------------------------------------------------------------

// 8.4: the columns of the side-band, ascending.
std::vector<std::uint32_t> choose_hi_columns(const std::vector<double>& importance,
                                             std::size_t hi_count) {
  std::vector<std::uint32_t> columns(importance.size());
  std::iota(columns.begin(), columns.end(), 0u);
  std::stable_sort(columns.begin(), columns.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return importance[a] > importance[b]; });
  columns.resize(hi_count);
  std::sort(columns.begin(), columns.end());
  return columns;
}

// 8.5: the least binary16 number s with 127 s >= greatest.
std::uint16_t hi_scale(double greatest) {
  std::uint16_t scale = half_below(greatest / 127);
  while (127 * value_of_half(scale) < greatest) ++scale;
  return scale;
}

// 8.6: step = 2^e.
int step_exponent(double greatest) {
  return greatest > 0 ? std::max(std::ilogb(greatest) - 14, -31) : 0;
}

std::uint8_t* put_u32(std::uint8_t* at, std::uint32_t value) {
  write_little_endian(value, at, 4);
  return at + 4;
}

std::uint8_t* put_half(std::uint8_t* at, std::uint16_t half) {
  write_little_endian(std::uint32_t{half}, at, 2);
  return at + 2;
}

std::uint8_t* put_row(std::uint8_t* at, const RowCode& row) {
  at = put_half(at, row.scale);
  for (std::size_t b = 0; b < row.blocks.size(); b += 2) {
    const std::uint32_t high = b + 1 < row.blocks.size() ? row.blocks[b + 1].multiplier : 0;
    *at++ = static_cast<std::uint8_t>(row.blocks[b].multiplier | high << 4);
  }
  for (const BlockCode& block : row.blocks) {
    LeechCode<std::uint32_t> code;
    leech_code_of_point(block.x.data(), &code);  // representable by construction
    pack_leech_code(code, at);
    at += kLeechCodeBytes;
  }
  return at;
}

// 8.2
qp_status check_input(const float* weights, std::size_t rows, std::size_t cols,
                      const float* importance, qp_location* place) {
  const auto refuse = [place](qp_status status, std::size_t block, std::size_t number,
                              const char* field) {
    *place = {block, sizeof(float) * number, field};
    return status;
  };
  for (std::size_t j = 0; importance != nullptr && j < cols; ++j) {
    if (!std::isfinite(importance[j])) {
      return refuse(QP_IMPORTANCE_NOT_FINITE, j, j, "importance");
    }
    if (importance[j] < 0) return refuse(QP_IMPORTANCE_NEGATIVE, j, j, "importance");
  }
  for (std::size_t n = 0; n < rows * cols; ++n) {
    if (!std::isfinite(weights[n])) return refuse(QP_WEIGHT_NOT_FINITE, n / cols, n, "weight");
    if (std::fabs(weights[n]) > kKaiju1WeightLimit) {
      return refuse(QP_WEIGHT_OUT_OF_RANGE, n / cols, n, "weight");
    }
  }
  return QP_OK;
}

}  // namespace

qp_status encode_kaiju1(const float* weights, std::size_t rows, std::size_t cols,
                        const float* importance, std::uint32_t hi_frac, std::uint8_t* out,
                        std::size_t n_bytes, qp_location* where) {
  qp_location ignored{};
  qp_location* const place = where != nullptr ? where : &ignored;
  const auto refuse = [place](qp_status status, const char* field) {
    *place = {0, 0, field};
    return status;
  };
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (weights == nullptr && rows > 0 && cols > 0) return refuse(QP_BAD_ARGUMENT, "weights");
  if (hi_frac > kKaiju1HiFracUnit) return refuse(QP_BAD_ARGUMENT, "hi_frac");
  if (out == nullptr) return refuse(QP_BAD_ARGUMENT, "out");
  if (rows > kMost) return refuse(QP_BAD_WIDTH, "rows");
  if (cols > kMost) return refuse(QP_BAD_WIDTH, "cols");
  const auto rows32 = static_cast<std::uint32_t>(rows);
  const auto cols32 = static_cast<std::uint32_t>(cols);
  if (kaiju1_size(rows32, cols32, hi_frac) != n_bytes) return refuse(QP_BAD_SIZE, "n_bytes");
  const qp_status status = check_input(weights, rows, cols, importance, place);
  if (status != QP_OK) return status;

  const std::uint32_t bulk_cols = kaiju1_bulk_cols(cols32, hi_frac);
  const std::uint32_t hi_count = cols32 - bulk_cols;
  std::vector<double> column_importance(cols, 1.0);
  if (importance != nullptr) {
    std::copy(importance, importance + cols, column_importance.begin());
  }
  const std::vector<std::uint32_t> hi_columns = choose_hi_columns(column_importance, hi_count);
  std::vector<std::uint32_t> bulk_columns;
  for (std::uint32_t column = 0; column < cols32; ++column) {
    if (!std::binary_search(hi_columns.begin(), hi_columns.end(), column)) {
      bulk_columns.push_back(column);
    }
  }
  const auto weight = [&](std::size_t row, std::size_t column) {
    return static_cast<double>(weights[row * cols + column]);
  };

  double greatest = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    for (const std::uint32_t c : bulk_columns) {
      greatest = std::max(greatest, std::fabs(weight(row, c)));
    }
  }
  const int exponent = step_exponent(greatest);
  const double step = std::ldexp(1.0, exponent);

  std::uint8_t* at = out;
  for (const std::uint32_t field :
       {kKaiju1Magic, rows32, cols32, hi_count, bulk_cols, exponent > 0 ? 1u << exponent : 1u,
        exponent < 0 ? 1u << -exponent : 1u}) {
    at = put_u32(at, field);
  }
  for (const std::uint32_t column : hi_columns) at = put_u32(at, column);
  for (const std::uint32_t column : hi_columns) {  // 8.5
    double most = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      most = std::max(most, std::fabs(weight(row, column)));
    }
    const std::uint16_t scale = hi_scale(most);
    at = put_half(at, scale);
    for (std::size_t row = 0; row < rows; ++row) {
      const double q = scale == 0 ? 0 : nearest_integer(weight(row, column) / value_of_half(scale));
      *at++ = static_cast<std::uint8_t>(static_cast<int>(q));
    }
  }
  for (std::size_t row = 0; row < rows; ++row) {
    BulkWeights bulk;
    bulk.weights.resize(bulk_cols / kKaiju1BlockCols);
    bulk.importance.resize(bulk.weights.size());
    for (std::size_t n = 0; n < bulk_columns.size(); ++n) {
      const std::size_t b = n / kKaiju1BlockCols;
      bulk.weights[b][n % kKaiju1BlockCols] = weight(row, bulk_columns[n]);
      bulk.importance[b][n % kKaiju1BlockCols] = column_importance[bulk_columns[n]];
    }
    at = put_row(at, encode_row(bulk, step));
  }
  return QP_OK;
}

}  // namespace quantproof::ref
