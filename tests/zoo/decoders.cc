// SPDX-License-Identifier: Apache-2.0
//
// The zoo: decoders for the tests of `certify`. Right ones written in other ways, and wrong ones,
// each with one slip that has been made somewhere or easily could be. zoo.json says of each how it
// is called and what the report must say. Presets: most take (blocks, out, n), those of preset qp
// (bytes, n_bytes, out, n).
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <unistd.h>
#include <vector>

#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_codebook.h"
#include "quantproof/iq3_xxs.h"
#include "quantproof/ref/e8_iq3.h"
#include "quantproof/ref/iq3_xxs.h"

namespace {

using namespace quantproof;

// What a decoder does in each place where another one slipped.
struct Ways {
  std::size_t scale_offset = 0;
  std::size_t index_offset = 2;
  std::size_t word_offset = 66;
  std::int64_t block_bytes = 98;
  float factor = 0.25f;
  bool swap_scale = false;
  bool swap_words = false;
  std::uint32_t sign_shift = 7;
  bool half_subnormals = true;
  bool quiet_nan = true;
  std::function<float(std::uint32_t half, float right)> scale;
  std::function<std::size_t(std::size_t index)> row;
  std::function<std::uint32_t(std::size_t row, std::size_t j, std::uint32_t right)> magnitude;
  std::function<bool(std::uint32_t field, std::size_t j, bool right)> negative;
  std::function<float(std::uint32_t word)> multiplier;
  std::function<float(float right)> value;
  std::function<std::size_t(std::size_t ib)> code_subblock;
};

float widen(std::uint32_t half, const Ways& ways) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 31;
  const std::uint32_t fraction = half & 0x3FF;
  if (exponent == 0) {
    const float magnitude = ways.half_subnormals ? std::ldexp(static_cast<float>(fraction), -24)
                            : fraction == 0
                                ? 0.0f
                                : std::ldexp(1.0f + static_cast<float>(fraction) / 1024, -14);
    return sign != 0 ? -magnitude : magnitude;
  }
  std::uint32_t bits = sign | ((exponent + 112) << 23) | (fraction << 13);
  if (exponent == 31) bits = sign | 0x7F800000u | (fraction << 13);
  if (exponent == 31 && fraction != 0) bits |= ways.quiet_nan ? 0x400000u : 0x7FFFFFu;
  return std::bit_cast<float>(bits);
}

void decode(const void* blocks, float* out, std::int64_t n, const Ways& ways) {
  const auto* bytes = static_cast<const std::uint8_t*>(blocks);
  for (std::int64_t b = 0; b < n / 256; ++b, bytes += ways.block_bytes, out += 256) {
    std::uint32_t half =
        bytes[ways.scale_offset] | (std::uint32_t{bytes[ways.scale_offset + 1]} << 8);
    if (ways.swap_scale) half = (half >> 8) | ((half & 0xFF) << 8);
    float d = widen(half, ways);
    if (ways.scale) d = ways.scale(half, d);
    const auto word_of = [&](std::size_t ib) {
      std::uint32_t word = 0;
      std::memcpy(&word, bytes + ways.word_offset + 4 * ib, 4);
      return ways.swap_words ? __builtin_bswap32(word) : word;
    };
    for (std::size_t i = 0; i < 256; ++i) {
      const std::uint32_t field = (word_of(i / 32) >> (ways.sign_shift * (i % 32 / 8))) & 0x7F;
      bool negative = i % 8 < 7 ? ((field >> (i % 8)) & 1) != 0 : std::popcount(field) % 2 != 0;
      if (ways.negative) negative = ways.negative(field, i % 8, negative);
      std::size_t row = bytes[ways.index_offset + i / 4];
      if (ways.row) row = ways.row(row);
      std::uint32_t magnitude = kIq3Codebook[row][i % 4];
      if (ways.magnitude) magnitude = ways.magnitude(row, i % 4, magnitude);
      const std::uint32_t code_word =
          word_of(ways.code_subblock ? ways.code_subblock(i / 32) : i / 32);
      const float multiplier = ways.multiplier ? ways.multiplier(code_word)
                                               : static_cast<float>(2 * (code_word >> 28) + 1);
      // A NaN keeps its bits, whatever the processor's rule for products of NaNs.
      const float product =
          std::isnan(d) ? d : d * multiplier * static_cast<float>(magnitude) * ways.factor;
      const std::uint32_t bits =
          std::bit_cast<std::uint32_t>(product) ^ (negative ? 0x80000000u : 0u);
      out[i] = std::bit_cast<float>(bits);
      if (ways.value) out[i] = ways.value(out[i]);
    }
  }
}

