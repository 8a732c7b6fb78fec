/* SPDX-License-Identifier: Apache-2.0
 *
 * A target for `quantproof certify --target cmd:...` in C: the protocol of spec/target_protocol.md,
 * and a literal decoder of spec/formats/iq3_xxs.md. Put your own decoder in place of decode_block.
 *
 *   cc -O2 -o iq3_xxs_target iq3_xxs_target.c -lm
 *   quantproof certify --format iq3_xxs --target cmd:./iq3_xxs_target
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 3.3: the levels of the codebook, four digits a row. */
static const char kLevels[] =
    "0000 2000 4000 1100 3100 7100 0200 2200 1300 2400 3700 5700 1010 3010 0110 2110 "
    "1210 5210 0310 2310 1410 4510 0710 0020 2020 4020 1120 0220 2220 1320 3320 7320 "
    "1520 7520 5720 1030 7030 0130 2130 5230 0730 3140 7340 4440 7540 3740 5740 1050 "
    "7050 2350 2550 5360 4660 0170 4170 6170 3470 1670 1001 3001 0101 2101 1201 3201 "
    "0301 2301 4301 7401 0501 0011 2011 1111 0211 2211 1021 3021 0121 2121 1221 0321 "
    "2721 0031 2031 0231 1331 6431 6631 1041 5041 0541 0251 4251 6451 1751 5061 2271 "
    "0471 0002 2002 1102 3102 0202 2202 6202 1302 2402 1012 3012 5012 0112 2112 1212 "
    "0312 3612 7612 0712 0022 2022 1122 7122 0222 2222 7322 0422 5522 1032 0132 4132 "
    "0732 4732 5342 3542 3052 7252 1452 4752 1072 3072 6172 5472 1003 0103 2103 1203 "
    "3203 0503 5603 2703 0013 2013 0213 1313 4413 6413 1023 3023 0123 5223 2523 2723 "
    "1133 3333 0343 7443 2743 0053 6053 2253 5553 4163 6363 3663 3373 0673 4004 7104 "
    "5304 7304 3504 7504 4714 0224 7324 0424 0624 6624 7034 5434 4044 1544 4644 5254 "
    "3454 0754 5074 0174 2174 0374 2105 1405 0705 0015 6015 6215 5515 4125 2325 2725 "
    "2035 3535 0145 3245 7245 2745 2055 1355 0565 4275 2475 4206 4406 6406 4606 1216 "
    "1616 7126 4626 0336 6336 4446 5056 2556 3366 3076 1276 3007 5007 7007 0107 2307 "
    "2507 6217 0417 2127 5427 2527 0037 5137 3337 0637 1247 1447 0057 2057 4257 0367 ";

static uint32_t u32(const unsigned char *p) {
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void put_u32(unsigned char *p, uint32_t value) {
  for (int i = 0; i < 4; ++i) p[i] = (unsigned char)(value >> (8 * i));
}

/* half.md 1.2 */
static double scale_value(uint32_t half) {
  const int e = (half >> 10) & 31;
  const int m = half & 0x3FF;
  const double magnitude = e == 0 ? ldexp(m, -24) : ldexp(1024 + m, e - 25);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

/* One block of 98 bytes; 0 when the scale is infinite or NaN, which profile strict refuses. */
static int decode_block(const unsigned char *block, float *out) {
  static const int magnitude[8] = {4, 12, 20, 28, 36, 44, 52, 62}; /* 3.2 */
  const uint32_t half = block[0] | (uint32_t)block[1] << 8;
  if ((half & 0x7C00) == 0x7C00) return 0;
  for (int i = 0; i < 256; ++i) {
    const uint32_t word = u32(block + 66 + 4 * (i / 32)); /* 2.1 */
    const uint32_t field = word >> (7 * (i % 32 / 8)) & 0x7F;
    const int level = kLevels[5 * block[2 + i / 4] + i % 4] - '0';
    int negative = 0; /* 4.2 */
    if (i % 8 < 7) {
      negative = field >> (i % 8) & 1;
    } else {
      for (int j = 0; j < 7; ++j) negative ^= field >> j & 1;
    }
    const int s = (int)(word >> 28);
    const double value = scale_value(half) * (2 * s + 1) * magnitude[level] / 4; /* 4.4 */
    out[i] = (float)(negative ? -value : value);
  }
  return 1;
}

static int read_all(unsigned char *to, size_t n) { return fread(to, 1, n, stdin) == n; }

static void write_frame(const unsigned char *content, size_t n) {
  unsigned char length[4];
  put_u32(length, (uint32_t)n);
  fwrite(length, 1, 4, stdout);
  fwrite(content, 1, n, stdout);
  fflush(stdout);
}

int main(void) {
  unsigned char length[4];
  while (read_all(length, 4)) {
    const size_t n = u32(length);
    unsigned char *request = malloc(n > 0 ? n : 1);
    if (request == NULL || !read_all(request, n) || n < 4) return 1;
    if (u32(request) == 1) { /* the greeting: version 1, refuses input */
      static const char name[] = "example in C";
      unsigned char answer[12 + sizeof(name) - 1];
      put_u32(answer, 1);
      put_u32(answer + 4, 1);
      put_u32(answer + 8, 1);
      memcpy(answer + 12, name, sizeof(name) - 1);
      write_frame(answer, sizeof(answer));
    } else {
      if (n < 24) return 1;
      const uint64_t values = u32(request + 16) | (uint64_t)u32(request + 20) << 32;
      const uint64_t blocks = values / 256;
      uint32_t status = 0;
      if (u32(request + 8) != 1) {
        status = 1; /* not IQ3_XXS */
      } else if (values % 256 != 0) {
        status = 2;
      } else if (n - 24 != 98 * blocks) {
        status = 3;
      }
      unsigned char *answer = malloc(12 + (status == 0 ? 1024 * (size_t)blocks : 0));
      if (answer == NULL) return 1;
      uint64_t decoded = 0;
      while (status == 0 && decoded < blocks) {
        float out[256];
        if (decode_block(request + 24 + 98 * decoded, out)) {
          for (int i = 0; i < 256; ++i) {
            uint32_t bits;
            memcpy(&bits, &out[i], 4);
            put_u32(answer + 12 + 1024 * decoded + 4 * i, bits);
          }
          ++decoded;
        } else {
          status = 4;
        }
      }
      put_u32(answer, 2);
      memcpy(answer + 4, request + 4, 4);
      put_u32(answer + 8, status);
      write_frame(answer, 12 + 1024 * (size_t)decoded);
      free(answer);
    }
    free(request);
  }
  return 0;
}
