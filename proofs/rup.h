// SPDX-License-Identifier: Apache-2.0
//
// A checker of refutations. The last word on one obligation: it trusts no solver, and is small
// enough to read.
#ifndef QUANTPROOF_PROOFS_RUP_H_
#define QUANTPROOF_PROOFS_RUP_H_

#include <string>
#include <string_view>

namespace quantproof::proofs {

struct RupResult {
  bool refuted = false;  // the clauses are unsatisfiable and the proof shows it
  std::string detail;    // counts, or the first thing that is wrong
};

// `cnf`: clauses in DIMACS. `proof`: textual DRAT, one clause a line, "d" lines delete. Each added
// clause must follow from the clauses before it by unit propagation (RUP), up to the empty
// clause. Steps that are RAT but not RUP are rejected. Deletions are ignored: more clauses can only
// make more steps follow, and what follows stays true.
RupResult check_rup(std::string_view cnf, std::string_view proof);

}  // namespace quantproof::proofs

#endif
