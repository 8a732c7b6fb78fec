// SPDX-License-Identifier: Apache-2.0
//
// The encoder of spec/formats/encoding.md: the reference finds the best content, the fast encoder
// gives the reference's bytes on every level that this CPU has, and the bytes stay what they are.
#include "quantproof/ref/iq3_encode.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck.h"

#include "fuzz/iq3_weights.h"
#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_codebook.h"
#include "quantproof/iq3_encoding.h"
#include "quantproof/iq3_xxs.h"
#include "quantproof/qp.h"
#include "quantproof/ref/half.h"
#include "quantproof/ref/iq3_block.h"
#include "tests/levels.h"

namespace quantproof {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Floats = std::vector<float>;

constexpr qp_format kFormats[] = {QP_IQ3_XXS, QP_E8_IQ3};
constexpr qp_effort kEfforts[] = {QP_EFFORT_FAST, QP_EFFORT_DEFAULT, QP_EFFORT_BEST};

using fuzz::fill;
using fuzz::kIq3Families;
using fuzz::skewed;
using Case = fuzz::Iq3Weights;
using Family = fuzz::Iq3Family;
using Random = fuzz::WeightRandom;

// ------------------------------------------------------------------------------------ encoders

qp_encode_options options_of(qp_effort effort, qp_weighting weighting = QP_WEIGHTING_IMPORTANCE) {
  return {sizeof(qp_encode_options), effort, weighting};
}

ref::Iq3EncodeOptions reference_options(const qp_encode_options& options) {
  ref::Iq3EncodeOptions chosen;
  chosen.effort = options.effort == QP_EFFORT_FAST   ? Iq3Effort::kFast
                  : options.effort == QP_EFFORT_BEST ? Iq3Effort::kBest
                                                     : Iq3Effort::kDefault;
  chosen.weighting =
      options.weighting == QP_WEIGHTING_GGML ? Iq3Weighting::kGgml : Iq3Weighting::kImportance;
  return chosen;
}

const float* data_or_null(const Floats& values) { return values.empty() ? nullptr : values.data(); }

Bytes encode(qp_format format, const Floats& x, const Floats& importance,
             const qp_encode_options& options, std::size_t rows = 1) {
  const std::size_t cols = x.size() / rows;
  Bytes bytes(qp_encoded_size(format, rows, cols), 0xA5);
  EXPECT_EQ(qp_encode(format, x.data(), rows, cols, data_or_null(importance), bytes.data(),
                      bytes.size(), &options),
            QP_OK);
  return bytes;
}

Bytes encode_by_reference(qp_format format, const Floats& x, const Floats& importance,
                          const qp_encode_options& options) {
  Bytes bytes(qp_encoded_size(format, 1, x.size()), 0xA5);
  EXPECT_EQ(ref::encode_iq3(format, x.data(), 1, x.size(), data_or_null(importance),
                            reference_options(options), bytes.data(), bytes.size(), nullptr),
            QP_OK);
  return bytes;
}

Floats decode(qp_format format, const Bytes& bytes, std::size_t n) {
  Floats out(n);
  EXPECT_EQ(qp_decode(format, bytes.data(), bytes.size(), out.data(), n), QP_OK);
  return out;
}

double weighted_error(const Floats& x, const Floats& y, const Floats& importance) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double e = static_cast<double>(x[i]) - static_cast<double>(y[i]);
    sum += (importance.empty() ? 1.0 : static_cast<double>(importance[i])) * e * e;
  }
  return sum;
}

double relative_error(const Floats& x, const Floats& y) {
  return std::sqrt(weighted_error(x, y, {}) / weighted_error(x, Floats(x.size()), {}));
}

void expect_same_on_every_level(qp_format format, const Case& input,
                                const qp_encode_options& options, const std::string& who) {
  const Bytes want = encode_by_reference(format, input.x, input.importance, options);
  for (const auto& level : tests::supported_levels()) {
    ASSERT_EQ(qp_force_level(level.c_str()), QP_OK);
    const Bytes got = encode(format, input.x, input.importance, options);
    std::size_t at = 0;
    while (at < want.size() && got[at] == want[at]) ++at;
    EXPECT_EQ(at, want.size()) << who << " on " << level << ", byte " << at % 98 << " of block "
                               << at / 98;
  }
  qp_force_level(nullptr);
}

