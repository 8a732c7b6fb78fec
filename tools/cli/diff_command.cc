// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include "fmt/format.h"

#include "fuzz/blocks.h"
#include "quantproof/iq3_xxs.h"
#include "tools/certify/decoder.h"
#include "tools/certify/difference.h"
#include "tools/certify/hex.h"
#include "tools/cli/block_input.h"
#include "tools/cli/command.h"
#include "tools/cli/explain_block.h"

namespace quantproof::cli {

namespace {

using certify::Difference;
using nlohmann::ordered_json;
constexpr std::size_t kBlockBytes = Iq3Xxs::kBlockBytes;  // E8/IQ3 has as many
constexpr std::size_t kShownWeights = 8;

struct DiffOptions {
  std::string format;
  std::vector<std::string> targets;
  std::string profile;
  std::string input;
  std::size_t blocks = 0;
  std::size_t random = 0;
  std::uint64_t seed = 1;
  std::string json;
  bool force = false;
};

std::vector<std::uint8_t> blocks_of(const DiffOptions& options, qp_format format) {
  if (options.random > 0) {
    fuzz::Random random(options.seed);
    return fuzz::structured_blocks(format, options.random, random);
  }
  return read_blocks(options.input, kBlockBytes, options.blocks);
}

std::string bits_text(const std::optional<std::uint32_t>& bits) {
  return bits ? value_text(*bits) : "nothing written";
}

ordered_json to_json(const Difference& difference, qp_format format,
                     std::span<const std::uint8_t> block) {
  if (!difference.crash.empty()) return {{"crash", difference.crash}};
  ordered_json json = {{"block", difference.block}, {"bytes", certify::to_hex(block)}};
  if (!difference.a_status.empty()) {
    json["status"] = {difference.a_status, difference.b_status};
    return json;
  }
  json["blocks_of_the_call"] = difference.row_blocks;
  for (const certify::DifferentWeight& weight : difference.weights) {
    json["weights"].push_back(
        {{"weight", weight.weight}, {"a", bits_text(weight.a)}, {"b", bits_text(weight.b)}});
  }
  json["explanation"] = explain_block_json(format, block, difference.weights.front().weight);
  return json;
}

void print(const Difference& difference, qp_format format, std::span<const std::uint8_t> block) {
  if (!difference.crash.empty()) {
    fmt::print("a target did not return: {}\n", difference.crash);
    return;
  }
  fmt::print("first difference: block {}, bytes [{}, {})", difference.block,
             difference.block * kBlockBytes, (difference.block + 1) * kBlockBytes);
  if (difference.row_blocks > 1) fmt::print(", in a call of {} blocks", difference.row_blocks);
  fmt::print("\n");
  if (!difference.a_status.empty()) {
    fmt::print("  A: {}\n  B: {}\n\n{}", difference.a_status, difference.b_status,
               explain_block(format, block, 0));
    return;
  }
  fmt::print("{} of its 256 weights differ\n\n  {:7} {:32} B\n", difference.weights.size(),
             "weight", "A");
  for (std::size_t i = 0; i < difference.weights.size() && i < kShownWeights; ++i) {
    const certify::DifferentWeight& weight = difference.weights[i];
    fmt::print("  {:<7} {:32} {}\n", weight.weight, bits_text(weight.a), bits_text(weight.b));
  }
  if (difference.weights.size() > kShownWeights) {
    fmt::print("  and {} more\n", difference.weights.size() - kShownWeights);
  }
  fmt::print("\n{}", explain_block(format, block, difference.weights.front().weight));
}

int run_diff(const DiffOptions& options) {
  check_writable(options.json, options.force);
  const qp_format format = certify::parse_format(options.format);
  if (options.targets.size() > 2) throw certify::UsageError("diff compares two targets");
  if (options.input.empty() == (options.random == 0)) {
    throw certify::UsageError("diff needs either a file of blocks or --random");
  }
  const std::string a = options.targets.size() == 2 ? options.targets.front() : "ref";
  const std::string& b = options.targets.back();
  std::optional<qp_profile> wanted;
  if (!options.profile.empty()) wanted = certify::parse_profile(options.profile);
  const auto bytes = blocks_of(options, format);
  const std::size_t blocks = bytes.size() / kBlockBytes;
  const auto [profile, difference, not_run] = certify::compare_targets(a, b, format, wanted, bytes);
  const bool ran = not_run.empty();

  const auto block = difference
                         ? std::span(bytes).subspan(difference->block * kBlockBytes, kBlockBytes)
                         : std::span<const std::uint8_t>{};
  if (!options.json.empty()) {
    ordered_json json = {{"format", options.format},
                         {"a", a},
                         {"b", b},
                         {"profile", certify::profile_name(profile)},
                         {"blocks", blocks},
                         {"verdict", !ran         ? "not_exercised"
                                     : difference ? "fail"
                                                  : "pass"}};
    if (options.random > 0) json["seed"] = options.seed;
    if (!ran) json["detail"] = not_run;
    if (difference) json["difference"] = to_json(*difference, format, block);
    write_json(options.json, json);
  }
  if (options.json != "-") {
    fmt::print("A  {}\nB  {}\n", a, b);
    if (!ran) {
      fmt::print("NOT RUN: {}\n", not_run);
    } else if (difference) {
      print(*difference, format, block);
    } else {
      fmt::print("equal, bit for bit: {} blocks of {}, profile {}\n", blocks, options.format,
                 certify::profile_name(profile));
    }
  }
  return !ran ? kExitNotExercised : difference ? kExitFailed : kExitPass;
}

}  // namespace

void add_diff_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App* command =
      app.add_subcommand("diff",
                         "Decode the same blocks with two decoders and show the first block that\n"
                         "differs, field by field. Exit code 0: equal; 1: different");
  command->group("Look inside");
  command->add_option("--format", options->format, "iq3_xxs or e8_iq3")->required();
  command
      ->add_option("--target", options->targets,
                   "A decoder, as for certify, or ref, the reference; twice: A and B;\n"
                   "once: the reference is A")
      ->required()
      ->allow_extra_args(false);  // what follows one target is the file
  command->add_option("blocks", options->input, "FILE[:OFFSET], the blocks one after the other");
  command->add_option("--blocks", options->blocks,
                      "How many blocks of the file [all; its end must be the end of a block]");
  command->add_option("--random", options->random, "No file: this many blocks made from --seed")
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--seed", options->seed, "Seed of --random")->capture_default_str();
  command->add_option("--profile", options->profile,
                      "strict, ggml or colibri, for the built-in decoders\n"
                      "[that of the first target with one of its own, else strict]");
  command->add_option("--json", options->json, "Write to FILE, or to standard output for -");
  command->add_flag("--force", options->force, "Overwrite the report file");
  command->callback(
      [options, &session] { session.run = [options] { return run_diff(*options); }; });
}

}  // namespace quantproof::cli
