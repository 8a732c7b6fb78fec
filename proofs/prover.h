// SPDX-License-Identifier: Apache-2.0
//
// The proof obligations of quantproof: one per claim with method "smt" and the ones that proofs
// lean on. proofs/SOUNDNESS.md says what each proves and what is trusted. Needs Z3 to link, not
// to include.
#ifndef QUANTPROOF_PROOFS_PROVER_H_
#define QUANTPROOF_PROOFS_PROVER_H_

#include <string>
#include <string_view>
#include <vector>

namespace quantproof::proofs {

enum class Verdict {
  kPass,
  kFail,          // refuted; `detail` has the counterexample
  kRefused,       // no answer within the time budget
  kNotExercised,  // recheck only: the second solver is not installed
};

const char* verdict_name(Verdict verdict);  // "pass", "fail", "refused", "not_exercised"

struct Options {
  double budget_seconds = 120;   // of processor time for one obligation, all its queries together
  std::string export_directory;  // where to write the proved queries; empty: nowhere
};

struct Result {
  std::string claim;  // id in spec/claims.json
  Verdict verdict = Verdict::kRefused;
  double seconds = 0;
  std::string detail;  // what was checked, or the counterexample
  std::string domain;  // what "for all" ranges over
};

// Ids of all claims that have an obligation, sorted. The same list is in proofs/obligations.txt.
std::vector<std::string> obligations();

// Discharges one obligation. Throws std::invalid_argument for an id that is not in obligations().
Result prove(std::string_view claim, const Options& options);

// A second opinion on one exported query.
struct Recheck {
  std::string file;    // name within the directory, "CLAIM.query.smt2" or ".cnf"
  std::string solver;  // "cvc5", "boolector", "cadical + rup"
  Verdict verdict = Verdict::kRefused;
  double seconds = 0;
  std::string detail;
};

// Gives every query that prove() exported into `directory` to other solvers: SMT-LIB files to
// cvc5, those of pure bit-vectors to boolector too, and propositional ones to cadical, whose
// proof the project's own checker (rup.h) checks. Only the answer "unsat" passes. An empty
// directory gives an empty list, which is not a pass. Runs programs found in PATH.
std::vector<Recheck> recheck(const std::string& directory, const Options& options);

}  // namespace quantproof::proofs

#endif
