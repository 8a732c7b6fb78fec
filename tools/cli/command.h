// SPDX-License-Identifier: Apache-2.0
//
// What the subcommands of `quantproof` share: exit codes, where results go, how they register.
#ifndef QUANTPROOF_TOOLS_CLI_COMMAND_H_
#define QUANTPROOF_TOOLS_CLI_COMMAND_H_

#include <functional>
#include <stdexcept>
#include <string>

#include "CLI/CLI.hpp"
#include "nlohmann/json.hpp"

namespace quantproof::cli {

enum ExitCode {
  kExitPass = 0,
  kExitFailed = 1,  // checked and failed
  kExitUsage = 2,
  kExitUnreadable = 3,    // input unreadable or malformed
  kExitNotExercised = 4,  // not exercised, or not supported here
  kExitInternal = 5,
  kExitInterrupted = 130,
};

// What the chosen subcommand does; set while the command line is parsed.
struct Session {
  std::function<int()> run;
  bool json_on_stdout = false;  // then an error is reported as JSON there, too
};

void add_certify_command(CLI::App& app, Session& session);
void add_fuzz_command(CLI::App& app, Session& session);
void add_prove_command(CLI::App& app, Session& session);
void add_gate_command(CLI::App& app, Session& session);
void add_report_command(CLI::App& app, Session& session);
void add_explain_command(CLI::App& app, Session& session);
void add_diff_command(CLI::App& app, Session& session);
void add_imatrix_command(CLI::App& app, Session& session);
void add_inspect_command(CLI::App& app, Session& session);
void add_ladder_command(CLI::App& app, Session& session);
void add_perplexity_command(CLI::App& app, Session& session);
void add_quantize_command(CLI::App& app, Session& session);
void add_vectors_command(CLI::App& app, Session& session);

// Whether to colour what goes to the stream with this file descriptor: a terminal, no NO_COLOR.
bool use_colour(int file_descriptor);

// Throws UsageError when `path` names an existing file and `force` is false, or lies in no folder.
// "-" is standard output and always fine.
void check_writable(const std::string& path, bool force);

// Writes text to standard output ("-") or to PATH.partial, which is then renamed.
void write_text(const std::string& path, const std::string& text);
void write_json(const std::string& path, const nlohmann::ordered_json& json);

}  // namespace quantproof::cli

#endif