Ways e8_ways() {
  Ways ways;
  ways.scale_offset = 96;
  ways.index_offset = 0;
  ways.word_offset = 64;
  ways.factor = 0.125f;
  return ways;
}

Ways with(const std::function<void(Ways&)>& change) {
  Ways ways;
  change(ways);
  return ways;
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

// ---- Right ones ----------------------------------------------------------------------------

EXPORT void right_ggml(const void* in, float* out, std::int64_t n) { decode(in, out, n, Ways{}); }
EXPORT void right_colibri(const void* in, float* out, std::int64_t n) {
  Ways ways = e8_ways();
  ways.half_subnormals = false;  // what the profile of that name asks for
  decode(in, out, n, ways);
}
EXPORT int right_qp(const std::uint8_t* in, std::size_t n_bytes, float* out, std::size_t n) {
  return ref::decode_iq3_xxs(QP_PROFILE_STRICT, in, n_bytes, out, n, nullptr);
}
EXPORT int right_e8_qp(const std::uint8_t* in, std::size_t n_bytes, float* out, std::size_t n) {
  return ref::decode_e8_iq3(QP_PROFILE_STRICT, in, n_bytes, out, n, nullptr);
}
// All that a sub-block can be, in tables.
EXPORT void right_table_driven(const void* in, float* out, std::int64_t n) {
  static const auto signs = [] {
    std::array<std::array<float, 8>, 128> table{};
    for (std::uint32_t f = 0; f < 128; ++f) {
      for (std::uint32_t j = 0; j < 8; ++j) {
        const std::uint32_t bits = f | (static_cast<std::uint32_t>(std::popcount(f)) % 2) << 7;
        table[f][j] = ((bits >> j) & 1) != 0 ? -1.0f : 1.0f;
      }
    }
    return table;
  }();
  static const auto scales = [] {
    std::vector<float> table(65536);
    for (std::uint32_t half = 0; half < 65536; ++half) table[half] = widen(half, Ways{});
    return table;
  }();
  const auto* block = static_cast<const std::uint8_t*>(in);
  for (std::int64_t b = 0; b < n / 256; ++b, block += 98) {
    const float d = scales[block[0] + 256u * block[1]];
    for (std::size_t ib = 0; ib < 8; ++ib) {
      std::uint32_t word = 0;
      std::memcpy(&word, block + 66 + 4 * ib, 4);
      const float step = d * (0.5f + static_cast<float>(word >> 28)) * 0.5f;
      for (std::size_t l = 0; l < 4; ++l, word >>= 7) {
        for (std::size_t j = 0; j < 8; ++j) {
          const float g = kIq3Codebook[block[2 + 8 * ib + 2 * l + j / 4]][j % 4];
          const float sign = signs[word & 127][j];
          // The sign of a NaN is not the processor's business.
          *out++ = std::isnan(step) ? std::copysign(step, sign * std::copysign(1.0f, step))
                                    : step * g * sign;
        }
      }
    }
  }
}
// Integers only: the significand is multiplied out and put in place.
EXPORT void right_integers_only(const void* in, float* out, std::int64_t n) {
  const auto* block = static_cast<const std::uint8_t*>(in);
  for (std::int64_t v = 0; v < n; ++v) {
    const std::uint8_t* const p = block + 98 * (v / 256);
    const auto i = static_cast<std::size_t>(v % 256);
    const std::uint32_t half = p[0] + 256u * p[1];
    const std::uint8_t* const w = p + 66 + i / 32 * 4;
    const std::uint32_t word = w[0] + 256u * w[1] + 65536u * w[2] + 16777216u * w[3];
    const std::uint32_t field = (word >> (7 * (i / 8 % 4))) & 127;
    std::uint32_t signs = field | field << 7;  // bit 7 becomes the parity of the field
    signs = field | ((0x6996u >> ((field ^ field >> 4) & 15)) & 1u) << 7;
    const std::uint32_t sign = (((signs >> (i % 8)) ^ (half >> 15)) & 1u) << 31;
    const std::uint32_t e = (half >> 10) & 31;
    const std::uint32_t m = half & 1023;
    std::uint32_t bits = 0;
    if (e == 31) {
      bits = 0x7F800000u | m << 13 | (m != 0 ? 1u << 22 : 0u);
    } else {
      const std::uint32_t integer =
          (e == 0 ? m : 1024 + m) * (2 * (word >> 28) + 1) * kIq3Codebook[p[2 + i / 4]][i % 4];
      if (integer != 0) {
        const auto top = 31u - static_cast<std::uint32_t>(std::countl_zero(integer));
        // integer 2^(e - 25 - 2), with e of at least 1
        bits = ((top + 127 - 27 + std::max(e, 1u)) << 23) + (integer << (23 - top)) - (1u << 23);
      }
    }
    out[v] = std::bit_cast<float>(sign | bits);
  }
}
EXPORT void right_double(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.factor = 1.0f;
           w.value = [](float v) {
             return std::isnan(v) ? v : static_cast<float>(static_cast<double>(v) / 4.0);
           };
         }));
}
// The blocks from the last to the first.
EXPORT void right_backwards(const void* in, float* out, std::int64_t n) {
  for (std::int64_t b = n / 256; b-- > 0;) {
    decode(static_cast<const std::uint8_t*>(in) + 98 * b, out + 256 * b, 256, Ways{});
  }
}
// As on a big-endian machine: everything swapped twice.
EXPORT void right_byte_swapped(const void* in, float* out, std::int64_t n) {
  const auto* bytes = static_cast<const std::uint8_t*>(in);
  for (std::int64_t b = 0; b < n / 256; ++b) {
    std::array<std::uint8_t, 98> block;
    std::memcpy(block.data(), bytes + 98 * b, 98);
    std::swap(block[0], block[1]);
    for (std::size_t i = 66; i < 98; i += 4) std::reverse(&block[i], &block[i] + 4);
    decode(block.data(), out + 256 * b, 256, with([](Ways& w) {
             w.swap_scale = true;
             w.swap_words = true;
           }));
  }
}
// Writes each value twice, the first time something else.
EXPORT void right_writes_twice(const void* in, float* out, std::int64_t n) {
  std::fill_n(out, n, 0.0f);
  decode(in, out, n, Ways{});
}
EXPORT void right_but_talks(const void* in, float* out, std::int64_t n) {
  static bool said = false;
  if (!said) std::puts("decoding");  // on standard output, which is not its own
  said = true;
  decode(in, out, n, Ways{});
}

