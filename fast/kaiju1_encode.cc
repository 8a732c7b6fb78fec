// SPDX-License-Identifier: Apache-2.0
//
// Binary64 throughout, in the order of the text and never fused: the reference gives the same
// bytes.
#include "fast/kaiju1_encode.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <system_error>
#include <thread>
#include <vector>

#include "fast/half_nearest.h"
#include "fast/kaiju1_nearest.h"
#include "fast/level.h"
#include "quantproof/kaiju1.h"

namespace quantproof::fast {

namespace {

constexpr std::size_t kBlock = kKaiju1BlockCols;
constexpr double kWeightLimit = 127.0 * 65504.0;

// ---- Numbers (8.3) ----------------------------------------------------------------------------

// The nearest binary16 number, 0 <= value.
std::uint32_t nearest_half(double value) { return value <= 0x1p-25 ? 0 : NearestHalf(value); }

// 8.5: the least binary16 number s with 127 s >= greatest.
std::uint32_t hi_scale(double greatest) {
  std::uint32_t low = 0;
  std::uint32_t high = 0x7BFF;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (127 * HalfValue(middle) >= greatest) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// To the nearest integer, ties to even: |value| <= 2^30, and adding this makes the unit 1.
double nearest_integer(double value) {
  constexpr double kShift = 0x1.8p52;
  return (value + kShift) - kShift;
}

double clamped(double value, double limit) {
  const double low = value < -limit ? -limit : value;
  return low > limit ? limit : low;
}

// ---- One row (8.7 to 8.10) --------------------------------------------------------------------

// Codes of all blocks of a row, and their errors.
struct RowCodes {
  std::uint32_t scale = 0;  // binary16
  double error = 0;
  std::vector<std::uint8_t> multiplier;
  std::vector<std::int8_t> x;  // 24 for each block
  std::vector<double> block_error;
};

class RowEncoder {
 public:
  explicit RowEncoder(std::size_t blocks)
      : blocks_(blocks),
        weight_(kBlock * blocks),
        importance_(kBlock * blocks),
        expected_(blocks),
        centre_(blocks),
        tried_(blocks),
        points_(kBlock * blocks),
        nearest_(kBlock * blocks) {
    for (RowCodes* codes : {&first_, &second_}) {
      codes->multiplier.resize(blocks);
      codes->x.resize(kBlock * blocks);
      codes->block_error.resize(blocks);
    }
  }

  // Number n of the bulk of the row.
  double& weight(std::size_t n) { return weight_[n]; }
  double& importance(std::size_t n) { return importance_[n]; }

  const RowCodes& Encode(double step) {
    step_ = step;
    double greatest = 0;
    for (std::size_t b = 0; b < blocks_; ++b) {
      expected_[b] = ExpectedUnit(b);
      greatest = std::max(greatest, expected_[b]);
    }
    const std::uint32_t scale = nearest_half(greatest / kKaiju1MaxMultiplier / step);
    if (scale == 0) {
      first_.scale = 0;
      std::fill(first_.multiplier.begin(), first_.multiplier.end(), std::uint8_t{0});
      std::fill(first_.x.begin(), first_.x.end(), std::int8_t{0});
      return first_;
    }
    const double row_unit = HalfValue(scale) * step;
    for (std::size_t b = 0; b < blocks_; ++b) {
      const double centre = std::floor(expected_[b] / row_unit + 0.5);
      centre_[b] = static_cast<int>(clamped(std::max(centre, 1.0), kKaiju1MaxMultiplier));
    }
    Search(scale, 2, first_);
    const std::uint32_t refit = RefitScale();
    if (refit == 0) return first_;
    for (std::size_t b = 0; b < blocks_; ++b) centre_[b] = std::max<int>(first_.multiplier[b], 1);
    Search(refit, 1, second_);
    return second_.error < first_.error ? second_ : first_;
  }

 private:
  // 8.7
  double ExpectedUnit(std::size_t b) const {
    const double* const w = &weight_[kBlock * b];
    double sum = 0;
    double greatest = 0;
    for (std::size_t i = 0; i < kBlock; ++i) {
      sum += w[i] * w[i];
      greatest = std::max(greatest, std::fabs(w[i]));
    }
    return std::max(0.3125 * std::sqrt(sum / 24), greatest / 9);
  }

  // 8.9
  void Search(std::uint32_t scale, int reach, RowCodes& codes) {
    codes.scale = scale;
    std::fill(codes.block_error.begin(), codes.block_error.end(),
              std::numeric_limits<double>::infinity());
    const double row_unit = HalfValue(scale) * step_;
    Try(row_unit, 0, codes);
    for (int distance = 1; distance <= reach; ++distance) {
      Try(row_unit, -distance, codes);
      Try(row_unit, distance, codes);
    }
    codes.error = 0;
    for (const double error : codes.block_error) codes.error += error;
  }

  // 8.8, for all blocks at once: the multiplier `away` from the centre of each.
  void Try(double row_unit, int away, RowCodes& codes) {
    std::size_t count = 0;
    for (std::size_t b = 0; b < blocks_; ++b) {
      const int multiplier = centre_[b] + away;
      if (multiplier < 1 || multiplier > static_cast<int>(kKaiju1MaxMultiplier)) continue;
      const double factor = kLeechUnit / (row_unit * multiplier);
      const double* const w = &weight_[kBlock * b];
      std::int32_t* const y = &points_[kBlock * count];
      for (std::size_t i = 0; i < kBlock; ++i) {
        y[i] = static_cast<std::int32_t>(nearest_integer(clamped(w[i] * factor, kLeechPointLimit)));
      }
      tried_[count++] = b;
    }
    kaiju1_nearest(active_target())(points_.data(), count, nearest_.data(), nullptr);
    for (std::size_t t = 0; t < count; ++t) {
      const std::size_t b = tried_[t];
      const int multiplier = centre_[b] + away;
      const double unit = row_unit * multiplier;
      const double* const w = &weight_[kBlock * b];
      const double* const h = &importance_[kBlock * b];
      const std::int32_t* const x = &nearest_[kBlock * t];
      double terms[kBlock];
      std::int32_t any = 0;
      for (std::size_t i = 0; i < kBlock; ++i) {
        const double e = w[i] - unit * x[i];
        terms[i] = h[i] * e * e;
        any |= x[i];
      }
      double error = 0;
      for (const double term : terms) error += term;
      if (!(error < codes.block_error[b])) continue;
      codes.block_error[b] = error;
      codes.multiplier[b] = static_cast<std::uint8_t>(any == 0 ? 0 : multiplier);
      for (std::size_t i = 0; i < kBlock; ++i) {
        codes.x[kBlock * b + i] = static_cast<std::int8_t>(x[i]);
      }
    }
  }

  // 8.10
  std::uint32_t RefitScale() const {
    double with_weights = 0;
    double with_itself = 0;
    for (std::size_t b = 0; b < blocks_; ++b) {
      double block_with_weights = 0;
      double block_with_itself = 0;
      for (std::size_t i = 0; i < kBlock; ++i) {
        const std::size_t n = kBlock * b + i;
        const double t = static_cast<double>(first_.multiplier[b]) * first_.x[n];
        block_with_weights += importance_[n] * weight_[n] * t;
        block_with_itself += importance_[n] * t * t;
      }
      with_weights += block_with_weights;
      with_itself += block_with_itself;
    }
    if (!(with_weights > 0) || !(with_itself > 0)) return 0;
    return nearest_half(with_weights / with_itself / step_);
  }

  std::size_t blocks_;
  double step_ = 0;
  std::vector<double> weight_;
  std::vector<double> importance_;
  std::vector<double> expected_;
  std::vector<int> centre_;
  std::vector<std::size_t> tried_;
  std::vector<std::int32_t> points_;
  std::vector<std::int32_t> nearest_;
  RowCodes first_;
  RowCodes second_;
};

// ---- Bytes --------------------------------------------------------------------------------------

void put_little_endian(std::uint32_t value, std::size_t n, std::uint8_t* at) {
  for (std::size_t i = 0; i < n; ++i) at[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

// 3.7: the code of a representable point.
void put_code(const std::int8_t* x, std::uint8_t* at) {
  const int m = x[0] & 1;
  std::uint32_t word = 0;
  LeechCode<std::uint32_t> code;
  code.fix = kNoFix;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const int bit = (x[i] - m) >> 1 & 1;
    const int z = (x[i] - leech_offset(m, bit)) / 4;
    word |= static_cast<std::uint32_t>(bit) << i;
    const int trit = z > 0 ? 1 : z < 0 ? -1 : 0;
    if (z != trit) code.fix = static_cast<std::uint32_t>(i);
    code.trit_group[trit_group_of(i)] +=
        static_cast<std::uint32_t>(trit + 1) * kPowersOfThree[trit_place_of(i)];
  }
  code.golay_index = golay_index(word);
  pack_leech_code(code, at);
}

void put_row(const RowCodes& codes, std::uint8_t* at) {
  put_little_endian(codes.scale, kKaiju1ScaleBytes, at);
  at += kKaiju1ScaleBytes;
  const std::size_t blocks = codes.multiplier.size();
  for (std::size_t b = 0; b < blocks; b += 2) {
    const unsigned high = b + 1 < blocks ? codes.multiplier[b + 1] : 0;
    *at++ = static_cast<std::uint8_t>(codes.multiplier[b] | high << 4);
  }
  for (std::size_t b = 0; b < blocks; ++b) {
    put_code(&codes.x[kBlock * b], at);
    at += kLeechCodeBytes;
  }
}

// ---- The tensor (8.2 to 8.6) --------------------------------------------------------------------

qp_status refuse(qp_location* where, qp_status status, std::size_t block, std::size_t number,
                 const char* field) {
  if (where != nullptr) *where = {block, sizeof(float) * number, field};
  return status;
}

qp_status check_numbers(const float* weights, std::size_t rows, std::size_t cols,
                        const float* importance, qp_location* where) {
  for (std::size_t j = 0; importance != nullptr && j < cols; ++j) {
    if (!std::isfinite(importance[j])) {
      return refuse(where, QP_IMPORTANCE_NOT_FINITE, j, j, "importance");
    }
    if (importance[j] < 0) return refuse(where, QP_IMPORTANCE_NEGATIVE, j, j, "importance");
  }
  for (std::size_t n = 0; n < rows * cols; ++n) {
    const double size = std::fabs(static_cast<double>(weights[n]));
    if (size <= kWeightLimit) continue;
    const qp_status status =
        std::isfinite(weights[n]) ? QP_WEIGHT_OUT_OF_RANGE : QP_WEIGHT_NOT_FINITE;
    return refuse(where, status, n / cols, n, "weight");
  }
  return QP_OK;
}

struct Columns {
  std::vector<std::uint32_t> hi;
  std::vector<std::uint32_t> bulk;
};

// 8.4
Columns choose_columns(const float* importance, std::uint32_t cols, std::uint32_t hi_count) {
  std::vector<std::uint32_t> order(cols);
  std::iota(order.begin(), order.end(), 0u);
  if (importance != nullptr) {
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return importance[a] > importance[b];
    });
  }
  const auto middle = order.begin() + hi_count;
  std::sort(order.begin(), middle);
  std::sort(middle, order.end());
  return {{order.begin(), middle}, {middle, order.end()}};
}

void put_hi_band(const float* weights, std::size_t rows, std::size_t cols,
                 const std::vector<std::uint32_t>& columns, std::uint8_t* at) {
  for (const std::uint32_t column : columns) {
    float greatest = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      greatest = std::max(greatest, std::fabs(weights[r * cols + column]));
    }
    const std::uint32_t half = hi_scale(greatest);
    const double scale = HalfValue(half);
    put_little_endian(half, kKaiju1ScaleBytes, at);
    at += kKaiju1ScaleBytes;
    for (std::size_t r = 0; r < rows; ++r) {
      const double q = half == 0 ? 0 : nearest_integer(weights[r * cols + column] / scale);
      *at++ = static_cast<std::uint8_t>(static_cast<int>(q));
    }
  }
}

// 8.6: step = 2^e.
int step_exponent(const float* weights, std::size_t rows, std::size_t cols,
                  const std::vector<std::uint32_t>& columns) {
  float greatest = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    for (const std::uint32_t column : columns) {
      greatest = std::max(greatest, std::fabs(weights[r * cols + column]));
    }
  }
  return greatest > 0 ? std::max(std::ilogb(greatest) - 14, -31) : 0;
}

