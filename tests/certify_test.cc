// SPDX-License-Identifier: Apache-2.0
//
// certify on decoders that are right, wrong, dead or absent (tests/broken_decoders.cc).
#include "tools/certify/certify.h"

#include <algorithm>
#include <ostream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quantproof::certify {
namespace {

using testing::HasSubstr;

Certificate run(const std::string& symbol, const std::string& preset = "ggml") {
  Request request;
  request.target_text = "lib:" BROKEN_DECODERS ",preset=" + preset + ",symbol=" + symbol;
  request.seconds = 0;
  if (preset == "qp") request.formats = {"iq3_xxs"};
  return certify(request);
}

std::string details(const Certificate& certificate, Verdict verdict) {
  std::string all;
  for (const ClaimResult& result : certificate.claims) {
    if (result.outcome.verdict == verdict) {
      all += result.claim->id + ": " + result.outcome.detail + "\n";
    }
  }
  return all;
}

TEST(Certify, RightDecodersPass) {
  EXPECT_EQ(run("right_ggml").exit_code(), 0) << details(run("right_ggml"), Verdict::kFail);
  EXPECT_EQ(run("right_colibri", "colibri").exit_code(), 0)
      << details(run("right_colibri", "colibri"), Verdict::kFail);
  EXPECT_EQ(run("right_qp", "qp").exit_code(), 0) << details(run("right_qp", "qp"), Verdict::kFail);
}

struct Broken {
  const char* symbol;
  const char* preset;
  const char* claim;    // a claim that must fail
  const char* finding;  // what its detail must say
};

void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.symbol; }

class BrokenDecoder : public testing::TestWithParam<Broken> {};

TEST_P(BrokenDecoder, IsKilled) {
  const Certificate certificate = run(GetParam().symbol, GetParam().preset);
  EXPECT_EQ(certificate.exit_code(), 1);
  const auto result =
      std::find_if(certificate.claims.begin(), certificate.claims.end(),
                   [](const ClaimResult& r) { return r.claim->id == GetParam().claim; });
  ASSERT_NE(result, certificate.claims.end());
  EXPECT_EQ(result->outcome.verdict, Verdict::kFail);
  EXPECT_THAT(result->outcome.detail, HasSubstr(GetParam().finding));
  EXPECT_THAT(result->reproduce, HasSubstr("--claim " + std::string(GetParam().claim)));
}

INSTANTIATE_TEST_SUITE_P(
    Certify, BrokenDecoder,
    testing::Values(
        Broken{"stale_62", "ggml", "IQ3XXS-ROWS-1", "0.967742 times the right value"},
        Broken{"no_eighth_sign", "ggml", "IQ3XXS-SIGNS-1", "the sign is wrong"},
        Broken{"three_bit_scale_code", "ggml", "IQ3XXS-CODES-1", "scale codes from 0"},
        Broken{"subnormal_scale", "ggml", "IQ3XXS-SCALE-1", "scale 0x0001: block 0, weight 0: got"},
        Broken{"nan_payload", "ggml", "IQ3XXS-SCALE-1", "scale 0x7C01"},
        Broken{"other_order", "ggml", "IQ3XXS-VECTORS-1", "vector"},
        Broken{"half_value", "ggml", "IQ3XXS-VECTORS-1", "0.5 times the right value"},
        Broken{"row_255_missing", "ggml", "IQ3XXS-ROWS-1", "block 0"},
        Broken{"eight_bit_sign_fields", "ggml", "IQ3XXS-SIGNS-1", "the sign is wrong"},
        Broken{"first_block_only", "ggml", "IQ3XXS-VECTORS-1", "block 1"},
        Broken{"wide_rows", "ggml", "IQ3XXS-RANDOM-1", "block 16, weight 0"},
        Broken{"second_call", "ggml", "IQ3XXS-SCALE-1", "weight 255"},
        Broken{"reads_past", "ggml", "IQ3XXS-ROWS-1", "byte 1 after the end of the input"},
        Broken{"writes_past", "ggml", "IQ3XXS-ROWS-1", "byte 1 after the end of the output"},
        Broken{"writes_before", "ggml", "IQ3XXS-ROWS-1", "before the start of the output"},
        Broken{"crashes", "ggml", "IQ3XXS-ROWS-1", "signal 6"},
        Broken{"ignores_the_scale_class", "qp", "IQ3XXS-REFUSE-1", "got status ok"},
        Broken{"accepts_any_size", "qp", "IQ3XXS-REFUSE-1", "got status ok"}),
    [](const auto& param) { return std::string(param.param.symbol); });

// Never a pass: a target that does nothing, that answers the same to everything, that is absent.
TEST(Certify, DeadTargetsAreNotExercised) {
  for (const auto& [symbol, finding] :
       {std::pair{"untouched", "left its output untouched"},
        std::pair{"constant", "the same output for 6 different blocks"},
        std::pair{"no_such_symbol", "the library has no symbol no_such_symbol"}}) {
    const Certificate certificate = run(symbol);
    EXPECT_EQ(certificate.exit_code(), 4) << symbol;
    EXPECT_EQ(certificate.count(Verdict::kNotExercised), certificate.claims.size()) << symbol;
    EXPECT_THAT(details(certificate, Verdict::kNotExercised), HasSubstr(finding));
  }
}

// A function without a status cannot refuse what strict refuses: that claim stays open.
TEST(Certify, StrictNeedsAStatus) {
  Request request;
  request.target_text = "lib:" BROKEN_DECODERS ",preset=ggml,symbol=right_ggml";
  request.profile = QP_PROFILE_STRICT;
  request.claims = {"IQ3XXS-SCALE-1"};
  const Certificate certificate = certify(request);
  EXPECT_EQ(certificate.exit_code(), 4);
  EXPECT_THAT(certificate.claims[0].outcome.detail,
              HasSubstr("63488 cases agree, but 2048 must be refused"));
}

TEST(Certify, RequestsThatCannotBeCarriedOut) {
  const auto with = [](const std::string& target, std::vector<std::string> formats = {},
                       std::vector<std::string> claims = {}) {
    Request request;
    request.target_text = target;
    request.formats = std::move(formats);
    request.claims = std::move(claims);
    return certify(request);
  };
  EXPECT_THROW(with("slow"), UsageError);
  EXPECT_THROW(with("lib:"), UsageError);
  EXPECT_THROW(with("lib:x.so,preset=other"), UsageError);
  EXPECT_THROW(with("lib:x.so,colour=red"), UsageError);
  EXPECT_THROW(with("lib:x.so", {"e8_iq3"}), UsageError);
  EXPECT_THROW(with("lib:x.so", {"leech"}), UsageError);
  EXPECT_THROW(with("lib:x.so", {"kaiju1"}), UsageError);
  EXPECT_THROW(with("fast", {"iq4_xs"}), UsageError);
  EXPECT_THROW(with("fast", {"leech"}, {"IQ3XXS-SCALE-1"}), UsageError);
  EXPECT_THROW(with("lib:x.so,preset=qp"), UsageError);
  EXPECT_THROW(with("fast", {}, {"NOSUCH-1"}), UsageError);
  EXPECT_THROW(with("lib:/nonexistent/x.so"), UnreadableError);
}

TEST(Certify, AnEmptyCertificateIsNoPass) { EXPECT_EQ(Certificate{}.exit_code(), 4); }

}  // namespace
}  // namespace quantproof::certify
