// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "tools/certify/decoder.h"
#include "tools/cli/command.h"
#include "tools/containers/container_error.h"
#include "tools/containers/quoted.h"
#include "tools/quantize/interrupt.h"
#include "tools/quantize/quantize.h"

namespace quantproof::cli {

namespace {

using certify::UsageError;
using containers::in_quotes;
using nlohmann::json;
using nlohmann::ordered_json;
using quantize::Outcome;
using quantize::Plan;
using quantize::PlannedTensor;

struct QuantizeOptions {
  quantize::Options options;
  double hi_frac = 0.1;
  std::size_t threads = 0;
  bool dry_run = false;
  bool resume = false;
  std::string plan;
  std::optional<std::size_t> job;
  bool merge = false;
  std::string json;
  bool force = false;
};

std::string megabytes(std::uint64_t bytes) {
  return fmt::format("{:.2f}", static_cast<double>(bytes) * 1e-6);
}

// The plan as a table, one line for each tensor.
void print_plan(const Plan& plan) {
  std::size_t width = 6;
  for (const PlannedTensor& planned : plan.tensors) {
    width = std::max(width, in_quotes(planned.source->name).size() - 2);
  }
  fmt::print("{:{}}  {:>16}  {:8} {:8} {:>10} {:>10} {:>8}  {}\n", "tensor", width, "shape", "from",
             "to", "MB", "MB", "bits/w", "why");
  std::uint64_t from = 0;
  std::uint64_t weights = 0;
  std::uint64_t encoded = 0;
  std::uint64_t encoded_bytes = 0;
  for (const PlannedTensor& planned : plan.tensors) {
    const auto& source = *planned.source;
    const std::string name = in_quotes(source.name);
    fmt::print("{:{}}  {:>16}  {:8} {:8} {:>10} {:>10} {:>8.4f}  {}\n",
               name.substr(1, name.size() - 2), width,
               fmt::format("{}", fmt::join(source.shape, " x ")), source.type_name, planned.to_name,
               megabytes(source.bytes.size()), megabytes(planned.size),
               quantize::bits_per_weight(planned.size, source.weights()), planned.reason);
    from += source.bytes.size();
    weights += source.weights();
    if (planned.to) {
      encoded += source.weights();
      encoded_bytes += planned.size;
    }
  }
  fmt::print(
      "\n{}, {}: {} MB in {} tensors become {} MB, {:.4f} bits per weight; {} weights are "
      "encoded, in {:.4f} bits each\n",
      plan.options.out, container_name(plan.container), megabytes(from), plan.tensors.size(),
      megabytes(plan.layout.size), quantize::bits_per_weight(plan.layout.size, weights), encoded,
      quantize::bits_per_weight(encoded_bytes, encoded));
}

void print_outcome(const ordered_json& report) {
  const auto& summary = report.at("summary");
  for (const auto& tensor : report.at("tensors")) {
    if (!tensor.contains("relative_squared_error")) continue;
    fmt::print("{:40} {:8} {:>8.4f} bits/w  relative squared error {:.5f}{}\n",
               in_quotes(tensor.at("name").get<std::string>()), tensor.at("to").get<std::string>(),
               tensor.at("bits_per_weight").get<double>(),
               tensor.at("relative_squared_error").get<double>(),
               tensor.value("reason", "").empty() ? "" : "  " + tensor.value("reason", ""));
  }
  fmt::print(
      "\n{}: {} MB, {:.4f} bits per weight; encoded {} weights in {:.4f} bits each; blocks "
      "flushed to zero: {}; tensors without importance: {}; substituted: {}\n",
      report.at("output").get<std::string>(), megabytes(report.at("size").get<std::uint64_t>()),
      summary.at("bits_per_weight").get<double>(),
      summary.at("encoded_weights").get<std::uint64_t>(),
      summary.at("encoded_bits_per_weight").get<double>(),
      summary.at("blocks_flushed_to_zero").get<std::uint64_t>(),
      summary.at("tensors_without_importance").size(), summary.at("substituted").size());
}

void warn(const Plan& plan) {
  for (const std::string& warning : plan.warnings) fmt::print(stderr, "warning: {}\n", warning);
}

json read_plan(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw containers::FileError("cannot read " + path);
  json plan = json::parse(file, nullptr, false);
  if (plan.is_discarded() || !plan.is_object()) {
    throw containers::ContainerError(path + ": no plan of quantproof");
  }
  return plan;
}

void write_report(const QuantizeOptions& options, const Plan& plan, const Outcome& outcome) {
  const ordered_json report = quantize::report(plan, outcome);
  if (!options.json.empty()) write_json(options.json, report);
  if (options.json != "-") print_outcome(report);
}

int run_with_plan(const QuantizeOptions& options) {
  const json file = read_plan(options.plan);
  const quantize::Options from_plan = quantize::options_of_plan_file(file, options.plan);
  if (options.merge) {
    check_writable(from_plan.out, options.force);
    check_writable(options.json, options.force);
  }
  const containers::ModelFile model(from_plan.in);
  const Plan plan = quantize::make_plan(from_plan, model);
  try {
    if (options.job) {
      const bool done = quantize::run_job(file, plan, *options.job, options.threads);
      fmt::print("job {}: {}\n", *options.job, done ? "done" : "was done before");
      return kExitPass;
    }
    write_report(options, plan, quantize::merge_jobs(file, plan));
  } catch (const json::exception&) {
    throw containers::ContainerError(options.plan + ": no plan of quantproof");
  }
  return kExitPass;
}

int run_quantize(QuantizeOptions& options) {
  if (options.threads == 0) options.threads = std::max(1u, std::thread::hardware_concurrency());
  const bool planned = options.job.has_value() || options.merge;
  if (planned) {
    if (options.plan.empty()) throw UsageError("--job and --merge need --plan");
    if (options.job && options.merge) throw UsageError("--job and --merge exclude each other");
    if (!options.options.in.empty() || !options.options.type.empty()) {
      throw UsageError(
          "with --job and --merge, the plan says what to do; IN, OUT and --type cannot");
    }
    return run_with_plan(options);
  }
  quantize::Options& given = options.options;
  if (given.in.empty() || given.out.empty()) throw UsageError("IN and OUT are required");
  if (given.type.empty()) throw UsageError("--type is required");
  if (!(options.hi_frac >= 0 && options.hi_frac <= 1)) throw UsageError("--hi-frac is from 0 to 1");
  given.hi_frac = static_cast<std::uint32_t>(std::lround(options.hi_frac * 1e6));
  given.imatrix_name = given.imatrix;
  if ((options.dry_run || !options.plan.empty()) && !options.json.empty()) {
    throw UsageError("--json reports what was done; --dry-run and --plan do nothing yet");
  }
  if (!options.dry_run && options.plan.empty()) check_writable(given.out, options.force);
  check_writable(options.plan, options.force);
  check_writable(options.json, options.force);
  const containers::ModelFile model(given.in);
  for (const std::string& path : model.paths) {
    std::error_code ignored;
    if (std::filesystem::equivalent(path, given.out, ignored)) {
      throw UsageError(given.out + " is a part of the input");
    }
  }
  const Plan plan = quantize::make_plan(given, model);
  warn(plan);
  if (options.dry_run) {
    print_plan(plan);
    return kExitPass;
  }
  Outcome outcome = quantize::check_sources(plan, options.threads);
  if (!options.plan.empty()) {
    const ordered_json file = quantize::plan_file(plan, outcome);
    write_json(options.plan, file);
    fmt::print("{}: jobs: {}\n", options.plan, file.at("jobs").get<std::size_t>());
    return kExitPass;
  }
  quantize::quantize(plan, {options.threads, options.resume}, outcome);
  write_report(options, plan, outcome);
  return kExitPass;
}

}  // namespace

void add_quantize_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<QuantizeOptions>();
  CLI::App* command = app.add_subcommand(
      "quantize", "Encode the weights of a model: GGUF, safetensors or KNOT in and out");
  command->group("Models");
  command->footer(
      "Types: iq3_xxs (to GGUF), e8_iq3 (rotated; to safetensors), kaiju1 (to KNOT), q8_0, f16, "
      "bf16,\n"
      "f32. An OUT that ends in .gguf, .safetensors or .knot is of that container. Kept as they "
      "are:\n"
      "tensors of one dimension, norms, what is no weight, and a few small ones; token embeddings "
      "and\n"
      "output too, unless --tensor-type names them (spec/formats/quantize.md). The first "
      "--tensor-type\n"
      "that matches decides.\n"
      "Many machines: quantize IN OUT ... --plan FILE; quantize --plan FILE --job K for each job "
      "K;\n"
      "quantize --plan FILE --merge. The output is the one of a single run, byte for byte.");
  command->add_option("in", options->options.in,
                      "GGUF (of a split one the first file), safetensors or its index, KNOT");
  command->add_option("out", options->options.out, "The file to write");
  command->add_option("--type", options->options.type, "The type of the weights");
  command->add_option("--imatrix", options->options.imatrix,
                      "Importances, in either form of llama.cpp");
  command->add_option("--tensor-type", options->options.tensor_types, "REGEX=TYPE, or REGEX=keep")
      ->allow_extra_args(false);
  command->add_option("--fallback", options->options.fallback,
                      "The type of tensors whose rows do not fit");
  command->add_option("--effort", options->options.effort, "fast, default or best")
      ->check(CLI::IsMember({"fast", "default", "best"}));
  command
      ->add_option("--hi-frac", options->hi_frac,
                   "kaiju1: the part of the columns in the side-band")
      ->capture_default_str();
  command->add_option("--threads", options->threads, "Rows encoded at once; 0: one for each CPU");
  command->add_flag("--dry-run", options->dry_run, "Print what would be done, and do nothing");
  command->add_flag("--resume", options->resume, "Go on with an interrupted run");
  command->add_option("--plan", options->plan, "Write a plan for many machines, or use it");
  command->add_option("--job", options->job, "Do this job of the plan");
  command->add_flag("--merge", options->merge, "Join the jobs of the plan");
  command->add_option("--json", options->json, "Report to FILE, or to standard output for -");
  command->add_flag("--force", options->force, "Overwrite OUT, the plan and the report");
  command->callback([options, &session] {
    session.run = [options] {
      quantize::watch_signals();
      return run_quantize(*options);
    };
  });
}

}  // namespace quantproof::cli