// ------------------------------------------------------------------------------ best content (6)

// The least error of a group over all rows and all even choices of signs, in integers: x and w are
// small integers, and so is the effective scale t.
std::int64_t least_group_error(const float* x, const float* w, int t) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (unsigned signs = 0; signs < 256; ++signs) {
    if (std::popcount(signs) % 2 != 0) continue;
    std::int64_t error = 0;
    for (std::size_t half = 0; half < 2; ++half) {
      std::int64_t best = std::numeric_limits<std::int64_t>::max();
      for (const auto& row : kIq3Codebook) {
        std::int64_t sum = 0;
        for (std::size_t j = 0; j < kRowWeights; ++j) {
          const std::size_t i = kRowWeights * half + j;
          const int y = (signs >> i & 1u) != 0 ? -t * row[j] : t * row[j];
          const auto e = static_cast<std::int64_t>(x[i]) - y;
          sum += static_cast<std::int64_t>(w[i]) * e * e;
        }
        best = std::min(best, sum);
      }
      error += best;
    }
    least = std::min(least, error);
  }
  return least;
}

// All sums of 6 are exact for such numbers, so that the error must be the least one, exactly.
TEST(Iq3Encode, ContentIsTheBestOfAll) {
  Random random(1);
  for (int round = 0; round < 40; ++round) {
    const int t = 1 << round % 3;
    float x[kSubblockWeights];
    float w[kSubblockWeights];
    for (std::size_t i = 0; i < kSubblockWeights; ++i) {
      const auto reach = static_cast<std::uint32_t>(round % 4 == 0 ? 9 : 70 * t);
      x[i] = static_cast<float>(random.below(2 * reach + 1)) - static_cast<float>(reach);
      if (round % 5 == 0 && i % 8 != 0) x[i] = -std::fabs(x[i]);  // an odd number of negatives
      w[i] = static_cast<float>(random.below(round % 2 == 0 ? 1 : 4) + 1);
    }
    const ref::Iq3Content content = ref::best_content(x, w, static_cast<float>(t));
    std::int64_t want = 0;
    for (std::size_t l = 0; l < kGroupsPerSubblock; ++l) {
      want += least_group_error(x + kGroupWeights * l, w + kGroupWeights * l, t);
    }
    ASSERT_EQ(static_cast<std::int64_t>(content.error), want) << "round " << round;
    // And the content has that error.
    std::int64_t error = 0;
    for (std::size_t i = 0; i < kSubblockWeights; ++i) {
      const auto negative = ref::group_signs(content.sign_field[i / kGroupWeights]);
      const int g = kIq3Codebook[content.index[i / kRowWeights]][i % kRowWeights];
      const int y = negative[i % kGroupWeights] != 0 ? -t * g : t * g;
      const auto e = static_cast<std::int64_t>(x[i]) - y;
      error += static_cast<std::int64_t>(w[i]) * e * e;
    }
    ASSERT_EQ(error, want) << "round " << round;
  }
}

// 6.2: of equal rows the least, here of a zero half-group with importances that favour no row.
TEST(Iq3Encode, TiesGoToTheLeastRow) {
  const float x[4] = {8, 8, 8, 8};
  const float w[4] = {1, 1, 1, 1};
  // t = 1: 4 and 12 are equally near to 8. Rows of such levels: 0 (0000), 12 (1010), 71 (1111), ...
  const auto best = ref::best_rows(x, w, 0.5f);
  EXPECT_EQ(best.kept.row, 0u);
  EXPECT_EQ(best.flipped.flip, 0u);
}

// 8.3: the estimates lean on this: where a row is found, its line is what another scale would get.
TEST(Iq3Encode, NoRowBeatsTheFoundOneAtItsScale) {
  Random random(2);
  for (int round = 0; round < 50; ++round) {
    float x[4];
    float w[4];
    for (int j = 0; j < 4; ++j) {
      x[j] = static_cast<float>(random.below(401)) - 200.0f;
      w[j] = static_cast<float>(random.below(8) + 1);
    }
    float before = std::numeric_limits<float>::infinity();
    for (const float u : {0.5f, 1.0f, 1.5f, 2.0f, 4.0f}) {
      const auto best = ref::best_rows(x, w, u);
      EXPECT_GE(best.kept.value, best.flipped.value);
      // A greater u favours rows of less square.
      EXPECT_LE(best.kept.square, before);
      before = best.kept.square;
    }
  }
}

