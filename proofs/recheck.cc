// SPDX-License-Identifier: Apache-2.0
//
// Second opinions: other solvers on the exported queries, and a checked refutation.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#include "proofs/prover.h"
#include "proofs/rup.h"

namespace quantproof::proofs {

namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Run {
  bool installed = false;
  int exit_status = -1;  // -1: ended by a signal
  std::string output;    // standard output
};

// Runs a program found in PATH without a shell. Its standard output goes to `capture`, its
// standard error nowhere.
Run run(const std::vector<std::string>& words, const fs::path& capture) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, capture.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) {
    fs::remove(capture);
    return {};
  }
  if (error != 0) throw std::runtime_error(words[0] + ": " + std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::runtime_error(words[0] + ": " + std::strerror(errno));
  }
  Run result;
  result.installed = true;
  if (WIFEXITED(status)) result.exit_status = WEXITSTATUS(status);
  result.output = read_file(capture);
  fs::remove(capture);
  return result;
}

// Anything but this word is no proof: not an error message, not an exit status of 0.
bool says_unsat(const std::string& output) { return output == "unsat\n"; }

Recheck timed(const std::string& file, const std::string& solver,
              const std::function<void(Recheck*)>& work) {
  Recheck recheck;
  recheck.file = file;
  recheck.solver = solver;
  const auto start = std::chrono::steady_clock::now();
  work(&recheck);
  const std::chrono::duration<double> used = std::chrono::steady_clock::now() - start;
  recheck.seconds = used.count();
  return recheck;
}

void judge_smt(const Run& run, Recheck* recheck) {
  if (!run.installed) {
    recheck->verdict = Verdict::kNotExercised;
    recheck->detail = "not installed";
    return;
  }
  std::string answer = run.output.substr(0, run.output.find('\n'));
  if (answer.empty()) answer = "no answer";
  recheck->detail = answer;
  recheck->verdict = says_unsat(run.output) ? Verdict::kPass
                     : answer == "sat"      ? Verdict::kFail
                                            : Verdict::kRefused;
}

void judge_clauses(const fs::path& cnf, const std::string& seconds, Recheck* recheck) {
  const fs::path proof = cnf.string() + ".drat";
  fs::remove(proof);  // of an earlier run
  const Run result =
      run({"cadical", "--no-binary", "--plain", "-q", "-t", seconds, cnf.string(), proof.string()},
          cnf.string() + ".out");
  if (!result.installed) {
    recheck->verdict = Verdict::kNotExercised;
    recheck->detail = "not installed";
    return;
  }
  if (result.output.starts_with("s SATISFIABLE")) {
    recheck->verdict = Verdict::kFail;
    recheck->detail = "satisfiable";
    return;
  }
  if (!fs::exists(proof)) {
    recheck->detail = "cadical gave no proof";
    return;
  }
  // What cadical says does not matter: its proof does.
  const RupResult checked = check_rup(read_file(cnf), read_file(proof));
  recheck->verdict = checked.refuted ? Verdict::kPass : Verdict::kRefused;
  recheck->detail = checked.detail;
}

}  // namespace

std::vector<Recheck> recheck(const std::string& directory, const Options& options) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  const auto seconds = static_cast<long>(std::max(1.0, options.budget_seconds));
  std::vector<Recheck> results;
  for (const fs::path& path : files) {
    const std::string name = path.filename().string();
    const fs::path capture = path.string() + ".out";
    if (path.extension() == ".smt2") {
      const bool bit_vectors = read_file(path).starts_with("(set-logic QF_BV)");
      // cvc5 knows binary16 in its experimental mode only.
      const std::string mode = bit_vectors ? "--bitblast=eager" : "--fp-exp";
      results.push_back(timed(name, "cvc5", [&](Recheck* recheck) {
        judge_smt(run({"cvc5", "--lang=smt2", mode, "--tlimit=" + std::to_string(1000 * seconds),
                       path.string()},
                      capture),
                  recheck);
      }));
      if (bit_vectors) {
        results.push_back(timed(name, "boolector", [&](Recheck* recheck) {
          judge_smt(
              run({"boolector", "--smt2", "-t", std::to_string(seconds), path.string()}, capture),
              recheck);
        }));
      }
    } else if (path.extension() == ".cnf") {
      results.push_back(timed(name, "cadical + rup", [&](Recheck* recheck) {
        judge_clauses(path, std::to_string(seconds), recheck);
      }));
    }
  }
  return results;
}

}  // namespace quantproof::proofs
