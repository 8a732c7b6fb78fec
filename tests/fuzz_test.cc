// SPDX-License-Identifier: Apache-2.0
//
// The generator of adversarial rows, and what `quantproof fuzz` makes of decoders of the zoo.
#include "tools/certify/fuzz.h"

#include <algorithm>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "fuzz/blocks.h"
#include "fuzz/kaiju1_tensors.h"
#include "quantproof/ref/kaiju1.h"
#include "tools/certify/coverage.h"
#include "tools/certify/decoder.h"
#include "tools/certify/hex.h"

namespace quantproof::certify {
namespace {

using testing::HasSubstr;

// ---- The generator ---------------------------------------------------------------------------

TEST(AdversarialRows, AreMadeOfSeedAndNumberAlone) {
  for (const qp_format format : {QP_IQ3_XXS, QP_E8_IQ3}) {
    const auto row = fuzz::adversarial_row(format, 5, 1000);
    EXPECT_EQ(row, fuzz::adversarial_row(format, 5, 1000));
    EXPECT_NE(row, fuzz::adversarial_row(format, 6, 1000));
    EXPECT_NE(row, fuzz::adversarial_row(format, 5, 1001));
  }
}

TEST(AdversarialRows, ReachEveryFieldAndMostScales) {
  Coverage coverage(QP_IQ3_XXS);
  std::set<std::size_t> lengths;
  std::size_t near_blocks = 0;  // that differ from the one before in few bits
  std::set<std::string> classes;
  for (std::uint64_t number = 0; number < 5000; ++number) {
    const auto row = fuzz::adversarial_row(QP_IQ3_XXS, 1, number);
    ASSERT_EQ(row.size() % 98, 0u);
    coverage.add(row);
    lengths.insert(row.size() / 98);
    for (std::size_t b = 0; b < row.size(); b += 98) {
      const unsigned scale = row[b] | unsigned{row[b + 1]} << 8;
      const unsigned e = (scale >> 10) & 31;
      classes.insert(e == 31  ? ((scale & 0x3FF) != 0 ? "NaN" : "infinite")
                     : e == 0 ? ((scale & 0x3FF) != 0 ? "subnormal" : "zero")
                              : "normal");
      std::size_t differing = 0;
      for (std::size_t i = 0; b > 0 && i < 98; ++i) differing += row[b + i] != row[b - 98 + i];
      near_blocks += b > 0 && differing < 6 ? 1 : 0;
    }
  }
  EXPECT_EQ(classes.size(), 5u);
  EXPECT_GT(near_blocks, 1000u);
  EXPECT_EQ(*lengths.begin(), 1u);
  EXPECT_GT(*lengths.rbegin(), 50u);
  for (const auto& part : coverage.parts()) {
    if (part.name == "scales") continue;
    EXPECT_EQ(part.touched, part.of) << part.name;
  }
}

TEST(AdversarialTensors, AreValidInHalfAndRefusedInEveryWayElse) {
  std::size_t valid = 0;
  std::set<qp_status> refusals;
  for (std::uint64_t number = 0; number < 3000; ++number) {
    const auto tensor = fuzz::adversarial_kaiju1_tensor(1, number);
    std::vector<float> out(8192);
    const qp_status status =
        ref::decode_kaiju1_rows(tensor.data(), tensor.size(), 0, 1, out.data(), nullptr);
    valid += status == QP_OK ? 1 : 0;
    refusals.insert(status);
  }
  EXPECT_GT(valid, 1000u);
  EXPECT_LT(valid, 2500u);
  for (const qp_status status :
       {QP_BAD_SIZE, QP_BAD_MAGIC, QP_BAD_HEADER, QP_INDEX_OUT_OF_RANGE, QP_INDEX_NOT_ASCENDING,
        QP_SCALE_NOT_FINITE, QP_PADDING_NOT_ZERO, QP_TRITS_OUT_OF_RANGE, QP_FIX_OUT_OF_RANGE}) {
    EXPECT_EQ(refusals.count(status), 1u) << status;
  }
}

// ---- The command -----------------------------------------------------------------------------

FuzzRequest request_for(const std::string& symbol, std::uint64_t cases,
                        const std::string& preset = "ggml", const std::string& format = "iq3_xxs") {
  FuzzRequest request;
  request.target_text = "lib:" BROKEN_DECODERS ",preset=" + preset + ",symbol=" + symbol;
  request.format = format;
  request.cases = cases;
  return request;
}

TEST(Fuzz, RightDecodersHaveNoFindings) {
  for (const char* symbol : {"right_ggml", "right_table_driven", "right_integers_only"}) {
    const FuzzResult result = fuzz_target(request_for(symbol, 300));
    EXPECT_EQ(result.exit_code(), 0) << to_text(result);
    EXPECT_EQ(result.cases, 300u);
  }
  const FuzzResult e8 = fuzz_target(request_for("right_e8_qp", 300, "qp", "e8_iq3"));
  EXPECT_EQ(e8.exit_code(), 0) << to_text(e8);
  for (const char* format : {"iq3_xxs", "e8_iq3", "kaiju1"}) {
    FuzzRequest fast;
    fast.format = format;
    fast.cases = 300;
    EXPECT_EQ(fuzz_target(fast).exit_code(), 0) << to_text(fuzz_target(fast));
  }
}

struct Found {
  const char* symbol;
  const char* preset;
  const char* format;
  const char* words;   // of the finding
  const char* fields;  // what is left of the input
};

class FuzzFinds : public testing::TestWithParam<Found> {};

TEST_P(FuzzFinds, TheSlipAndMakesItSmall) {
  const Found& found = GetParam();
  const FuzzRequest request = request_for(found.symbol, 300, found.preset, found.format);
  const FuzzResult result = fuzz_target(request);
  EXPECT_EQ(result.exit_code(), 1);
  ASSERT_GE(result.findings.size(), 1u);
  EXPECT_LE(result.findings.size(), 4u) << to_text(result);
  const auto finding = std::find_if(
      result.findings.begin(), result.findings.end(),
      [&](const FuzzFinding& f) { return f.detail.find(found.words) != std::string::npos; });
  ASSERT_NE(finding, result.findings.end()) << to_text(result);
  EXPECT_THAT(finding->set_fields, HasSubstr(found.fields));

  // Its reproduction fails again, and not with a right decoder.
  FuzzRequest again = request;
  again.input = finding->bytes;
  again.count = finding->count;
  EXPECT_THAT(finding->reproduce, HasSubstr(" --input " + to_hex(finding->bytes)));
  EXPECT_EQ(fuzz_target(again).exit_code(), 1);
  if (std::string(found.format) == "iq3_xxs") {
    again.target_text = "fast";
    EXPECT_EQ(fuzz_target(again).exit_code(), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Fuzz, FuzzFinds,
    testing::Values(
        Found{"stale_62", "ggml", "iq3_xxs", "magnitude 62 of the codebook decoded as 60",
              "1 blocks, 256 weights, 1 fields and "},
        Found{"value_of_row_127", "ggml", "iq3_xxs", "value 3 of codebook row 127",
              "1 fields and 7 bits set beside the scale"},
        Found{"no_eighth_sign", "ggml", "iq3_xxs", "the eighth sign missing",
              "1 fields and 1 bits set beside the scale"},
        Found{"scale_code_15_is_14", "ggml", "iq3_xxs", "exactly those of",
              "1 fields and 4 bits set beside the scale"},
        Found{"subnormal_scale", "ggml", "iq3_xxs", "implicit 1",
              "0 fields and 0 bits set beside the scale; scale 0x0"},
        Found{"divides_by_zero", "ggml", "iq3_xxs", "ended by signal 8",
              "1 fields and 4 bits set beside the scale"},
        Found{"last_block_forgotten", "ggml", "iq3_xxs", "not written", "2 blocks, 512 weights, 0"},
        Found{"e8_partial_block_forgotten", "qp", "e8_iq3", "not written", "1 blocks, "},
        Found{"ignores_the_scale_class", "qp", "iq3_xxs", "want scale_not_finite",
              "1 blocks, 256 weights, 0 fields"}),
    [](const auto& param) { return std::string(param.param.symbol); });

// A slip that needs the calls before it is told as such, with a command that has them.
TEST(Fuzz, StateIsReproducedWithTheCallsBefore) {
  const FuzzRequest request = request_for("second_call", 60);
  const FuzzResult result = fuzz_target(request);
  ASSERT_EQ(result.findings.size(), 1u) << to_text(result);
  EXPECT_FALSE(result.findings[0].alone);
  EXPECT_EQ(result.findings[0].number, 9u);
  EXPECT_THAT(result.findings[0].reproduce, HasSubstr(" --seed 1 --first 0 --cases 10"));
  EXPECT_EQ(fuzz_target(request_for("second_call", 10)).findings.size(), 1u);
  EXPECT_EQ(fuzz_target(request_for("second_call", 9)).findings.size(), 0u);
}

TEST(Fuzz, DeadTargetsAreNotExercised) {
  for (const char* symbol : {"untouched", "constant", "echo", "no_such_symbol"}) {
    const FuzzResult result = fuzz_target(request_for(symbol, 10));
    EXPECT_EQ(result.exit_code(), 4) << symbol;
    EXPECT_FALSE(result.not_exercised.empty()) << symbol;
  }
  EXPECT_EQ(FuzzResult{}.exit_code(), 4);  // no case, no pass
}

TEST(Fuzz, CommandsAreRestartedAndTheRunGoesOn) {
  FuzzRequest request;
  request.target_text =
      "cmd:python3 " QUANTPROOF_SOURCE_DIR "/tests/faulty_target.py crash_on_large";
  request.format = "iq3_xxs";
  request.cases = 260;
  const FuzzResult result = fuzz_target(request);
  ASSERT_EQ(result.findings.size(), 1u) << to_text(result);
  EXPECT_EQ(result.cases, 260u);
  EXPECT_THAT(result.findings[0].detail, HasSubstr("the command ended with signal 6"));
  EXPECT_EQ(result.findings[0].set_fields,
            "1 blocks, 256 weights, 0 fields and 0 bits set beside the scale; scale 0x7B00");
}

TEST(Fuzz, RequestsThatCannotBeCarriedOut) {
  FuzzRequest request = request_for("right_ggml", 1);
  request.format = "e8_iq3";
  EXPECT_THROW(fuzz_target(request), UsageError);
  request.format = "kaiju1";
  EXPECT_THROW(fuzz_target(request), UsageError);
  request.format = "leech";
  EXPECT_THROW(fuzz_target(request), UsageError);
}

}  // namespace
}  // namespace quantproof::certify
