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

// A decoder in a library whose machine code is to be proved.
struct CodeTarget {
  TargetSpec spec;
  qp_format format = QP_IQ3_XXS;
  qp_profile profile = QP_PROFILE_GGML;
};

// The function of the library that is meant: `spec.symbol`, else the preset's; under preset qp, a
// library without that one which is a build of libquantproof: its qp_decode_at. Throws
// UnreadableError where the library cannot be loaded.
std::string code_symbol(const CodeTarget& target);

// Whether that is qp_decode_at, which is called as qp.h says.
bool is_decode_at(const CodeTarget& target);

// What "for all" ranges over.
std::string code_domain(const CodeTarget& target);

// Proves it. Not exercised without the symbol.
Outcome run_object_proof(const CodeTarget& target, const std::string& export_directory);

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
