// SPDX-License-Identifier: Apache-2.0
//
// certify on decoders that are right, wrong, dead or absent (tests/zoo/decoders.cc).
#include "tools/certify/certify.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

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

// What a finding consists of: the place, both values, the cause, the vote, the bytes, the command.
TEST(Certify, AFindingSaysAll) {
  const Certificate certificate = run("stale_62");
  EXPECT_EQ(certificate.exit_code(), 1);
  const auto result =
      std::find_if(certificate.claims.begin(), certificate.claims.end(),
                   [](const ClaimResult& r) { return r.claim->id == "IQ3XXS-ROWS-1"; });
  ASSERT_NE(result, certificate.claims.end());
  EXPECT_EQ(result->outcome.verdict, Verdict::kFail);
  for (const char* words :
       {"index k + 0: block 0, weight 20: got 15 (0x41700000), want 15.5 (0x41780000), "
        "0.967742 times the right value; ",
        "values are wrong (each 0.967742 times its right value), exactly those of magnitude 62",
        "; known slip: magnitude 62 of the codebook decoded as 60", "; both references agree; ",
        "; block bytes 003c000102"}) {
    EXPECT_THAT(result->outcome.detail, HasSubstr(words));
  }
  EXPECT_THAT(result->reproduce, HasSubstr("--claim IQ3XXS-ROWS-1"));
}

// ---- Who is wrong --------------------------------------------------------------------------

// A reference that flips a sign.
Answer broken_reference(qp_format format, qp_profile profile, std::span<const std::uint8_t> bytes,
                        std::size_t n_values) {
  Answer answer = reference_answer(format, profile, bytes, n_values);
  if (answer.bits.size() > 100) answer.bits[100] ^= 0x80000000u;
  return answer;
}

Certificate run_with(Reference reference, const std::string& symbol) {
  Request request;
  request.target_text = "lib:" BROKEN_DECODERS ",preset=ggml,symbol=" + symbol;
  request.seconds = 0;
  request.reference = reference;
  return certify(request);
}

TEST(References, ABrokenReferenceIsNamedAndTheTargetIsNotBlamed) {
  const Certificate certificate = run_with(broken_reference, "right_ggml");
  EXPECT_EQ(certificate.count(Verdict::kFail), 0u);
  EXPECT_GE(certificate.count(Verdict::kRefused), 9u);
  EXPECT_EQ(certificate.exit_code(), 4);
  EXPECT_THAT(details(certificate, Verdict::kRefused),
              HasSubstr("the reference is the outlier: the second reference differs from it and "
                        "sides with the target; the reference contradicts "));
  EXPECT_THAT(details(certificate, Verdict::kRefused),
              HasSubstr("the second one agrees with all pinned vectors"));
}

// Both wrong: nothing is shown about the target, and the reference is named all the same.
TEST(References, ABrokenReferenceIsNamedBesideABrokenTarget) {
  const Certificate certificate = run_with(broken_reference, "half_value");
  EXPECT_THAT(details(certificate, Verdict::kRefused), HasSubstr("the reference is the outlier"));
}

TEST(References, AVoteOfTwoBlamesTheTarget) {
  const Answer right =
      reference_answer(QP_IQ3_XXS, QP_PROFILE_GGML, std::array<std::uint8_t, 98>{}, 256);
  Answer wrong = right;
  wrong.bits[3] ^= 1;
  const Vote voted = vote(reference_answer, QP_IQ3_XXS, QP_PROFILE_GGML,
                          std::array<std::uint8_t, 98>{}, 256, wrong, nullptr);
  EXPECT_FALSE(voted.reference_is_outlier);
  EXPECT_EQ(voted.text, "both references agree");
  const Vote pinned = vote(reference_answer, QP_IQ3_XXS, QP_PROFILE_GGML,
                           std::array<std::uint8_t, 98>{}, 256, right, &wrong);
  EXPECT_TRUE(pinned.reference_is_outlier);
  EXPECT_THAT(pinned.text, HasSubstr("the vector is the outlier"));
}

// ---- Coverage --------------------------------------------------------------------------------

TEST(Coverage, CountsWhatTheDecoderWasShown) {
  const Certificate all = run("right_ggml");
  ASSERT_EQ(all.coverage.size(), 1u);
  for (const auto& part : all.coverage[0]->parts()) EXPECT_EQ(part.touched, part.of) << part.name;

  Coverage one(QP_IQ3_XXS);
  one.add(std::array<std::uint8_t, 98>{});
  EXPECT_EQ(one.text(),
            "iq3_xxs: 1 of 256 codebook rows, 1 of 65536 scales, 1 of 16 scale codes, "
            "1 of 128 sign fields, 0 of 784 bits");
}

// The certificate does not say how many claims were looked into at a time, not even the coverage,
// which processes collect together.
TEST(Certify, JobsDoNotChangeTheCertificate) {
  for (const char* symbol : {"right_ggml", "stale_62"}) {
    for (const bool stop : {false, true}) {
      std::vector<std::string> texts;
      for (const std::size_t jobs : {1u, 2u, 16u}) {
        Request request;
        request.target_text = std::string("lib:" BROKEN_DECODERS ",preset=ggml,symbol=") + symbol;
        request.seconds = 0;
        request.jobs = jobs;
        request.stop_at_failure = stop;
        std::size_t begun = 0;
        request.progress = [&](const std::string&, std::size_t number, std::size_t) {
          EXPECT_EQ(number, ++begun);
        };
        Certificate certificate = certify(request);
        EXPECT_GE(begun, certificate.claims.size());
        for (ClaimResult& result : certificate.claims) result.seconds = 0;
        if (stop) certificate.coverage.clear();  // also of what was begun and left out
        texts.push_back(to_json(certificate).dump());
      }
      EXPECT_EQ(texts[0], texts[1]) << symbol;
      EXPECT_EQ(texts[0], texts[2]) << symbol;
    }
  }
}

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
  EXPECT_THROW(with("cmd:"), UsageError);
  EXPECT_THROW(with("cmd:true"), UsageError);
  EXPECT_THROW(with("cmd:true", {"iq3_xxs", "e8_iq3"}), UsageError);
  EXPECT_THROW(with("cmd:true", {"iq3_xxs"}), UnreadableError);
  EXPECT_THROW(with("lib:/nonexistent/x.so"), UnreadableError);
}

TEST(Certify, AnEmptyCertificateIsNoPass) { EXPECT_EQ(Certificate{}.exit_code(), 4); }

}  // namespace
}  // namespace quantproof::certify
