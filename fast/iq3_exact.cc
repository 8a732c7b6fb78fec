// SPDX-License-Identifier: Apache-2.0
#include "fast/iq3_exact.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fast/half_nearest.h"
#include "quantproof/iq3_codebook.h"

namespace quantproof::fast {

namespace {

using Fields = Iq3Fields<std::uint32_t>;

// The codebook row of each four levels, first weight first, or 256.
constexpr auto make_row_of_levels() {
  std::array<std::uint16_t, kLevels * kLevels * kLevels * kLevels> rows{};
  rows.fill(kCodebookRows);
  for (std::size_t r = 0; r < kCodebookRows; ++r) {
    rows[kIq3RowLevels[r]] = static_cast<std::uint16_t>(r);
  }
  return rows;
}

constexpr auto kRowOfLevels = make_row_of_levels();

// The level whose magnitude times `t` is `magnitude`, or 8. Exact: t has at most 24 significant
// bits, and magnitude at most 30.
std::uint32_t level_of(double magnitude, double t) {
  std::uint32_t level = 0;
  while (level < kLevels && t * kLevelMagnitude[level] != magnitude) ++level;
  return level;
}

bool put_subblock(const float* x, double t, std::size_t ib, Fields* fields) {
  constexpr std::size_t kRows = kSubblockWeights / kRowWeights;
  for (std::size_t k = 0; k < kRows; ++k) {
    std::uint32_t levels = 0;
    for (std::size_t j = 0; j < kRowWeights; ++j) {
      const std::uint32_t level =
          level_of(std::fabs(static_cast<double>(x[kRowWeights * k + j])), t);
      if (level == kLevels) return false;
      levels = levels << 3 | level;
    }
    if (kRowOfLevels[levels] == kCodebookRows) return false;
    fields->index[kRows * ib + k] = kRowOfLevels[levels];
  }
  for (std::size_t l = 0; l < kGroupsPerSubblock; ++l) {
    std::uint32_t field = 0;
    std::uint32_t odd = 0;
    for (std::size_t j = 0; j < kGroupWeights; ++j) {
      const std::uint32_t negative = x[kGroupWeights * l + j] < 0 ? 1 : 0;
      field |= negative << j;
      odd ^= negative;
    }
    if (odd != 0) return false;
    fields->sign_field[ib][l] = field & 0x7Fu;
  }
  return true;
}

bool put_block(const float* x, std::uint32_t scale, double unit, Fields* fields) {
  fields->scale = scale;
  const double d = HalfValue(scale) * unit;
  for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
    std::uint32_t code = 0;
    while (code < 16 && !put_subblock(x + kSubblockWeights * ib, d * (2 * code + 1), ib, fields)) {
      ++code;
    }
    if (code == 16) return false;
    fields->scale_code[ib] = code;
  }
  return true;
}

}  // namespace

bool find_exact_iq3(const float* x, int value_shift, Iq3Fields<std::uint32_t>* fields) {
  double greatest = 0;
  for (std::size_t i = 0; i < kSubblockWeights; ++i) {
    greatest = std::max(greatest, std::fabs(static_cast<double>(x[i])));
  }
  const double unit = 1.0 / (1 << value_shift);
  std::array<std::uint32_t, 16 * kLevels> scales{};
  std::size_t n = 0;
  for (const std::uint8_t magnitude : kLevelMagnitude) {
    // Every magnitude times `magnitude` is `greatest` times a level's.
    const bool possible = std::all_of(x, x + kSubblockWeights, [&](float v) {
      return level_of(std::fabs(static_cast<double>(v)) * magnitude, greatest) < kLevels;
    });
    if (!possible) continue;
    for (std::uint32_t code = 0; code < 16; ++code) {
      const double multiple = unit * magnitude * (2 * code + 1);
      const std::uint32_t scale = NearestHalf(greatest / multiple);
      if (HalfValue(scale) * multiple == greatest) scales[n++] = scale;
    }
  }
  std::sort(scales.begin(), scales.begin() + static_cast<std::ptrdiff_t>(n));
  return std::any_of(scales.begin(), scales.begin() + static_cast<std::ptrdiff_t>(n),
                     [&](std::uint32_t scale) { return put_block(x, scale, unit, fields); });
}

}  // namespace quantproof::fast
