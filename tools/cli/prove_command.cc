// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <unistd.h>
#include <vector>

#include "fmt/format.h"

#include "tools/certify/certificate.h"
#include "tools/certify/claims.h"
#include "tools/certify/decoder.h"
#include "tools/certify/proof_checks.h"
#include "tools/certify/sha256.h"
#include "tools/cli/command.h"

namespace quantproof::cli {

namespace {

// More than any proof allows itself, for one that hangs.
constexpr std::chrono::seconds kLimit{400};

struct ProveOptions {
  bool list = false;
  std::vector<std::string> claims;
  std::string object;
  std::string symbol;
  std::string format;
  std::string preset;
  std::string profile;
  bool recheck = false;
  std::string keep;
  std::string json;
  bool force = false;
};

// A directory for exported queries that goes when it is not asked for.
class ExportDirectory {
 public:
  explicit ExportDirectory(const ProveOptions& options) : keep_(!options.keep.empty()) {
    if (keep_) {
      path_ = options.keep;
      std::filesystem::create_directories(path_);
    } else if (options.recheck) {
      std::string pattern = (std::filesystem::temp_directory_path() / "quantproof-XXXXXX").string();
      if (mkdtemp(pattern.data()) == nullptr) {
        throw certify::UnreadableError("cannot make a temporary directory");
      }
      path_ = pattern;
    }
  }
  ~ExportDirectory() {
    std::error_code ignored;
    if (!keep_ && !path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  ExportDirectory(const ExportDirectory&) = delete;
  ExportDirectory& operator=(const ExportDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  bool keep_;
  std::string path_;
};

int list_claims() {
  for (const std::string& id : certify::proof_claims()) {
    const certify::Claim* claim = certify::find_claim(id);
    fmt::print("{:20} {}\n{:20} domain: {}\n", id, claim == nullptr ? "" : claim->statement, "",
               claim == nullptr ? "" : claim->domain);
  }
  return kExitPass;
}

certify::ClaimResult run_claim(const certify::Claim* claim, const std::string& reproduce,
                               const std::function<certify::Outcome()>& work) {
  const auto start = std::chrono::steady_clock::now();
  certify::ClaimResult result;
  result.claim = claim;
  result.outcome = certify::run_isolated(kLimit, [&](certify::Situation& situation) {
    situation.describe("proving " + claim->id);
    return work();
  });
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.reproduce = reproduce;
  return result;
}

// The claim of IQ3XXS-CODE-1 or its like about one function of one file.
const certify::Claim* code_claim(const certify::CodeTarget& target, const std::string& object) {
  static certify::Claim claim;  // one a run; the certificate points to it
  const bool ours = certify::is_decode_at(target);
  const bool second = ours && target.profile != QP_PROFILE_STRICT;
  claim = *certify::find_claim(std::string(target.format == QP_IQ3_XXS ? "IQ3XXS" : "E8IQ3") +
                               (second ? "-CODE-2" : "-CODE-1"));
  const bool refuses = target.spec.preset == certify::Preset::kQp;
  claim.statement = fmt::format(
      "The machine code of {}, as it is loaded, decodes {} as the text says under profile {}, {}"
      "writes its values only, reads its bytes and constant data only, and keeps what the ABI "
      "reserves for its caller.",
      object, certify::format_name(target.format), certify::profile_name(target.profile),
      refuses ? "refuses exactly the rows that the text refuses, " : "");
  claim.domain = certify::code_domain(target);
  claim.kernels = {certify::code_symbol(target)};
  return &claim;
}

// The machine code of a decoder in a library.
certify::Certificate prove_object(const ProveOptions& options, const std::string& directory) {
  if (options.format.empty()) throw certify::UsageError("--object needs --format");
  certify::CodeTarget target;
  target.format = certify::parse_format(options.format);
  const std::string preset = !options.preset.empty()       ? options.preset
                             : target.format == QP_IQ3_XXS ? "ggml"
                                                           : "colibri";
  std::string text = "lib:" + options.object + ",preset=" + preset;
  if (!options.symbol.empty()) text += ",symbol=" + options.symbol;
  target.spec = certify::parse_target(text);
  target.profile = !options.profile.empty() ? certify::parse_profile(options.profile)
                   : preset == "qp"         ? QP_PROFILE_STRICT
                   : preset == "ggml"       ? QP_PROFILE_GGML
                                            : QP_PROFILE_COLIBRI;
  const std::string& path = target.spec.path;
  const std::string digest = certify::sha256_of_file(certify::library_path(path));
  if (digest.empty()) throw certify::UnreadableError(fmt::format("cannot read {}", path));
  const std::string symbol = certify::code_symbol(target);
  if (certify::is_decode_at(target) && target.spec.preset != certify::Preset::kQp) {
    throw certify::UsageError("qp_decode_at goes with --preset qp");
  }
  certify::Certificate certificate;
  certificate.profile = certify::profile_name(target.profile);
  certificate.seed = 1;
  certificate.target = {{"kind", "lib"},
                        {"path", path},
                        {"preset", preset},
                        {"symbol", symbol},
                        {"format", certify::format_name(target.format)},
                        {"sha256", digest}};
  certificate.target_text =
      fmt::format("{} in {}\n          preset {}, SHA-256 {}", symbol, path, preset, digest);
  std::string command = fmt::format("quantproof prove --object {} --symbol {} --format {}", path,
                                    symbol, options.format);
  if (!options.preset.empty()) command += " --preset " + preset;
  if (!options.profile.empty()) command += " --profile " + options.profile;
  certificate.claims.push_back(
      run_claim(code_claim(target, fmt::format("{} in {} (SHA-256 {})", symbol, path, digest)),
                command, [&] { return certify::run_object_proof(target, directory); }));
  return certificate;
}

certify::Certificate prove_claims(const ProveOptions& options, const std::string& directory) {
  const auto known = certify::proof_claims();
  for (const std::string& id : options.claims) {
    if (std::find(known.begin(), known.end(), id) == known.end()) {
      throw certify::UsageError(fmt::format("claim {} is not discharged by a proof, but by: {}", id,
                                            certify::find_claim(id)->command));
    }
  }
  certify::Certificate certificate;
  certificate.profile = "all";
  certificate.seed = 1;
  certificate.target = {{"kind", "fast"}};
  certificate.target_text = "fast: the kernels' own source, and the library's machine code";
  for (const certify::Claim& claim : certify::claims()) {
    const auto& among = options.claims.empty() ? known : options.claims;
    if (std::find(among.begin(), among.end(), claim.id) == among.end()) continue;
    certificate.claims.push_back(
        run_claim(&claim, fmt::format("quantproof prove --claim {}", claim.id),
                  [&] { return certify::run_proof(claim.id, directory); }));
  }
  return certificate;
}

int run_prove(const ProveOptions& options) {
  check_writable(options.json, options.force);
  if (options.object.empty() && !(options.symbol.empty() && options.format.empty() &&
                                  options.preset.empty() && options.profile.empty())) {
    throw certify::UsageError("--symbol, --format, --preset and --profile go with --object");
  }
  for (const std::string& id : options.claims) {
    if (certify::find_claim(id) == nullptr) {
      throw certify::UsageError(
          fmt::format("no claim {}; quantproof prove --list names those with a proof", id));
    }
  }
  if (!certify::has_prover()) {
    fmt::print(stderr, "quantproof: this build has no prover (QUANTPROOF_PROOFS=OFF)\n");
    return kExitNotExercised;
  }
  if (options.list) return list_claims();
  const ExportDirectory directory(options);
  const certify::Certificate certificate = options.object.empty()
                                               ? prove_claims(options, directory.path())
                                               : prove_object(options, directory.path());
  int exit_code = certificate.exit_code();
  if (options.json != "-") fmt::print("{}", to_text(certificate, use_colour(STDOUT_FILENO)));
  if (options.recheck) {
    const auto rechecks = certify::recheck_proofs(directory.path());
    std::size_t passed = 0;
    for (const auto& recheck : rechecks) {
      const bool pass = recheck.outcome.verdict == certify::Verdict::kPass;
      passed += pass ? 1 : 0;
      if (options.json == "-") continue;
      fmt::print("{:14} {:40} {:16} {:8.3f}  {}\n", certify::verdict_name(recheck.outcome.verdict),
                 recheck.file, recheck.solver, recheck.seconds, recheck.outcome.detail);
    }
    if (options.json != "-") {
      fmt::print("\n{} of {} second opinions agree\n", passed, rechecks.size());
    }
    const bool failed = std::any_of(rechecks.begin(), rechecks.end(), [](const auto& r) {
      return r.outcome.verdict == certify::Verdict::kFail;
    });
    if (failed) {
      exit_code = kExitFailed;
    } else if (exit_code == kExitPass && (rechecks.empty() || passed != rechecks.size())) {
      exit_code = kExitNotExercised;
    }
  }
  if (!options.json.empty()) write_json(options.json, to_json(certificate));
  return exit_code;
}

}  // namespace

void add_prove_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<ProveOptions>();
  CLI::App* command =
      app.add_subcommand("prove", "Prove claims, or a decoder's machine code, for all inputs");
  command->group("Certify");
  command->add_flag("--list", options->list, "List the obligations, prove nothing");
  command->add_option("--claim", options->claims, "Only this claim; may be repeated");
  command->add_option("--object", options->object,
                      "Prove the machine code of a decoder in this shared library");
  command->add_option("--symbol", options->symbol, "Its name; default: the preset's");
  command->add_option("--format", options->format, "What it decodes: iq3_xxs or e8_iq3");
  command->add_option("--preset", options->preset,
                      "How it is called: ggml, colibri or qp; default: by the format. With qp, a\n"
                      "build of libquantproof means its qp_decode_at, on each of its levels");
  command->add_option("--profile", options->profile,
                      "strict, ggml or colibri; default: the preset's");
  command->add_flag("--recheck", options->recheck,
                    "Hand every proved query to other solvers (cvc5, boolector, a SAT solver\n"
                    "whose proof is checked here)");
  command->add_option("--keep", options->keep, "Keep the exported queries in this directory");
  command->add_option("--json", options->json,
                      "Write the certificate to FILE, or to standard output for -");
  command->add_flag("--force", options->force, "Overwrite the report file");
  command->callback(
      [options, &session] { session.run = [options] { return run_prove(*options); }; });
}

}  // namespace quantproof::cli
