// SPDX-License-Identifier: Apache-2.0
//
// Encoders of IQ3_XXS for the tests of `certify --encoder`: a right one, of another design than the
// library's, and wrong ones, each with one slip that has been made somewhere. Preset qp.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "quantproof/iq3_codebook.h"
#include "quantproof/iq3_xxs.h"
#include "quantproof/ref/iq3_block.h"

namespace {

using namespace quantproof;

// What an encoder does in each place where another one slipped.
struct Ways {
  unsigned top_magnitude = 62;  // that it searches with
  bool uses_importance = true;
  bool exact_parity = true;       // else the sign of the least x^2 is flipped first
  bool keeps_parity = true;       // else the eighth sign is whatever it is
  unsigned code_shift = 0;        // added to each scale code
  bool keeps_place = true;        // behind a sub-block of zeros
  bool refuses = true;            // NaN, infinities, what cannot be decoded, bad importance
  bool guards_importance = true;  // importances that are all 0 count as 1
  bool saturates = true;          // the scale, else it becomes infinite
  bool writes_all = true;         // of the 98 bytes
};

bool usable(float v) { return std::isfinite(v); }

std::uint16_t nearest_half(double d) {
  if (d <= 0) return 0;
  const int e = std::max(std::ilogb(d), -14);
  const long m = std::lround(std::ldexp(d, 10 - e));
  return static_cast<std::uint16_t>(std::min<long>(m + ((e + 14L) << 10), 0x7C00));
}

double half_value(std::uint16_t half) {
  const int e = std::max(half >> 10, 1);
  return std::ldexp((half & 0x3FF) + (half >= 0x400 ? 1024 : 0), e - 25);
}

struct Group {
  double error = 0;
  std::array<unsigned, 2> row{};
  std::array<int, 2> flip{-1, -1};
};

// What the error of a half-group under a row is made of: energy - 2 t product + t^2 square, and
// 4 t flip more with the cheapest sign flipped.
struct Row {
  double product, square, flip;
  int weight;  // whose sign that is
};

struct HalfGroup {
  double energy = 0;
  std::array<Row, kCodebookRows> rows;

