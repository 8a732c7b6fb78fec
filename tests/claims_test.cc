// SPDX-License-Identifier: Apache-2.0
//
// The coverage gate: no claim without something that discharges it, no kernel without a claim.
#include "tools/certify/claims.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "gtest/gtest.h"

#include "tools/certify/checks.h"
#include "tools/certify/proof_checks.h"
#include "tools/certify/spec_data.h"

namespace quantproof::certify {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(std::string(QUANTPROOF_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::set<std::string> matches(const std::string& text, const std::string& pattern) {
  std::set<std::string> found;
  const std::regex regex(pattern);
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) {
    found.insert((*it)[1]);
  }
  return found;
}

std::set<std::string> discharged() {
  std::set<std::string> ids;
  for (const qp_format format : {QP_IQ3_XXS, QP_E8_IQ3}) {
    for (const auto& entry : format_checks(format)) ids.insert(entry.claim);
  }
  for (const auto& entry : general_checks()) ids.insert(entry.claim);
  for (const auto& entry : iq3_encode_checks()) ids.insert(entry.claim);
  for (const auto& entry : encoder_checks()) ids.insert(entry.claim);
  for (const auto& entry : leech_checks()) ids.insert(entry.claim);
  for (const auto& entry : kaiju1_checks()) ids.insert(entry.claim);
  for (const auto& id : proof_claims()) ids.insert(id);
  return ids;
}

TEST(Claims, IdsAreUnique) {
  std::set<std::string> ids;
  for (const Claim& claim : claims()) EXPECT_TRUE(ids.insert(claim.id).second) << claim.id;
  EXPECT_GE(ids.size(), 122u);
}

TEST(Claims, EveryCheckHasAClaim) {
  for (const std::string& id : discharged()) EXPECT_NE(find_claim(id), nullptr) << id;
}

#if QUANTPROOF_HAVE_PROOFS
TEST(Claims, EveryClaimIsDischarged) {
  const auto ids = discharged();
  for (const Claim& claim : claims()) EXPECT_EQ(ids.count(claim.id), 1u) << claim.id;
}

// The checked-in list makes a lost obligation visible in a diff.
TEST(Claims, ObligationsAreTheListedOnes) {
  std::istringstream lines(read("proofs/obligations.txt"));
  std::vector<std::string> listed;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] != '#') listed.push_back(line);
  }
  EXPECT_EQ(listed, proof_claims());
}
#endif

TEST(Claims, CommandsNameTheirTool) {
  for (const Claim& claim : claims()) {
    const bool prove = claim.command == "quantproof prove --claim " + claim.id;
    const bool certify = claim.command == "quantproof certify" ||
                         claim.command == "quantproof certify --encoder" ||
                         claim.command == "quantproof certify --format " + claim.format;
    EXPECT_TRUE(prove || certify) << claim.id << ": " << claim.command;
  }
}

// Every function of the C ABI that reads or writes weights, and every function of the kernels.
TEST(Claims, EveryKernelHasAClaim) {
  std::set<std::string> claimed;
  for (const Claim& claim : claims()) claimed.insert(claim.kernels.begin(), claim.kernels.end());
  const auto exported = matches(read("fast/quantproof/qp.h"), R"(QP_API qp_status (qp_\w+)\()");
  EXPECT_GE(exported.size(), 4u);
  for (const std::string& name : exported) {
    if (name == "qp_force_level") continue;  // chooses a kernel, is none
    EXPECT_EQ(claimed.count(name), 1u) << name;
  }
  const auto kernels =
      matches(read("fast/iq3_block-inl.h"), R"(HWY_INLINE (?:void|auto|V) ([A-Z]\w+)\()");
  EXPECT_GE(kernels.size(), 4u);
  for (const std::string& name : kernels) {
    if (name == "LoadMagnitudes") continue;  // a part of DecodeBlock
    EXPECT_EQ(claimed.count(name), 1u) << name;
  }
}

// What each proof rests on and leaves open.
TEST(Claims, EveryObligationIsInSoundness) {
  const std::string text = read("proofs/SOUNDNESS.md");
  for (const std::string& id : proof_claims()) {
    EXPECT_NE(text.find(id), std::string::npos) << id;
  }
}

// A claim that a text names exists, and each claim is named in a text.
TEST(Claims, TextsAndClaimsAgree) {
  std::set<std::string> named;
  for (const SpecFile& file : spec_files()) {
    if (file.path.rfind("formats/", 0) != 0) continue;
    const auto ids =
        matches(std::string(file.bytes), R"(((?:[A-Z0-9]+-[A-Z][A-Z0-9]+|TRANSCODE)-[0-9]+)\b)");
    for (const std::string& id : ids) {
      EXPECT_NE(find_claim(id), nullptr) << id << " in " << file.path;
    }
    named.insert(ids.begin(), ids.end());
  }
  for (const Claim& claim : claims()) EXPECT_EQ(named.count(claim.id), 1u) << claim.id;
}

}  // namespace
}  // namespace quantproof::certify