// ------------------------------------------------------------------- the fast encoder's bytes

class Iq3EncodeFamily : public testing::TestWithParam<Family> {};

TEST_P(Iq3EncodeFamily, FastIsTheReference) {
  Random random(20'260'905);
  const Case input = GetParam().make(random, 3 * kBlockWeights);
  for (const qp_format format : kFormats) {
    for (const qp_effort effort : kEfforts) {
      for (const qp_weighting weighting : {QP_WEIGHTING_IMPORTANCE, QP_WEIGHTING_GGML}) {
        if (effort == QP_EFFORT_BEST && weighting == QP_WEIGHTING_GGML) continue;  // slow
        expect_same_on_every_level(format, input, options_of(effort, weighting),
                                   std::string(GetParam().name) + ", effort " +
                                       std::to_string(effort) + ", weighting " +
                                       std::to_string(weighting));
      }
    }
  }
}

// 1.3, and no worse than nothing.
TEST_P(Iq3EncodeFamily, BlocksAreValid) {
  Random random(7);
  const Case input = GetParam().make(random, 8 * kBlockWeights);
  for (const qp_format format : kFormats) {
    for (const qp_effort effort : kEfforts) {
      const Bytes bytes = encode(format, input.x, input.importance, options_of(effort));
      const Floats y = decode(format, bytes, input.x.size());
      for (std::size_t at = 0; at < bytes.size(); at += 98) {
        const std::size_t scale =
            at + (format == QP_IQ3_XXS ? Iq3Xxs::kScaleOffset : E8Iq3::kScaleOffset);
        EXPECT_LT(bytes[scale + 1], 0x7C) << "scale negative or not finite";
      }
      EXPECT_LE(weighted_error(input.x, y, input.importance),
                weighted_error(input.x, Floats(y.size()), input.importance));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Iq3EncodeFamily, testing::ValuesIn(kIq3Families),
                         [](const testing::TestParamInfo<Family>& family) {
                           std::string name;
                           for (const char* c = family.param.name; *c != 0; ++c) {
                             name += std::isalnum(static_cast<unsigned char>(*c)) != 0 ? *c : '_';
                           }
                           return name;
                         });

TEST(Iq3Encode, FastIsTheReferenceOnPartialBlocks) {
  Random random(3);
  for (const std::size_t n : {1u, 3u, 4u, 5u, 31u, 33u, 100u, 255u, 257u, 300u}) {
    const Case input = kIq3Families[n % 2 == 0 ? 0 : 2].make(random, n);
    for (const qp_weighting weighting : {QP_WEIGHTING_IMPORTANCE, QP_WEIGHTING_GGML}) {
      expect_same_on_every_level(QP_E8_IQ3, input, options_of(QP_EFFORT_DEFAULT, weighting),
                                 std::to_string(n) + " weights");
    }
  }
}

TEST(Iq3Encode, FastIsTheReferenceOnAnyFloats) {
  rc::check("any finite weights within the limit", [] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const int low = *rc::gen::inRange(100, 150);
    const int width = *rc::gen::inRange(1, 20);
    const bool weighted = *rc::gen::arbitrary<bool>();
    const qp_format format = *rc::gen::element(QP_IQ3_XXS, QP_E8_IQ3);
    Case input{Floats(kBlockWeights), Floats(weighted ? kBlockWeights : 0)};
    const auto draw = [&] {
      const auto exponent = std::min<std::uint32_t>(
          149, static_cast<std::uint32_t>(low) + random.below(static_cast<std::uint32_t>(width)));
      return std::bit_cast<float>(exponent << 23 | random.below(1u << 23));
    };
    for (float& v : input.x) v = random.below(2) == 0 ? draw() : -draw();
    for (float& h : input.importance) h = draw();
    const qp_encode_options options = options_of(QP_EFFORT_DEFAULT);
    const Bytes want = encode_by_reference(format, input.x, input.importance, options);
    for (const auto& level : tests::supported_levels()) {
      RC_ASSERT(qp_force_level(level.c_str()) == QP_OK);
      RC_ASSERT(encode(format, input.x, input.importance, options) == want);
    }
    qp_force_level(nullptr);
  });
}

// 1.2: digests of a corpus of all families, for each format and effort. Bytes that change are a new
// version of the text.
TEST(Iq3Encode, PinnedCorpus) {
  const auto digest = [](std::uint64_t hash, const Bytes& bytes) {  // FNV-1a
    for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001B3u;
    return hash;
  };
  constexpr std::uint64_t kDigests[2][3] = {
      {5364104446320373918u, 4567258975997085379u, 14927397291208056151u},
      {10188168449214062660u, 10852900515065881993u, 14103094903571481799u}};
  for (const auto& level : tests::supported_levels()) {
    ASSERT_EQ(qp_force_level(level.c_str()), QP_OK);
    for (std::size_t f = 0; f < 2; ++f) {
      for (std::size_t e = 0; e < 3; ++e) {
        std::uint64_t hash = 0xCBF29CE484222325u;
        Random random(20'260'906);
        for (const Family& family : kIq3Families) {
          const Case input = family.make(random, 4 * kBlockWeights);
          hash =
              digest(hash, encode(kFormats[f], input.x, input.importance, options_of(kEfforts[e])));
          hash = digest(hash, encode(kFormats[f], input.x, input.importance,
                                     options_of(kEfforts[e], QP_WEIGHTING_GGML)));
        }
        EXPECT_EQ(hash, kDigests[f][e]) << level << ", format " << f << ", effort " << e;
      }
    }
  }
  qp_force_level(nullptr);
}

TEST(Iq3Encode, RowsAndThreadsDoNotMatter) {
  Random random(4);
  constexpr std::size_t kRows = 6;
  constexpr std::size_t kCols = 512;
  const Case all = kIq3Families[0].make(random, kRows * kCols);
  const Floats importance = fill(random, kCols, skewed);
  const qp_encode_options options = options_of(QP_EFFORT_DEFAULT);
  const Bytes want = encode(QP_IQ3_XXS, all.x, importance, options, kRows);
  const std::size_t row_bytes = want.size() / kRows;
  Bytes got(want.size());
  std::vector<std::thread> threads;
  std::array<qp_status, kRows> statuses{};
  for (std::size_t row = 0; row < kRows; ++row) {
    threads.emplace_back([&, row] {
      statuses[row] = qp_encode(QP_IQ3_XXS, &all.x[kCols * row], 1, kCols, importance.data(),
                                &got[row_bytes * row], row_bytes, &options);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const qp_status status : statuses) EXPECT_EQ(status, QP_OK);
  EXPECT_EQ(got, want);
}

TEST(Iq3Encode, NoOptionsAreTheDefaults) {
  Random random(5);
  const Case input = kIq3Families[2].make(random, 512);
  Bytes bytes(196);
  ASSERT_EQ(qp_encode(QP_IQ3_XXS, input.x.data(), 1, 512, input.importance.data(), bytes.data(),
                      bytes.size(), nullptr),
            QP_OK);
  EXPECT_EQ(bytes, encode(QP_IQ3_XXS, input.x, input.importance, options_of(QP_EFFORT_DEFAULT)));
}

// ---------------------------------------------------------------------------- exact blocks (7)

template <class Layout>
Bytes pack(const Iq3Fields<std::uint32_t>& fields) {
  Bytes bytes(Layout::kBlockBytes);
  ref::pack<Layout>(fields, bytes.data());
  return bytes;
}

Bytes pack(qp_format format, const Iq3Fields<std::uint32_t>& fields) {
  return format == QP_IQ3_XXS ? pack<Iq3Xxs>(fields) : pack<E8Iq3>(fields);
}

TEST(Iq3Encode, EveryCodebookRowComesBack) {
  for (const qp_format format : kFormats) {
    for (std::uint32_t row = 0; row < kCodebookRows; ++row) {
      Iq3Fields<std::uint32_t> fields;
      fields.scale = 0x2C00 + 7 * row;
      fields.index.fill(row);
      for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
        fields.scale_code[ib] = (row + 5 * static_cast<std::uint32_t>(ib)) % 16;
        fields.sign_field[ib][ib % 4] = row % 128;
      }
      const Floats x = decode(format, pack(format, fields), kBlockWeights);
      for (const qp_effort effort : kEfforts) {
        EXPECT_EQ(decode(format, encode(format, x, {}, options_of(effort)), x.size()), x)
            << "row " << row;
      }
      EXPECT_EQ(
          decode(format, encode_by_reference(format, x, {}, options_of(QP_EFFORT_FAST)), x.size()),
          x)
          << "row " << row;
    }
  }
}

TEST(Iq3Encode, EveryRowUnderEveryCodeAlone) {
  for (std::uint32_t row = 0; row < kCodebookRows; ++row) {
    const std::uint32_t code = row % 16;
    Iq3Fields<std::uint32_t> fields;
    fields.scale = 0x3555;
    fields.index.fill(row);
    fields.scale_code.fill(code);
    const Floats x = decode(QP_IQ3_XXS, pack(QP_IQ3_XXS, fields), kBlockWeights);
    EXPECT_EQ(decode(QP_IQ3_XXS, encode(QP_IQ3_XXS, x, {}, options_of(QP_EFFORT_DEFAULT)), 256), x);
  }
}

TEST(Iq3Encode, DecodedBlocksComeBack) {
  Random random(6);
  for (int round = 0; round < 300; ++round) {
    const qp_format format = kFormats[round % 2];
    Bytes block(98);
    for (auto& byte : block) byte = static_cast<std::uint8_t>(random.next());
    std::uint8_t& high =
        block[(format == QP_IQ3_XXS ? Iq3Xxs::kScaleOffset : E8Iq3::kScaleOffset) + 1];
    if ((high & 0x7C) == 0x7C) high &= 0xBF;  // finite; either sign
    if (round % 10 == 0) high &= 0x83;        // and now and then subnormal
    const Floats x = decode(format, block, kBlockWeights);
    const Bytes fast = encode(format, x, {}, options_of(QP_EFFORT_FAST));
    EXPECT_EQ(decode(format, fast, kBlockWeights), x) << "round " << round;
    EXPECT_EQ(encode_by_reference(format, x, {}, options_of(QP_EFFORT_FAST)), fast);
  }
}

// 7.2: the least scale. All magnitudes 12: d = 12 x 4 / (62 x 31) is no binary16 number, and of the
// exact ones the least wins.
TEST(Iq3Encode, ExactBlocksTakeTheLeastScale) {
  const Floats x(kBlockWeights, 3.0f);
  const Bytes bytes = encode(QP_IQ3_XXS, x, {}, options_of(QP_EFFORT_DEFAULT));
  EXPECT_EQ(bytes, encode_by_reference(QP_IQ3_XXS, x, {}, options_of(QP_EFFORT_BEST)));
  const std::uint32_t chosen = bytes[0] | static_cast<std::uint32_t>(bytes[1]) << 8;
  for (std::uint32_t scale = 1; scale < chosen; ++scale) {
    ref::Scale d;
    ASSERT_EQ(ref::read_scale(QP_PROFILE_STRICT, static_cast<std::uint16_t>(scale), &d), QP_OK);
    for (std::uint32_t code = 0; code < 16; ++code) {
      for (const std::uint32_t g : {4u, 12u, 20u, 28u}) {  // levels of rows 0000 to 3333
        const auto bits = ref::weight(d, 2 * code + 1, g, false, Iq3Xxs::kValueShift);
        ASSERT_NE(bits, std::bit_cast<std::uint32_t>(3.0f)) << scale;
      }
    }
  }
}

// ------------------------------------------------------------------------------- edges (2 and 5)

TEST(Iq3Encode, BlocksOfZeros) {
  const float least = std::numeric_limits<float>::denorm_min();
  for (const qp_format format : kFormats) {
    const float limit = format == QP_IQ3_XXS ? 0x1p-25f : 0x1p-26f;
    for (const float v : {0.0f, -0.0f, least, 1e-38f, 1e-20f, 1e-11f, limit, -limit}) {
      for (const qp_effort effort : kEfforts) {
        const Floats x(kBlockWeights, v);
        const Bytes bytes = encode(format, x, {}, options_of(effort));
        EXPECT_EQ(bytes, Bytes(98)) << v;
        EXPECT_EQ(bytes, encode_by_reference(format, x, {}, options_of(effort))) << v;
      }
    }
    const Floats beyond(kBlockWeights, std::nextafter(limit, 1.0f));
    EXPECT_NE(encode(format, beyond, {}, options_of(QP_EFFORT_DEFAULT)), Bytes(98));
  }
}

// 5.1: up to the limit nothing is nearer than 0.
TEST(Iq3Encode, ZeroLimitIsHalfTheLeastMagnitude) {
  ref::Scale d;
  ASSERT_EQ(ref::read_scale(QP_PROFILE_STRICT, 1, &d), QP_OK);
  for (const int shift : {2, 3}) {
    EXPECT_EQ(2 * iq3_zero_limit(shift),
              std::bit_cast<float>(ref::weight(d, 1, kLevelMagnitude[0], false, shift)));
  }
}

TEST(Iq3Encode, GreatestWeights) {
  for (const qp_format format : kFormats) {
    const float limit = format == QP_IQ3_XXS ? 31474672.0f : 15737336.0f;
    EXPECT_EQ(limit, iq3_weight_limit(format == QP_IQ3_XXS ? 2 : 3));
    Floats x(kBlockWeights);  // row 5 throughout: 62, 12, 4, 4
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float v = limit / 62 * static_cast<float>(kIq3Codebook[5][i % kRowWeights]);
      x[i] = i / kGroupWeights % 2 == 0 ? v : -v;
    }
    const Floats y = decode(format, encode(format, x, {}, options_of(QP_EFFORT_DEFAULT)), x.size());
    EXPECT_EQ(y, x);
    EXPECT_EQ(y[0], limit);
    x[200] = std::nextafter(limit, std::numeric_limits<float>::infinity());
    Bytes bytes(98, 0x77);
    qp_location where{};
    EXPECT_EQ(qp_encode_at(format, x.data(), 1, 256, nullptr, bytes.data(), 98, nullptr, &where),
              QP_WEIGHT_OUT_OF_RANGE);
    EXPECT_EQ(where.offset, 800u);
    EXPECT_EQ(bytes, Bytes(98, 0x77));
  }
}

TEST(Iq3Encode, RefusalsNameThePlace) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  struct Refusal {
    std::size_t at;
    float value;
    bool importance;
    qp_status status;
    std::uint64_t block;
  };
  for (const Refusal& r :
       {Refusal{48, nan, false, QP_WEIGHT_NOT_FINITE, 0},
        {511, inf, false, QP_WEIGHT_NOT_FINITE, 1},
        {600, -inf, false, QP_WEIGHT_NOT_FINITE, 2},
        {1023, 1e8f, false, QP_WEIGHT_OUT_OF_RANGE, 3},
        {16, nan, true, QP_IMPORTANCE_NOT_FINITE, 0},
        {300, inf, true, QP_IMPORTANCE_NOT_FINITE, 1},
        {300, -inf, true, QP_IMPORTANCE_NOT_FINITE, 1},
        {5, -1, true, QP_IMPORTANCE_NEGATIVE, 0},
        {511, -std::numeric_limits<float>::denorm_min(), true, QP_IMPORTANCE_NEGATIVE, 1}}) {
    Random random(8);
    Floats x = fill(random, 1024, [](Random& q) { return q.bell(); });
    Floats importance(512, 1.0f);
    (r.importance ? importance : x)[r.at] = r.value;
    for (const bool reference : {false, true}) {
      Bytes bytes(4 * 98, 0x77);
      qp_location where{};
      const qp_status status =
          reference ? ref::encode_iq3(QP_IQ3_XXS, x.data(), 2, 512, importance.data(), {},
                                      bytes.data(), bytes.size(), &where)
                    : qp_encode_at(QP_IQ3_XXS, x.data(), 2, 512, importance.data(), bytes.data(),
                                   bytes.size(), nullptr, &where);
      EXPECT_EQ(status, r.status) << r.at;
      EXPECT_EQ(where.block, r.block) << r.at;
      EXPECT_EQ(where.offset, 4 * r.at);
      EXPECT_STREQ(where.field, r.importance ? "importance" : "x");
      EXPECT_EQ(bytes, Bytes(4 * 98, 0x77)) << "written";
    }
  }
}

