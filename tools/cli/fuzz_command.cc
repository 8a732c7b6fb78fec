// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <csignal>
#include <memory>
#include <unistd.h>

#include "fmt/format.h"

#include "tools/certify/decoder.h"
#include "tools/certify/fuzz.h"
#include "tools/certify/hex.h"
#include "tools/cli/command.h"
#include "tools/cli/progress.h"

namespace quantproof::cli {

namespace {

struct FuzzOptions {
  std::string format;
  std::string target = "fast";
  std::string profile;
  std::string json;
  std::string input;
  std::uint64_t seed = 1;
  std::uint64_t first = 0;
  std::uint64_t cases = 0;
  std::size_t count = 0;
  double seconds = 10.0;
  double timeout = 10.0;
  bool force = false;
};

std::atomic<bool> g_stop{false};

// The first interrupt ends the run with its results so far, the second one at once.
void on_interrupt(int /*signal*/) {
  g_stop = true;
  std::signal(SIGINT, SIG_DFL);
}

int run_fuzz(const FuzzOptions& options) {
  check_writable(options.json, options.force);
  certify::FuzzRequest request;
  request.target_text = options.target;
  request.format = options.format;
  if (!options.profile.empty()) request.profile = certify::parse_profile(options.profile);
  request.seed = options.seed;
  request.first = options.first;
  if (options.cases > 0) request.cases = options.cases;
  request.seconds = options.seconds;
  request.call_limit = std::chrono::milliseconds(static_cast<long>(1000 * options.timeout));
  if (!options.input.empty()) {
    try {
      request.input = certify::parse_hex(options.input);
    } catch (const std::invalid_argument& error) {
      throw certify::UsageError(fmt::format("--input: {}", error.what()));
    }
    if (options.count == 0) throw certify::UsageError("--input needs --count");
    request.count = options.count;
  }
  Progress progress;
  request.progress = [&](std::uint64_t cases, std::size_t findings, double seconds) {
    progress.show(fmt::format("{} cases, {:.0f}/s, {} findings, {:.0f} s", cases,
                              static_cast<double>(cases) / seconds, findings, seconds));
  };
  request.stop = &g_stop;
  std::signal(SIGINT, on_interrupt);
  const certify::FuzzResult result = certify::fuzz_target(request);
  progress.clear();
  if (!options.json.empty()) write_json(options.json, to_json(result));
  if (options.json != "-") fmt::print("{}", to_text(result));
  return result.exit_code();
}

}  // namespace

void add_fuzz_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<FuzzOptions>();
  CLI::App* command = app.add_subcommand(
      "fuzz", "Decode adversarial rows and hold the values against the reference");
  command->group("Certify");
  command->add_option("--format", options->format, "iq3_xxs, e8_iq3 or kaiju1")
      ->required()
      ->group("What to fuzz");
  command
      ->add_option("--target", options->target,
                   "fast, lib:PATH[,preset=ggml|qp|colibri][,symbol=NAME] or cmd:COMMAND, as for\n"
                   "certify")
      ->capture_default_str()
      ->group("What to fuzz");
  command->add_option("--profile", options->profile, "strict, ggml or colibri, as for certify")
      ->group("What to fuzz");
  command->add_option("--seed", options->seed, "Seed of the cases")
      ->capture_default_str()
      ->group("Which cases");
  command->add_option("--seconds", options->seconds, "How long")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 864000.0))
      ->group("Which cases");
  command->add_option("--cases", options->cases, "This many cases, however long they take")
      ->group("Which cases");
  command->add_option("--first", options->first, "Number of the first case [0]")
      ->group("Which cases");
  command
      ->add_option("--input", options->input,
                   "One row of bytes in hex instead: what a finding prints as its reproduction")
      ->group("Which cases");
  command
      ->add_option("--count", options->count,
                   "Weights of that row; for kaiju1 the rows of the tensor to decode")
      ->group("Which cases");
  command->add_option("--timeout", options->timeout, "Seconds that lib: and cmd: have for one call")
      ->capture_default_str()
      ->check(CLI::Range(0.01, 86400.0))
      ->group("Which cases");
  command
      ->add_option("--json", options->json, "Write the result to FILE, or to standard output for -")
      ->group("Reports");
  command->add_flag("--force", options->force, "Overwrite report files")->group("Reports");
  command->callback(
      [options, &session] { session.run = [options] { return run_fuzz(*options); }; });
}

}  // namespace quantproof::cli
