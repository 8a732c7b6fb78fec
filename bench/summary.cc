// SPDX-License-Identifier: Apache-2.0
#include "bench/summary.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "nlohmann/json.hpp"

#include "quantproof/qp.h"

namespace quantproof::bench {

namespace {

std::vector<std::string> levels_not_run() {
  std::vector<std::string> levels;
  for (std::size_t i = 0; i < qp_level_count(); ++i) {
    if (qp_level_supported(i) == 0) levels.emplace_back(qp_level_name(i));
  }
  return levels;
}

std::string cell(const Row& row, const char* counter, const char* format, double factor = 1.0) {
  const auto found = row.medians.find(counter);
  if (found == row.medians.end()) return "missing";
  char text[32];
  std::snprintf(text, sizeof text, format, found->second * factor);
  return text;
}

}  // namespace

SummaryReporter::SummaryReporter(std::vector<Row>& rows, OutputOptions options)
    : ConsoleReporter(options), rows_(rows) {}

void SummaryReporter::ReportRuns(const std::vector<Run>& runs) {
  std::vector<Run> shown;
  for (const Run& run : runs) {
    // A single repetition has no aggregates: it is its own median.
    const bool is_median = run.aggregate_name == "median" ||
                           (run.run_type == Run::RT_Iteration && run.repetitions <= 1);
    if (!is_median && run.aggregate_name != "cv") continue;
    shown.push_back(run);
    if (!is_median) continue;
    const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& candidate) {
      return candidate.name == run.run_name.function_name;
    });
    if (row == rows_.end()) continue;
    for (const auto& [name, counter] : run.counters) row->medians[name] = counter.value;
  }
  if (!shown.empty()) ConsoleReporter::ReportRuns(shown);
}

void print_summary(const std::vector<Row>& rows) {
  std::printf(
      "\nDecoding, medians of interleaved rounds; GB/s of binary32 output; ggml decodes the same "
      "weights as IQ3_XXS.\n"
      "%-8s %-8s %7s %9s %9s %9s %9s %9s %9s\n",
      "format", "level", "blocks", "GB/s", "ggml", "x ggml", "memset", "% memset", "memcpy");
  for (const Row& row : rows) {
    if (row.medians.empty()) continue;
    std::printf("%-8s %-8s %7zu %9s %9s %9s %9s %9s %9s\n", row.format.c_str(), row.level.c_str(),
                row.blocks, cell(row, kOutRate, "%.2f").c_str(),
                cell(row, kGgmlRate, "%.2f").c_str(), cell(row, kVsGgml, "%.2f").c_str(),
                cell(row, kStoreRate, "%.2f").c_str(), cell(row, kOfStore, "%.0f", 100.0).c_str(),
                cell(row, kCopyRate, "%.2f").c_str());
  }
  std::printf("Levels not run, this CPU lacks them:");
  const auto missing = levels_not_run();
  for (const std::string& level : missing) std::printf(" %s", level.c_str());
  std::printf("%s\n", missing.empty() ? " none" : "");
}

void write_summary_json(const std::vector<Row>& rows, const std::string& ggml_path,
                        const std::string& file) {
  nlohmann::ordered_json summary;
  summary["version"] = qp_version();
  summary["ggml"] = nullptr;
  if (!ggml_path.empty()) summary["ggml"] = ggml_path;
  summary["levels_not_run"] = levels_not_run();
  summary["rows"] = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    if (row.medians.empty()) continue;
    nlohmann::ordered_json entry = {
        {"format", row.format}, {"level", row.level}, {"blocks", row.blocks}};
    for (const char* counter : {kOutRate, kGgmlRate, kVsGgml, kStoreRate, kOfStore, kCopyRate}) {
      entry[counter] = nullptr;
      const auto found = row.medians.find(counter);
      if (found != row.medians.end()) entry[counter] = found->second;
    }
    summary["rows"].push_back(std::move(entry));
  }
  const std::string partial = file + ".partial";
  std::ofstream stream(partial);
  stream << summary.dump(2) << '\n';
  stream.close();
  if (!stream) throw std::runtime_error("cannot write " + partial);
  std::filesystem::rename(partial, file);
}

}  // namespace quantproof::bench