TEST(Iq3Encode, ArgumentsAreChecked) {
  const Floats x(256, 1.0f);
  Bytes bytes(98);
  qp_location where{};
  const auto run = [&](qp_format format, const float* weights, std::size_t cols, void* out,
                       std::size_t n_bytes, const qp_encode_options* options) {
    return qp_encode_at(format, weights, 1, cols, nullptr, out, n_bytes, options, &where);
  };
  EXPECT_EQ(run(static_cast<qp_format>(3), x.data(), 256, bytes.data(), 98, nullptr),
            QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "format");
  EXPECT_EQ(run(QP_IQ3_XXS, nullptr, 256, bytes.data(), 98, nullptr), QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "x");
  EXPECT_EQ(run(QP_IQ3_XXS, x.data(), 256, nullptr, 98, nullptr), QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "bytes");
  qp_encode_options options = options_of(QP_EFFORT_DEFAULT);
  options.struct_size = 1;
  EXPECT_EQ(run(QP_IQ3_XXS, x.data(), 256, bytes.data(), 98, &options), QP_BAD_ARGUMENT);
  EXPECT_STREQ(where.field, "options");
  EXPECT_EQ(run(QP_IQ3_XXS, x.data(), 255, bytes.data(), 98, nullptr), QP_BAD_WIDTH);
  EXPECT_STREQ(where.field, "cols");
  EXPECT_EQ(run(QP_IQ3_XXS, x.data(), 256, bytes.data(), 97, nullptr), QP_BAD_SIZE);
  EXPECT_STREQ(where.field, "n_bytes");
  EXPECT_EQ(run(QP_E8_IQ3, x.data(), 255, bytes.data(), 98, nullptr), QP_OK);
  EXPECT_EQ(qp_encode(QP_IQ3_XXS, nullptr, 0, 256, nullptr, nullptr, 0, nullptr), QP_OK);
  EXPECT_EQ(qp_encode(QP_IQ3_XXS, nullptr, 7, 0, nullptr, nullptr, 0, nullptr), QP_OK);
  EXPECT_EQ(qp_encoded_size(QP_IQ3_XXS, 3, 512), 3u * 196);
  EXPECT_EQ(qp_encoded_size(QP_E8_IQ3, 3, 300), 3u * 196);
  EXPECT_EQ(qp_encoded_size(QP_IQ3_XXS, 3, 300), 0u);
  EXPECT_EQ(qp_encoded_size(QP_IQ3_XXS, SIZE_MAX / 2, 512), 0u);
}

