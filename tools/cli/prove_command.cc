// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <unistd.h>
#include <vector>

#include "fmt/format.h"

#include "tools/certify/certificate.h"
#include "tools/certify/claims.h"
#include "tools/certify/decoder.h"
#include "tools/certify/proof_checks.h"
#include "tools/cli/command.h"

namespace quantproof::cli {

namespace {

struct ProveOptions {
  bool list = false;
  std::vector<std::string> claims;
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

int run_prove(const ProveOptions& options) {
  check_writable(options.json, options.force);
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
  const auto known = certify::proof_claims();
  for (const std::string& id : options.claims) {
    if (std::find(known.begin(), known.end(), id) == known.end()) {
      throw certify::UsageError(fmt::format("claim {} is not discharged by a proof, but by: {}", id,
                                            certify::find_claim(id)->command));
    }
  }
  const ExportDirectory directory(options);
  certify::Certificate certificate;
  certificate.profile = "all";
  certificate.seed = 1;
  certificate.target = {{"kind", "fast"}};
  certificate.target_text = "fast: the kernels' own source";
  for (const certify::Claim& claim : certify::claims()) {
    const bool wanted = options.claims.empty()
                            ? std::find(known.begin(), known.end(), claim.id) != known.end()
                            : std::find(options.claims.begin(), options.claims.end(), claim.id) !=
                                  options.claims.end();
    if (!wanted) continue;
    const auto start = std::chrono::steady_clock::now();
    certify::ClaimResult result;
    result.claim = &claim;
    result.outcome =
        certify::run_isolated(std::chrono::seconds(180), [&](certify::Situation& situation) {
          situation.describe("proving " + claim.id);
          return certify::run_proof(claim.id, directory.path());
        });
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result.reproduce = fmt::format("quantproof prove --claim {}", claim.id);
    certificate.claims.push_back(std::move(result));
  }
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
      app.add_subcommand("prove", "Discharge the proof obligations for all inputs with Z3");
  command->group("Certify");
  command->add_flag("--list", options->list, "List the obligations, prove nothing");
  command->add_option("--claim", options->claims, "Only this claim; may be repeated");
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
