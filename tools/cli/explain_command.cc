// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "fmt/format.h"

#include "quantproof/iq3_xxs.h"
#include "quantproof/leech.h"
#include "tools/certify/decoder.h"
#include "tools/cli/block_input.h"
#include "tools/cli/command.h"
#include "tools/cli/explain_block.h"
#include "tools/cli/explain_kaiju1.h"
#include "tools/cli/explain_leech.h"

namespace quantproof::cli {

namespace {

struct ExplainOptions {
  std::string format;
  std::string input;
  std::size_t weight = 0;
  std::string json;
  bool force = false;
};

int run_explain(const ExplainOptions& options) {
  check_writable(options.json, options.force);
  if (options.format == "kaiju1") {
    if (options.weight >= kLeechDimension) {
      throw certify::UsageError("a code has the weights 0 to 23");
    }
    return explain_kaiju1(options.input, options.weight, options.json);
  }
  if (options.format == "leech") return explain_leech(options.input, options.json);
  const qp_format format = certify::parse_format(options.format);
  const auto block = read_block(options.input, Iq3Xxs::kBlockBytes);
  if (!options.json.empty()) {
    write_json(options.json, explain_block_json(format, block, options.weight));
    if (options.json == "-") return kExitPass;
  }
  fmt::print("{}", explain_block(format, block, options.weight));
  return kExitPass;
}

}  // namespace

void add_explain_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command =
      app.add_subcommand("explain",
                         "Show each field of a block and the formula of one weight, or a point\n"
                         "and its nearest point of the Leech lattice");
  command->group("Look inside");
  command->add_option("--format", options->format, "iq3_xxs, e8_iq3, kaiju1 or leech")->required();
  command
      ->add_option(
          "block", options->input,
          "The block in hexadecimal (196 digits), or FILE[:OFFSET]; leech: 24 integers in\n"
          "units of 2^-13, 24 decimal fractions in lattice units, or FILE[:OFFSET]")
      ->required();
  command
      ->add_option("--weight", options->weight, "The weight of a block or code to explain, from 0")
      ->capture_default_str()
      ->check(CLI::Range(0, 255));
  command->add_option("--json", options->json, "Write to FILE, or to standard output for -");
  command->add_flag("--force", options->force, "Overwrite the report file");
  command->callback(
      [options, &session] { session.run = [options] { return run_explain(*options); }; });
}

}  // namespace quantproof::cli