qp_status encode(const float* weights, std::size_t rows, std::size_t cols, const float* importance,
                 std::uint32_t hi_frac, std::size_t threads, std::uint8_t* out) {
  Kaiju1Header header;
  header.rows = static_cast<std::uint32_t>(rows);
  header.cols = static_cast<std::uint32_t>(cols);
  header.bulk_cols = kaiju1_bulk_cols(header.cols, hi_frac);
  header.hi_count = header.cols - header.bulk_cols;
  const Columns columns = choose_columns(importance, header.cols, header.hi_count);
  const int exponent = step_exponent(weights, rows, cols, columns.bulk);
  header.step_num = exponent > 0 ? 1u << exponent : 1u;
  header.step_den = exponent < 0 ? 1u << -exponent : 1u;
  const Kaiju1Layout layout = *kaiju1_layout(header);

  std::uint8_t* at = out;
  for (const std::uint32_t field : {kKaiju1Magic, header.rows, header.cols, header.hi_count,
                                    header.bulk_cols, header.step_num, header.step_den}) {
    put_little_endian(field, 4, at);
    at += 4;
  }
  for (const std::uint32_t column : columns.hi) {
    put_little_endian(column, kKaiju1IndexBytes, at);
    at += kKaiju1IndexBytes;
  }
  put_hi_band(weights, rows, cols, columns.hi, out + layout.hi_band_offset);

  const double step = std::ldexp(1.0, exponent);
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  const auto work = [&]() noexcept {
    try {
      RowEncoder encoder(static_cast<std::size_t>(layout.blocks));
      for (std::size_t n = 0; n < columns.bulk.size(); ++n) {
        encoder.importance(n) = importance == nullptr ? 1.0 : importance[columns.bulk[n]];
      }
      for (std::size_t r = next++; r < rows && !failed; r = next++) {
        for (std::size_t n = 0; n < columns.bulk.size(); ++n) {
          encoder.weight(n) = weights[r * cols + columns.bulk[n]];
        }
        put_row(encoder.Encode(step), out + layout.bulk_rows_offset + layout.row_bytes * r);
      }
    } catch (const std::bad_alloc&) {
      failed = true;
    }
  };
  std::vector<std::thread> helpers;
  helpers.reserve(std::min(threads, rows));
  try {
    for (std::size_t t = 1; t < std::min(threads, rows); ++t) helpers.emplace_back(work);
  } catch (const std::system_error&) {
    // Fewer threads than asked for: the others do the rows.
  }
  work();
  for (std::thread& helper : helpers) helper.join();
  return failed ? QP_OUT_OF_MEMORY : QP_OK;
}

}  // namespace

