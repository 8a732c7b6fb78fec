// SPDX-License-Identifier: Apache-2.0
//
// What is kept of a run: per benchmark the medians over its repetitions, as a table and as JSON.
#ifndef QUANTPROOF_BENCH_SUMMARY_H_
#define QUANTPROOF_BENCH_SUMMARY_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"

namespace quantproof::bench {

// Counters of a benchmark. Rates are GB/s of binary32 output (10^9 bytes); each is the median
// over the rounds of a repetition.
inline constexpr const char* kOutRate = "out_GB/s";      // ours
inline constexpr const char* kGgmlRate = "ggml_GB/s";    // the peer, writing the same weights
inline constexpr const char* kStoreRate = "store_GB/s";  // memset of the output
inline constexpr const char* kCopyRate = "copy_GB/s";    // memcpy of the output's size
inline constexpr const char* kVsGgml = "vs_ggml";        // median of (ggml's time / ours)
inline constexpr const char* kOfStore = "of_store";      // median of (memset's time / ours)

struct Row {
  std::string name;  // of the registered benchmark
  std::string format;
  std::string level;
  std::size_t blocks = 0;
  std::map<std::string, double> medians;  // by counter; empty: not measured
};

// Google Benchmark's table, of medians and variation only; fills the rows' medians beside it.
class SummaryReporter : public benchmark::ConsoleReporter {
 public:
  SummaryReporter(std::vector<Row>& rows, OutputOptions options);

  void ReportRuns(const std::vector<Run>& runs) override;

 private:
  std::vector<Row>& rows_;
};

// The table for people, on stdout. Rows that were not measured are left out; a counter that is
// missing is printed as "missing".
void print_summary(const std::vector<Row>& rows);

// The same as JSON, by way of FILE.partial; throws std::runtime_error when it cannot be written.
void write_summary_json(const std::vector<Row>& rows, const std::string& ggml_path,
                        const std::string& file);

}  // namespace quantproof::bench

#endif
