// SPDX-License-Identifier: Apache-2.0
//
// The options that name report files, shared by the commands that write reports.
#ifndef QUANTPROOF_TOOLS_CLI_REPORT_FILES_H_
#define QUANTPROOF_TOOLS_CLI_REPORT_FILES_H_

#include <string>

#include "CLI/CLI.hpp"
#include "nlohmann/json_fwd.hpp"

namespace quantproof::cli {

struct ReportFiles {
  std::string json;
  std::string junit;
  std::string sarif;
  std::string tap;
  std::string html;
  bool force = false;
};

// Adds --json (where `json_of` names what it writes), --junit, --sarif, --tap, --html (where
// `html`) and --force.
void add_report_options(CLI::App& command, ReportFiles& files, const std::string& json_of,
                        bool html);

// Before any work: throws UsageError where a file exists and may not be overwritten, or where two
// reports go to standard output.
void check_report_files(const ReportFiles& files);

// Writes what `files` names. True where a report went to standard output.
bool write_certificate_reports(const ReportFiles& files, const nlohmann::ordered_json& certificate);
bool write_gate_reports(const ReportFiles& files, const nlohmann::ordered_json& gate);

}  // namespace quantproof::cli

#endif
