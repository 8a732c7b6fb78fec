// SPDX-License-Identifier: Apache-2.0
//
// The claims that proofs/ discharges, seen from the command: the same interface whether or not
// this build has a prover.
#ifndef QUANTPROOF_TOOLS_CERTIFY_PROOF_CHECKS_H_
#define QUANTPROOF_TOOLS_CERTIFY_PROOF_CHECKS_H_

#include <string>
#include <vector>

#include "tools/certify/decoder.h"
#include "tools/certify/isolate.h"

namespace quantproof::certify {

// Whether this build can prove anything.
bool has_prover();

// Ids of the claims that have a proof obligation; empty in a build without a prover.
std::vector<std::string> proof_claims();

// Discharges one. Not exercised in a build without a prover.
Outcome run_proof(const std::string& claim, const std::string& export_directory);

// Proves the machine code of a foreign decoder. `spec` names a library that could be opened.
// Not exercised without the symbol.
Outcome run_object_proof(const TargetSpec& spec, qp_format format, qp_profile profile,
                         const std::string& export_directory);

struct RecheckResult {
  std::string file;
  std::string solver;
  Outcome outcome;
  double seconds = 0;
};

// Hands every exported query to the second solvers.
std::vector<RecheckResult> recheck_proofs(const std::string& export_directory);

}  // namespace quantproof::certify

#endif
