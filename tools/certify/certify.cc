// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/certify.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "fmt/format.h"

#include "quantproof/qp.h"
#include "tools/certify/checks.h"
#include "tools/certify/proof_checks.h"
#include "tools/certify/target.h"

namespace quantproof::certify {

namespace {

// Proofs keep a budget of processor time, which on a loaded machine is less than this.
constexpr int kClaimLimitSeconds = 180;
constexpr int kBuiltinClaimLimitSeconds = 900;

// What is to be run for one claim.
struct Job {
  const Claim* claim;
  std::function<Outcome(Situation&)> run;
};

// What is certified: block formats, and the Leech lattice beside them.
struct Subjects {
  std::vector<qp_format> formats;
  bool leech = false;
  bool kaiju1 = false;
};

Subjects subjects_of(const Request& request, const TargetSpec& target) {
  Subjects subjects;
  for (const std::string& name : request.formats) {
    if (name == "leech") {
      subjects.leech = true;
    } else if (name == "kaiju1") {
      subjects.kaiju1 = true;
    } else {
      subjects.formats.push_back(parse_format(name));
    }
  }
  if (target.builtin) {
    if (request.formats.empty()) return {{QP_IQ3_XXS, QP_E8_IQ3}, true, true};
    return subjects;
  }
  if (subjects.leech || subjects.kaiju1) {
    throw UsageError("leech and kaiju1 are for the built-in code: other targets decode blocks");
  }
  if (!target.command.empty()) {
    if (subjects.formats.size() != 1) throw UsageError("a command needs exactly one --format");
    return subjects;
  }
  if (target.preset == Preset::kQp) {
    if (subjects.formats.size() != 1) {
      throw UsageError("preset qp needs exactly one --format: one symbol decodes one format");
    }
    return subjects;
  }
  if (subjects.formats.empty()) subjects.formats = {format_of(target.preset)};
  return subjects;
}

// Whether a claim says something of what is certified. Those about the proofs always do.
bool concerns(const Subjects& subjects, const Claim& claim) {
  if (claim.format == "iq3_xxs" || claim.format == "e8_iq3") {
    return std::find(subjects.formats.begin(), subjects.formats.end(),
                     parse_format(claim.format)) != subjects.formats.end();
  }
  if (claim.format == "half" || claim.format == "iq3" || claim.format == "transcode") {
    return !subjects.formats.empty();
  }
  if (claim.format == "golay" || claim.format == "leech") return subjects.leech;
  if (claim.format == "kaiju1") return subjects.kaiju1;
  return true;
}

const Claim* claim_of(const std::string& id) {
  const Claim* claim = find_claim(id);
  if (claim == nullptr) throw std::logic_error(fmt::format("claims.json lacks {}", id));
  return claim;
}

// The rank of a claim in claims.json, which is the order of every report.
std::size_t rank(const Claim* claim) { return static_cast<std::size_t>(claim - claims().data()); }

std::string reproduce_command(const Request& request, const TargetSpec& target,
                              const Claim& claim) {
  std::string command = "quantproof certify";
  if (request.encoder) command += " --encoder";
  if (!target.builtin) command += " --target " + quote(request.target_text);
  if (claim.format == "iq3_xxs" || claim.format == "e8_iq3" || claim.format == "leech" ||
      claim.format == "kaiju1") {
    command += " --format " + claim.format;
  } else {
    for (const std::string& format : request.formats) command += " --format " + format;
  }
  if (request.profile) command += " --profile " + profile_name(*request.profile);
  return command + fmt::format(" --claim {} --seed {}", claim.id, request.seed);
}

void add_format_jobs(const Request& request, const TargetSpec& target, qp_format format,
                     const std::vector<qp_profile>& profiles,
                     const std::shared_ptr<Decoder>& decoder, std::vector<Job>& jobs,
                     Certificate& certificate) {
  const auto coverage = std::make_shared<Coverage>(format);
  if (decoder != nullptr) certificate.coverage.push_back(coverage);
  for (const CheckEntry& entry : format_checks(format)) {
    if (entry.builtin_only && !target.builtin) continue;
    const Claim* claim = claim_of(entry.claim);
    if (decoder == nullptr) {
      const std::string symbol = symbol_for(target, format);
      jobs.push_back({claim, [symbol](Situation&) {
                        return Outcome{Verdict::kNotExercised,
                                       fmt::format("the library has no symbol {}", symbol)};
                      }});
      continue;
    }
    if (entry.needs_status && !decoder->has_status()) {
      certificate.notes.push_back(fmt::format(
          "{} does not apply: the target has no status to refuse input with", entry.claim));
      continue;
    }
    if (entry.needs_memory && !decoder->shares_memory()) {
      certificate.notes.push_back(
          fmt::format("{} does not apply: guard pages cannot watch the memory of another process",
                      entry.claim));
      continue;
    }
    const CheckInput input{decoder.get(), format,          profiles,
                           request.seed,  request.seconds, request.reference,
                           coverage.get()};
    jobs.push_back({claim, [decoder, coverage, input, run = entry.run](Situation& situation) {
                      return run(input, situation);
                    }});
  }
}

// The claims about an encoder as a black box, of every format that it has.
void add_encoder_jobs(const Request& request, const TargetSpec& target,
                      const std::map<qp_format, std::shared_ptr<Encoder>>& encoders,
                      std::vector<Job>& jobs) {
  CheckInput input;
  input.seed = request.seed;
  input.seconds = request.seconds;
  std::string missing;
  for (const auto& [format, encoder] : encoders) {
    input.encoders.push_back(encoder);
    if (encoder == nullptr) missing = encoder_symbol(target, format);
  }
  for (const CheckEntry& entry : encoder_checks()) {
    jobs.push_back({claim_of(entry.claim), [input, missing, run = entry.run](Situation& situation) {
                      if (missing.empty()) return run(input, situation);
                      return Outcome{Verdict::kNotExercised,
                                     fmt::format("the library has no symbol {}", missing)};
                    }});
  }
}

// Claims about the library itself: general checks and proofs, for the formats asked for.
void add_builtin_jobs(const Request& request, const TargetSpec& target, const Subjects& subjects,
                      std::vector<Job>& jobs) {
  if (!subjects.formats.empty()) {
    const Target opened = open_encoders(target, subjects.formats, request.profile);
    add_encoder_jobs(request, target, opened.encoders, jobs);
  }
  std::vector<CheckEntry> checks = general_checks();
  for (const auto& more : {iq3_encode_checks(), leech_checks(), kaiju1_checks()}) {
    checks.insert(checks.end(), more.begin(), more.end());
  }
  for (const CheckEntry& entry : checks) {
    const Claim* claim = claim_of(entry.claim);
    if (!concerns(subjects, *claim)) continue;
    CheckInput input;
    input.seed = request.seed;
    input.seconds = request.seconds;
    jobs.push_back({claim, [input, run = entry.run](Situation& s) { return run(input, s); }});
  }
  // Every claim gets a job: what this build cannot discharge is listed as not exercised.
  const auto proofs = proof_claims();
  for (const Claim& claim : claims()) {
    const bool has_check =
        std::any_of(jobs.begin(), jobs.end(), [&](const Job& job) { return job.claim == &claim; });
    if (has_check || !concerns(subjects, claim)) continue;
    if (std::find(proofs.begin(), proofs.end(), claim.id) != proofs.end()) {
      jobs.push_back({&claim, [id = claim.id](Situation& situation) {
                        situation.describe("proving " + id);
                        return run_proof(id, {});
                      }});
    } else {
      jobs.push_back({&claim, [](Situation&) {
                        return Outcome{Verdict::kNotExercised, has_prover()
                                                                   ? "nothing discharges this claim"
                                                                   : "this build has no prover"};
                      }});
    }
  }
}

// How many claims are looked into at a time. A command has one process for all of them; what a
// library does to memory and to other devices is not known.
std::size_t workers_for(const Request& request, const TargetSpec& target, std::size_t claims) {
  if (!target.command.empty()) return 1;
  std::size_t workers = request.jobs;
  if (workers == 0) workers = target.builtin ? std::thread::hardware_concurrency() : 1;
  return std::clamp<std::size_t>(workers, 1, std::max<std::size_t>(1, claims));
}

// The results in the order of the jobs, whichever ends first. To stop at a failure is to leave out
// what comes after it in that order.
template <class Run>
std::vector<ClaimResult> run_jobs(const Request& request, const TargetSpec& target,
                                  const std::vector<Job>& jobs, const Run& run) {
  std::vector<ClaimResult> results(jobs.size());
  std::mutex mutex;
  std::size_t next = 0;
  std::size_t end = jobs.size();
  std::exception_ptr error;
  const auto work = [&] {
    while (true) {
      std::size_t i = 0;
      {
        const std::lock_guard lock(mutex);
        if (next >= end || error) return;
        i = next++;
        if (request.progress) request.progress(jobs[i].claim->id, i + 1, jobs.size());
      }
      const auto start = std::chrono::steady_clock::now();
      try {
        results[i].outcome = run(jobs[i]);
      } catch (...) {
        const std::lock_guard lock(mutex);
        error = std::current_exception();
        return;
      }
      results[i].seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      const std::lock_guard lock(mutex);
      if (request.stop_at_failure && results[i].outcome.verdict != Verdict::kPass) {
        end = std::min(end, i + 1);
      }
    }
  };
  const std::size_t workers = workers_for(request, target, jobs.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < workers; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (error) std::rethrow_exception(error);
  results.resize(end);
  for (std::size_t i = 0; i < end; ++i) {
    results[i].claim = jobs[i].claim;
    results[i].reproduce = reproduce_command(request, target, *jobs[i].claim);
  }
  return results;
}

}  // namespace

Certificate certify(const Request& request) {
  const TargetSpec target = parse_target(request.target_text);
  Subjects subjects = subjects_of(request, target);
  if (request.measure && !target.builtin) {
    throw UsageError("only the built-in decoders are measured");
  }
  if (request.encoder) {
    if (subjects.formats.empty()) throw UsageError("--encoder is for iq3_xxs and e8_iq3");
    subjects.leech = false;
    subjects.kaiju1 = false;
  }
  const Target opened =
      request.encoder ? open_encoders(target, subjects.formats, request.profile)
                      : open_target(target, subjects.formats, request.profile, request.call_limit);
  const auto& profiles = opened.profiles;

  Certificate certificate;
  certificate.profile = profiles.size() == 1 ? profile_name(profiles.front()) : "all";
  certificate.seed = request.seed;
  certificate.target = opened.json;
  certificate.target_text = opened.text;
  if (target.builtin) {
    for (std::size_t i = 0; i < qp_level_count(); ++i) {
      if (qp_level_supported(i) != 0) {
        certificate.levels_run.emplace_back(qp_level_name(i));
      } else {
        certificate.levels_not_run.emplace_back(qp_level_name(i), "this CPU does not support it");
      }
    }
  }

  std::vector<Job> jobs;
  if (request.encoder) {
    add_encoder_jobs(request, target, opened.encoders, jobs);
  } else {
    for (const qp_format format : subjects.formats) {
      add_format_jobs(request, target, format, profiles, opened.decoders.at(format), jobs,
                      certificate);
    }
    if (target.builtin) add_builtin_jobs(request, target, subjects, jobs);
  }
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const Job& a, const Job& b) { return rank(a.claim) < rank(b.claim); });
  if (!request.claims.empty()) {
    for (const std::string& id : request.claims) {
      const bool known = std::any_of(jobs.begin(), jobs.end(),
                                     [&](const Job& job) { return job.claim->id == id; });
      if (!known && !request.skip_unknown_claims) {
        throw UsageError(fmt::format("claim {} is not among those of this target", id));
      }
    }
    std::erase_if(jobs, [&](const Job& job) {
      return std::find(request.claims.begin(), request.claims.end(), job.claim->id) ==
             request.claims.end();
    });
    certificate.notes.clear();
  }

  // Proofs and encoders may be long between two cases.
  const auto call_limit =
      target.builtin || request.encoder ? std::chrono::milliseconds(0) : request.call_limit;
  const auto limit =
      std::chrono::seconds((target.builtin ? kBuiltinClaimLimitSeconds : kClaimLimitSeconds) +
                           static_cast<long>(request.seconds));
  certificate.claims = run_jobs(request, target, jobs, [&](const Job& job) {
    return target.command.empty() ? run_isolated(limit, job.run, call_limit) : run_here(job.run);
  });
  if (target.builtin) {
    certificate.encoders = encoder_digests(subjects.formats, subjects.kaiju1, certificate.notes);
    if (request.measure) {
      certificate.measurements = measure_decoders(subjects.formats, subjects.kaiju1, request.seed);
    }
  }
  return certificate;
}

}  // namespace quantproof::certify
