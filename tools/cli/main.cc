// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <unistd.h>

#include "fmt/format.h"

#include "quantproof/qp.h"
#include "tools/certify/decoder.h"
#include "tools/cli/command.h"
#include "tools/containers/container_error.h"
#include "tools/quantize/interrupt.h"
#include "tools/quantize/plan.h"

namespace quantproof::cli {

bool use_colour(int file_descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe): read only
  return isatty(file_descriptor) != 0 && (no_colour == nullptr || *no_colour == '\0');
}

void check_writable(const std::string& path, bool force) {
  if (path.empty() || path == "-") return;
  const auto folder = std::filesystem::path(path).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder)) {
    throw certify::UsageError(fmt::format("{}: there is no folder {}", path, folder.string()));
  }
  if (force || !std::filesystem::exists(path)) return;
  throw certify::UsageError(fmt::format("{} exists; --force overwrites it", path));
}

void write_text(const std::string& path, const std::string& text) {
  if (path == "-") {
    fmt::print("{}", text);
    return;
  }
  const std::string partial = path + ".partial";
  std::ofstream file(partial, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) {
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    throw certify::UnreadableError(fmt::format("cannot write {}", path));
  }
  std::filesystem::rename(partial, path);
}

void write_json(const std::string& path, const nlohmann::ordered_json& json) {
  write_text(path,
             json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

namespace {

int report_error(const Session& session, ExitCode code, const std::string& message) {
  fmt::print(stderr, "quantproof: {}\n", message);
  if (session.json_on_stdout) {
    write_json("-", {{"error", {{"exit_code", static_cast<int>(code)}, {"message", message}}}});
  }
  return code;
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App app{
      "Low-bit weight formats of language models, checked against their specification: certify,\n"
      "fuzz and prove decoders and encoders, quantize models and measure them.\n"
      "Formats: iq3_xxs (ggml IQ3_XXS), e8_iq3 (colibri fmt=6), kaiju1, and the Leech lattice.\n"
      "Exit codes: 0 pass; 1 checked and failed; 2 usage; 3 input unreadable or malformed;\n"
      "4 not exercised or unsupported here; 5 internal; 130 interrupted."};
  app.name("quantproof");
  app.set_version_flag("-V,--version", std::string("quantproof ") + qp_version());
  app.require_subcommand(1);
  Session session;
  add_certify_command(app, session);
  add_fuzz_command(app, session);
  add_prove_command(app, session);
  add_gate_command(app, session);
  add_report_command(app, session);
  add_explain_command(app, session);
  add_diff_command(app, session);
  add_inspect_command(app, session);
  add_imatrix_command(app, session);
  add_ladder_command(app, session);
  add_perplexity_command(app, session);
  add_quantize_command(app, session);
  add_vectors_command(app, session);
  // Known before parsing, so that even a wrong command line is answered in JSON.
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) == "--json" && std::string(argv[i + 1]) == "-") {
      session.json_on_stdout = true;
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // help or version
    return report_error(session, kExitUsage,
                        fmt::format("{} (see quantproof --help)", error.what()));
  }
  try {
    return session.run();
  } catch (const certify::UsageError& error) {
    return report_error(session, kExitUsage, error.what());
  } catch (const certify::UnreadableError& error) {
    return report_error(session, kExitUnreadable, error.what());
  } catch (const containers::ContainerError& error) {
    return report_error(session, kExitUnreadable, error.what());
  } catch (const containers::FileError& error) {
    return report_error(session, kExitUnreadable, error.what());
  } catch (const quantize::UnsupportedError& error) {
    return report_error(session, kExitNotExercised, error.what());
  } catch (const quantize::Interrupted&) {
    return report_error(session, kExitInterrupted, "interrupted");
  } catch (const std::exception& error) {
    return report_error(session, kExitInternal, fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace quantproof::cli

int main(int argc, char** argv) { return quantproof::cli::run(argc, argv); }
