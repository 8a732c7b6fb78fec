// SPDX-License-Identifier: Apache-2.0
//
// quantproof_bench: how fast the fast path decodes, beside the real ggml, in one run. Outputs are
// compared bit for bit before anything is measured.
// Exit codes: 0 measured; 1 outputs differ; 2 usage; 4 no peer, or nothing measured; 5 internal.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "benchmark/benchmark.h"

#include "bench/iq3_bench.h"
#include "bench/summary.h"

namespace quantproof::bench {

namespace {

struct Options {
  std::string ggml_path;
  std::string summary_json;
};

void print_help() {
  std::puts(
      "quantproof_bench [--ggml=PATH] [--summary_json=FILE] [--benchmark_...]\n"
      "  --ggml=PATH           ggml's libggml-base.so (see tools/get_ggml.sh); default: the\n"
      "                        environment variable QUANTPROOF_GGML_LIB\n"
      "  --summary_json=FILE   writes the summary to FILE as well\n"
      "Defaults here: --benchmark_repetitions=9 --benchmark_min_time=0.02\n"
      "               --benchmark_enable_random_interleaving=true\n");
  benchmark::PrintDefaultHelp();
}

// Takes our own options out of the arguments.
Options take_options(std::vector<std::string>& arguments) {
  Options options;
  const char* path = std::getenv("QUANTPROOF_GGML_LIB");  // NOLINT(concurrency-mt-unsafe)
  if (path != nullptr) options.ggml_path = path;
  std::erase_if(arguments, [&](const std::string& argument) {
    for (const auto& [flag, value] : {std::pair("--ggml=", &options.ggml_path),
                                      std::pair("--summary_json=", &options.summary_json)}) {
      if (!argument.starts_with(flag)) continue;
      *value = argument.substr(std::string_view(flag).size());
      return true;
    }
    return false;
  });
  return options;
}

int run(int argc, char** argv) {
  std::vector<std::string> arguments(argv, argv + argc);
  const Options options = take_options(arguments);
  // Before the user's arguments, the last of which wins.
  arguments.insert(arguments.begin() + 1, {"--benchmark_repetitions=9", "--benchmark_min_time=0.02",
                                           "--benchmark_enable_random_interleaving=true"});
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  benchmark::Initialize(&count, pointers.data(), print_help);
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return 2;

  const GgmlDecode ggml = options.ggml_path.empty() ? nullptr : load_ggml(options.ggml_path);
  Iq3Data data(*std::max_element(std::begin(kBlockCounts), std::end(kBlockCounts)));
  if (!outputs_equal(data, ggml)) return 1;

  std::vector<Row> rows;
  register_iq3(data, ggml, rows);
  const bool color = isatty(STDOUT_FILENO) == 1 &&
                     std::getenv("NO_COLOR") == nullptr;  // NOLINT(concurrency-mt-unsafe)
  SummaryReporter reporter(rows, color ? benchmark::ConsoleReporter::OO_ColorTabular
                                       : benchmark::ConsoleReporter::OO_Tabular);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
  if (std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.medians.empty(); })) {
    std::fputs("quantproof_bench: nothing was measured\n", stderr);
    return 4;
  }
  print_summary(rows);
  if (!options.summary_json.empty()) {
    write_summary_json(rows, ggml == nullptr ? "" : options.ggml_path, options.summary_json);
  }
  if (ggml == nullptr) {
    std::fputs(
        "quantproof_bench: NO PEER: the rows of ggml are missing; give --ggml=PATH or set "
        "QUANTPROOF_GGML_LIB (tools/get_ggml.sh fetches it)\n",
        stderr);
    return 4;
  }
  return 0;
}

}  // namespace

}  // namespace quantproof::bench

int main(int argc, char** argv) {
  try {
    return quantproof::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "quantproof_bench: %s\n", error.what());
    return 5;
  }
}
