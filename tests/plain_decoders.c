/* SPDX-License-Identifier: Apache-2.0
 *
 * IQ3_XXS as a C programmer would write it, for the proofs of machine code: one right decoder, and
 * copies with one slip each. void f(const void *blocks, float *out, int64_t n). */
#include <stdint.h>
#include <string.h>

#include "plain_codebook.h"

static inline float widen(uint32_t half, int subnormals) {
  uint32_t bits = (half & 0x8000u) << 16;
  uint32_t exponent = (half >> 10) & 31;
  uint32_t fraction = half & 0x3FF;
  if (exponent == 31) {
    bits |= 0x7F800000u | (fraction << 13) | (fraction != 0 ? 0x400000u : 0);
  } else if (exponent != 0) {
    bits |= ((exponent + 112) << 23) | (fraction << 13);
  } else if (fraction != 0) {
    const float exact = (float)fraction * 0x1p-24f;
    uint32_t exact_bits;
    memcpy(&exact_bits, &exact, sizeof exact_bits);
    bits |= subnormals ? exact_bits : (113u << 23) | (fraction << 13);
  }
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

#define DECODER(name, slip)                                                                     \
  __attribute__((visibility("default"))) void name(const void *blocks, float *out, int64_t n) { \
    const int s = (slip);                                                                       \
    const uint8_t *block = blocks;                                                              \
    for (int64_t b = 0; b < n / 256; ++b, block += 98) {                                        \
      const float d = widen(block[0] | (uint32_t)block[1] << 8, s != 1);                        \
      for (int i = 0; i < 256; ++i) {                                                           \
        uint32_t word;                                                                          \
        memcpy(&word, block + 66 + i / 32 * 4, sizeof word);                                    \
        const uint32_t field = (word >> (7 * (i % 32 / 8))) & 127;                              \
        uint32_t parity = field ^ (field >> 4);                                                 \
        parity ^= parity >> 2;                                                                  \
        parity ^= parity >> 1;                                                                  \
        uint32_t negative = i % 8 < 7 ? field >> (i % 8) & 1 : parity & 1;                      \
        if (s == 2 && i % 8 == 7) negative = 0;                                                 \
        const uint32_t code = s == 3 ? word >> 29 : word >> 28;                                 \
        const uint8_t index = block[2 + i / 4 + (s == 4 && i == 200)];                          \
        const int j = s == 5 && i == 77 ? 0 : i % 4;                                            \
        uint32_t magnitude = kPlainCodebook[index][j];                                          \
        if (s == 6 && magnitude == 62) magnitude = 60;                                          \
        const float value = d * (0.5f + (float)code) * 0.5f * (float)magnitude;                 \
        uint32_t bits;                                                                          \
        memcpy(&bits, &value, sizeof bits);                                                     \
        bits ^= negative << 31;                                                                 \
        if (s == 7 && b == 1 && i == 255) bits ^= 1;                                            \
        memcpy(out + 256 * b + i + (s == 8 && i == 255), &bits, sizeof bits);                   \
      }                                                                                         \
      if (s == 9) out[0] = (float)block[98];                                                    \
    }                                                                                           \
  }

DECODER(plain_right, 0)
DECODER(plain_subnormal, 1)
DECODER(plain_eighth_sign, 2)
DECODER(plain_three_bit_code, 3)
DECODER(plain_next_index, 4)
DECODER(plain_wrong_element, 5)
DECODER(plain_stale_62, 6)
DECODER(plain_second_block, 7)
DECODER(plain_writes_past, 8)
DECODER(plain_reads_past, 9)

/* Right today: what it reads may change. */
static float factor = 1.0f;
__attribute__((visibility("default"))) void plain_set_factor(float value) { factor = value; }
__attribute__((visibility("default"))) void plain_writable(const void *blocks, float *out,
                                                           int64_t n) {
  plain_right(blocks, out, n);
  for (int64_t i = 0; i < n; ++i) out[i] *= factor;
}
