// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <memory>
#include <unistd.h>
#include <vector>

#include "fmt/format.h"

#include "tools/certify/certify.h"
#include "tools/cli/command.h"
#include "tools/cli/progress.h"
#include "tools/cli/report_files.h"

namespace quantproof::cli {

namespace {

struct CertifyOptions {
  std::vector<std::string> formats;
  std::string target = "fast";
  bool encoder = false;
  std::string profile;
  std::vector<std::string> claims;
  std::uint64_t seed = 1;
  double seconds = 1.0;
  double timeout = 10.0;
  std::size_t jobs = 0;
  bool measure = false;
  ReportFiles reports;
};

int run_certify(const CertifyOptions& options) {
  check_report_files(options.reports);
  certify::Request request;
  request.target_text = options.target;
  request.encoder = options.encoder;
  request.formats = options.formats;
  if (!options.profile.empty()) request.profile = certify::parse_profile(options.profile);
  request.claims = options.claims;
  request.seed = options.seed;
  request.seconds = options.seconds;
  request.call_limit = std::chrono::milliseconds(static_cast<long>(1000 * options.timeout));
  request.jobs = options.jobs;
  request.measure = options.measure;
  Progress progress;
  request.progress = [&](const std::string& claim, std::size_t number, std::size_t total) {
    progress.show(fmt::format("[{}/{}] {}", number, total, claim));
  };
  const certify::Certificate certificate = certify::certify(request);
  progress.clear();
  if (!write_certificate_reports(options.reports, to_json(certificate))) {
    fmt::print("{}", to_text(certificate, use_colour(STDOUT_FILENO)));
  }
  return certificate.exit_code();
}

}  // namespace

void add_certify_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<CertifyOptions>();
  CLI::App* command = app.add_subcommand(
      "certify", "Check a decoder against the specification and print the claim table");
  command->group("Certify");
  command
      ->add_option(
          "--target", options->target,
          "fast (the built-in decoder),\n"
          "lib:PATH[,preset=ggml|qp|colibri][,symbol=NAME]: a function of a shared library, or\n"
          "cmd:COMMAND: a program that speaks the protocol of spec/target_protocol.md")
      ->capture_default_str()
      ->group("What to certify");
  command
      ->add_flag("--encoder", options->encoder,
                 "Certify the target's encoder of iq3_xxs or e8_iq3 instead of its decoder;\n"
                 "presets ggml (quantize_iq3_xxs) and qp (encode_FORMAT)")
      ->group("What to certify");
  command
      ->add_option("--format", options->formats,
                   "iq3_xxs, e8_iq3, kaiju1 or leech; may be repeated [all]")
      ->group("What to certify");
  command
      ->add_option("--profile", options->profile,
                   "strict, ggml or colibri: the treatment of unusual scales\n"
                   "[fast: all three; lib: ggml and colibri for those presets, strict for qp;\n"
                   "cmd: strict if it can refuse, else ggml]")
      ->group("What to certify");
  command->add_option("--claim", options->claims, "Only this claim; may be repeated")
      ->group("What to certify");
  command->add_option("--seed", options->seed, "Seed of the random checks")
      ->capture_default_str()
      ->group("How long, how random");
  command
      ->add_option("--seconds", options->seconds,
                   "Least time of each random check, beyond its minimum of cases")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 86400.0))
      ->group("How long, how random");
  command
      ->add_option("--timeout", options->timeout,
                   "Seconds that lib: and cmd: have for one call; a command has 60 to start")
      ->capture_default_str()
      ->check(CLI::Range(0.01, 86400.0))
      ->group("How long, how random");
  command
      ->add_option("--jobs", options->jobs,
                   "Claims at a time, each in a process of its own; a command has one for all\n"
                   "[fast: one per processor; lib: 1]")
      ->check(CLI::Range(1, 1024))
      ->group("How long, how random");
  command
      ->add_flag("--measure", options->measure,
                 "Measure the speed of the built-in decoders next to the reference")
      ->group("How long, how random");
  add_report_options(*command, options->reports, "the certificate", true);
  command->callback(
      [options, &session] { session.run = [options] { return run_certify(*options); }; });
}

}  // namespace quantproof::cli
