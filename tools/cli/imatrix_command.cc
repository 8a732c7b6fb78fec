// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>

#include "fmt/format.h"

#include "tools/certify/decoder.h"
#include "tools/cli/command.h"
#include "tools/cli/model_options.h"
#include "tools/containers/container_error.h"
#include "tools/containers/imatrix.h"
#include "tools/containers/mapped_file.h"
#include "tools/containers/quoted.h"
#include "tools/model/chunk_progress.h"
#include "tools/model/evaluate.h"
#include "tools/model/model.h"
#include "tools/quantize/interrupt.h"

namespace quantproof::cli {

namespace {

using containers::Imatrix;
using containers::ImatrixEntry;
using containers::in_quotes;
using nlohmann::ordered_json;

struct ImatrixOptions {
  std::string model;
  std::string text;
  std::string out;
  std::size_t context = 0;
  std::size_t threads = 0;
  std::string stats;
  std::vector<std::string> convert;
  std::uint32_t chunk_size = containers::kUsualChunkSize;
  std::string json;
  bool force = false;
};

// What the importances of one tensor are like.
struct Stats {
  double mean = 0;
  double least = 0;
  double most = 0;
  double top_decile = 0;  // the part of the sum that the greatest tenth of the columns have
  std::uint64_t zeros = 0;
  std::uint64_t experts_without_data = 0;
};

Stats stats_of(const ImatrixEntry& entry) {
  Stats stats;
  stats.experts_without_data =
      static_cast<std::uint64_t>(std::count(entry.counts.begin(), entry.counts.end(), 0.0f));
  std::vector<float> values;
  const std::vector<float> all = entry.importance();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (entry.counts[i / entry.columns()] != 0) values.push_back(all[i]);
  }
  if (values.empty()) return stats;
  std::sort(values.begin(), values.end());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  stats.mean = sum / static_cast<double>(values.size());
  stats.least = values.front();
  stats.most = values.back();
  stats.zeros = static_cast<std::uint64_t>(std::count(values.begin(), values.end(), 0.0f));
  const auto top = static_cast<std::ptrdiff_t>((values.size() + 9) / 10);
  if (sum > 0) stats.top_decile = std::accumulate(values.end() - top, values.end(), 0.0) / sum;
  return stats;
}

Imatrix read(const std::string& path) {
  const containers::MappedFile file(path);
  return containers::read_imatrix(file.bytes(), path);
}

const char* form_name(const Imatrix& imatrix) { return imatrix.legacy ? "legacy" : "GGUF"; }

int print_stats(const ImatrixOptions& options) {
  const Imatrix imatrix = read(options.stats);
  std::uint64_t partial = 0;
  ordered_json entries = ordered_json::array();
  std::vector<std::string> lines;
  std::size_t width = 6;
  for (const auto& [name, entry] : imatrix.entries)
    width = std::max(width, in_quotes(name).size() - 2);
  for (const auto& [name, entry] : imatrix.entries) {
    const Stats stats = stats_of(entry);
    const double inputs = std::accumulate(entry.counts.begin(), entry.counts.end(), 0.0);
    partial += stats.experts_without_data != 0 ? 1 : 0;
    entries.push_back({{"name", name},
                       {"columns", entry.columns()},
                       {"experts", entry.counts.size()},
                       {"experts_without_data", stats.experts_without_data},
                       {"inputs", inputs},
                       {"mean", stats.mean},
                       {"least", stats.least},
                       {"most", stats.most},
                       {"zeros", stats.zeros},
                       {"top_decile", stats.top_decile}});
    const std::string quoted = in_quotes(name);
    std::string line = fmt::format(
        "{:{}} {:>8} {:>8} {:>10} {:>11.4e} {:>11.4e} {:>11.4e} {:>6} {:>6.1f}%",
        quoted.substr(1, quoted.size() - 2), width, entry.columns(), entry.counts.size(), inputs,
        stats.mean, stats.least, stats.most, stats.zeros, 100 * stats.top_decile);
    if (stats.experts_without_data != 0) {
      line += fmt::format("  no data: {} experts", stats.experts_without_data);
    }
    lines.push_back(std::move(line));
  }
  if (!options.json.empty()) {
    write_json(options.json, {{"file", options.stats},
                              {"form", form_name(imatrix)},
                              {"datasets", imatrix.datasets},
                              {"chunks", imatrix.chunk_count},
                              {"chunk_size", imatrix.chunk_size},
                              {"partial", partial != 0},
                              {"entries", entries}});
    if (options.json == "-") return kExitPass;
  }
  fmt::print("{}: imatrix in the {} form; entries: {}; chunks: {}", options.stats,
             form_name(imatrix), imatrix.entries.size(), imatrix.chunk_count);
  if (!imatrix.legacy) fmt::print(" of {}", imatrix.chunk_size);
  for (const std::string& dataset : imatrix.datasets)
    fmt::print("; dataset {}", in_quotes(dataset));
  fmt::print("\n\n{:{}} {:>8} {:>8} {:>10} {:>11} {:>11} {:>11} {:>6} {:>7}\n", "tensor", width,
             "columns", "experts", imatrix.legacy ? "chunks" : "inputs", "mean", "least", "most",
             "zeros", "top 10%");
  for (const std::string& line : lines) fmt::print("{}\n", line);
  if (partial != 0) fmt::print("\npartial: {} entries have experts without data\n", partial);
  return kExitPass;
}

void write(const containers::ImatrixFile& file, const std::string& out) {
  containers::FileWriter writer(out, file.layout);
  writer.write(file.data);
  writer.finish();
}

// imatrix.md 5: to the other form.
int convert(const ImatrixOptions& options) {
  const std::string& out = options.convert[1];
  check_writable(out, options.force);
  const Imatrix imatrix = read(options.convert[0]);
  const containers::ImatrixFile file =
      imatrix.legacy ? containers::imatrix_as_gguf(
                           containers::with_chunk_size(imatrix, options.chunk_size), out)
                     : containers::imatrix_as_legacy(imatrix, out);
  write(file, out);
  fmt::print("{}: {} form, entries: {}\n", out, imatrix.legacy ? "GGUF" : "legacy",
             imatrix.entries.size());
  return kExitPass;
}

// evaluation.md 7
int capture(const ImatrixOptions& options) {
  check_writable(options.out, options.force);
  const std::size_t threads = thread_count(options.threads);
  const model::Model source(options.model);
  const std::size_t context = context_of(options.context, source.parameters());
  const model::Text text(options.text, source.tokenizer(), context);
  const model::Llama decoded = source.decode(model::Decoding::kFast, threads);
  Imatrix imatrix;
  {
    model::ChunkProgress progress("imatrix", text.chunks());
    imatrix = capture_imatrix(decoded, text, std::filesystem::path(options.text).filename(),
                              threads, [&] { progress.advance(); });
  }
  const bool legacy = options.out.ends_with(".dat");
  write(legacy ? containers::imatrix_as_legacy(imatrix, options.out)
               : containers::imatrix_as_gguf(imatrix, options.out),
        options.out);
  fmt::print("{}: {} form, entries: {}; chunks: {} of {}\n", options.out,
             legacy ? "legacy" : "GGUF", imatrix.entries.size(), text.chunks(), context);
  return kExitPass;
}

int run_imatrix(const ImatrixOptions& options) {
  check_writable(options.json, options.force);
  const int modes = (options.stats.empty() ? 0 : 1) + (options.convert.empty() ? 0 : 1) +
                    (options.model.empty() ? 0 : 1);
  if (modes != 1 || options.model.empty() != options.out.empty()) {
    throw certify::UsageError("one of these is required: MODEL TEXT OUT, --stats, --convert");
  }
  if (options.chunk_size == 0) throw certify::UsageError("--chunk-size is at least 1");
  if (!options.model.empty()) return capture(options);
  return options.stats.empty() ? convert(options) : print_stats(options);
}

}  // namespace

