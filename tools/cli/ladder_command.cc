// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>

#include "fmt/format.h"

#include "tools/certify/decoder.h"
#include "tools/cli/command.h"
#include "tools/cli/ladder_page.h"
#include "tools/cli/model_options.h"
#include "tools/model/chunk_progress.h"
#include "tools/model/ladder.h"
#include "tools/quantize/interrupt.h"

namespace quantproof::cli {

namespace {

using model::Rung;
using nlohmann::ordered_json;

struct LadderCommandOptions {
  std::string model;
  std::string text;
  model::LadderOptions ladder;
  std::size_t context = 0;
  std::size_t threads = 0;
  std::string json;
  std::string html;
  bool force = false;
};

void write_page(const std::string& path, const std::string& page) {
  containers::FileLayout layout;
  layout.head.assign(page.begin(), page.end());
  layout.size = page.size();
  containers::FileWriter(path, layout).finish();
}

ordered_json report_of(const LadderCommandOptions& options, const model::Ladder& ladder,
                       const model::Text& text) {
  ordered_json rungs = ordered_json::array();
  for (const Rung& rung : ladder.rungs) {
    rungs.push_back({{"name", rung.name},
                     {"file", rung.is_file},
                     {"bits_per_weight", rung.bits_per_weight},
                     {"weighted_error", rung.weighted_error},
                     {"perplexity", rung.perplexity},
                     {"nll_difference", rung.change.mean},
                     {"nll_difference_error", rung.change.error},
                     {"kld", rung.divergence.mean},
                     {"kld_error", rung.divergence.error},
                     {"same_top", rung.same_top}});
  }
  ordered_json inversions = ordered_json::array();
  for (const model::Inversion& inversion : ladder.inversions) {
    inversions.push_back({{"lower", ladder.rungs[inversion.lower].name},
                          {"higher", ladder.rungs[inversion.higher].name},
                          {"kld_excess", inversion.excess.mean},
                          {"kld_excess_error", inversion.excess.error}});
  }
  return {{"model", options.model},
          {"text", options.text},
          {"imatrix", options.ladder.imatrix},
          {"effort", options.ladder.effort},
          {"context", text.context()},
          {"tokens", text.tokens()},
          {"chunks", text.chunks()},
          {"perplexity", ladder.perplexity},
          {"rungs", rungs},
          {"monotonic", ladder.inversions.empty()},
          {"inversions", inversions}};
}

void print_ladder(const model::Ladder& ladder) {
  std::size_t width = 6;
  for (const Rung& rung : ladder.rungs) width = std::max(width, rung.name.size());
  fmt::print("{:{}}  {:>8}  {:>10}  {:>10}  {:>8}  {:>20}  {:>8}\n", "format", width, "bits/w",
             "w. error", "perplexity", "change", "divergence", "same top");
  for (const Rung& rung : ladder.rungs) {
    fmt::print(
        "{:{}}  {:>8.4f}  {:>10.6f}  {:>10.5f}  {:>+6.2f} %  {:>8.6f} +- {:.6f}  {:>6.2f} %\n",
        rung.name, width, rung.bits_per_weight, rung.weighted_error, rung.perplexity,
        100 * (rung.perplexity / ladder.perplexity - 1), rung.divergence.mean,
        rung.divergence.error, 100 * rung.same_top);
  }
}

int run_ladder(const LadderCommandOptions& options) {
  check_writable(options.json, options.force);
  check_writable(options.html, options.force);
  if (options.ladder.types.empty() && options.ladder.files.empty()) {
    throw certify::UsageError("--types or --file is required");
  }
  const std::size_t threads = thread_count(options.threads);
  const model::Model source(options.model);
  const std::size_t context = context_of(options.context, source.parameters());
  const model::Text text(options.text, source.tokenizer(), context);
  model::Ladder ladder;
  {
    model::ChunkProgress progress("ladder", text.chunks());
    ladder = climb(source, text, options.ladder, threads, [&] { progress.advance(); });
  }
  for (const std::string& warning : ladder.warnings) {
    fmt::print(stderr, "quantproof: warning: {}\n", warning);
  }
  const bool monotonic = ladder.inversions.empty();
  if (!options.html.empty()) {
    write_page(options.html,
               ladder_page(ladder,
                           std::filesystem::path(options.model).filename().string() +
                               ": divergence by format",
                           fmt::format("{}: {} chunks of {} tokens; perplexity of the model {:.5f}",
                                       std::filesystem::path(options.text).filename().string(),
                                       text.chunks(), text.context(), ladder.perplexity)));
  }
  if (!options.json.empty()) write_json(options.json, report_of(options, ladder, text));
  if (options.json == "-") return monotonic ? kExitPass : kExitFailed;
  fmt::print("model  {}: perplexity {:.6f}\ntext   {}: tokens {}, chunks {} of {}\n\n",
             options.model, ladder.perplexity, options.text, text.tokens(), text.chunks(), context);
  print_ladder(ladder);
  fmt::print("\n");
  for (const model::Inversion& inversion : ladder.inversions) {
    fmt::print("INVERTED: {} has more bits than {}, and diverges more: by {:.6f} +- {:.6f}\n",
               ladder.rungs[inversion.higher].name, ladder.rungs[inversion.lower].name,
               inversion.excess.mean, inversion.excess.error);
  }
  fmt::print("{}\n", monotonic
                         ? "monotonic: more bits are never worse"
                         : "NOT monotonic: an encoder is broken, or its bits are not worth it");
  return monotonic ? kExitPass : kExitFailed;
}

}  // namespace

void add_ladder_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<LadderCommandOptions>();
  CLI::App* command = app.add_subcommand(
      "ladder", "A LLaMA in many formats: what each costs, and whether more bits are better");
  command->group("Models");
  command->footer(
      "Types as in quantize; kaiju1:X has X of the columns in its side-band. All matrices are of "
      "the\n"
      "type, output.weight too; the embedding is kept. Exit code 1: a format of a higher rate is\n"
      "worse than one of a lower rate (spec/formats/evaluation.md 8).");
  command->add_option("model", options->model, "GGUF or KNOT: what the formats are compared with")
      ->required();
  command->add_option("text", options->text, "A file of text")->required();
  command->add_option("--types", options->ladder.types, "TYPE,TYPE,...")->delimiter(',');
  command->add_option("--file", options->ladder.files, "A model that is quantized already")
      ->allow_extra_args(false);
  command->add_option("--imatrix", options->ladder.imatrix,
                      "Importances, for the encoders and the weighted error");
  command->add_option("--tensor-type", options->ladder.tensor_types, "REGEX=TYPE, or REGEX=keep")
      ->allow_extra_args(false);
  command->add_option("--fallback", options->ladder.fallback,
                      "The type of tensors whose rows do not fit");
  command->add_option("--effort", options->ladder.effort, "fast, default or best")
      ->check(CLI::IsMember({"fast", "default", "best"}));
  command->add_option("--context", options->context,
                      "Tokens of a chunk; 0: those of the model, up to 512");
  command->add_option("--threads", options->threads, "Chunks at once; 0: one for each CPU");
  command->add_option("--json", options->json, "Report to FILE, or to standard output for -");
  command->add_option("--html", options->html, "A page with a plot to FILE");
  command->add_flag("--force", options->force, "Overwrite the report and the page");
  command->callback([options, &session] {
    session.run = [options] {
      quantize::watch_signals();
      return run_ladder(*options);
    };
  });
}

}  // namespace quantproof::cli