  HalfGroup(const float* x, const double* w, int first, const Ways& ways) {
    for (std::size_t j = 0; j < 4; ++j) energy += w[j] * static_cast<double>(x[j]) * x[j];
    for (unsigned r = 0; r < kCodebookRows; ++r) {
      Row row{0, 0, std::numeric_limits<double>::infinity(), 0};
      for (std::size_t j = 0; j < 4; ++j) {
        const double g = kIq3Codebook[r][j] == 62 ? ways.top_magnitude : kIq3Codebook[r][j];
        const double p = w[j] * std::abs(static_cast<double>(x[j])) * g;
        row.product += p;
        row.square += w[j] * g * g;
        if (p >= row.flip) continue;
        row.flip = p;
        row.weight = first + static_cast<int>(j);
      }
      rows[r] = row;
    }
  }
};

// The best rows of eight weights at magnitudes t G; parity closed exactly, or not at all.
Group best_group(const std::array<HalfGroup, 2>& halves, double t, bool odd, const Ways& ways) {
  std::array<std::array<Group, 2>, 2> best;  // of a half, by parity of its flips
  for (std::size_t half = 0; half < 2; ++half) {
    best[half][0].error = best[half][1].error = std::numeric_limits<double>::infinity();
    for (unsigned r = 0; r < kCodebookRows; ++r) {
      const Row& row = halves[half].rows[r];
      const double kept = halves[half].energy - t * (2 * row.product - t * row.square);
      const double flipped = kept + 4 * t * row.flip;
      if (kept < best[half][0].error) best[half][0] = {kept, {r, 0}, {-1, -1}};
      if (flipped < best[half][1].error) best[half][1] = {flipped, {r, 0}, {row.weight, -1}};
    }
  }
  const auto join = [&](std::size_t a, std::size_t b) {
    return Group{best[0][a].error + best[1][b].error,
                 {best[0][a].row[0], best[1][b].row[0]},
                 {best[0][a].flip[0], best[1][b].flip[0]}};
  };
  if (!odd) {
    const Group none = join(0, 0);
    const Group both = join(1, 1);
    return both.error < none.error && ways.exact_parity ? both : none;
  }
  const Group first = join(1, 0);
  const Group second = join(0, 1);
  return second.error < first.error ? second : first;
}

void encode_block(const float* x, const float* importance, std::uint8_t* bytes, const Ways& ways) {
  std::array<double, 256> w;
  w.fill(1);
  if (importance != nullptr && ways.uses_importance) {
    for (std::size_t ib = 0; ib < 8; ++ib) {
      double sum = 0;
      for (std::size_t i = 32 * ib; i < 32 * ib + 32; ++i) {
        sum += importance[i];
        w[i] = importance[i];
      }
      if (sum == 0 && ways.guards_importance)
        std::fill_n(w.begin() + 32 * static_cast<long>(ib), 32, 1.0);
    }
  }
  double energy = 0;
  double weight = 0;
  double zeros = 0;
  for (std::size_t i = 0; i < 256; ++i) {
    energy += static_cast<double>(x[i]) * x[i];
    zeros += w[i] * static_cast<double>(x[i]) * x[i];
    weight += w[i];
  }
  Iq3Fields<std::uint32_t> fields;
  // The greatest weight must be within reach of code 15.
  double peak = 0;
  for (std::size_t i = 0; i < 256; ++i) peak = std::max(peak, std::abs(static_cast<double>(x[i])));
  fields.scale = nearest_half(std::max(std::sqrt(energy / 256) / 40, peak / (62 * 31 / 4.0)));
  if (fields.scale == 0x7C00 && ways.saturates) fields.scale = 0x7BFF;
  const double d = half_value(static_cast<std::uint16_t>(fields.scale));
  double error = weight == 0 ? -1 : 0;
  std::size_t place = 0;
  for (std::size_t ib = 0; ib < 8; ++ib) {
    const float* sub = x + 32 * ib;
    const bool empty = std::all_of(sub, sub + 32, [](float v) { return v == 0; });
    if (empty && !ways.keeps_place) continue;
    std::array<std::array<float, 8>, 4> y;
    std::array<bool, 4> odd{};
    std::vector<std::array<HalfGroup, 2>> halves;
    for (std::size_t l = 0; l < 4; ++l) {
      std::copy_n(sub + 8 * l, 8, y[l].begin());
      for (const float v : y[l]) odd[l] ^= v < 0;
      if (odd[l] && !ways.exact_parity) {
        const auto least_x = std::min_element(
            y[l].begin(), y[l].end(), [](float a, float b) { return std::abs(a) < std::abs(b); });
        *least_x = -*least_x;
        odd[l] = false;
      }
      if (!ways.keeps_parity) odd[l] = false;
      const double* v = w.data() + 32 * ib + 8 * l;
      halves.push_back({HalfGroup(y[l].data(), v, 0, ways), HalfGroup(&y[l][4], v + 4, 4, ways)});
    }
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t code = 0; code < 16; ++code) {
      std::array<Group, 4> groups;
      std::array<std::uint32_t, 4> signs{};
      double sum = 0;
      for (std::size_t l = 0; l < 4; ++l) {
        groups[l] = best_group(halves[l], d * (2 * code + 1) / 4, odd[l], ways);
        sum += groups[l].error;
        for (std::uint32_t j = 0; j < 7; ++j) {
          bool minus = y[l][j] < 0;
          for (const int flip : groups[l].flip) minus ^= flip == static_cast<int>(j);
          signs[l] |= minus ? 1u << j : 0u;
        }
      }
      if (sum >= least) continue;
      least = sum;
      fields.scale_code[ib] = (code + ways.code_shift) & 15;
      for (std::size_t l = 0; l < 4; ++l) {
        fields.index[8 * place + 2 * l] = groups[l].row[0];
        fields.index[8 * place + 2 * l + 1] = groups[l].row[1];
        fields.sign_field[ib][l] = signs[l];
      }
    }
    error += least;
    ++place;
  }
  std::array<std::uint8_t, 98> block{};
  if (error < zeros) ref::pack<Iq3Xxs>(fields, block.data());
  std::memcpy(bytes, block.data(), ways.writes_all ? 98 : 97);
}