void add_imatrix_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<ImatrixOptions>();
  CLI::App* command = app.add_subcommand(
      "imatrix", "Importances of columns: measured on a text, statistics, conversion of the file");
  command->group("Models");
  command->add_option("model", options->model, "A LLaMA: GGUF or KNOT");
  command->add_option("text", options->text, "A file of text to run it on");
  command->add_option("out", options->out, "What to write: NAME.dat the legacy form, else GGUF");
  command->add_option("--context", options->context,
                      "Tokens of a chunk; 0: those of the model, up to 512");
  command->add_option("--threads", options->threads, "Chunks at once; 0: one for each CPU");
  command->add_option("--stats", options->stats, "What is in this file");
  command
      ->add_option("--convert", options->convert,
                   "IN OUT: from the GGUF form to the legacy form, or back")
      ->expected(2);
  command
      ->add_option("--chunk-size", options->chunk_size,
                   "Inputs of a chunk, which a legacy file does not say")
      ->capture_default_str();
  command->add_option("--json", options->json, "Statistics to FILE, or to standard output for -");
  command->add_flag("--force", options->force, "Overwrite OUT and the report");
  command->callback([options, &session] {
    session.run = [options] {
      quantize::watch_signals();
      return run_imatrix(*options);
    };
  });
}

}  // namespace quantproof::cli
