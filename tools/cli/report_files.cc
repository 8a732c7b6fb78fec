// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/report_files.h"

#include <algorithm>
#include <set>
#include <vector>

#include "fmt/format.h"

#include "tools/certify/decoder.h"
#include "tools/cli/command.h"
#include "tools/report/report.h"

namespace quantproof::cli {

namespace {

using nlohmann::ordered_json;

std::vector<std::string> paths_of(const ReportFiles& files) {
  std::vector<std::string> paths = {files.json, files.junit, files.sarif, files.tap, files.html};
  std::erase(paths, "");
  return paths;
}

bool write_common(const ReportFiles& files, const report::Report& report) {
  if (!files.junit.empty()) write_text(files.junit, to_junit(report));
  if (!files.sarif.empty()) write_text(files.sarif, to_sarif(report));
  if (!files.tap.empty()) write_text(files.tap, to_tap(report));
  const auto paths = paths_of(files);
  return std::find(paths.begin(), paths.end(), "-") != paths.end();
}

}  // namespace

void add_report_options(CLI::App& command, ReportFiles& files, const std::string& json_of,
                        bool html) {
  if (!json_of.empty()) {
    command
        .add_option("--json", files.json,
                    fmt::format("Write {} to FILE, or to standard output for -", json_of))
        ->group("Reports");
  }
  command.add_option("--junit", files.junit, "Write JUnit XML to FILE, or -")->group("Reports");
  command.add_option("--sarif", files.sarif, "Write SARIF 2.1.0 to FILE, or -")->group("Reports");
  command.add_option("--tap", files.tap, "Write TAP 14 to FILE, or -")->group("Reports");
  if (html) {
    command.add_option("--html", files.html, "Write a page for a browser to FILE, or -")
        ->group("Reports");
  }
  command.add_flag("--force", files.force, "Overwrite report files")->group("Reports");
}

void check_report_files(const ReportFiles& files) {
  std::set<std::string> seen;
  for (const std::string& path : paths_of(files)) {
    check_writable(path, files.force);
    if (!seen.insert(path).second) {
      throw certify::UsageError(fmt::format("two reports go to {}", path));
    }
  }
}

bool write_certificate_reports(const ReportFiles& files, const ordered_json& certificate) {
  // As a reader of the file will see it: whatever is not UTF-8 has been replaced.
  const auto replace = ordered_json::error_handler_t::replace;
  const ordered_json clean = ordered_json::parse(certificate.dump(-1, ' ', false, replace));
  if (!files.json.empty()) write_json(files.json, clean);
  if (!files.html.empty()) write_text(files.html, report::to_html(clean));
  return write_common(files, report::report_of_certificate(clean));
}

bool write_gate_reports(const ReportFiles& files, const ordered_json& gate) {
  if (!files.json.empty()) write_json(files.json, gate);
  return write_common(files, report::report_of_gate(gate));
}

}  // namespace quantproof::cli
