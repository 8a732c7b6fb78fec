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

constexpr const char* kDecodeAt = "qp_decode_at";

// A second build of libquantproof must find its own functions first, not those of the one that
// this program uses. AddressSanitizer forbids that; a proof then says that it met both.
#if defined(__SANITIZE_ADDRESS__)
constexpr int kApart = 0;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr int kApart = 0;
#else
constexpr int kApart = RTLD_DEEPBIND;
#endif
#else
constexpr int kApart = RTLD_DEEPBIND;
#endif

void* open_apart(const TargetSpec& spec) {
  void* library = dlopen(library_path(spec.path).c_str(), RTLD_NOW | RTLD_LOCAL | kApart);
  if (library == nullptr) {
    throw UnreadableError("cannot load " + spec.path + ": " + dlerror());
  }
  return library;
}

proofs::ObjectCode code_of(const CodeTarget& target, void* library) {
  proofs::ObjectCode object;
  object.name = code_symbol(target);
  object.entry = dlsym(library, object.name.c_str());
  object.has_status = target.spec.preset == Preset::kQp;
  if (object.name == kDecodeAt) object.library = library;
  object.format = target.format;
  object.profile = target.profile;
  return object;
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

std::string code_symbol(const CodeTarget& target) {
  void* library = open_apart(target.spec);
  const std::string name = symbol_for(target.spec, target.format);
  const bool other = target.spec.symbol.empty() && target.spec.preset == Preset::kQp &&
                     dlsym(library, name.c_str()) == nullptr &&
                     dlsym(library, kDecodeAt) != nullptr;
  return other ? kDecodeAt : name;
}

bool is_decode_at(const CodeTarget& target) { return code_symbol(target) == kDecodeAt; }

std::string code_domain(const CodeTarget& target) {
  return proofs::object_domain(code_of(target, open_apart(target.spec)));
}

Outcome run_object_proof(const CodeTarget& target, const std::string& export_directory) {
  const proofs::ObjectCode object = code_of(target, open_apart(target.spec));
  if (object.entry == nullptr) {
    return {Verdict::kNotExercised, "the library has no symbol " + object.name};
  }
  proofs::Options options;
  options.budget_seconds = 300;  // some decoders look at every alignment
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

std::string code_symbol(const CodeTarget& target) { return symbol_for(target.spec, target.format); }

bool is_decode_at(const CodeTarget& /*target*/) { return false; }

std::string code_domain(const CodeTarget& /*target*/) { return {}; }

Outcome run_object_proof(const CodeTarget& /*target*/, const std::string& /*export_directory*/) {
  return {Verdict::kNotExercised, "this build has no prover (QUANTPROOF_PROOFS=OFF)"};
}

std::vector<RecheckResult> recheck_proofs(const std::string& /*export_directory*/) { return {}; }

#endif

}  // namespace quantproof::certify
