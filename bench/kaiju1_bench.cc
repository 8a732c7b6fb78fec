// SPDX-License-Identifier: Apache-2.0
//
// Decoding KAIJU1 tensors on every level, beside the real ggml's IQ3_XXS and the limits of the
// memory, in one run; GB/s of binary32 output. Outputs are compared with the reference before
// anything is measured.
//
//   quantproof_kaiju1_bench [--ggml=PATH] [Google Benchmark's options]
//
// PATH: ggml's libggml-base.so (tools/get_ggml.sh); default: environment QUANTPROOF_GGML_LIB.
// Exit codes: 0 measured; 1 outputs differ; 2 usage; 4 no peer, or nothing measured.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "benchmark/benchmark.h"

#include "quantproof/iq3_xxs.h"
#include "quantproof/kaiju1.h"
#include "quantproof/qp.h"
#include "quantproof/ref/kaiju1.h"

namespace quantproof::bench {
namespace {

using GgmlDecode = void (*)(const void*, float*, std::int64_t);
using Bytes = std::vector<std::uint8_t>;

// What is decoded. `kept_rows`: the output has room for so many rows, and is written over and over,
// as by a caller who works on a few rows at a time.
struct Case {
  const char* name;
  std::uint32_t rows;
  std::uint32_t cols;
  std::uint32_t hi_count;
  std::uint32_t kept_rows;
  std::uint32_t step_den;  // the step is 1 / step_den
};

// The encoder writes steps that are powers of two; others need one more product.
constexpr Case kCases[] = {
    {"bulk_1MB/whole", 881, 4'080, 0, 881, 1'024},  // 149,770 codes: 1.05 MB
    {"bulk_1MB/16_rows", 881, 4'080, 0, 16, 1'024},
    {"bulk_1MB/16_rows/any_step", 881, 4'080, 0, 16, 1'000},
    {"bulk_8MB/whole", 7'048, 4'080, 0, 7'048, 1'024},
    {"bulk_1MB/narrow", 5'992, 600, 0, 5'992, 1'024},
    {"side_band_10%/whole", 881, 4'096, 424, 881, 1'024},
    {"side_band_10%/16_rows", 881, 4'096, 424, 16, 1'024},
    {"side_band_10%/wide", 110, 32'256, 3'240, 110, 1'024},
};

std::uint32_t below(std::mt19937& random, std::uint32_t n) {
  return static_cast<std::uint32_t>(random() % n);
}

void put(Bytes& bytes, std::uint32_t value, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

// A finite scale between 2^-8 and 2^-7.
std::uint32_t random_scale(std::mt19937& random) { return 0x1C00u + below(random, 0x400); }

std::array<std::uint8_t, kLeechCodeBytes> random_code(std::mt19937& random) {
  LeechCode<std::uint32_t> code;
  for (std::size_t g = 0; g + 1 < kTritGroups; ++g) code.trit_group[g] = below(random, 243);
  code.trit_group[4] = below(random, 81);
  code.golay_index = below(random, 4096);
  do {
    code.fix = below(random, 25);
    if (code.fix == 24) code.fix = kNoFix;
  } while (code.fix != kNoFix &&
           trit_of(code.trit_group[trit_group_of(code.fix)], trit_place_of(code.fix)) == 0);
  std::array<std::uint8_t, kLeechCodeBytes> bytes{};
  pack_leech_code(code, bytes.data());
  return bytes;
}

Bytes random_tensor(const Case& c) {
  std::mt19937 random(20260831);  // NOLINT(cert-msc51-cpp): the same data in every run
  Bytes bytes;
  for (const std::uint32_t field :
       {kKaiju1Magic, c.rows, c.cols, c.hi_count, c.cols - c.hi_count, 1u, c.step_den}) {
    put(bytes, field, 4);
  }
  std::vector<std::uint32_t> columns(c.cols);
  std::iota(columns.begin(), columns.end(), 0u);
  std::shuffle(columns.begin(), columns.end(), random);
  columns.resize(c.hi_count);
  std::sort(columns.begin(), columns.end());
  for (const std::uint32_t column : columns) put(bytes, column, kKaiju1IndexBytes);
  for (std::uint32_t j = 0; j < c.hi_count; ++j) {
    put(bytes, random_scale(random), kKaiju1ScaleBytes);
    for (std::uint32_t r = 0; r < c.rows; ++r) put(bytes, below(random, 256), 1);
  }
  const std::uint32_t blocks = (c.cols - c.hi_count) / kKaiju1BlockCols;
  for (std::uint32_t r = 0; r < c.rows; ++r) {
    put(bytes, random_scale(random), kKaiju1ScaleBytes);
    for (std::uint32_t b = 0; b < blocks; b += 2) {
      put(bytes, below(random, b + 1 < blocks ? 256 : 16), 1);
    }
    for (std::uint32_t b = 0; b < blocks; ++b) {
      const auto code = random_code(random);
      bytes.insert(bytes.end(), code.begin(), code.end());
    }
  }
  return bytes;
}

// As much of IQ3_XXS as fills `n_values`, rounded down to whole blocks.
Bytes random_iq3(std::size_t n_values) {
  std::mt19937 random(20260829);  // NOLINT(cert-msc51-cpp)
  Bytes bytes(n_values / kBlockWeights * Iq3Xxs::kBlockBytes);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random() >> 24);
  for (std::size_t at = 0; at < bytes.size(); at += Iq3Xxs::kBlockBytes) {
    bytes[at + Iq3Xxs::kScaleOffset + 1] &= 0x3F;  // finite
  }
  return bytes;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double median_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios(a.size());
  std::transform(a.begin(), a.end(), b.begin(), ratios.begin(), std::divides<>());
  return median(std::move(ratios));
}

template <class Body>
double seconds_of(Body body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  benchmark::ClobberMemory();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A tensor, its peer of about the same output, and room for both.
class Contest {
 public:
  Contest(const Case& c, GgmlDecode ggml)
      : case_(c),
        ggml_(ggml),
        tensor_(random_tensor(c)),
        out_(std::size_t{c.kept_rows} * c.cols),
        copy_(out_.size(), 1.0F),
        iq3_(random_iq3(std::size_t{c.rows} * c.cols)) {}

  void ours() {
    for (std::size_t r = 0; r < case_.rows; r += case_.kept_rows) {
      const std::size_t rows = std::min<std::size_t>(case_.kept_rows, case_.rows - r);
      qp_kaiju1_decode_rows(tensor_.data(), tensor_.size(), r, rows, out_.data());
    }
  }

  void theirs() {
    const std::size_t most = out_.size() / kBlockWeights;
    const std::size_t blocks = iq3_.size() / Iq3Xxs::kBlockBytes;
    for (std::size_t b = 0; b < blocks; b += most) {
      const std::size_t n = std::min(most, blocks - b);
      ggml_(&iq3_[Iq3Xxs::kBlockBytes * b], out_.data(),
            static_cast<std::int64_t>(kBlockWeights * n));
    }
  }

  void memory(bool copy) {
    for (std::size_t done = 0; done < values(); done += out_.size()) {
      const std::size_t n = sizeof(float) * std::min(out_.size(), values() - done);
      if (copy) {
        std::memcpy(out_.data(), copy_.data(), n);
      } else {
        std::memset(out_.data(), 0, n);
      }
    }
  }

  // Speed is shown only of right code.
  bool is_right(const std::string& level) {
    std::vector<float> expected(out_.size());
    for (std::size_t r = 0; r < case_.rows; r += case_.kept_rows) {
      const std::size_t rows = std::min<std::size_t>(case_.kept_rows, case_.rows - r);
      std::fill(out_.begin(), out_.end(), -1.0F);
      if (ref::decode_kaiju1_rows(tensor_.data(), tensor_.size(), r, rows, expected.data(),
                                  nullptr) != QP_OK ||
          qp_kaiju1_decode_rows(tensor_.data(), tensor_.size(), r, rows, out_.data()) != QP_OK ||
          std::memcmp(out_.data(), expected.data(), rows * case_.cols * sizeof(float)) != 0) {
        std::fprintf(stderr, "quantproof_kaiju1_bench: %s on %s differs from the reference\n",
                     case_.name, level.c_str());
        return false;
      }
    }
    return true;
  }

  // One round is one iteration: all contestants fill the same output one after the other, so that a
  // change of the machine's speed meets all of them.
  void run(benchmark::State& state, const std::string& level) {
    if (qp_force_level(level.c_str()) != QP_OK) {
      state.SkipWithError("the level cannot be forced");
      return;
    }
    std::vector<double> our_times;
    std::vector<double> their_times;
    std::vector<double> set_times;
    std::vector<double> copy_times;
    for (auto _ : state) {
      our_times.push_back(seconds_of([&] { ours(); }));
      if (ggml_ != nullptr) their_times.push_back(seconds_of([&] { theirs(); }));
      set_times.push_back(seconds_of([&] { memory(false); }));
      copy_times.push_back(seconds_of([&] { memory(true); }));
      state.SetIterationTime(our_times.back());
    }
    qp_force_level(nullptr);
    const double gigabytes = static_cast<double>(values() * sizeof(float)) * 1e-9;
    state.counters["out_GB/s"] = gigabytes / median(our_times);
    state.counters["memset_GB/s"] = gigabytes / median(set_times);
    state.counters["memcpy_GB/s"] = gigabytes / median(copy_times);
    state.counters["of_memset"] = median_ratio(set_times, our_times);
    if (ggml_ == nullptr) return;
    // The peer's output is shorter by less than one of its blocks.
    const std::size_t blocks = iq3_.size() / Iq3Xxs::kBlockBytes;
    const double of_ours =
        static_cast<double>(values()) / static_cast<double>(kBlockWeights * blocks);
    state.counters["ggml_GB/s"] = gigabytes / of_ours / median(their_times);
    state.counters["vs_ggml"] = of_ours * median_ratio(their_times, our_times);
  }

 private:
  [[nodiscard]] std::size_t values() const { return std::size_t{case_.rows} * case_.cols; }

  Case case_;
  GgmlDecode ggml_;
  Bytes tensor_;
  std::vector<float> out_;
  std::vector<float> copy_;
  Bytes iq3_;
};

GgmlDecode load_ggml(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library == nullptr ? nullptr : dlsym(library, "dequantize_row_iq3_xxs");
  if (symbol == nullptr) std::fprintf(stderr, "quantproof_kaiju1_bench: %s\n", dlerror());
  return reinterpret_cast<GgmlDecode>(symbol);
}

int run(int argc, char** argv) {
  const char* path = std::getenv("QUANTPROOF_GGML_LIB");  // NOLINT(concurrency-mt-unsafe)
  std::string ggml_path = path != nullptr ? path : "";
  std::vector<std::string> arguments(argv, argv + argc);
  // Before the user's, the last of which wins.
  arguments.insert(arguments.begin() + 1, {"--benchmark_repetitions=5", "--benchmark_min_time=0.05",
                                           "--benchmark_enable_random_interleaving=true",
                                           "--benchmark_report_aggregates_only=true"});
  std::erase_if(arguments, [&](const std::string& argument) {
    if (!argument.starts_with("--ggml=")) return false;
    ggml_path = argument.substr(std::strlen("--ggml="));
    return true;
  });
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return 2;

  const GgmlDecode ggml = ggml_path.empty() ? nullptr : load_ggml(ggml_path);
  std::vector<Contest> contests;
  for (const Case& c : kCases) contests.emplace_back(c, ggml);
  for (std::size_t i = 0; i < qp_level_count(); ++i) {
    const std::string level = qp_level_name(i);
    if (qp_level_supported(i) == 0) {
      std::printf("not run, this CPU lacks it: %s\n", level.c_str());
      continue;
    }
    for (std::size_t c = 0; c < contests.size(); ++c) {
      if (qp_force_level(level.c_str()) != QP_OK || !contests[c].is_right(level)) return 1;
      benchmark::RegisterBenchmark(
          ("kaiju1/" + level + "/" + kCases[c].name).c_str(),
          [&contest = contests[c], level](benchmark::State& state) { contest.run(state, level); })
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
  const std::size_t measured = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (measured == 0) {
    std::fputs("quantproof_kaiju1_bench: nothing was measured\n", stderr);
    return 4;
  }
  if (ggml == nullptr) {
    std::fputs(
        "quantproof_kaiju1_bench: NO PEER: give --ggml=PATH or set QUANTPROOF_GGML_LIB "
        "(tools/get_ggml.sh fetches it)\n",
        stderr);
    return 4;
  }
  return 0;
}

}  // namespace
}  // namespace quantproof::bench

int main(int argc, char** argv) { return quantproof::bench::run(argc, argv); }
