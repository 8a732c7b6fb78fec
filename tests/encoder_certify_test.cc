// SPDX-License-Identifier: Apache-2.0
//
// certify --encoder on encoders that are right, wrong or absent (tests/zoo/encoders.cc).
#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tools/certify/certify.h"

namespace quantproof::certify {
namespace {

using testing::HasSubstr;

Certificate run(const std::string& target, const std::string& claim = "") {
  Request request;
  request.target_text = target;
  request.encoder = true;
  request.formats = {"iq3_xxs"};
  request.seconds = 0;
  if (!claim.empty()) request.claims = {claim};
  return certify(request);
}

Certificate run_symbol(const std::string& symbol, const std::string& claim = "") {
  return run("lib:" BROKEN_ENCODERS ",preset=qp,symbol=" + symbol, claim);
}

// All findings, a line each.
std::string findings(const Certificate& certificate) {
  std::string all;
  for (const ClaimResult& result : certificate.claims) {
    if (result.outcome.verdict == Verdict::kPass) continue;
    all += result.claim->id + ": " + result.outcome.detail + "\n";
  }
  return all;
}

TEST(CertifyEncoder, RightOnesHaveNoFinding) {
  EXPECT_EQ(findings(run("fast")), "");
  EXPECT_EQ(findings(run_symbol("right")), "");
}

struct Broken {
  const char* symbol;
  const char* claim;
  const char* finding;
};

void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.symbol; }

class BrokenEncoder : public testing::TestWithParam<Broken> {};

TEST_P(BrokenEncoder, IsFound) {
  const Certificate certificate = run_symbol(GetParam().symbol, GetParam().claim);
  EXPECT_EQ(certificate.exit_code(), 1);
  EXPECT_THAT(findings(certificate), HasSubstr(GetParam().finding));
}

INSTANTIATE_TEST_SUITE_P(
    CertifyEncoder, BrokenEncoder,
    testing::Values(
        Broken{"searches_with_60", "IQ3ENC-GAP-1", "of 2048 groups are not the best"},
        Broken{"ignores_importance", "IQ3ENC-ERROR-1", "chi-square importance"},
        Broken{"transposes_importance", "IQ3ENC-ERROR-1", "chi-square importance"},
        Broken{"flips_least_weight_first", "IQ3ENC-GAP-1", "of 2048 groups are not the best"},
        Broken{"loses_eighth_sign", "IQ3ENC-GAP-1", "of 2048 groups are not the best"},
        Broken{"next_scale_code", "IQ3ENC-GAP-1", "of 2048 groups are not the best"},
        Broken{"loses_place_after_zeros", "IQ3ENC-EDGE-1", "sub-block 0 all 0: relative squared"},
        Broken{"accepts_nan", "IQ3ENC-EDGE-1", "a weight NaN: accepted"},
        Broken{"trusts_zero_importance", "IQ3ENC-EDGE-1", "importances all 0: relative squared"},
        Broken{"infinite_scale", "IQ3ENC-EDGE-1",
               "a weight 1e8: writes a scale that is not finite"},
        Broken{"last_byte_unwritten", "IQ3ENC-OUTPUT-1", "byte 97 of block"},
        Broken{"writes_one_more", "IQ3ENC-OUTPUT-1", "byte 1 after the end of the output"},
        Broken{"reads_one_more", "IQ3ENC-OUTPUT-1", "byte 1 after the end of the weights"},
        Broken{"remembers_last_call", "IQ3ENC-REPEAT-1", "other bytes from the same call again"},
        Broken{"aborts_on_nan", "IQ3ENC-EDGE-1", "a weight NaN: ended by signal 6"},
        Broken{"never_ends_on_negative_importance", "IQ3ENC-EDGE-1",
               "importance -1: no answer within"}),
    [](const auto& test) { return std::string(test.param.symbol); });

TEST(CertifyEncoder, AMissingSymbolIsNotAPass) {
  const Certificate certificate = run_symbol("absent");
  EXPECT_EQ(certificate.exit_code(), 4);
  EXPECT_THAT(findings(certificate), HasSubstr("the library has no symbol absent"));
}

TEST(CertifyEncoder, PresetsAndFormatsThatDoNotFit) {
  EXPECT_THROW(run("lib:" BROKEN_ENCODERS ",preset=colibri"), UsageError);
  EXPECT_THROW(run("lib:/nowhere.so,preset=qp"), UnreadableError);
  Request request;
  request.encoder = true;
  request.formats = {"leech"};
  EXPECT_THROW(certify(request), UsageError);
}

}  // namespace
}  // namespace quantproof::certify