// 5.3
TEST(Iq3Encode, ImportanceOfZeros) {
  Random random(9);
  const Case input = kIq3Families[0].make(random, 512);
  for (const qp_effort effort : kEfforts) {
    const Bytes none = encode(QP_IQ3_XXS, input.x, {}, options_of(effort));
    for (const float h : {0.0f, -0.0f, 1.0f, 1e-44f, 1e30f}) {
      EXPECT_EQ(encode(QP_IQ3_XXS, input.x, Floats(512, h), options_of(effort)), none) << h;
    }
    // A sub-block without importance is encoded as if it had some, beside one that has.
    Floats some(512, 1.0f);
    std::fill(some.begin() + 32, some.begin() + 64, 0.0f);
    const Floats y = decode(QP_IQ3_XXS, encode(QP_IQ3_XXS, input.x, some, options_of(effort)), 512);
    const Floats x(input.x.begin() + 32, input.x.begin() + 64);
    EXPECT_LT(relative_error(x, Floats(y.begin() + 32, y.begin() + 64)), 0.25);
  }
}

// Multiplying all weights of normal scales by a power of two multiplies the scale only.
TEST(Iq3Encode, PowersOfTwoMoveTheScaleOnly) {
  Random random(10);
  const Case input = kIq3Families[2].make(random, 256);
  Floats scaled(input.x);
  for (float& v : scaled) v *= 64;
  Bytes a = encode(QP_IQ3_XXS, input.x, input.importance, options_of(QP_EFFORT_DEFAULT));
  const Bytes b = encode(QP_IQ3_XXS, scaled, input.importance, options_of(QP_EFFORT_DEFAULT));
  a[1] = static_cast<std::uint8_t>(a[1] + 6 * 4);
  EXPECT_EQ(a, b);
  // And E8/IQ3 stores the same content with twice the scale.
  Bytes c = encode(QP_E8_IQ3, input.x, input.importance, options_of(QP_EFFORT_DEFAULT));
  std::rotate(c.begin(), c.end() - 2, c.end());
  c[1] = static_cast<std::uint8_t>(c[1] - 4 + 6 * 4);
  EXPECT_EQ(c, b);
}

