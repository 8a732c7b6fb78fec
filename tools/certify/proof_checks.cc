// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/proof_checks.h"

#if QUANTPROOF_HAVE_PROOFS
#include <dlfcn.h>

#include "proofs/machine_code.h"
#include "proofs/prover.h"
#endif

namespace quantproof::certify {

#if QUANTPROOF_HAVE_PROOFS

namespace {

Verdict translate(proofs::Verdict verdict) {
  switch (verdict) {
    case proofs::Verdict::kPass:
      return Verdict::kPass;
    case proofs::Verdict::kFail:
      return Verdict::kFail;
    case proofs::Verdict::kRefused:
      return Verdict::kRefused;
    case proofs::Verdict::kNotExercised:
      break;
  }
  return Verdict::kNotExercised;
}

}  // namespace

bool has_prover() { return true; }

std::vector<std::string> proof_claims() { return proofs::obligations(); }

Outcome run_proof(const std::string& claim, const std::string& export_directory) {
  proofs::Options options;
  options.export_directory = export_directory;
  const proofs::Result result = proofs::prove(claim, options);
  return {translate(result.verdict), result.detail};
}

Outcome run_object_proof(const TargetSpec& spec, qp_format format, qp_profile profile,
                         const std::string& export_directory) {
  void* library = dlopen(library_path(spec.path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw UnreadableError("cannot load " + spec.path);
  proofs::ObjectCode object;
  object.name = symbol_for(spec, format);
  object.entry = dlsym(library, object.name.c_str());
  if (object.entry == nullptr) {
    return {Verdict::kNotExercised, "the library has no symbol " + object.name};
  }
  object.has_status = spec.preset == Preset::kQp;
  object.format = format;
  object.profile = profile;
  proofs::Options options;
  options.export_directory = export_directory;
  const proofs::Result result = proofs::prove_object(object, options);
  return {translate(result.verdict), result.detail};
}

std::vector<RecheckResult> recheck_proofs(const std::string& export_directory) {
  std::vector<RecheckResult> results;
  for (const proofs::Recheck& recheck : proofs::recheck(export_directory, proofs::Options{})) {
    results.push_back({recheck.file,
                       recheck.solver,
                       {translate(recheck.verdict), recheck.detail},
                       recheck.seconds});
  }
  return results;
}

#else

bool has_prover() { return false; }

std::vector<std::string> proof_claims() { return {}; }

Outcome run_proof(const std::string& /*claim*/, const std::string& /*export_directory*/) {
  return {Verdict::kNotExercised, "this build has no prover (QUANTPROOF_PROOFS=OFF)"};
}

Outcome run_object_proof(const TargetSpec& /*spec*/, qp_format /*format*/, qp_profile /*profile*/,
                         const std::string& /*export_directory*/) {
  return {Verdict::kNotExercised, "this build has no prover (QUANTPROOF_PROOFS=OFF)"};
}

std::vector<RecheckResult> recheck_proofs(const std::string& /*export_directory*/) { return {}; }

#endif

}  // namespace quantproof::certify
