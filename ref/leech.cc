// SPDX-License-Identifier: Apache-2.0
#include "quantproof/ref/leech.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ref/leech_coordinate.h"

namespace quantproof::ref {

namespace {

using Choices = std::array<std::array<LeechChoice, 2>, kLeechDimension>;  // [coordinate][c_i]

Choices choices_of(const std::int32_t* y, int m) {
  Choices choices{};
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    choices[i] = {choose_leech_coordinate(y[i], leech_offset(m, 0)),
                  choose_leech_coordinate(y[i], leech_offset(m, 1))};
  }
  return choices;
}

// leech.md 5.6: the squared distance of the candidate of coset (m, word).
std::int64_t candidate_cost(const Choices& choices, int m, std::uint32_t word) {
  std::int64_t cost = 0;
  std::int64_t sum_z = 0;
  std::int64_t least_change = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    const LeechChoice& choice = choices[i][word >> i & 1u];
    cost += choice.cost;
    sum_z += choice.z;
    least_change = std::min(least_change, choice.change_cost);
  }
  return (sum_z & 1) == m ? cost : cost + least_change;
}

// leech.md 5.6: that candidate.
std::array<std::int32_t, kLeechDimension> candidate_point(const Choices& choices, int m,
                                                          std::uint32_t word) {
  std::array<std::int64_t, kLeechDimension> z{};
  std::int64_t sum_z = 0;
  std::size_t cheapest = 0;
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    const LeechChoice& choice = choices[i][word >> i & 1u];
    z[i] = choice.z;
    sum_z += choice.z;
    if (choice.change_cost < choices[cheapest][word >> cheapest & 1u].change_cost) cheapest = i;
  }
  if ((sum_z & 1) != m) z[cheapest] = choices[cheapest][word >> cheapest & 1u].second_z;
  std::array<std::int32_t, kLeechDimension> x{};
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    const int bit = static_cast<int>(word >> i & 1u);
    x[i] = static_cast<std::int32_t>(leech_offset(m, bit) + 4 * z[i]);
  }
  return x;
}

qp_status refuse(qp_location* where, qp_status status, std::size_t point, std::size_t coordinate,
                 const char* field) {
  if (where != nullptr) *where = {point, 4 * (kLeechDimension * point + coordinate), field};
  return status;
}

// leech.md 6.2 for one coordinate as it stands in the input.
qp_status read_coordinate(std::int32_t value, std::int32_t* y) {
  if (value > kLeechPointLimit || value < -kLeechPointLimit) return QP_POINT_OUT_OF_RANGE;
  *y = value;
  return QP_OK;
}

// leech.md 7.1. The product is exact: binary32 times a power of two in binary64.
qp_status read_coordinate(float value, std::int32_t* y) {
  if (!std::isfinite(value)) return QP_POINT_NOT_FINITE;
  const double scaled = static_cast<double>(value) * kLeechUnit;
  if (scaled > kLeechPointLimit || scaled < -kLeechPointLimit) return QP_POINT_OUT_OF_RANGE;
  // To the nearest integer, ties to even, whatever the rounding mode: |scaled| <= 2^30, so that
  // its floor and what is left are exact.
  const double low = std::floor(scaled);
  const double rest = scaled - low;
  const auto floor = static_cast<std::int32_t>(low);
  const bool up = rest > 0.5 || (rest == 0.5 && floor % 2 != 0);
  *y = floor + (up ? 1 : 0);
  return QP_OK;
}

template <class Coordinate>
qp_status nearest_rows(const Coordinate* points, std::size_t n_points, std::int32_t* out,
                       qp_location* where) {
  if (points == nullptr && n_points > 0) return refuse(where, QP_BAD_ARGUMENT, 0, 0, "points");
  if (out == nullptr && n_points > 0) return refuse(where, QP_BAD_ARGUMENT, 0, 0, "out");
  for (std::size_t p = 0; p < n_points; ++p) {
    std::array<std::int32_t, kLeechDimension> y{};
    for (std::size_t i = 0; i < kLeechDimension; ++i) {
      const qp_status status = read_coordinate(points[kLeechDimension * p + i], &y[i]);
      if (status != QP_OK) return refuse(where, status, p, i, "coordinate");
    }
    const LeechNearest nearest = find_nearest_leech_point(y.data());
    std::copy(nearest.point.begin(), nearest.point.end(), out + kLeechDimension * p);
  }
  return QP_OK;
}

}  // namespace

bool is_leech_point(const std::int32_t* x) {
  const std::int32_t m = x[0] & 1;
  std::uint32_t word = 0;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    if ((x[i] & 1) != m) return false;                       // 2.1 (a)
    word |= static_cast<std::uint32_t>(x[i] >> 1 & 1) << i;  // floor((x_i - m) / 2) mod 2
    sum += x[i];
  }
  const int parity = std::popcount(word & 0x111111u) % 2;         // of the top row
  for (std::size_t column = 0; column < kMogColumns; ++column) {  // 3.5 (a)
    if (std::popcount(word >> mog_coordinate(column, 0) & 0xFu) % 2 != parity) return false;
  }
  const Hexaword sums = mog_column_sums(word);  // 3.5 (b)
  if (hexacode_word(16u * sums[0] + 4u * sums[1] + sums[2]) != sums) return false;
  return ((sum - std::int64_t{4} * m) & 7) == 0;  // 2.1 (c)
}

LeechNearest find_nearest_leech_point(const std::int32_t* y) {
  LeechNearest best;
  best.squared_distance = std::numeric_limits<std::int64_t>::max();
  for (int m = 0; m < 2; ++m) {
    const Choices choices = choices_of(y, m);
    for (std::uint32_t k = 0; k < kGolayWordCount; ++k) {
      const std::uint32_t word = golay_word(k);
      const std::int64_t cost = candidate_cost(choices, m, word);
      if (cost >= best.squared_distance) continue;  // 5.5: the first of equals stays
      best = {candidate_point(choices, m, word), m, k, cost};
    }
  }
  return best;
}

qp_status leech_nearest(const std::int32_t* points, std::size_t n_points, std::int32_t* out,
                        qp_location* where) {
  return nearest_rows(points, n_points, out, where);
}

qp_status leech_nearest_f32(const float* points, std::size_t n_points, std::int32_t* out,
                            qp_location* where) {
  return nearest_rows(points, n_points, out, where);
}

}  // namespace quantproof::ref