// ------------------------------------------------------------------------------ quality (9.1, 9.2)

TEST(Iq3Encode, ErrorOfNormalWeights) {
  Random random(11);
  Floats x(256 * kBlockWeights);
  for (float& v : x) v = static_cast<float>(random.normal());
  double before = 0;
  for (const auto& [effort, limit] :
       {std::pair(QP_EFFORT_BEST, 0.1758), {QP_EFFORT_DEFAULT, 0.1770}, {QP_EFFORT_FAST, 0.1790}}) {
    const double error = relative_error(
        x, decode(QP_IQ3_XXS, encode(QP_IQ3_XXS, x, {}, options_of(effort)), x.size()));
    EXPECT_LE(error, limit);
    EXPECT_GT(error, before);
    before = error;
    RecordProperty("relative_error_of_effort_" + std::to_string(effort), std::to_string(error));
  }
}

// 9.1: under effort best no other code of a sub-block is better, given the scale.
TEST(Iq3Encode, BestSettlesEveryCode) {
  Random random(12);
  const Case input = kIq3Families[0].make(random, 2 * kBlockWeights);
  const Bytes bytes = encode(QP_IQ3_XXS, input.x, {}, options_of(QP_EFFORT_BEST));
  for (std::size_t b = 0; b < 2; ++b) {
    const auto fields = ref::unpack<Iq3Xxs, std::uint32_t>(&bytes[98 * b]);
    ref::Scale scale;
    ASSERT_EQ(ref::read_scale(QP_PROFILE_STRICT, static_cast<std::uint16_t>(fields.scale), &scale),
              QP_OK);
    const float d = std::bit_cast<float>(ref::widen(scale));
    const float w[kSubblockWeights] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                       1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
      const float* const x = &input.x[kBlockWeights * b + kSubblockWeights * ib];
      const auto error_of = [&](std::uint32_t code) {
        return ref::best_content(x, w, d * static_cast<float>(2 * code + 1) / 4).error;
      };
      for (std::uint32_t code = 0; code < 16; ++code) {
        // The working numbers are these times a power of two: the same comparisons.
        EXPECT_LE(error_of(fields.scale_code[ib]), error_of(code));
      }
    }
  }
}

