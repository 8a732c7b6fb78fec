// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/isolate.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tools/certify/guarded_buffer.h"
#include "tools/certify/hex.h"

namespace quantproof::certify {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

TEST(Isolate, PassesTheOutcomeOn) {
  const std::string text(100'000, 'x');  // larger than a pipe holds
  const Outcome outcome = run_isolated(seconds(20), [&](Situation&) {
    return Outcome{Verdict::kRefused, text};
  });
  EXPECT_EQ(outcome.verdict, Verdict::kRefused);
  EXPECT_EQ(outcome.detail, text);
}

TEST(Isolate, TellsOfACrash) {
  const Outcome outcome = run_isolated(seconds(20), [](Situation& situation) {
    situation.describe("the case in hand");
    situation.input(std::array<std::uint8_t, 2>{0xAB, 0x01});
    std::raise(SIGKILL);
    return Outcome{};
  });
  EXPECT_EQ(outcome.verdict, Verdict::kFail);
  EXPECT_THAT(outcome.detail, HasSubstr("signal 9"));
  EXPECT_THAT(outcome.detail, HasSubstr("the case in hand"));
  EXPECT_THAT(outcome.detail, HasSubstr("ab01"));
}

TEST(Isolate, TellsWhichBufferWasLeft) {
  for (const bool after : {true, false}) {
    const Outcome outcome = run_isolated(seconds(20), [&](Situation& situation) {
      const GuardedBuffer buffer(100);
      situation.watch(buffer, "output");
      const std::uint8_t* first = buffer.first();
      const volatile std::uint8_t* stray = after ? first + buffer.capacity() : first - 2;
      return Outcome{Verdict::kPass, std::to_string(*stray)};
    });
    EXPECT_EQ(outcome.verdict, Verdict::kFail);
    EXPECT_THAT(outcome.detail, HasSubstr(after ? "byte 1 after the end of the output"
                                                : "byte 2 before the start of the output"));
  }
}

TEST(Isolate, EndsAHang) {
  const Outcome outcome = run_isolated(seconds(1), [](Situation&) -> Outcome {
    while (true) pause();
  });
  EXPECT_EQ(outcome.verdict, Verdict::kFail);
  EXPECT_THAT(outcome.detail, HasSubstr("no answer within 1 s"));
}

TEST(Isolate, TellsOfAnExitAndOfAnException) {
  EXPECT_THAT(run_isolated(seconds(20), [](Situation&) -> Outcome { _exit(7); }).detail,
              HasSubstr("ended with code 7"));
  const Outcome outcome = run_isolated(
      seconds(20), [](Situation&) -> Outcome { throw std::runtime_error("what went wrong"); });
  EXPECT_EQ(outcome.verdict, Verdict::kFail);
  EXPECT_THAT(outcome.detail, HasSubstr("what went wrong"));
}

TEST(Hex, BothWays) {
  EXPECT_EQ(to_hex(parse_hex("00 fF\n1a")), "00ff1a");
  EXPECT_THROW(parse_hex("0"), std::invalid_argument);
  EXPECT_THROW(parse_hex("0g"), std::invalid_argument);
}

}  // namespace
}  // namespace quantproof::certify