qp_status encode_kaiju1(const float* weights, std::size_t rows, std::size_t cols,
                        const float* importance, std::uint32_t hi_frac, std::size_t threads,
                        std::uint8_t* out, std::size_t n_bytes, qp_location* where) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (weights == nullptr && rows > 0 && cols > 0) {
    return refuse(where, QP_BAD_ARGUMENT, 0, 0, "weights");
  }
  if (hi_frac > kKaiju1HiFracUnit) return refuse(where, QP_BAD_ARGUMENT, 0, 0, "hi_frac");
  if (out == nullptr) return refuse(where, QP_BAD_ARGUMENT, 0, 0, "out");
  if (rows > kMost) return refuse(where, QP_BAD_WIDTH, 0, 0, "rows");
  if (cols > kMost) return refuse(where, QP_BAD_WIDTH, 0, 0, "cols");
  if (kaiju1_size(static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(cols), hi_frac) !=
      n_bytes) {
    return refuse(where, QP_BAD_SIZE, 0, 0, "n_bytes");
  }
  const qp_status status = check_numbers(weights, rows, cols, importance, where);
  if (status != QP_OK) return status;
  try {
    const qp_status encoded = encode(weights, rows, cols, importance, hi_frac, threads, out);
    return encoded == QP_OK ? QP_OK : refuse(where, encoded, 0, 0, "memory");
  } catch (const std::bad_alloc&) {
    return refuse(where, QP_OUT_OF_MEMORY, 0, 0, "memory");
  }
}

}  // namespace quantproof::fast
