// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <stdexcept>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "proofs/prover.h"
#include "proofs/rup.h"

namespace quantproof::proofs {
namespace {

// The obligations themselves are discharged by certify_builtin, and again by proofs_recheck.
TEST(Proofs, AnObligationHolds) {
  const Result result = prove("IQ3XXS-LAYOUT-1", Options{});
  EXPECT_EQ(result.verdict, Verdict::kPass) << result.detail;
  EXPECT_FALSE(result.domain.empty());
}

TEST(Proofs, UnknownClaim) { EXPECT_THROW(prove("NOSUCH-1", Options{}), std::invalid_argument); }

// No budget, no answer: an undecided obligation is refused, never passed.
TEST(Proofs, OutOfTimeIsRefused) {
  Options options;
  options.budget_seconds = 0;
  EXPECT_EQ(prove("IQ3XXS-KERNEL-1", options).verdict, Verdict::kRefused);
}

TEST(Proofs, NothingToRecheckIsNoPass) {
  const auto directory = std::filesystem::path(testing::TempDir()) / "quantproof-empty";
  std::filesystem::create_directories(directory);
  EXPECT_TRUE(recheck(directory.string(), Options{}).empty());
}

// (x or y)(x or not y)(not x or z)(not x or not z): x follows, then the empty clause.
constexpr const char* kUnsatisfiable = "p cnf 3 4\n1 2 0\n1 -2 0\n-1 3 0\n-1 -3 0\n";

TEST(Rup, AcceptsARefutation) {
  const RupResult result = check_rup(kUnsatisfiable, "1 0\n0\n");
  EXPECT_TRUE(result.refuted) << result.detail;
}

TEST(Rup, IgnoresDeletions) { EXPECT_TRUE(check_rup(kUnsatisfiable, "1 0\nd 1 2 0\n0\n").refuted); }

TEST(Rup, RejectsWhatDoesNotFollow) {
  // True, but no unit propagation shows it: the first lemma is missing.
  EXPECT_FALSE(check_rup(kUnsatisfiable, "0\n").refuted);
  // Nothing is refuted without the empty clause, or by an empty proof of satisfiable clauses.
  EXPECT_FALSE(check_rup("p cnf 2 1\n1 2 0\n", "").refuted);
  EXPECT_FALSE(check_rup("p cnf 2 1\n1 2 0\n", "0\n").refuted);
  EXPECT_FALSE(check_rup("p cnf 2 1\n1 2 0\n", "1 0\n0\n").refuted);
}

TEST(Rup, RejectsWhatItCannotRead) {
  EXPECT_FALSE(check_rup("p cnf 1 2\n1 0\n-1 0\n", "nonsense\n").refuted);
  EXPECT_FALSE(check_rup("nonsense", "0\n").refuted);
}

}  // namespace
}  // namespace quantproof::proofs