// ---- Wrong ones: the codebook ---------------------------------------------------------------

EXPORT void stale_62(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.magnitude = [](std::size_t, std::size_t, std::uint32_t g) { return g == 62 ? 60 : g; };
         }));
}
EXPORT void row_255_missing(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.row = [](std::size_t r) { return std::min<std::size_t>(r, 254); };
         }));
}
EXPORT void value_of_row_127(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.magnitude = [](std::size_t r, std::size_t j, std::uint32_t g) {
             return r == 127 && j == 3 ? g + 8 : g;
           };
         }));
}
EXPORT void value_of_row_255(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.magnitude = [](std::size_t r, std::size_t j, std::uint32_t g) {
             return r == 255 && j == 0 ? g + 8 : g;
           };
         }));
}
EXPORT void two_rows_swapped(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.row = [](std::size_t r) { return r == 40 ? 41 : r == 41 ? 40 : r; };
         }));
}
EXPORT void next_row(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w.row = [](std::size_t r) { return (r + 1) % 256; }; }));
}
EXPORT void seven_bit_index(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w.row = [](std::size_t r) { return r & 127; }; }));
}
EXPORT void signed_index(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w.row = [](std::size_t r) { return r < 128 ? r : 0; }; }));
}
EXPORT void row_reversed(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.magnitude = [](std::size_t r, std::size_t j, std::uint32_t) {
             return std::uint32_t{kIq3Codebook[r][3 - j]};
           };
         }));
}
EXPORT void indices_one_byte_on(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w.index_offset = 3; }));
}

