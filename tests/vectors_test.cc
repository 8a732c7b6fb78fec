// SPDX-License-Identifier: Apache-2.0
//
// Every literal case against both implementations, the fast one on every level.
#include "tools/certify/vectors.h"

#include <cstring>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "fast/half.h"
#include "quantproof/qp.h"
#include "quantproof/ref/half.h"
#include "quantproof/ref/transcode.h"
#include "tests/levels.h"
#include "tools/certify/decoder.h"
#include "tools/certify/sha256.h"
#include "tools/certify/spec_data.h"

namespace quantproof {
namespace {

void expect_case(const certify::VectorCase& vector, const certify::Answer& want, qp_status status,
                 const qp_location& where, const std::vector<float>& out) {
  EXPECT_EQ(status, want.status) << vector.id;
  if (want.status != QP_OK) {
    EXPECT_EQ(where.block, want.where.block) << vector.id;
    EXPECT_EQ(where.offset, want.where.offset) << vector.id;
    EXPECT_STREQ(where.field, want.where.field) << vector.id;
  }
  ASSERT_LE(want.bits.size(), out.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &out[i], sizeof(bits));
    const std::uint32_t expected = i < want.bits.size() ? want.bits[i] : 0x42280000u;
    ASSERT_EQ(bits, expected) << "case " << vector.id << ", weight " << i;
  }
}

class DecodeVectors : public testing::TestWithParam<qp_format> {};

TEST_P(DecodeVectors, Reference) {
  for (const auto& vector : certify::decode_vectors(GetParam())) {
    ASSERT_EQ(vector.expected.size(), 3u) << "every profile has its verdict";
    for (const auto& [profile, want] : vector.expected) {
      std::vector<float> out(vector.n_values, 42.0f);
      qp_location where{};
      const qp_status status = certify::reference_decode(GetParam(), profile, vector.bytes,
                                                         out.data(), vector.n_values, &where);
      expect_case(vector, want, status, where, out);
    }
  }
}

TEST_P(DecodeVectors, FastOnEveryLevel) {
  for (const auto& level : tests::supported_levels()) {
    ASSERT_EQ(qp_force_level(level.c_str()), QP_OK);
    for (const auto& vector : certify::decode_vectors(GetParam())) {
      for (const auto& [profile, want] : vector.expected) {
        std::vector<float> out(vector.n_values, 42.0f);
        qp_location where{};
        const qp_status status =
            qp_decode_at(profile, GetParam(), vector.bytes.data(), vector.bytes.size(), out.data(),
                         vector.n_values, &where);
        expect_case(vector, want, status, where, out);
      }
    }
  }
  qp_force_level(nullptr);
}

INSTANTIATE_TEST_SUITE_P(Formats, DecodeVectors, testing::Values(QP_IQ3_XXS, QP_E8_IQ3),
                         [](const auto& param) { return certify::format_name(param.param); });

TEST(TranscodeVectors, BothImplementations) {
  for (const auto& vector : certify::transcode_vectors()) {
    auto want = vector.expected;
    want.resize(vector.bytes.size(), 0xEE);
    for (const auto transcode :
         {+[](qp_format from, const std::uint8_t*in, qp_format to, std::uint8_t*out, std::size_t n,
              qp_location*where) { return ref::transcode(from, in, to, out, n, where); },
          +[](qp_format from, const std::uint8_t*in, qp_format to, std::uint8_t*out, std::size_t n,
              qp_location*where) { return qp_transcode_at(from, in, to, out, n, where); }}) {
      std::vector<std::uint8_t> got(vector.bytes.size(), 0xEE);
      qp_location where{0, 0, ""};
      EXPECT_EQ(transcode(vector.from, vector.bytes.data(), vector.to, got.data(), vector.n_blocks,
                          &where),
                vector.status)
          << vector.id;
      EXPECT_EQ(got, want) << vector.id;
      EXPECT_EQ(where.block, vector.where.block) << vector.id;
      EXPECT_EQ(where.offset, vector.where.offset) << vector.id;
      EXPECT_STREQ(where.field, vector.where.field) << vector.id;
    }
  }
}

TEST(HalfVectors, BothImplementations) {
  for (const auto& vector : certify::half_vectors()) {
    ASSERT_EQ(vector.widened.size(), 3u);
    for (const auto& [profile, want] : vector.widened) {
      ref::Scale scale;
      const qp_status status = ref::read_scale(profile, vector.half, &scale);
      EXPECT_EQ(status, want.first) << vector.id;
      if (status != QP_OK) continue;
      EXPECT_EQ(ref::widen(scale), want.second) << vector.id;
      EXPECT_EQ(fast::WidenScale<std::uint32_t>(profile, vector.half), want.second) << vector.id;
    }
    std::uint16_t result = 0;
    EXPECT_EQ(ref::double_scale(vector.half, &result), vector.doubled.status) << vector.id;
    if (vector.doubled.status == QP_OK) {
      EXPECT_EQ(result, vector.doubled.half) << vector.id;
      EXPECT_EQ(fast::DoubleHalf<std::uint32_t>(vector.half), vector.doubled.half) << vector.id;
    }
    EXPECT_EQ(ref::halve_scale(vector.half, &result), vector.halved.status) << vector.id;
    if (vector.halved.status == QP_OK) {
      EXPECT_EQ(result, vector.halved.half) << vector.id;
      EXPECT_EQ(fast::HalveHalf<std::uint32_t>(vector.half), vector.halved.half) << vector.id;
    }
  }
}

TEST(Manifest, DigestsAndCounts) {
  const auto manifest = nlohmann::json::parse(certify::spec_file("vectors/manifest.json"));
  ASSERT_GE(manifest.at("files").size(), 4u);
  for (const auto& file : manifest.at("files")) {
    const std::string path = "vectors/" + file.at("name").get<std::string>();
    EXPECT_EQ(certify::sha256(certify::spec_file(path)), file.at("sha256").get<std::string>())
        << path;
    const auto content = nlohmann::json::parse(certify::spec_file(path));
    EXPECT_EQ(content.at("cases").size(), file.at("cases").get<std::size_t>()) << path;
  }
}

}  // namespace
}  // namespace quantproof