int encode(const float* x, std::size_t rows, std::size_t cols, const float* importance,
           std::uint8_t* bytes, std::size_t n_bytes, const Ways& ways) {
  if (cols % 256 != 0 || n_bytes != rows * cols / 256 * 98) return 1;
  for (std::size_t j = 0; ways.refuses && importance != nullptr && j < cols; ++j) {
    if (!usable(importance[j]) || importance[j] < 0) return 2;
  }
  for (std::size_t i = 0; ways.refuses && i < rows * cols; ++i) {
    if (!usable(x[i]) || std::abs(x[i]) > 31474672.0f) return 3;
  }
  for (std::size_t i = 0; i < rows * cols; i += 256) {
    encode_block(x + i, importance == nullptr ? nullptr : importance + i % cols,
                 bytes + i / 256 * 98, ways);
  }
  return 0;
}

}  // namespace

#define ENCODER(name, ...)                                                         \
  extern "C" __attribute__((visibility("default"))) int name(                      \
      const float* x, std::size_t rows, std::size_t cols, const float* importance, \
      std::uint8_t* bytes, std::size_t n_bytes) {                                  \
    return encode(x, rows, cols, importance, bytes, n_bytes, Ways{__VA_ARGS__});   \
  }

ENCODER(right)
ENCODER(searches_with_60, .top_magnitude = 60)
ENCODER(ignores_importance, .uses_importance = false)
ENCODER(flips_least_weight_first, .exact_parity = false)
ENCODER(loses_eighth_sign, .keeps_parity = false)
ENCODER(next_scale_code, .code_shift = 1)
ENCODER(loses_place_after_zeros, .keeps_place = false)
ENCODER(accepts_nan, .refuses = false)
ENCODER(trusts_zero_importance, .guards_importance = false)
ENCODER(infinite_scale, .refuses = false, .saturates = false)
ENCODER(last_byte_unwritten, .writes_all = false)

#define WRAPPER(name)                                                              \
  extern "C" __attribute__((visibility("default"))) int name(                      \
      const float* x, std::size_t rows, std::size_t cols, const float* importance, \
      std::uint8_t* bytes, std::size_t n_bytes)

WRAPPER(writes_one_more) {
  const int status = right(x, rows, cols, importance, bytes, n_bytes);
  if (status == 0) bytes[n_bytes] = 0;
  return status;
}

WRAPPER(reads_one_more) {
  volatile float next = x[rows * cols];
  static_cast<void>(next);
  return right(x, rows, cols, importance, bytes, n_bytes);
}

WRAPPER(remembers_last_call) {
  static std::uint8_t last = 0;
  const int status = right(x, rows, cols, importance, bytes, n_bytes);
  if (status == 0) bytes[2] = static_cast<std::uint8_t>(bytes[2] ^ (last & 1));
  ++last;
  return status;
}

WRAPPER(aborts_on_nan) {
  for (std::size_t i = 0; i < rows * cols; ++i) {
    if (std::isnan(x[i])) std::abort();
  }
  return right(x, rows, cols, importance, bytes, n_bytes);
}

WRAPPER(never_ends_on_negative_importance) {
  for (std::size_t j = 0; importance != nullptr && j < cols; ++j) {
    while (*static_cast<const volatile float*>(importance + j) == -1) {
    }
  }
  return right(x, rows, cols, importance, bytes, n_bytes);
}

WRAPPER(transposes_importance) {
  if (importance == nullptr) return right(x, rows, cols, importance, bytes, n_bytes);
  float reversed[4096];
  if (cols > 4096) return 4;
  std::reverse_copy(importance, importance + cols, reversed);
  return right(x, rows, cols, reversed, bytes, n_bytes);
}