// ---- Wrong ones: the signs ------------------------------------------------------------------

EXPORT void no_eighth_sign(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.negative = [](std::uint32_t, std::size_t j, bool right) { return j < 7 && right; };
         }));
}
EXPORT void eighth_sign_inverted(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.negative = [](std::uint32_t, std::size_t j, bool right) {
             return j < 7 ? right : !right;
           };
         }));
}
EXPORT void eighth_sign_from_bit_6(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.negative = [](std::uint32_t f, std::size_t j, bool right) {
             return j < 7 ? right : (f & 64) != 0;
           };
         }));
}
EXPORT void signs_reversed(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.negative = [](std::uint32_t f, std::size_t j, bool right) {
             return j < 7 ? ((f >> (6 - j)) & 1) != 0 : right;
           };
         }));
}
EXPORT void signs_inverted(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.negative = [](std::uint32_t, std::size_t, bool right) { return !right; };
         }));
}
EXPORT void signs_ignored(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.negative = [](std::uint32_t, std::size_t, bool) { return false; };
         }));
}
EXPORT void sign_of_weight_6_lost(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.negative = [](std::uint32_t, std::size_t j, bool right) { return j != 6 && right; };
         }));
}
EXPORT void sign_field_0x7f_taken_for_0(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.negative = [](std::uint32_t f, std::size_t, bool right) { return f != 0x7F && right; };
         }));
}
EXPORT void eight_bit_sign_fields(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w.sign_shift = 8; }));
}

// ---- Wrong ones: the scale code -------------------------------------------------------------

EXPORT void three_bit_scale_code(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.multiplier = [](std::uint32_t word) {
             return static_cast<float>(2 * ((word >> 28) & 7) + 1);
           };
         }));
}
EXPORT void scale_code_in_low_nibble(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.multiplier = [](std::uint32_t word) {
             return static_cast<float>(2 * ((word >> 24) & 15) + 1);
           };
         }));
}
EXPORT void scale_code_at_bit_0(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.multiplier = [](std::uint32_t word) {
             return static_cast<float>(2 * (word & 15) + 1);
           };
         }));
}
EXPORT void scale_codes_swapped(const void* in, float* out, std::int64_t n) {
  decode(in, out, n,
         with([](Ways& w) { w.code_subblock = [](std::size_t ib) { return ib ^ 1; }; }));
}
EXPORT void multiplier_2s(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.multiplier = [](std::uint32_t word) { return static_cast<float>(2 * (word >> 28)); };
         }));
}
EXPORT void multiplier_s_plus_1(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.multiplier = [](std::uint32_t word) { return static_cast<float>((word >> 28) + 1); };
         }));
}
EXPORT void scale_code_15_is_14(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.multiplier = [](std::uint32_t word) {
             return static_cast<float>(2 * std::min(word >> 28, 14u) + 1);
           };
         }));
}

// ---- Wrong ones: the scale ------------------------------------------------------------------