// -------------------------------------------------------------------------- the text's constants

TEST(Iq3Encode, GridConstants) {
  for (int i = 0; i < kIq3GridSteps; ++i) {
    EXPECT_EQ(kIq3GridFraction[static_cast<std::size_t>(i)],
              static_cast<float>(std::exp2(static_cast<long double>(i) / 32)));
  }
  EXPECT_EQ(kIq3GridHalfStep, static_cast<float>(std::exp2(1.0L / 64)));
  for (int s = 0; s < 16; ++s) {
    EXPECT_EQ(kIq3CodeStep[static_cast<std::size_t>(s)],
              std::lround(32 * std::log2(static_cast<long double>(2 * s + 1))));
  }
  EXPECT_EQ(kIq3CodeStep[kIq3LeastGreatCode], 111);
}

// Clause 9.
TEST(Iq3Encode, Efforts) {
  const auto is = [](const Iq3Search& s, int first, int step, int probes, int trials, int refits,
                     int settle, bool flipped_rows) {
    return s.flipped_rows == flipped_rows && s.first_probe == first && s.probe_step == step &&
           s.probes == probes && s.trials == trials && s.refits == refits && s.settle == settle;
  };
  EXPECT_TRUE(is(iq3_search(Iq3Effort::kFast), -204, 12, 3, 1, 0, 0, false));
  EXPECT_TRUE(is(iq3_search(Iq3Effort::kDefault), -208, 8, 6, 1, 0, 0, true));
  EXPECT_TRUE(is(iq3_search(Iq3Effort::kBest), -228, 4, 25, 8, 3, 15, true));
  for (const Iq3Effort effort : {Iq3Effort::kFast, Iq3Effort::kDefault, Iq3Effort::kBest}) {
    EXPECT_LE(iq3_search(effort).probes, kIq3MaxProbes);
    EXPECT_LE(iq3_search(effort).trials, kIq3MaxTrials);
  }
}

}  // namespace
}  // namespace quantproof
