// SPDX-License-Identifier: Apache-2.0
//
// Proofs of compiled decoders: a right one is proved, each slip is refuted and shown on the CPU,
// and what has no meaning is refused.
#include "proofs/machine_code.h"

#include <dlfcn.h>
#include <string>

#include "gtest/gtest.h"

namespace quantproof::proofs {
namespace {

Result prove_symbol(const std::string& name, qp_format format = QP_IQ3_XXS,
                    qp_profile profile = QP_PROFILE_GGML) {
  void* library = dlopen(PLAIN_DECODERS, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr);
  ObjectCode object;
  object.entry = dlsym(library, name.c_str());
  EXPECT_NE(object.entry, nullptr) << name;
  object.format = format;
  object.profile = profile;
  object.name = name;
  return prove_object(object, Options{});
}

TEST(MachineCode, APlainDecoderIsProved) {
  const Result result = prove_symbol("plain_right");
  EXPECT_EQ(result.verdict, Verdict::kPass) << result.detail;
  EXPECT_NE(result.detail.find("2304 weights"), std::string::npos) << result.detail;
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

TEST(MachineCode, WritableDataIsRefused) {
  const Result result = prove_symbol("plain_writable");
  EXPECT_EQ(result.verdict, Verdict::kRefused) << result.detail;
  EXPECT_NE(result.detail.find("writable data"), std::string::npos) << result.detail;
}

}  // namespace
}  // namespace quantproof::proofs
