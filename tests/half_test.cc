// SPDX-License-Identifier: Apache-2.0
#include "quantproof/ref/half.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "gtest/gtest.h"

#include "fast/half.h"

namespace quantproof {
namespace {

std::uint32_t widened(qp_profile profile, std::uint16_t half) {
  ref::Scale scale;
  EXPECT_EQ(ref::read_scale(profile, half, &scale), QP_OK);
  return ref::widen(scale);
}

// half.md 3.6, row by row.
TEST(Half, BitsOfTheText) {
  struct Row {
    std::uint16_t half;
    std::uint32_t exact;
    std::uint32_t colibri;
  };
  for (const Row& row :
       {Row{0x8000, 0x80000000, 0x80000000}, Row{0x0001, 0x33800000, 0x38802000},
        Row{0x0200, 0x38000000, 0x38C00000}, Row{0x83FF, 0xB87FC000, 0xB8FFE000},
        Row{0x0400, 0x38800000, 0x38800000}, Row{0x3C00, 0x3F800000, 0x3F800000},
        Row{0x3F80, 0x3FF00000, 0x3FF00000}, Row{0xFBFF, 0xC77FE000, 0xC77FE000}}) {
    EXPECT_EQ(widened(QP_PROFILE_STRICT, row.half), row.exact) << row.half;
    EXPECT_EQ(widened(QP_PROFILE_GGML, row.half), row.exact) << row.half;
    EXPECT_EQ(widened(QP_PROFILE_COLIBRI, row.half), row.colibri) << row.half;
    EXPECT_EQ(fast::WidenScale<std::uint32_t>(QP_PROFILE_GGML, row.half), row.exact) << row.half;
    EXPECT_EQ(fast::WidenScale<std::uint32_t>(QP_PROFILE_COLIBRI, row.half), row.colibri);
  }
  EXPECT_EQ(widened(QP_PROFILE_GGML, 0xFC00), 0xFF800000);
  EXPECT_EQ(widened(QP_PROFILE_GGML, 0x7C01), 0x7FC02000);
  EXPECT_EQ(widened(QP_PROFILE_GGML, 0x7E01), 0x7FC02000);
  EXPECT_EQ(widened(QP_PROFILE_GGML, 0xFD55), 0xFFEAA000);
}

TEST(Half, StrictRefusesInfiniteAndNan) {
  ref::Scale scale;
  scale.significand = 7;
  for (const int half : {0x7C00, 0xFC00, 0x7C01, 0x7E00, 0xFFFF}) {
    EXPECT_EQ(ref::read_scale(QP_PROFILE_STRICT, static_cast<std::uint16_t>(half), &scale),
              QP_SCALE_NOT_FINITE);
    EXPECT_EQ(scale.significand, 7) << "left alone on an error";
  }
}

// half.md 1.2 and 3.4: the counts of the tables.
TEST(Half, CountsOfTheText) {
  int zero = 0, subnormal = 0, normal = 0, infinite = 0, nan = 0;
  for (int half = 0; half < 0x10000; ++half) {
    const float value =
        std::bit_cast<float>(widened(QP_PROFILE_GGML, static_cast<std::uint16_t>(half)));
    if (std::isnan(value)) {
      ++nan;
    } else if (std::isinf(value)) {
      ++infinite;
    } else if (value == 0) {
      ++zero;
    } else if (std::fabs(value) < 0x1p-14f) {
      ++subnormal;
    } else {
      ++normal;
    }
  }
  EXPECT_EQ(zero, 2);
  EXPECT_EQ(subnormal, 2046);
  EXPECT_EQ(normal, 61440);
  EXPECT_EQ(infinite, 2);
  EXPECT_EQ(nan, 2046);
}

// half.md 2.7: no widened finite scale is a binary32 subnormal.
TEST(Half, NeverSubnormalAfterWidening) {
  for (const qp_profile profile : {QP_PROFILE_STRICT, QP_PROFILE_COLIBRI}) {
    for (int half = 0; half < 0x7C00; ++half) {
      const std::uint32_t bits = widened(profile, static_cast<std::uint16_t>(half));
      EXPECT_TRUE(bits == 0 || (bits & 0x7F800000u) != 0) << half;
    }
  }
}

// half.md 4: the boundaries of both domains.
TEST(Half, DoublingAndHalving) {
  std::uint16_t result = 0xAAAA;
  EXPECT_EQ(ref::double_scale(0x77FF, &result), QP_OK);
  EXPECT_EQ(result, 0x7BFF);
  EXPECT_EQ(ref::double_scale(0x03FF, &result), QP_OK);
  EXPECT_EQ(result, 0x07FE);
  EXPECT_EQ(ref::double_scale(0x7800, &result), QP_TRANSCODE_OVERFLOW);
  EXPECT_EQ(ref::double_scale(0x7C00, &result), QP_SCALE_NOT_FINITE);
  EXPECT_EQ(result, 0x07FE) << "left alone on an error";
  EXPECT_EQ(ref::halve_scale(0x8800, &result), QP_OK);
  EXPECT_EQ(result, 0x8400);
  EXPECT_EQ(ref::halve_scale(0x0402, &result), QP_OK);
  EXPECT_EQ(result, 0x0201);
  EXPECT_EQ(ref::halve_scale(0x0401, &result), QP_TRANSCODE_INEXACT);
  EXPECT_EQ(ref::halve_scale(0x0001, &result), QP_TRANSCODE_INEXACT);
  EXPECT_EQ(ref::halve_scale(0xFE00, &result), QP_SCALE_NOT_FINITE);
}

}  // namespace
}  // namespace quantproof
