// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <thread>

#include "fmt/format.h"

#include "tools/certify/decoder.h"
#include "tools/cli/command.h"
#include "tools/cli/model_options.h"
#include "tools/containers/container_error.h"
#include "tools/model/chunk_progress.h"
#include "tools/model/evaluate.h"
#include "tools/model/model.h"
#include "tools/quantize/interrupt.h"

namespace quantproof::cli {

namespace {

using model::Mean;
using model::Model;
using nlohmann::ordered_json;

struct PerplexityOptions {
  std::string model;
  std::string text;
  std::string base;
  std::size_t context = 0;
  std::size_t threads = 0;
  bool reference = false;
  std::string json;
  bool force = false;
};

int run_perplexity(const PerplexityOptions& options) {
  check_writable(options.json, options.force);
  const std::size_t threads = thread_count(options.threads);
  std::unique_ptr<Model> base;
  if (!options.base.empty()) base = std::make_unique<Model>(options.base);
  const Model tested(options.model, base.get());
  if (base && base->tokenizer().size() != tested.tokenizer().size()) {
    throw containers::ContainerError(fmt::format("{} has a vocabulary of {}, {} one of {}",
                                                 options.model, tested.tokenizer().size(),
                                                 options.base, base->tokenizer().size()));
  }
  const std::size_t context = context_of(options.context, tested.parameters());
  const model::Text text(options.text, tested.tokenizer(), context);

  std::vector<model::Llama> decoded;
  const auto decoding = options.reference ? model::Decoding::kReference : model::Decoding::kFast;
  if (base) decoded.push_back(base->decode(decoding, threads));
  decoded.push_back(tested.decode(decoding, threads));
  std::vector<const model::Llama*> models;
  for (const model::Llama& one : decoded) models.push_back(&one);
  std::vector<model::Scores> scores;
  {
    model::ChunkProgress progress("perplexity", text.chunks());
    scores = evaluate(models, text, threads, [&] { progress.advance(); });
  }
  const model::Scores& its = scores.back();
  const Mean surprise = model::mean_of(its.surprise);
  const double perplexity = std::exp(surprise.mean);
  const double rate = model::rate_of(tested.file()).bits_per_weight();

  ordered_json report = {{"model", options.model},
                         {"text", options.text},
                         {"decoding", options.reference ? "reference" : "fast"},
                         {"bits_per_weight", rate},
                         {"context", context},
                         {"tokens", text.tokens()},
                         {"chunks", text.chunks()},
                         {"scored", its.surprise.size()},
                         {"nll", surprise.mean},
                         {"nll_error", surprise.error},
                         {"perplexity", perplexity}};
  std::string out = fmt::format("model       {}, {:.4f} bits per weight\n", options.model, rate);
  out += fmt::format(
      "text        {}: tokens {}, chunks {} of {}, scored {}\n"
      "perplexity  {:.6f} +- {:.4f} ({:.6f} nats per token)\n",
      options.text, text.tokens(), text.chunks(), context, its.surprise.size(), perplexity,
      perplexity * surprise.error, surprise.mean);
  if (base) {
    const double base_perplexity = std::exp(model::mean_of(scores[0].surprise).mean);
    const Mean change = model::mean_difference(its.surprise, scores[0].surprise);
    const Mean divergence = model::mean_of(its.divergence);
    const double same =
        static_cast<double>(its.same_top) / static_cast<double>(its.divergence.size());
    report["base"] = {{"model", options.base},
                      {"perplexity", base_perplexity},
                      {"nll_difference", change.mean},
                      {"nll_difference_error", change.error},
                      {"kld", divergence.mean},
                      {"kld_error", divergence.error},
                      {"same_top", same}};
    out += fmt::format(
        "base        {}: perplexity {:.6f}\n"
        "change      {:+.6f} +- {:.6f} nats per token, perplexity {:+.2f} %\n"
        "divergence  {:.6f} +- {:.6f} (mean Kullback-Leibler, in nats)\n"
        "same top    {:.3f} %\n",
        options.base, base_perplexity, change.mean, change.error,
        100 * (perplexity / base_perplexity - 1), divergence.mean, divergence.error, 100 * same);
  }
  if (!options.json.empty()) write_json(options.json, report);
  if (options.json != "-") fmt::print("{}", out);
  return kExitPass;
}

}  // namespace

void add_perplexity_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<PerplexityOptions>();
  CLI::App* command = app.add_subcommand(
      "perplexity", "How well a LLaMA predicts a text, and how far it is from another one");
  command->group("Models");
  command->add_option("model", options->model, "GGUF, KNOT, or safetensors with --base")
      ->required();
  command->add_option("text", options->text, "A file of text")->required();
  command->add_option("--base", options->base,
                      "The model to compare with: divergence and agreement of the predictions");
  command->add_option("--context", options->context,
                      "Tokens of a chunk; 0: those of the model, up to 512");
  command->add_option("--threads", options->threads, "Chunks at once; 0: one for each CPU");
  command->add_flag("--reference", options->reference,
                    "Decode the weights with the reference: slower, the same result");
  command->add_option("--json", options->json, "Report to FILE, or to standard output for -");
  command->add_flag("--force", options->force, "Overwrite the report");
  command->callback([options, &session] {
    session.run = [options] {
      quantize::watch_signals();
      return run_perplexity(*options);
    };
  });
}

}  // namespace quantproof::cli
