// SPDX-License-Identifier: Apache-2.0
//
// Decoders for the tests of `certify`: right ones written in other ways, and wrong ones, each
// with one slip that has been made somewhere. Presets: *_ggml and *_colibri take
// (blocks, out, n), *_qp takes (bytes, n_bytes, out, n).
#include <array>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <functional>

#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_codebook.h"
#include "quantproof/iq3_xxs.h"
#include "quantproof/ref/iq3_xxs.h"

namespace {

using namespace quantproof;

// What a decoder does in each place where another one slipped.
struct Ways {
  std::size_t scale_offset = 0;
  std::size_t index_offset = 2;
  std::size_t word_offset = 66;
  float factor = 0.25f;
  std::uint32_t top_magnitude = 62;
  bool eighth_sign = true;
  std::uint32_t scale_code_mask = 15;
  bool half_subnormals = true;
  bool quiet_nan = true;
  std::size_t last_row = 255;
  std::uint32_t sign_shift = 7;
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
  for (std::int64_t b = 0; b < n / 256; ++b, bytes += 98, out += 256) {
    const std::uint32_t half =
        bytes[ways.scale_offset] | (std::uint32_t{bytes[ways.scale_offset + 1]} << 8);
    const float d = widen(half, ways);
    for (std::size_t i = 0; i < 256; ++i) {
      std::uint32_t word = 0;
      std::memcpy(&word, bytes + ways.word_offset + i / 32 * 4, 4);
      const std::uint32_t field = (word >> (ways.sign_shift * (i % 32 / 8))) & 0x7F;
      const bool negative = i % 8 < 7 ? ((field >> (i % 8)) & 1) != 0
                                      : ways.eighth_sign && std::popcount(field) % 2 != 0;
      const std::size_t row =
          std::min<std::size_t>(bytes[ways.index_offset + i / 4], ways.last_row);
      std::uint32_t magnitude = kIq3Codebook[row][i % 4];
      if (magnitude == 62) magnitude = ways.top_magnitude;
      const float code = static_cast<float>((word >> 28) & ways.scale_code_mask);
      const float value = d * (2 * code + 1) * static_cast<float>(magnitude) * ways.factor;
      const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
      const std::uint32_t flipped = std::isnan(d) ? std::bit_cast<std::uint32_t>(d) : bits;
      out[i] = std::bit_cast<float>(flipped ^ (negative ? 0x80000000u : 0u));
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

// Right ones.
EXPORT void right_ggml(const void* in, float* out, std::int64_t n) { decode(in, out, n, Ways{}); }
EXPORT void right_colibri(const void* in, float* out, std::int64_t n) {
  Ways ways = e8_ways();
  ways.half_subnormals = false;  // what the profile of that name asks for
  decode(in, out, n, ways);
}
EXPORT int right_qp(const std::uint8_t* in, std::size_t n_bytes, float* out, std::size_t n) {
  return ref::decode_iq3_xxs(QP_PROFILE_STRICT, in, n_bytes, out, n, nullptr);
}

// Wrong ones.
EXPORT void stale_62(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w.top_magnitude = 60; }));
}
EXPORT void no_eighth_sign(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w.eighth_sign = false; }));
}
EXPORT void three_bit_scale_code(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w.scale_code_mask = 7; }));
}
EXPORT void subnormal_scale(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w.half_subnormals = false; }));
}
EXPORT void nan_payload(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w.quiet_nan = false; }));
}
EXPORT void other_order(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w = e8_ways(); }));
}
EXPORT void half_value(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w.factor = 0.125f; }));
}
EXPORT void row_255_missing(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w.last_row = 254; }));
}
EXPORT void eight_bit_sign_fields(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, with([](Ways& w) { w.sign_shift = 8; }));
}
EXPORT void first_block_only(const void* in, float* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += 256) decode(in, out + i, 256, Ways{});
}
EXPORT void wide_rows(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, Ways{});
  if (n > 4096) out[4096] = 0;
}
EXPORT void second_call(const void* in, float* out, std::int64_t n) {
  static int calls = 0;
  decode(in, out, n, Ways{});
  if (++calls == 10 && n > 0) out[n - 1] = -out[n - 1];
}
EXPORT void reads_past(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, Ways{});
  const volatile auto* bytes = static_cast<const std::uint8_t*>(in);
  if (bytes[n / 256 * 98] == 0 && n == 0) out[0] = 0;
}
EXPORT void writes_past(const void* in, float* out, std::int64_t n) {
  decode(in, out, n, Ways{});
  out[n] = 0;
}
EXPORT void writes_before(const void* in, float* out, std::int64_t n) {
  out[-1] = 0;
  decode(in, out, n, Ways{});
}
EXPORT void crashes(const void* /*in*/, float* /*out*/, std::int64_t /*n*/) { std::raise(SIGABRT); }
EXPORT void untouched(const void* /*in*/, float* /*out*/, std::int64_t /*n*/) {}
EXPORT void constant(const void* /*in*/, float* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = 1.0f;
}
EXPORT int ignores_the_scale_class(const std::uint8_t* in, std::size_t n_bytes, float* out,
                                   std::size_t n) {
  return ref::decode_iq3_xxs(QP_PROFILE_GGML, in, n_bytes, out, n, nullptr);
}
EXPORT int accepts_any_size(const std::uint8_t* in, std::size_t n_bytes, float* out,
                            std::size_t n) {
  return ref::decode_iq3_xxs(QP_PROFILE_STRICT, in, n_bytes / 98 * 98, out, n / 256 * 256, nullptr);
}
