// SPDX-License-Identifier: Apache-2.0
//
// Proofs of compiled decoders: a right one is proved, each slip is refuted and shown on the CPU,
// and what has no meaning is refused.
#include "proofs/machine_code.h"

#include <dlfcn.h>
#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/long_tier.h"
#include "tests/test_folder.h"

namespace quantproof::proofs {
namespace {

Result prove_symbol(const std::string& name, qp_format format = QP_IQ3_XXS,
                    qp_profile profile = QP_PROFILE_GGML, const Options& options = {}) {
  void* library = dlopen(PLAIN_DECODERS, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr);
  ObjectCode object;
  object.entry = dlsym(library, name.c_str());
  EXPECT_NE(object.entry, nullptr) << name;
  object.format = format;
  object.profile = profile;
  object.name = name;
  return prove_object(object, options);
}

TEST(MachineCode, APlainDecoderIsProved) {
  const Result result = prove_symbol("plain_right");
  EXPECT_EQ(result.verdict, Verdict::kPass) << result.detail;
  EXPECT_NE(result.detail.find("4608 weights"), std::string::npos) << result.detail;
  // It is about one function of one file.
  EXPECT_NE(result.detail.find("plain_right of libplain_decoders.so (SHA-256 "), std::string::npos)
      << result.detail;
}

// Right for another profile or format is wrong for this one.
TEST(MachineCode, TheProfileAndTheFormatCount) {
  EXPECT_EQ(prove_symbol("plain_right", QP_IQ3_XXS, QP_PROFILE_COLIBRI).verdict, Verdict::kFail);
  EXPECT_EQ(prove_symbol("plain_right", QP_E8_IQ3, QP_PROFILE_COLIBRI).verdict, Verdict::kFail);
}

TEST(MachineCode, SlipsAreRefutedAndShownOnTheCpu) {
  for (const char* name : {"plain_subnormal", "plain_eighth_sign", "plain_three_bit_code",
                           "plain_next_index", "plain_wrong_element", "plain_stale_62",
                           "plain_second_block", "plain_writes_past", "plain_reads_past"}) {
    const Result result = prove_symbol(name);
    EXPECT_EQ(result.verdict, Verdict::kFail) << name << ": " << result.detail;
    EXPECT_NE(result.detail.find("on the CPU"), std::string::npos) << name << result.detail;
  }
}

// The queries are written before this program has its verdict, so the solvers find what is wrong.
// Skipped without them.
TEST(MachineCode, SecondSolversFindSlips) {
  struct Case {
    const char* name;
    const char* query;  // the one that has a solution
  };
  // A table with a wrong value and a sign that is missing; then a field that is cut short, and
  // nothing that is wrong.
  std::vector<Case> cases = {{"plain_stale_62", "product"}, {"plain_eighth_sign", "sign"}};
  if (tests::long_tier()) {
    cases.insert(cases.end(), {{"plain_three_bit_code", "product"}, {"plain_right", ""}});
  }
  for (const Case& c : cases) {
    Options options;
    options.export_directory = tests::test_folder() + c.name;
    std::filesystem::remove_all(options.export_directory);
    prove_symbol(c.name, QP_IQ3_XXS, QP_PROFILE_GGML, options);
    std::size_t solved = 0;
    std::size_t agree = 0;
    for (const Recheck& recheck : recheck(options.export_directory, Options{})) {
      if (recheck.verdict == Verdict::kNotExercised)
        GTEST_SKIP() << recheck.solver << " is missing";
      if (recheck.verdict == Verdict::kPass) {
        ++agree;
        continue;
      }
      ++solved;
      EXPECT_EQ(recheck.detail, "sat") << recheck.file << " by " << recheck.solver;
      EXPECT_NE(recheck.file.find("CODE-1." + std::string(c.query) + "_"), std::string::npos)
          << c.name << ": " << recheck.file;
    }
    EXPECT_EQ(solved, c.query[0] == 0 ? 0u : 2u) << c.name;  // both solvers
    EXPECT_GE(agree, 20u) << c.name;
  }
}

TEST(MachineCode, WritableDataIsRefused) {
  const Result result = prove_symbol("plain_writable");
  EXPECT_EQ(result.verdict, Verdict::kRefused) << result.detail;
  EXPECT_NE(result.detail.find("writable data"), std::string::npos) << result.detail;
}

}  // namespace
}  // namespace quantproof::proofs
