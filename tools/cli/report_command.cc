// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "tools/certify/decoder.h"
#include "tools/cli/command.h"
#include "tools/cli/report_files.h"
#include "tools/report/report.h"

namespace quantproof::cli {

namespace {

struct ReportOptions {
  std::string certificate;
  ReportFiles reports;
};

int run_report(const ReportOptions& options) {
  const ReportFiles& files = options.reports;
  if (files.junit.empty() && files.sarif.empty() && files.tap.empty() && files.html.empty()) {
    throw certify::UsageError("no report is asked for: --junit, --sarif, --tap or --html");
  }
  check_report_files(files);
  write_certificate_reports(files, report::read_certificate(options.certificate));
  return kExitPass;
}

}  // namespace

void add_report_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command =
      app.add_subcommand("report", "Make reports of a certificate that certify --json wrote");
  command->group("Certify");
  command->add_option("certificate", options->certificate, "The certificate's file")->required();
  add_report_options(*command, options->reports, "", true);
  command->callback(
      [options, &session] { session.run = [options] { return run_report(*options); }; });
}

}  // namespace quantproof::cli
