// SPDX-License-Identifier: Apache-2.0
//
// Targets behind the protocol of spec/target_protocol.md: the examples pass, and whatever a target
// does instead of answering is a finding, after which the run goes on.
#include <array>
#include <chrono>
#include <cstdlib>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tools/certify/certify.h"

namespace quantproof::certify {
namespace {

using testing::HasSubstr;

Certificate run(const std::string& command, std::vector<std::string> claims = {},
                int seconds_per_call = 10) {
  Request request;
  request.target_text = "cmd:" + command;
  request.formats = {"iq3_xxs"};
  request.claims = std::move(claims);
  request.seconds = 0;
  request.call_limit = std::chrono::seconds(seconds_per_call);
  return certify(request);
}

Certificate run_faulty(const std::string& fault, std::vector<std::string> claims,
                       int seconds_per_call = 10) {
  return run("python3 " QUANTPROOF_SOURCE_DIR "/tests/faulty_target.py " + fault, std::move(claims),
             seconds_per_call);
}

std::string findings(const Certificate& certificate) {
  std::string all;
  for (const ClaimResult& result : certificate.claims) {
    if (result.outcome.verdict != Verdict::kPass) {
      all += result.claim->id + ": " + result.outcome.detail + "\n";
    }
  }
  return all;
}

const std::vector<std::string> kShort = {"IQ3XXS-BATCH-1", "IQ3XXS-CODES-1", "IQ3XXS-ROWS-1",
                                         "IQ3XXS-SIGNS-1", "IQ3XXS-STATE-1", "IQ3XXS-VECTORS-1"};

TEST(CommandTarget, ExampleInC) {
  const Certificate certificate = run(EXAMPLE_TARGET);
  EXPECT_EQ(certificate.exit_code(), 0) << findings(certificate);
  EXPECT_EQ(certificate.profile, "strict");  // it can refuse
  EXPECT_EQ(certificate.claims.size(), 11u);
  EXPECT_THAT(certificate.target.dump(), HasSubstr(R"("name":"example in C")"));
  for (const auto& part : certificate.coverage[0]->parts()) {
    EXPECT_EQ(part.touched, part.of) << part.name;
  }
}

TEST(CommandTarget, ExampleInPython) {
  const Certificate certificate =
      run("python3 " QUANTPROOF_SOURCE_DIR "/tools/examples/iq3_xxs_target.py", kShort);
  EXPECT_EQ(certificate.exit_code(), 0) << findings(certificate);
}

TEST(CommandTarget, ExampleInJavaScript) {
  if (std::system("node --version >/dev/null 2>&1") != 0) {
    if (std::getenv("CI") != nullptr) FAIL() << "node is not installed";
    GTEST_SKIP() << "node is not installed: the JavaScript example was NOT run";
  }
  const Certificate certificate =
      run("node " QUANTPROOF_SOURCE_DIR "/tools/examples/iq3_xxs_target.js", kShort);
  EXPECT_EQ(certificate.exit_code(), 0) << findings(certificate);
}

struct Fault {
  const char* name;
  const char* finding;
};

class FaultyTarget : public testing::TestWithParam<Fault> {};

TEST_P(FaultyTarget, IsAFindingAndTheRunGoesOn) {
  const Certificate certificate =
      run_faulty(GetParam().name, {"IQ3XXS-CODES-1", "IQ3XXS-ROWS-1"}, 1);
  EXPECT_EQ(certificate.exit_code(), 1);
  ASSERT_EQ(certificate.claims.size(), 2u);
  for (const ClaimResult& result : certificate.claims) {  // each with a process of its own
    EXPECT_EQ(result.outcome.verdict, Verdict::kFail);
    EXPECT_THAT(result.outcome.detail, HasSubstr(GetParam().finding));
    EXPECT_THAT(result.outcome.detail, HasSubstr("; input bytes 003c"));
    EXPECT_THAT(result.reproduce, HasSubstr("--seed 1"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    CommandTarget, FaultyTarget,
    testing::Values(Fault{"signal", "the command ended with signal 9"},
                    Fault{"exit", "the command ended with exit status 7"},
                    Fault{"hang", "no answer within 1 s (0 bytes of one came)"},
                    Fault{"half_an_answer", "no answer within 1 s (504 bytes of one came)"},
                    Fault{"closes_output", "the command closed its output and ran on"},
                    Fault{"wrong_number",
                          "an answer of kind 2 to request 10; want kind 2, request 9"},
                    Fault{"one_value_less", "an answer with 1020 bytes of values; want 1024"},
                    Fault{"short", "an answer of 8 bytes; the shortest is 12"},
                    Fault{"twice", "the command wrote more than its answer"},
                    Fault{"huge", "announced an answer of 2147483647 bytes"}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(CommandTarget, ACrashOnOneInputLeavesTheOtherClaimsAlone) {
  const Certificate certificate = run_faulty(
      "crash_on_large", {"IQ3XXS-CODES-1", "IQ3XXS-FIELDS-1", "IQ3XXS-ROWS-1", "IQ3XXS-SIGNS-1"});
  EXPECT_EQ(certificate.count(Verdict::kPass), 3u) << findings(certificate);
  EXPECT_THAT(findings(certificate), HasSubstr("IQ3XXS-FIELDS-1: the command ended with signal 6"));
  EXPECT_THAT(findings(certificate), HasSubstr("; input bytes ff7b"));
}

TEST(CommandTarget, OneBehindAShell) {
  const Certificate certificate =
      run("true; python3 " QUANTPROOF_SOURCE_DIR "/tests/faulty_target.py signal; exit $?",
          {"IQ3XXS-ROWS-1"});
  EXPECT_THAT(findings(certificate),
              HasSubstr("exit status 137, which is how a shell tells of signal 9 (Killed)"));
}

TEST(CommandTarget, DeadOnesAreNotExercised) {
  EXPECT_THAT(findings(run_faulty("constant", {"IQ3XXS-ROWS-1"})),
              HasSubstr("the same output for 6 different blocks"));
  const Certificate echo = run_faulty("echo", {"IQ3XXS-ROWS-1"});
  EXPECT_THAT(findings(echo), HasSubstr("gave the bytes of 6 blocks back as values"));
  EXPECT_EQ(echo.exit_code(), 4);
}

// Without a status it is held to ggml, and the refusals stay open.
TEST(CommandTarget, OneThatCannotRefuse) {
  const Certificate certificate = run_faulty("cannot_refuse", {"IQ3XXS-ROWS-1"});
  EXPECT_EQ(certificate.profile, "ggml");
  EXPECT_EQ(certificate.exit_code(), 0);
}

TEST(CommandTarget, OneThatDoesNotGreetIsNotJudged) {
  for (const auto& [fault, finding] :
       {std::pair{"other_version", "it speaks version 2 of the protocol, not 1"},
        std::pair{"unknown_flags", "unknown flags 0x9"},
        std::pair{"long_name", "its first answer is no hello"},
        std::pair{"chatter", "the command announced an answer of"}}) {
    try {
      run_faulty(fault, {"IQ3XXS-ROWS-1"});
      ADD_FAILURE() << fault;
    } catch (const UnreadableError& error) {
      EXPECT_THAT(error.what(), HasSubstr(finding));
    }
  }
}

}  // namespace
}  // namespace quantproof::certify
