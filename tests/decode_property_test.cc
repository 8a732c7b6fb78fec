// SPDX-License-Identifier: Apache-2.0
//
// Reference against fast path for arbitrary rows, on every level and under every profile. The
// generators start with extremes and shrink towards a short row.
#include <bit>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"

#include "fuzz/blocks.h"
#include "quantproof/qp.h"
#include "quantproof/ref/e8_iq3.h"
#include "quantproof/ref/iq3_xxs.h"
#include "tests/levels.h"

namespace quantproof {
namespace {

using Fields = Iq3Fields<std::uint32_t>;

// An integer in [0, limit): its ends as often as everything between them.
rc::Gen<std::uint32_t> field(std::uint32_t limit) {
  return rc::gen::oneOf(rc::gen::element(0u, 1u, limit / 2, limit - 2, limit - 1),
                        rc::gen::inRange(0u, limit));
}

rc::Gen<std::uint32_t> scale() {
  return rc::gen::oneOf(
      rc::gen::element(0x0000u, 0x8000u, 0x0001u, 0x8001u, 0x0200u, 0x03FFu, 0x0400u, 0x3C00u,
                       0xBC00u, 0x7BFFu, 0xFBFFu, 0x7C00u, 0xFC00u, 0x7C01u, 0x7E00u, 0xFFFFu),
      rc::gen::inRange(0u, 0x10000u));
}

rc::Gen<Fields> fields() {
  return rc::gen::exec([] {
    Fields f;
    f.scale = *scale();
    for (auto& index : f.index) index = *field(256);
    for (auto& subblock : f.sign_field) {
      for (auto& sign : subblock) sign = *field(128);
    }
    for (auto& code : f.scale_code) code = *field(16);
    return f;
  });
}

// NaNs compare by their bits here.
std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> result;
  for (const float value : values) result.push_back(std::bit_cast<std::uint32_t>(value));
  return result;
}

void check(qp_format format) {
  const auto blocks = *rc::gen::container<std::vector<Fields>>(fields());
  std::vector<std::uint8_t> bytes;
  for (const Fields& f : blocks) {
    const auto block = fuzz::pack(format, f);
    bytes.insert(bytes.end(), block.begin(), block.end());
  }
  std::size_t n = kBlockWeights * blocks.size();
  if (format == QP_E8_IQ3 && n > 0) n -= *rc::gen::inRange<std::size_t>(0, kBlockWeights);
  const auto profile = *rc::gen::element(QP_PROFILE_STRICT, QP_PROFILE_GGML, QP_PROFILE_COLIBRI);

  std::vector<float> want(n, 0.25f);
  qp_location want_where{};
  const auto reference = format == QP_IQ3_XXS ? ref::decode_iq3_xxs : ref::decode_e8_iq3;
  const qp_status want_status =
      reference(profile, bytes.data(), bytes.size(), want.data(), n, &want_where);
  for (const auto& level : tests::supported_levels()) {
    RC_ASSERT(qp_force_level(level.c_str()) == QP_OK);
    std::vector<float> got(n, 0.25f);
    qp_location where{};
    RC_ASSERT(qp_decode_at(profile, format, bytes.data(), bytes.size(), got.data(), n, &where) ==
              want_status);
    RC_ASSERT(bits(got) == bits(want));
    RC_ASSERT(where.block == want_where.block);
    RC_ASSERT(where.offset == want_where.offset);
  }
  qp_force_level(nullptr);
}

RC_GTEST_PROP(DecodeProperty, Iq3XxsFastIsReference, ()) { check(QP_IQ3_XXS); }
RC_GTEST_PROP(DecodeProperty, E8Iq3FastIsReference, ()) { check(QP_E8_IQ3); }

}  // namespace
}  // namespace quantproof
