// SPDX-License-Identifier: Apache-2.0
//
// spec/formats/kaiju1.md clauses 2 to 6: LeechCode, weights, sizes, tensors, and the vectors.
#include "quantproof/kaiju1.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "rapidcheck/gtest.h"

#include "fuzz/kaiju1_box.h"
#include "fuzz/leech_vectors.h"
#include "quantproof/qp.h"
#include "quantproof/ref/kaiju1.h"
#include "quantproof/ref/leech_certificate.h"
#include "tests/kaiju1_vectors.h"

namespace quantproof {
namespace {

__extension__ using Wide = unsigned __int128;

using Code = LeechCode<std::uint32_t>;
using CodeBytes = std::array<std::uint8_t, kLeechCodeBytes>;
using Point = std::array<std::int32_t, kLeechDimension>;

Code unpack(const CodeBytes& bytes) { return unpack_leech_code<std::uint32_t>(bytes.data()); }

CodeBytes pack(const Code& code) {
  CodeBytes bytes{};
  pack_leech_code(code, bytes.data());
  return bytes;
}

// ---- LeechCode (3) ----------------------------------------------------------------------------

TEST(Kaiju1Code, OriginHasTheStatedBytes) {
  const Code code = unpack(kLeechCodeOrigin);
  EXPECT_EQ(code.fix, kNoFix);
  EXPECT_EQ(ref::check_leech_code(code, nullptr), QP_OK);
  EXPECT_EQ(ref::leech_code_point(code), Point{});
  Code again;
  ASSERT_EQ(ref::leech_code_of_point(Point{}.data(), &again), QP_OK);
  EXPECT_EQ(pack(again), kLeechCodeOrigin);
}

// 3.1: each of the 56 bits belongs to one field, and packing inverts unpacking. Any seven bytes.
RC_GTEST_PROP(Kaiju1Code, PackInvertsUnpack, (const CodeBytes& bytes)) {
  RC_ASSERT(pack(unpack(bytes)) == bytes);
}

TEST(Kaiju1Code, EveryFieldReachesItsEnds) {
  Code code;
  const std::array<std::uint32_t*, 7> fields = {&code.trit_group[0],
                                                &code.trit_group[1],
                                                &code.trit_group[2],
                                                &code.trit_group[3],
                                                &code.trit_group[4],
                                                &code.golay_index,
                                                &code.fix};
  const std::array<std::uint32_t, 7> most = {255, 255, 255, 255, 127, 4095, 31};
  std::uint64_t used = 0;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    for (std::uint32_t value = 0; value <= most[f]; ++value) {
      code = {};
      *fields[f] = value;
      ASSERT_EQ(unpack(pack(code)), code);
    }
    code = {};
    *fields[f] = most[f];
    std::uint64_t bits = 0;
    for (const std::uint8_t byte : pack(code)) bits = bits << 8 | byte;
    EXPECT_EQ(used & bits, 0u);
    used |= bits;
  }
  EXPECT_EQ(used, (std::uint64_t{1} << 56) - 1);
}

// 3.2, all 256 bytes: five trits give back the byte iff it is below 243, four iff it is below 81.
TEST(Kaiju1Code, TritsOfAllBytes) {
  for (std::uint32_t group = 0; group < 256; ++group) {
    std::uint32_t rest = group;
    std::uint32_t back = 0;
    for (std::size_t j = 0; j < kTritGroupTrits; ++j) {
      const int trit = trit_of(group, j);
      ASSERT_EQ(trit, static_cast<int>(rest % 3) - 1);
      rest /= 3;
      if (j == 4) {
        EXPECT_EQ(back == group, group <= kLastTritGroupLimit);
      }
      back += static_cast<std::uint32_t>(trit + 1) * kPowersOfThree[j];
    }
    EXPECT_EQ(back == group, group <= kTritGroupLimit);
  }
}

// 3.3 in other words: digits to base three.
qp_status naive_status(const CodeBytes& bytes) {
  const std::uint32_t tail =
      std::uint32_t{bytes[4]} | std::uint32_t{bytes[5]} << 8 | std::uint32_t{bytes[6]} << 16;
  std::vector<std::uint32_t> digits;
  for (std::size_t g = 0; g < 5; ++g) {
    std::uint32_t group = g < 4 ? bytes[g] : tail >> 12 & 127u;
    for (int j = 0; j < (g < 4 ? 5 : 4); ++j, group /= 3) digits.push_back(group % 3);
    if (group != 0) return QP_TRITS_OUT_OF_RANGE;
  }
  const std::uint32_t fix = tail >> 19;
  if (fix == 31) return QP_OK;
  if (fix > 23) return QP_FIX_OUT_OF_RANGE;
  return digits[fix] == 1 ? QP_FIX_ON_ZERO : QP_OK;
}

void expect_code_verdict(const CodeBytes& bytes) {
  const Code code = unpack(bytes);
  const qp_status status = ref::check_leech_code(code, nullptr);
  ASSERT_EQ(status, naive_status(bytes));
  if (status != QP_OK) return;
  const Point x = ref::leech_code_point(code);
  ASSERT_TRUE(ref::certificate_accepts_leech_point(x.data()));
  for (const std::int32_t v : x) ASSERT_LE(std::abs(v), kKaiju1CoordinateLimit);
  Code again;
  ASSERT_EQ(ref::leech_code_of_point(x.data(), &again), QP_OK);
  ASSERT_EQ(pack(again), bytes);
}

// Every value of every byte, around codes with and without a sum-fix.
TEST(Kaiju1Code, EveryByteHasTheVerdictOfTheText) {
  const CodeBytes corner = {0xF2, 0x00, 0x79, 0xF2, 0xFF, 0x0F, 0x05};
  for (const CodeBytes& start : {kLeechCodeOrigin, CodeBytes{}, corner}) {
    for (std::size_t b = 0; b < kLeechCodeBytes; ++b) {
      for (unsigned value = 0; value < 256; ++value) {
        CodeBytes bytes = start;
        bytes[b] = static_cast<std::uint8_t>(value);
        ASSERT_NO_FATAL_FAILURE(expect_code_verdict(bytes));
      }
    }
  }
}

RC_GTEST_PROP(Kaiju1Code, AnyBytesHaveTheVerdictOfTheText, (CodeBytes bytes)) {
  expect_code_verdict(bytes);
  for (std::size_t g = 0; g < 4; ++g) bytes[g] = static_cast<std::uint8_t>(bytes[g] % 243);
  expect_code_verdict(bytes);
  bytes[6] |= 0xF8;
  expect_code_verdict(bytes);
  RC_SUCCEED("");
}

// 3.6 the other way round, from points.
TEST(Kaiju1Code, PointsWithoutACodeAreRefused) {
  fuzz::LeechPoints points(31);
  int representable = 0;
  for (int k = 0; k < 20000; ++k) {
    fuzz::LeechRow x = points.lattice_point(points.between(4, 12));
    if (points.between(0, 3) == 0) {
      x[static_cast<std::size_t>(points.between(0, 23))] += points.between(-4, 4);
    }
    bool expected = ref::certificate_accepts_leech_point(x.data());
    if (expected) {
      const int m = x[0] & 1;
      int outward = 0;
      for (const std::int32_t v : x) {
        // The values of a coordinate by its offset: 0, 2, 1 or -1, and 4 z on top.
        const int offset = m == 0 ? v & 2 : 1 - ((v - 1) & 2);
        const int z = (v - offset) / 4;
        if (std::abs(z) > 2) expected = false;
        if (std::abs(z) == 2) ++outward;
      }
      if (outward > 1) expected = false;
    }
    Code code;
    const qp_status status = ref::leech_code_of_point(x.data(), &code);
    ASSERT_EQ(status, expected ? QP_OK : QP_POINT_NOT_REPRESENTABLE);
    if (status != QP_OK) continue;
    ++representable;
    ASSERT_EQ(ref::check_leech_code(code, nullptr), QP_OK);
    ASSERT_EQ(ref::leech_code_point(code), x);
  }
  EXPECT_GT(representable, 2000);
  EXPECT_LT(representable, 18000);
}

// 3.6 and 3.9: the numbers.
TEST(Kaiju1Code, Counts) {
  std::uint64_t power = 1;
  for (int i = 0; i < 24; ++i) power *= 3;
  EXPECT_EQ(power, 282'429'536'481u);
  EXPECT_EQ(std::uint64_t{1} << 38, 274'877'906'944u);
  EXPECT_GT(power, std::uint64_t{1} << (56 - 1 - 12 - 5));
  EXPECT_LE(3 * 3 * 3 * 3 * 3, 256);
  EXPECT_LE(3 * 3 * 3 * 3, 128);
  EXPECT_EQ(1 + 12 + (4 * 8 + 7) + 5, 57);

  // Valid codes, counted field by field: no fix, or one of 24 places whose trit is not 0.
  std::uint64_t valid = power;
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    const bool last = trit_group_of(i) + 1 == kTritGroups;
    std::uint64_t groups = 0;
    for (std::uint32_t group = 0; group <= (last ? 80u : 242u); ++group) {
      groups += trit_of(group, trit_place_of(i)) != 0 ? 1 : 0;
    }
    valid += power / (last ? 81 : 243) * groups;
  }
  EXPECT_EQ(valid, 51 * (power / 3));
  EXPECT_EQ(4096 * valid, 19'666'133'484'244'992u);
  EXPECT_EQ(std::lround(100 * std::log2(4096.0 * static_cast<double>(valid))), 5413);
}

// 3.9: m is the parity of the sum of z. One coordinate at a time: z and the residue of x mod 8.
TEST(Kaiju1Code, ParityOfTheResidualsIsM) {
  fuzz::LeechPoints points(37);
  for (int k = 0; k < 5000; ++k) {
    const fuzz::LeechRow x = points.lattice_point(4);
    Code code;
    if (ref::leech_code_of_point(x.data(), &code) != QP_OK) continue;
    int sum = 0;
    for (const int z : ref::leech_code_residuals(code)) sum += z;
    ASSERT_EQ(sum & 1, x[0] & 1);
  }
}

TEST(Kaiju1Code, AllMinimalVectorsAreRepresentable) {
  int count = 0;
  int wrong = 0;
  fuzz::visit_minimal_vectors([&](const fuzz::LeechRow& v) {
    Code code;
    ++count;
    const bool right = ref::leech_code_of_point(v.data(), &code) == QP_OK &&
                       ref::check_leech_code(code, nullptr) == QP_OK &&
                       ref::leech_code_point(code) == v;
    wrong += right ? 0 : 1;
  });
  EXPECT_EQ(count, kLeechShell4);
  EXPECT_EQ(wrong, 0);
}

// 3.9: how many points of each squared length are representable.
TEST(Kaiju1Code, ShellsInsideTheBox) {
  const auto all = fuzz::shells_in_box(3, -1);
  const auto with_fix = fuzz::shells_in_box(2, 1);
  const auto without_fix = fuzz::shells_in_box(1, 0);
  EXPECT_EQ(all[32], kLeechShell4);
  EXPECT_EQ(all[48], kLeechShell6);
  EXPECT_EQ(all[64], kLeechShell8);
  for (const std::size_t n : {0u, 32u, 48u, 64u, 80u}) EXPECT_EQ(with_fix[n], all[n]) << n;
  EXPECT_LT(with_fix[96], all[96]);
  for (const std::size_t n : {0u, 32u, 48u}) EXPECT_EQ(without_fix[n], all[n]) << n;
  EXPECT_LT(without_fix[64], all[64]);
}

TEST(Kaiju1Code, Vectors) {
  for (const auto& test : tests::kaiju1_cases("code")) {
    SCOPED_TRACE(test["id"].dump() + " " + test["comment"].get<std::string>());
    const auto bytes = tests::bytes_of_hex(test["bytes"].get<std::string>());
    ASSERT_EQ(bytes.size(), kLeechCodeBytes);
    const Code code = unpack_leech_code<std::uint32_t>(bytes.data());
    std::size_t offset = 99;
    const qp_status status = ref::check_leech_code(code, &offset);
    const auto& expect = test["expect"];
    ASSERT_EQ(qp_status_name(status), expect["status"].get<std::string>());
    if (status != QP_OK) {
      EXPECT_EQ(offset, expect["offset"].get<std::size_t>());
    } else {
      EXPECT_EQ(ref::leech_code_point(code), expect["point"].get<Point>());
    }
  }
  for (const auto& test : tests::kaiju1_cases("point")) {
    SCOPED_TRACE(test["id"].dump() + " " + test["comment"].get<std::string>());
    const auto x = test["point"].get<Point>();
    Code code;
    const qp_status status = ref::leech_code_of_point(x.data(), &code);
    const auto& expect = test["expect"];
    ASSERT_EQ(qp_status_name(status), expect["status"].get<std::string>());
    if (status != QP_OK) continue;
    const CodeBytes bytes = pack(code);
    EXPECT_EQ(std::vector<std::uint8_t>(bytes.begin(), bytes.end()),
              tests::bytes_of_hex(expect["bytes"].get<std::string>()));
  }
}

// ---- Weight (4) -------------------------------------------------------------------------------

// 4.2: no binary32 number is nearer to num / den than the step, and ties go to even significands.
void expect_step(std::uint32_t num, std::uint32_t den) {
  const float step = ref::kaiju1_step(num, den);
  ASSERT_GE(step, 0x1p-32f);
  ASSERT_LE(step, 0x1p32f);
  int exponent = 0;
  const float fraction = std::frexp(step, &exponent);
  const auto significand = static_cast<std::uint64_t>(std::ldexp(fraction, 24));
  exponent -= 24;  // step = significand * 2^exponent, significand of 24 bits
  // Both sides of num / den = step, times den and a power of two: whole numbers.
  const Wide left = Wide{num} << (exponent < 0 ? -exponent : 0);
  const Wide right = (Wide{significand} * den) << (exponent > 0 ? exponent : 0);
  const Wide distance = left > right ? left - right : right - left;
  // One half of the gap below a power of two is only a quarter of the unit.
  const bool low_edge = significand == std::uint64_t{1} << 23 && left < right;
  const Wide unit = Wide{den} << (exponent > 0 ? exponent : 0);
  ASSERT_LE((low_edge ? 4 : 2) * distance, unit) << num << " / " << den;
  if ((low_edge ? 4 : 2) * distance == unit) {
    ASSERT_EQ(significand % 2, 0u) << num << " / " << den;
  }
}

RC_GTEST_PROP(Kaiju1Weight, StepIsTheNearestNumber, (std::uint32_t num, std::uint32_t den)) {
  expect_step(std::max(num, 1u), std::max(den, 1u));
  expect_step(std::max(num >> (den % 32), 1u), std::max(den, 1u));
  expect_step(std::max(num, 1u), std::max(den >> (num % 32), 1u));
}

TEST(Kaiju1Weight, StepsOfTheText) {
  EXPECT_EQ(ref::kaiju1_step(1952252159, 3466930503), 0x1.204f8ap-1f);
  EXPECT_EQ(static_cast<float>(1952252159.0 / 3466930503.0), 0x1.204f88p-1f);
  EXPECT_EQ(ref::kaiju1_step(1, 3), std::bit_cast<float>(0x3EAAAAABu));
  EXPECT_EQ(ref::kaiju1_step(1, 0xFFFFFFFF), 0x1p-32f);
  EXPECT_EQ(ref::kaiju1_step(0xFFFFFFFF, 1), 0x1p32f);
  std::mt19937 bits(41);
  for (int k = 0; k < 200000; ++k) {
    const auto num = static_cast<std::uint32_t>(bits());
    const auto den = static_cast<std::uint32_t>(bits());
    ASSERT_NO_FATAL_FAILURE(expect_step(std::max(num >> (k % 31), 1u), std::max(den, 1u)));
    // Quotients half way between two numbers: an odd number of 25 bits over a power of two.
    const std::uint32_t odd = num >> 7 | 0x1000001u;
    ASSERT_NO_FATAL_FAILURE(expect_step(odd, 1u << (k % 32)));
  }
}

// 4.1, 4.3 and 4.5 for every finite scale: the products in brackets are exact in binary32 in any
// order, the result is what one rounding of binary32 gives, and nothing is subnormal.
TEST(Kaiju1Weight, AllScales) {
  const std::vector<float> steps = {1.0f, 0x1p-32f, 0x1p32f, ref::kaiju1_step(1, 3),
                                    ref::kaiju1_step(2524481703, 3979546187)};
  int wrong = 0;
  float least_hi = std::numeric_limits<float>::infinity();
  float most_hi = 0;
  float least_bulk = least_hi;
  float most_bulk = 0;
  const auto widen = [&](float magnitude, float* least, float* most) {
    if (magnitude == 0) return;
    *least = std::min(*least, magnitude);
    *most = std::max(*most, magnitude);
  };
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    ref::Scale scale;
    if (ref::read_scale(QP_PROFILE_STRICT, static_cast<std::uint16_t>(half), &scale) != QP_OK) {
      continue;
    }
    const float d = std::bit_cast<float>(ref::widen(scale));
    for (int q = -128; q <= 127; q += half % 64 <= 1 ? 1 : 51) {
      const float w = std::bit_cast<float>(ref::kaiju1_hi_weight(scale, q));
      wrong += std::bit_cast<std::uint32_t>(w) ==
                       (std::bit_cast<std::uint32_t>(d * static_cast<float>(std::abs(q))) ^
                        (q < 0 ? 0x80000000u : 0u))
                   ? 0
                   : 1;
      widen(std::fabs(w), &least_hi, &most_hi);
    }
    for (std::uint32_t q = 0; q <= 15; ++q) {
      for (std::int32_t x = -10; x <= 10; ++x) {
        const auto fq = static_cast<float>(q);
        const auto fx = static_cast<float>(x);
        const float product = d * fq * fx;
        wrong += product == static_cast<float>(static_cast<double>(d) * q * x) ? 0 : 1;
        wrong += product == fx * fq * d && product == fx * d * fq ? 0 : 1;
        wrong += product == 0 || std::isnormal(product) ? 0 : 1;
        // All steps for scales at the ends of a binade, one of them for the others.
        const bool end = (half & 0x3FFu) <= 1 || (half & 0x3FFu) == 0x3FF;
        for (std::size_t s = end ? 0 : (half + q) % steps.size(); s < steps.size(); ++s) {
          const std::uint32_t bits = ref::kaiju1_bulk_weight(scale, q, x, steps[s]);
          wrong += bits == std::bit_cast<std::uint32_t>(product * steps[s]) ? 0 : 1;
          widen(std::fabs(std::bit_cast<float>(bits)), &least_bulk, &most_bulk);
          if (!end) break;
        }
      }
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(least_hi, 0x1p-24f);
  EXPECT_EQ(most_hi, 128.0f * 65504.0f);
  EXPECT_EQ(least_bulk, 0x1p-56f);
  EXPECT_EQ(most_bulk, 150.0f * 65504.0f * 0x1p32f);
}

TEST(Kaiju1Weight, ReferenceDoesNotDependOnTheRoundingMode) {
  const int before = std::fegetround();
  std::vector<std::uint32_t> want;
  for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(std::fesetround(mode), 0);
    std::vector<std::uint32_t> got;
    for (std::uint32_t k = 1; k < 3000; ++k) {
      const float step = ref::kaiju1_step(k * 1431655u, 7 + k * 977);
      got.push_back(std::bit_cast<std::uint32_t>(step));
      ref::Scale scale;
      ref::read_scale(QP_PROFILE_STRICT, static_cast<std::uint16_t>(k * 7), &scale);
      const std::int32_t x = static_cast<std::int32_t>(k % 21) - 10;
      got.push_back(ref::kaiju1_bulk_weight(scale, k % 16, x, step));
      got.push_back(ref::kaiju1_hi_weight(scale, static_cast<int>(k % 256) - 128));
    }
    if (want.empty()) want = got;
    EXPECT_EQ(got, want);
  }
  ASSERT_EQ(std::fesetround(before), 0);
}

// 4.4
TEST(Kaiju1Weight, ZerosHaveTheSignOfTheirFactors) {
  ref::Scale plus;
  ref::read_scale(QP_PROFILE_STRICT, 0x3C00, &plus);
  ref::Scale minus_zero;
  ref::read_scale(QP_PROFILE_STRICT, 0x8000, &minus_zero);
  EXPECT_EQ(ref::kaiju1_bulk_weight(plus, 0, -3, 1.0f), 0x80000000u);
  EXPECT_EQ(ref::kaiju1_bulk_weight(plus, 5, 0, 1.0f), 0u);
  EXPECT_EQ(ref::kaiju1_bulk_weight(minus_zero, 5, 0, 1.0f), 0x80000000u);
  EXPECT_EQ(ref::kaiju1_bulk_weight(minus_zero, 5, -1, 1.0f), 0u);
  EXPECT_EQ(ref::kaiju1_hi_weight(minus_zero, -1), 0u);
  EXPECT_EQ(ref::kaiju1_hi_weight(plus, 0), 0u);
}

// ---- Sizes and rates (2.6, 5) -----------------------------------------------------------------

// 2.1 in 128 bits.
Wide wide_size(const Kaiju1Header& h) {
  const Wide blocks = h.bulk_cols / 24;
  return 28 + 4 * Wide{h.hi_count} + Wide{h.hi_count} * (2 + Wide{h.rows}) +
         Wide{h.rows} * (2 + (blocks + 1) / 2 + 7 * blocks);
}

void expect_layout(const Kaiju1Header& header) {
  const auto layout = kaiju1_layout(header);
  const Wide size = wide_size(header);
  ASSERT_EQ(layout.has_value(), size >> 64 == 0);
  if (!layout) return;
  ASSERT_EQ(Wide{layout->size}, size);
  ASSERT_EQ(layout->hi_index_offset, kKaiju1HeaderBytes);
  ASSERT_EQ(layout->hi_band_offset, layout->hi_index_offset + 4 * std::uint64_t{header.hi_count});
  ASSERT_EQ(layout->bulk_rows_offset,
            layout->hi_band_offset + header.hi_count * layout->channel_bytes);
  ASSERT_EQ(layout->size, layout->bulk_rows_offset + header.rows * layout->row_bytes);
}

TEST(Kaiju1Size, LayoutsNearTheEndsOf64Bits) {
  constexpr std::uint32_t kMost = 0xFFFFFFFF;
  int too_large = 0;
  for (std::uint32_t a = 0; a < 16; ++a) {
    for (std::uint32_t b = 0; b < 16; ++b) {
      for (const std::uint32_t bulk : {0u, 24u, 47u, kMost}) {
        const Kaiju1Header header = {kMost - a, 0, kMost - b, bulk, 0, 0};
        ASSERT_NO_FATAL_FAILURE(expect_layout(header));
        too_large += kaiju1_layout(header).has_value() ? 0 : 1;
        ASSERT_NO_FATAL_FAILURE(expect_layout({a, 0, kMost - b, bulk, 0, 0}));
        ASSERT_NO_FATAL_FAILURE(expect_layout({kMost - a, 0, b, bulk, 0, 0}));
      }
    }
  }
  EXPECT_GT(too_large, 0);
  EXPECT_LT(too_large, 16 * 16 * 4);
  // The term that comes nearest: it just fits.
  EXPECT_EQ(Wide{kMost} * (2 + Wide{kMost}), (Wide{1} << 64) - 1);
}

RC_GTEST_PROP(Kaiju1Size, AnyHeader,
              (std::uint32_t rows, std::uint32_t hi_count, std::uint32_t bulk_cols)) {
  expect_layout({rows, 0, hi_count, bulk_cols, 0, 0});
  expect_layout({~rows, 0, ~hi_count, bulk_cols, 0, 0});
}

struct Rate {
  std::uint32_t rows, cols, hi_frac, hi_count;
  std::uint64_t size;
  double bits;
};

// 5.5, line by line.
TEST(Kaiju1Size, RatesOfTheText) {
  const std::vector<Rate> table = {
      {4096, 4096, 100'000, 424, 6'449'676, 3.0754},
      {14336, 4096, 100'000, 424, 22'567'436, 3.0746},
      {4096, 14336, 100'000, 1448, 22'446'604, 3.0581},
      {1024, 4096, 100'000, 424, 1'614'348, 3.0791},
      {11008, 4096, 100'000, 424, 17'329'164, 3.0747},
      {4096, 11008, 100'000, 1120, 17'259'100, 3.0622},
      {5120, 5120, 100'000, 512, 10'007'580, 3.0541},
      {8192, 8192, 100'000, 824, 25'637'740, 3.0563},
      {28672, 8192, 100'000, 824, 89'719'660, 3.0558},
      {8192, 28672, 100'000, 2872, 89'613'164, 3.0522},
      {2560, 2560, 100'000, 256, 2'505'244, 3.0582},
      {2048, 2048, 100'000, 224, 1'631'580, 3.1120},
      {1024, 1024, 100'000, 112, 409'276, 3.1225},
      {768, 768, 100'000, 96, 237'148, 3.2165},
      {512, 512, 100'000, 56, 103'276, 3.1517},
      {256, 256, 100'000, 40, 28'428, 3.4702},
      {4096, 4096, 0, 16, 5'296'252, 2.5254},
      {4096, 4096, 50'000, 208, 5'838'076, 2.7838},
      {4096, 4096, 200'000, 832, 7'599'004, 3.6235},
      {4096, 4096, 1'000'000, 4096, 16'810'012, 8.0156},
  };
  for (const Rate& rate : table) {
    EXPECT_EQ(rate.cols - kaiju1_bulk_cols(rate.cols, rate.hi_frac), rate.hi_count);
    EXPECT_EQ(kaiju1_size(rate.rows, rate.cols, rate.hi_frac), rate.size);
    const double bits = 8.0 * static_cast<double>(rate.size) / rate.rows / rate.cols;
    EXPECT_EQ(std::lround(1e4 * bits), std::lround(1e4 * rate.bits)) << rate.cols;
  }
}

// 5.6: the rate falls with the rows, so that 1,024 rows stand for all. 8 size <= 3.1 rows cols.
TEST(Kaiju1Size, AtMost3Point1Bits) {
  std::uint32_t exceeding = 0;
  for (std::uint32_t cols = 3328; cols <= 1'048'576; ++cols) {
    const std::uint64_t size = kaiju1_size(1024, cols, kKaiju1DefaultHiFrac).value();
    exceeding += 80 * size > 31 * std::uint64_t{1024} * cols ? 1 : 0;
  }
  EXPECT_EQ(exceeding, 0u);
  for (const std::uint32_t cols : {3328u, 3339u, 4096u, 65535u}) {
    for (std::uint32_t rows = 1024; rows < 5000; rows += 97) {
      const std::uint64_t here = kaiju1_size(rows, cols, kKaiju1DefaultHiFrac).value();
      const std::uint64_t next = kaiju1_size(rows + 1, cols, kKaiju1DefaultHiFrac).value();
      EXPECT_LE(next * rows, here * (rows + 1));
    }
  }
}

// 5.3
TEST(Kaiju1Size, ColumnsAreSplitAsTheTextSays) {
  for (std::uint32_t cols = 0; cols < 400; ++cols) {
    for (const std::uint32_t hi_frac : {0u, 1u, 100'000u, 333'333u, 999'999u, 1'000'000u}) {
      const std::uint32_t bulk = kaiju1_bulk_cols(cols, hi_frac);
      ASSERT_EQ(bulk % 24, 0u);
      const auto left = std::uint64_t{cols - bulk} * 1'000'000;
      ASSERT_GE(left, std::uint64_t{cols} * hi_frac);                    // at least hi_frac
      ASSERT_LT(left, std::uint64_t{cols} * hi_frac + 24 * 1'000'000u);  // and no block more
    }
  }
  EXPECT_EQ(kaiju1_bulk_cols(0xFFFFFFFF, 0), 0xFFFFFFFFu - 0xFFFFFFFFu % 24);
  EXPECT_EQ(kaiju1_bulk_cols(0xFFFFFFFF, 1'000'000), 0u);
}

// ---- Tensors (6) ------------------------------------------------------------------------------

constexpr std::uint32_t kUntouched = 0xDEADBEEF;

struct Decoded {
  qp_status status = QP_OK;
  qp_location where{};
  std::vector<std::uint32_t> bits;  // with a margin of 8 numbers
};

Decoded decode(const std::vector<std::uint8_t>& tensor, std::size_t first_row, std::size_t rows,
               std::size_t cols) {
  std::vector<float> out(rows * cols + 8, std::bit_cast<float>(kUntouched));
  Decoded decoded;
  decoded.where = {77, 77, "none"};
  // A copy of the exact size, so that sanitizers see a read beyond its end.
  std::vector<std::uint8_t> bytes(tensor);
  bytes.shrink_to_fit();
  decoded.status = ref::decode_kaiju1_rows(bytes.data(), bytes.size(), first_row, rows, out.data(),
                                           &decoded.where);
  decoded.bits = tests::bits_of(out);
  return decoded;
}

TEST(Kaiju1Tensor, Vectors) {
  for (const auto& test : tests::kaiju1_cases("tensor")) {
    SCOPED_TRACE(test["id"].dump() + " " + test["comment"].get<std::string>());
    const auto tensor = tests::bytes_of_hex(test["bytes"].get<std::string>());
    const auto rows = test["rows"].get<std::size_t>();
    const auto& expect = test["expect"];
    const auto written = tests::words_of_hex(expect["bits"].get<std::string>());
    const auto room = static_cast<std::size_t>(std::max<std::size_t>(written.size(), 4096));
    std::vector<float> out(room, std::bit_cast<float>(kUntouched));
    qp_location where{};
    const qp_status status =
        ref::decode_kaiju1_rows(tensor.data(), tensor.size(), test["first_row"].get<std::size_t>(),
                                rows, out.data(), &where);
    EXPECT_EQ(qp_status_name(status), expect["status"].get<std::string>());
    if (status != QP_OK) tests::expect_place(where, expect);
    std::vector<std::uint32_t> want(written);
    want.resize(room, kUntouched);
    EXPECT_EQ(tests::bits_of(out), want);
  }
}

// The tensor of the text and a larger one, from the vectors.
std::vector<std::uint8_t> tensor_with_flag(const char* flag, std::size_t at_least) {
  for (const auto& test : tests::kaiju1_cases("tensor")) {
    const auto flags = test["flags"].get<std::vector<std::string>>();
    const auto bytes = tests::bytes_of_hex(test["bytes"].get<std::string>());
    if (std::find(flags.begin(), flags.end(), flag) != flags.end() && bytes.size() >= at_least &&
        test["expect"]["status"] == "ok") {
      return bytes;
    }
  }
  ADD_FAILURE() << flag;
  return {};
}

TEST(Kaiju1Tensor, WorkedExample) {
  const auto tensor = tensor_with_flag("worked_example", 0);
  EXPECT_EQ(tensor.size(), 52u);
  const Decoded decoded = decode(tensor, 0, 1, 26);
  ASSERT_EQ(decoded.status, QP_OK);
  std::vector<std::uint32_t> want(26);
  want[0] = 0x403BCD56;
  want[3] = 0xBCC00000;
  for (const std::size_t c : {10u, 12u}) want[c] = 0xBF3BCD56;
  for (const std::size_t c : {14u, 16u, 18u, 21u, 23u, 25u}) want[c] = 0x3F3BCD56;
  want[20] = 0x80000000;
  want.resize(34, kUntouched);
  EXPECT_EQ(decoded.bits, want);
}

TEST(Kaiju1Tensor, EveryLengthButTheRightOneIsRefused) {
  const auto tensor = tensor_with_flag("column_order", 100);
  const Kaiju1Header header = read_kaiju1_header(tensor.data());
  ASSERT_EQ(decode(tensor, 0, header.rows, header.cols).status, QP_OK);
  for (std::size_t n = 0; n <= tensor.size() + 64; ++n) {
    if (n == tensor.size()) continue;
    auto other = tensor;
    other.resize(n);
    const Decoded decoded = decode(other, 0, header.rows, header.cols);
    ASSERT_EQ(decoded.status, QP_BAD_SIZE) << n;
    ASSERT_STREQ(decoded.where.field, "n_bytes");
    for (const std::uint32_t bits : decoded.bits) ASSERT_EQ(bits, kUntouched);
  }
}

TEST(Kaiju1Tensor, ArgumentsAreCheckedFirst) {
  const auto tensor = tensor_with_flag("worked_example", 0);
  std::vector<float> out(26);
  qp_location where{};
  EXPECT_EQ(ref::decode_kaiju1_rows(nullptr, 1, 9, 9, nullptr, &where), QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "tensor");
  EXPECT_EQ(ref::decode_kaiju1_rows(tensor.data(), 3, 9, 1, nullptr, &where), QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "out");
  EXPECT_EQ(ref::decode_kaiju1_rows(nullptr, 0, 0, 0, nullptr, &where), QP_BAD_SIZE);
  EXPECT_STREQ(where.field, "n_bytes");
  EXPECT_EQ(ref::decode_kaiju1_rows(tensor.data(), 52, 1, 0, nullptr, &where), QP_OK);
  EXPECT_EQ(ref::decode_kaiju1_rows(tensor.data(), 52, 2, 0, nullptr, nullptr),
            QP_ROW_OUT_OF_RANGE);
  EXPECT_EQ(ref::decode_kaiju1_rows(tensor.data(), 52, 0, SIZE_MAX, out.data(), nullptr),
            QP_ROW_OUT_OF_RANGE);
}

// Any header of any size over few bytes: a named verdict, at once, and nothing is written.
RC_GTEST_PROP(Kaiju1Tensor, AnyHeaderIsJudged, (const std::array<std::uint32_t, 6>& fields)) {
  std::vector<std::uint8_t> tensor = {0x4B, 0x4A, 0x55, 0x31};
  for (const std::uint32_t field : fields) {
    for (int b = 0; b < 4; ++b) tensor.push_back(static_cast<std::uint8_t>(field >> 8 * b));
  }
  tensor.resize(28 + fields[0] % 64);
  const Decoded decoded = decode(tensor, fields[1] % 3, 1, 4);
  if (decoded.status == QP_OK) return;  // a tensor that is as small as this one
  RC_ASSERT(decoded.status == QP_BAD_HEADER || decoded.status == QP_BAD_SIZE ||
            decoded.status == QP_ROW_OUT_OF_RANGE);
  for (const std::uint32_t bits : decoded.bits) RC_ASSERT(bits == kUntouched);
}

// One wrong bit anywhere: the rows before the error are those of the tensor as it was, rows from
// the error on are untouched, and without an error only what the bit belongs to can differ.
TEST(Kaiju1Tensor, OneFlippedBit) {
  const auto tensor = tensor_with_flag("column_order", 100);
  const Kaiju1Header header = read_kaiju1_header(tensor.data());
  const auto layout = kaiju1_layout(header).value();
  const Decoded right = decode(tensor, 0, header.rows, header.cols);
  std::vector<int> verdicts(QP_IMPORTANCE_NEGATIVE + 1);
  for (std::size_t bit = 0; bit < 8 * tensor.size(); ++bit) {
    auto other = tensor;
    other[bit / 8] = static_cast<std::uint8_t>(other[bit / 8] ^ 1u << bit % 8);
    const Decoded decoded = decode(other, 0, header.rows, header.cols);
    ++verdicts[static_cast<std::size_t>(decoded.status)];
    const bool in_rows = bit / 8 >= layout.bulk_rows_offset;
    const std::size_t row = in_rows ? (bit / 8 - layout.bulk_rows_offset) / layout.row_bytes : 0;
    if (decoded.status != QP_OK) {
      ASSERT_EQ(decoded.where.block, in_rows ? row : decoded.where.block);
      for (std::size_t n = 0; n < decoded.bits.size(); ++n) {
        const bool written = in_rows && n < row * header.cols;
        ASSERT_EQ(decoded.bits[n], written ? right.bits[n] : kUntouched) << bit;
      }
      if (in_rows) {
        ASSERT_GE(decoded.where.offset + 6,
                  bit / 8);  // of the field, or of a trit it disagrees with
        ASSERT_EQ((decoded.where.offset - layout.bulk_rows_offset) / layout.row_bytes, row);
      }
    } else if (in_rows) {
      for (std::size_t n = 0; n < decoded.bits.size(); ++n) {
        if (n / header.cols != row) {
          ASSERT_EQ(decoded.bits[n], right.bits[n]) << bit;
        }
      }
    }
  }
  EXPECT_EQ(verdicts[QP_BAD_MAGIC], 32);
  for (const qp_status status :
       {QP_OK, QP_BAD_SIZE, QP_BAD_HEADER, QP_INDEX_OUT_OF_RANGE, QP_INDEX_NOT_ASCENDING,
        QP_SCALE_NOT_FINITE, QP_PADDING_NOT_ZERO, QP_TRITS_OUT_OF_RANGE, QP_FIX_ON_ZERO}) {
    EXPECT_GT(verdicts[static_cast<std::size_t>(status)], 0) << status;
  }
}

// 5.2: every range of rows gives the same rows as the whole tensor.
TEST(Kaiju1Tensor, RangesOfRows) {
  const auto tensor = tensor_with_flag("column_order", 100);
  const Kaiju1Header header = read_kaiju1_header(tensor.data());
  const Decoded whole = decode(tensor, 0, header.rows, header.cols);
  for (std::size_t first = 0; first <= header.rows; ++first) {
    for (std::size_t rows = 0; first + rows <= header.rows; ++rows) {
      const Decoded part = decode(tensor, first, rows, header.cols);
      ASSERT_EQ(part.status, QP_OK);
      for (std::size_t n = 0; n < rows * header.cols; ++n) {
        ASSERT_EQ(part.bits[n], whole.bits[first * header.cols + n]);
      }
    }
  }
}

}  // namespace
}  // namespace quantproof