EXPORT void subnormal_scale(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w.half_subnormals = false; }));
}
EXPORT void colibri_subnormals(const void* in, float* out, std::int64_t n) {
  Ways ways = e8_ways();
  ways.half_subnormals = false;
  decode(in, out, n, ways);
}
EXPORT void subnormals_flushed(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.scale = [](std::uint32_t h, float right) {
             return (h & 0x7C00) == 0 ? std::copysign(0.0f, right) : right;
           };
         }));
}
EXPORT void subnormals_halved(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.scale = [](std::uint32_t h, float right) {
             return (h & 0x7C00) == 0 ? right / 2 : right;
           };
         }));
}
EXPORT void bfloat16_scale(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.scale = [](std::uint32_t h, float) { return std::bit_cast<float>(h << 16); };
         }));
}
EXPORT void big_endian_scale(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w.swap_scale = true; }));
}
EXPORT void scale_at_the_end(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w = e8_ways();
           w.factor = 0.25f;
         }));
}
EXPORT void negative_scale_ignored(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.scale = [](std::uint32_t, float right) { return std::fabs(right); };
         }));
}
EXPORT void infinite_scale_saturated(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.scale = [](std::uint32_t, float right) {
             return std::isinf(right) ? std::copysign(65504.0f, right) : right;
           };
         }));
}
EXPORT void exponent_31_is_a_number(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.scale = [](std::uint32_t h, float right) {
             return (h & 0x7C00) == 0x7C00
                        ? std::copysign(std::ldexp(1024.0f + static_cast<float>(h & 1023), 6),
                                        right)
                        : right;
           };
         }));
}
EXPORT void nan_payload(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w.quiet_nan = false; }));
}
EXPORT void nan_payload_lost(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.scale = [](std::uint32_t, float right) {
             return std::isnan(right) ? std::copysign(std::bit_cast<float>(0x7FC00000u), right)
                                      : right;
           };
         }));
}
EXPORT void nan_sign_lost(const void* in, float* out, std::int64_t n) {
  decode(in, out, n,
         with([](Ways& w) { w.value = [](float v) { return std::isnan(v) ? std::fabs(v) : v; }; }));
}
EXPORT void nan_is_zero(const void* in, float* out, std::int64_t n) {
  decode(in, out, n,
         with([](Ways& w) { w.value = [](float v) { return std::isnan(v) ? 0.0f : v; }; }));
}

// ---- Wrong ones: the value ------------------------------------------------------------------

EXPORT void other_order(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w = e8_ways(); }));
}
EXPORT void half_value(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w.factor = 0.125f; }));
}
EXPORT void big_endian_words(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w.swap_words = true; }));
}
EXPORT void minus_zero_lost(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w.value = [](float v) { return v == 0 ? 0.0f : v; }; }));
}
EXPORT void saturates_at_65504(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.value = [](float v) { return std::clamp(v, -65504.0f, 65504.0f); };
         }));
}
EXPORT void rounds_to_bfloat16(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.value = [](float v) {
             if (!std::isfinite(v)) return v;
             const std::uint32_t bits = std::bit_cast<std::uint32_t>(v);
             return std::bit_cast<float>((bits + 0x7FFFu + ((bits >> 16) & 1u)) & 0xFFFF0000u);
           };
         }));
}
EXPORT void flushes_small_values(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.value = [](float v) { return std::fabs(v) < 0x1p-14f ? std::copysign(0.0f, v) : v; };
         }));
}
EXPORT void e8_twice_the_value(const void* in, float* out, std::int64_t n) {
  Ways ways = e8_ways();
  ways.factor = 0.25f;
  decode(in, out, n, ways);
}

// ---- Wrong ones: rows -----------------------------------------------------------------------

