// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <set>
#include <unistd.h>

#include "fmt/format.h"

#include "tools/certify/certify.h"
#include "tools/certify/checks.h"
#include "tools/cli/command.h"
#include "tools/cli/report_files.h"
#include "tools/report/gate.h"
#include "tools/report/report.h"

namespace quantproof::cli {

namespace {

using nlohmann::ordered_json;

struct GateOptions {
  std::string baseline;
  std::string current;
  double speed_loss = 25;
  double seconds = 1.0;
  ReportFiles reports;
};

std::string target_option(const ordered_json& target) {
  const std::string kind = target.at("kind");
  if (kind == "lib") {
    return fmt::format("lib:{},preset={},symbol={}", std::string(target.at("path")),
                       std::string(target.at("preset")), std::string(target.at("symbol")));
  }
  if (kind == "cmd") return "cmd:" + std::string(target.at("command"));
  return kind;
}

// Certifies now what the baseline certified then.
ordered_json certify_again(const ordered_json& baseline, double seconds) {
  certify::Request request;
  request.target_text = target_option(baseline.at("target"));
  if (baseline.at("profile") != "all") {
    request.profile = certify::parse_profile(baseline.at("profile"));
  }
  request.seed = baseline.at("seed");
  request.seconds = seconds;
  request.measure = baseline.contains("measurements");
  request.skip_unknown_claims = true;
  std::set<std::string> formats;
  for (const ordered_json& claim : baseline.at("claims")) {
    const std::string format = claim.at("format");
    if (format == "iq3_xxs" || format == "e8_iq3" || format == "kaiju1" || format == "leech") {
      formats.insert(format);
    }
    request.claims.push_back(claim.at("id"));
  }
  // Claims of both block formats do not say which of them was certified.
  const ordered_json& target = baseline.at("target");
  if (target.contains("format")) formats = {target.at("format")};
  request.formats.assign(formats.begin(), formats.end());
  // A library's certificate speaks of its decoder or of its encoder, never of both.
  const auto encoder_claims = certify::encoder_checks();
  request.encoder = std::all_of(request.claims.begin(), request.claims.end(), [&](const auto& id) {
    return std::any_of(encoder_claims.begin(), encoder_claims.end(),
                       [&](const auto& entry) { return entry.claim == id; });
  });
  return to_json(certify::certify(request));
}

int run_gate(const GateOptions& options) {
  check_report_files(options.reports);
  const ordered_json baseline = report::read_certificate(options.baseline);
  if (baseline.at("claims").empty()) {
    throw certify::UsageError(fmt::format("{} has no claims to hold", options.baseline));
  }
  const ordered_json current = options.current.empty() ? certify_again(baseline, options.seconds)
                                                       : report::read_certificate(options.current);
  const ordered_json gate = report::compare_certificates(baseline, current, options.speed_loss);
  if (!write_gate_reports(options.reports, gate)) {
    fmt::print("{}", report::gate_to_text(gate, use_colour(STDOUT_FILENO)));
  }
  return report::gate_exit_code(gate);
}

}  // namespace

void add_gate_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<GateOptions>();
  CLI::App* command = app.add_subcommand(
      "gate",
      "Compare with an earlier certificate: lost or weakened claims, changed bytes of\n"
      "encoders, levels that did not run, lower speed. Exit code 1: something got worse;\n"
      "4: nothing did, but something of the baseline did not run");
  command->group("Certify");
  command->add_option("--baseline", options->baseline, "The earlier certificate (JSON)")
      ->required()
      ->group("What to compare");
  command
      ->add_option("--current", options->current,
                   "The certificate to hold against it [certifies the baseline's target,\n"
                   "claims, profile and seed now]")
      ->group("What to compare");
  command
      ->add_option("--speed-loss", options->speed_loss,
                   "How many per cent of its ratio to the peer a measured speed may lose")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 100.0))
      ->group("What to compare");
  command
      ->add_option("--seconds", options->seconds,
                   "Without --current: least time of each random check, as for certify")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 86400.0))
      ->group("What to compare");
  add_report_options(*command, options->reports, "the comparison", false);
  command->callback(
      [options, &session] { session.run = [options] { return run_gate(*options); }; });
}

}  // namespace quantproof::cli