EXPORT void first_block_only(const void* in, float* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += 256) decode(in, out + i, 256, Ways{});
}
EXPORT void last_block_forgotten(const void* in, float* out, std::int64_t n) {
  decode(in, out, n > 256 ? n - 256 : n, Ways{});
}
EXPORT void blocks_96_bytes_apart(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w.block_bytes = 96; }));
}
EXPORT void padded_blocks(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w.block_bytes = 100; }));
}
EXPORT void wide_rows(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, Ways{});
  if (n > 4096) std::fill(out + 4096, out + n, 0.0f);
}
EXPORT void sixteen_bit_width(const void* in, float* out, std::int64_t n) {
  decode(in, out, static_cast<std::uint16_t>(n), Ways{});
}
EXPORT void tail_of_a_tile(const void* in, float* out, std::int64_t n) {
  // Tiles of 8 blocks; the rest of a row is decoded one block short.
  decode(in, out, n % 2048 == 0 || n < 2048 ? n : n - 256, Ways{});
}
EXPORT void odd_blocks(const void* in, float* out, std::int64_t n) {
  const auto* bytes = static_cast<const std::uint8_t*>(in);
  for (std::int64_t b = 0; b < n / 256; ++b) {
    Ways ways;
    if (b % 2 == 1) ways.word_offset = 64;  // as if words were aligned to 4 bytes
    decode(bytes + 98 * b, out + 256 * b, 256, ways);
  }
}
EXPORT void odd_address(const void* in, float* out, std::int64_t n) {
  const auto address = reinterpret_cast<std::uintptr_t>(in);
  decode(reinterpret_cast<const void*>(address & ~std::uintptr_t{1}), out, n, Ways{});
}
EXPORT void aligned_stores(const void* in, float* out, std::int64_t n) {
  // Stores of 16 bytes to an address that is rounded down.
  const auto address = reinterpret_cast<std::uintptr_t>(out);
  decode(in, reinterpret_cast<float*>(address & ~std::uintptr_t{15}), n, Ways{});
}
EXPORT void one_value_left_out(const void* in, float* out, std::int64_t n) {
  const float before = n > 0 ? out[n - 1] : 0.0f;
  decode(in, out, n, Ways{});
  if (n == 768) std::memcpy(out + n - 1, &before, sizeof(before));
}
EXPORT int e8_partial_block_forgotten(const std::uint8_t* in, std::size_t n_bytes, float* out,
                                      std::size_t n) {
  const std::size_t whole = n / 256 * 256;
  if (n_bytes != (n + 255) / 256 * 98) return 1;
  return ref::decode_e8_iq3(QP_PROFILE_STRICT, in, whole / 256 * 98, out, whole, nullptr);
}
EXPORT int e8_partial_block_in_full(const std::uint8_t* in, std::size_t n_bytes, float* out,
                                    std::size_t n) {
  if (n_bytes != (n + 255) / 256 * 98) return 1;
  return ref::decode_e8_iq3(QP_PROFILE_STRICT, in, n_bytes, out, (n + 255) / 256 * 256, nullptr);
}

// ---- Wrong ones: state ----------------------------------------------------------------------

EXPORT void second_call(const void* in, float* out, std::int64_t n) {
  static int calls = 0;
  decode(in, out, n, Ways{});
  if (++calls == 10 && n > 0) out[n - 1] = -out[n - 1];
}
EXPORT void hundredth_call(const void* in, float* out, std::int64_t n) {
  static int calls = 0;
  decode(in, out, n, Ways{});
  if (++calls == 100 && n > 0) out[0] = 2 * out[0];
}
EXPORT void cached_by_scale(const void* in, float* out, std::int64_t n) {
  // A cache whose key is too short.
  static std::array<std::uint8_t, 2> key{};
  static std::vector<float> values;
  if (n > 0 && static_cast<std::int64_t>(values.size()) == n &&
      std::memcmp(in, key.data(), 2) == 0) {
    std::copy(values.begin(), values.end(), out);
    return;
  }
  decode(in, out, n, Ways{});
  if (n > 0) std::memcpy(key.data(), in, 2);
  values.assign(out, out + n);
}
EXPORT void scale_of_the_call_before(const void* in, float* out, std::int64_t n) {
  static float before = 1.0f;
  const float own = before;
  Ways ways;
  if (n > 256) ways.scale = [own](std::uint32_t, float right) { return (before = right, own); };
  decode(in, out, n, ways);
}

// ---- Wrong ones: memory ---------------------------------------------------------------------

EXPORT void reads_past(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, Ways{});
  const volatile auto* bytes = static_cast<const std::uint8_t*>(in);
  if (bytes[n / 256 * 98] == 0 && n == 0) out[0] = 0;
}
EXPORT void reads_before(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, Ways{});
  const volatile auto* bytes = static_cast<const std::uint8_t*>(in);
  if (bytes[-1] == 0 && n == 0) out[0] = 0;
}
EXPORT void writes_past(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, Ways{});
  out[n] = 0;
}
EXPORT void writes_before(const void* in, float* out, std::int64_t n) {
  out[-1] = 0;
  decode(in, out, n, Ways{});
}
EXPORT void writes_its_input(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, Ways{});
  if (n > 0) *static_cast<std::uint8_t*>(const_cast<void*>(in)) ^= 1;
}

// ---- Wrong ones: what ends a process --------------------------------------------------------

EXPORT void crashes(const void* /*in*/, float* /*out*/, std::int64_t /*n*/) { std::raise(SIGABRT); }
EXPORT void hangs(const void* /*in*/, float* /*out*/, std::int64_t /*n*/) {
  while (true) pause();
}
EXPORT void exits(const void* /*in*/, float* /*out*/, std::int64_t /*n*/) { _exit(0); }
EXPORT void throws(const void* /*in*/, float* /*out*/, std::int64_t /*n*/) {
  throw std::runtime_error("out of tiles");
}
EXPORT void divides_by_zero(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) {
           w.multiplier = [](std::uint32_t word) {
             const volatile int room = 15 - static_cast<int>(word >> 28);
             const volatile int steps = 15 / room;  // of a table of steps
             return static_cast<float>(2 * (word >> 28) + (steps > 0 ? 1 : 2));
           };
         }));
}
EXPORT void null_table(const void* in, float* out, std::int64_t n) {
  const volatile float* const volatile table = nullptr;
  decode(in, out, n, with([&](Ways& w) {
           w.scale = [&](std::uint32_t h, float right) {
             return (h & 0x7C00) == 0 ? table[h & 1023] : right;  // subnormals by table
           };
         }));
}

// ---- Wrong ones: refusing input (preset qp) -------------------------------------------------

EXPORT int ignores_the_scale_class(const std::uint8_t* in, std::size_t n_bytes, float* out,
                                   std::size_t n) {
  return ref::decode_iq3_xxs(QP_PROFILE_GGML, in, n_bytes, out, n, nullptr);
}
EXPORT int accepts_any_size(const std::uint8_t* in, std::size_t n_bytes, float* out,
                            std::size_t n) {
  return ref::decode_iq3_xxs(QP_PROFILE_STRICT, in, n_bytes / 98 * 98, out, n / 256 * 256, nullptr);
}
EXPORT int says_ok_to_what_it_refuses(const std::uint8_t* in, std::size_t n_bytes, float* out,
                                      std::size_t n) {
  ref::decode_iq3_xxs(QP_PROFILE_STRICT, in, n_bytes, out, n, nullptr);
  return 0;
}
EXPORT int refuses_subnormal_scales(const std::uint8_t* in, std::size_t n_bytes, float* out,
                                    std::size_t n) {
  if (n_bytes >= 98 && (in[1] & 0x7C) == 0 && (in[0] != 0 || (in[1] & 3) != 0)) return 4;
  return ref::decode_iq3_xxs(QP_PROFILE_STRICT, in, n_bytes, out, n, nullptr);
}
EXPORT int refuses_an_empty_row(const std::uint8_t* in, std::size_t n_bytes, float* out,
                                std::size_t n) {
  return n == 0 ? 2 : ref::decode_iq3_xxs(QP_PROFILE_STRICT, in, n_bytes, out, n, nullptr);
}
EXPORT int writes_the_refused_block(const std::uint8_t* in, std::size_t n_bytes, float* out,
                                    std::size_t n) {
  const qp_status status = ref::decode_iq3_xxs(QP_PROFILE_STRICT, in, n_bytes, out, n, nullptr);
  if (status == QP_SCALE_NOT_FINITE) {
    ref::decode_iq3_xxs(QP_PROFILE_GGML, in, n_bytes, out, n, nullptr);
  }
  return status;
}

// ---- Dead ones: never a pass ----------------------------------------------------------------

EXPORT void untouched(const void* /*in*/, float* /*out*/, std::int64_t /*n*/) {}
EXPORT void constant(const void* /*in*/, float* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = 1.0f;
}
EXPORT void echo(const void* in, float* out, std::int64_t n) {
  std::memcpy(out, in, static_cast<std::size_t>(n / 256 * 98));
}
EXPORT int refuses_everything(const std::uint8_t* /*in*/, std::size_t /*n_bytes*/, float* /*out*/,
                              std::size_t /*n*/) {
  return 1;
}
