// SPDX-License-Identifier: Apache-2.0
//
// quantproof_iq3_encode_bench: how well and how fast the encoder of IQ3_XXS works, beside the real
// ggml, in one run. Each effort must have less weighted error than ggml on every distribution.
// Exit codes: 0 measured; 1 ggml has no more error somewhere; 2 usage; 4 no peer.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "benchmark/benchmark.h"

#include "quantproof/iq3_xxs.h"
#include "quantproof/qp.h"

namespace quantproof::bench {

namespace {

constexpr std::size_t kCols = 4096;

// size_t quantize_iq3_xxs(const float *, void *, int64_t nrows, int64_t n_per_row, const float *)
using GgmlEncode = std::size_t (*)(const float*, void*, std::int64_t, std::int64_t, const float*);
using GgmlInit = void (*)(int type);
constexpr int kGgmlIq3Xxs = 18;

// The encoder of the library at `path`, ready to use; null, with a message, when there is none.
GgmlEncode load_ggml(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const encode = library == nullptr ? nullptr : dlsym(library, "quantize_iq3_xxs");
  void* const init = library == nullptr ? nullptr : dlsym(library, "ggml_quantize_init");
  if (encode == nullptr || init == nullptr) {
    std::fprintf(stderr, "quantproof_iq3_encode_bench: %s\n", dlerror());
    return nullptr;
  }
  reinterpret_cast<GgmlInit>(init)(kGgmlIq3Xxs);
  return reinterpret_cast<GgmlEncode>(encode);
}

struct Distribution {
  const char* name;
  std::vector<float> x;
  std::vector<float> importance;  // one per column
};

template <class Draw>
std::vector<float> fill(std::size_t n, std::uint64_t seed, Draw draw) {
  std::mt19937_64 random(seed);
  std::vector<float> values(n);
  for (float& v : values) v = static_cast<float>(draw(random));
  return values;
}

std::vector<Distribution> make_distributions(std::size_t rows) {
  const std::size_t n = rows * kCols;
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> student(4);
  std::lognormal_distribution<double> lognormal;
  std::chi_squared_distribution<double> chi_squared(1);
  std::exponential_distribution<double> exponential;
  const std::vector<float> ones(kCols, 1.0f);
  const auto laplace = [exponential](std::mt19937_64& random) mutable {
    const double magnitude = exponential(random);
    return (random() >> 63) != 0 ? magnitude : -magnitude;
  };
  return {{"normal", fill(n, 1, normal), ones},
          {"student t4", fill(n, 2, student), ones},
          {"laplace", fill(n, 3, laplace), ones},
          {"normal, lognormal importance", fill(n, 4, normal), fill(kCols, 5, lognormal)},
          {"normal, chi-square importance", fill(n, 6, normal), fill(kCols, 7, chi_squared)},
          {"t4, chi-square importance", fill(n, 8, student), fill(kCols, 9, chi_squared)}};
}

struct Effort {
  const char* name;
  qp_effort effort;
};

constexpr Effort kEfforts[] = {
    {"fast", QP_EFFORT_FAST}, {"default", QP_EFFORT_DEFAULT}, {"best", QP_EFFORT_BEST}};

std::vector<std::uint8_t> encode(const Distribution& data, qp_effort effort, std::size_t rows) {
  const qp_encode_options options = {sizeof options, effort, QP_WEIGHTING_IMPORTANCE};
  std::vector<std::uint8_t> bytes(qp_encoded_size(QP_IQ3_XXS, rows, kCols));
  qp_encode(QP_IQ3_XXS, data.x.data(), rows, kCols, data.importance.data(), bytes.data(),
            bytes.size(), &options);
  return bytes;
}

// sqrt(sum w (x - y)^2 / sum w x^2), y what the bytes decode to.
double relative_error(const Distribution& data, const std::vector<std::uint8_t>& bytes) {
  std::vector<float> y(data.x.size());
  if (qp_decode(QP_IQ3_XXS, bytes.data(), bytes.size(), y.data(), y.size()) != QP_OK) return 1;
  double error = 0;
  double all = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double w = static_cast<double>(data.importance[i % kCols]);
    const double x = static_cast<double>(data.x[i]);
    const double e = x - static_cast<double>(y[i]);
    error += w * e * e;
    all += w * x * x;
  }
  return std::sqrt(error / all);
}

// Prints the errors; false when an effort is not better than ggml, or a lower effort.
bool report_errors(const std::vector<Distribution>& distributions, std::size_t rows,
                   GgmlEncode ggml) {
  std::printf("\nrelative error, square root, weighted by the importance; %zu weights each\n%-31s",
              rows * kCols, "");
  if (ggml != nullptr) std::printf("    ggml");
  for (const Effort& effort : kEfforts) std::printf(" %9s", effort.name);
  std::printf("\n");
  bool better = true;
  for (const Distribution& data : distributions) {
    std::printf("%-31s", data.name);
    double before = 1;
    if (ggml != nullptr) {
      std::vector<std::uint8_t> bytes(qp_encoded_size(QP_IQ3_XXS, rows, kCols));
      ggml(data.x.data(), bytes.data(), static_cast<std::int64_t>(rows),
           static_cast<std::int64_t>(kCols), data.importance.data());
      before = relative_error(data, bytes);
      std::printf(" %7.5f", before);
    }
    for (const Effort& effort : kEfforts) {
      const double error = relative_error(data, encode(data, effort.effort, rows));
      std::printf("   %7.5f", error);
      better = better && error < before;
      before = error;
    }
    std::printf("\n");
  }
  return better;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// One round is one iteration: ggml and we encode the same weights one right after the other, so
// that a change of the machine's speed meets both. Manual time is ours.
void measure(benchmark::State& state, const Distribution& data, std::size_t rows,
             const std::string& level, const Effort& effort, GgmlEncode ggml) {
  if (qp_force_level(level.c_str()) != QP_OK) {
    state.SkipWithError("the level cannot be forced");
    return;
  }
  const qp_encode_options options = {sizeof options, effort.effort, QP_WEIGHTING_IMPORTANCE};
  std::vector<std::uint8_t> bytes(qp_encoded_size(QP_IQ3_XXS, rows, kCols));
  const auto seconds = [](auto&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    benchmark::ClobberMemory();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::vector<double> ours, theirs, ratios;
  for (auto _ : state) {
    ours.push_back(seconds([&] {
      qp_encode(QP_IQ3_XXS, data.x.data(), rows, kCols, data.importance.data(), bytes.data(),
                bytes.size(), &options);
    }));
    state.SetIterationTime(ours.back());
    if (ggml == nullptr) continue;
    theirs.push_back(seconds([&] {
      ggml(data.x.data(), bytes.data(), static_cast<std::int64_t>(rows),
           static_cast<std::int64_t>(kCols), data.importance.data());
    }));
    ratios.push_back(theirs.back() / ours.back());
  }
  qp_force_level(nullptr);
  const double million = static_cast<double>(rows * kCols) * 1e-6;
  state.counters["Mweights/s"] = million / median(ours);
  if (ggml == nullptr) return;
  state.counters["ggml_Mweights/s"] = million / median(theirs);
  state.counters["vs_ggml"] = median(ratios);
}

int run(int argc, char** argv) {
  const char* from_environment =
      std::getenv("QUANTPROOF_GGML_LIB");  // NOLINT(concurrency-mt-unsafe)
  std::string path = from_environment == nullptr ? "" : from_environment;
  std::size_t rows = 64;
  std::vector<char*> rest;
  for (int i = 0; i < argc; ++i) {
    if (std::strncmp(argv[i], "--ggml=", 7) == 0) {
      path = argv[i] + 7;
    } else if (std::strncmp(argv[i], "--rows=", 7) == 0) {
      rows = std::max<std::size_t>(1, std::strtoull(argv[i] + 7, nullptr, 10));
    } else {
      rest.push_back(argv[i]);
    }
  }
  int rest_count = static_cast<int>(rest.size());
  benchmark::Initialize(&rest_count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(rest_count, rest.data())) return 2;

  const GgmlEncode ggml = path.empty() ? nullptr : load_ggml(path);
  const std::vector<Distribution> distributions = make_distributions(rows);
  const std::size_t speed_rows = std::min<std::size_t>(rows, 8);
  for (std::size_t i = 0; i < qp_level_count(); ++i) {
    const std::string level = qp_level_name(i);
    if (qp_level_supported(i) == 0) {
      std::printf("not run, this CPU lacks it: %s\n", level.c_str());
      continue;
    }
    for (const Effort& effort : kEfforts) {
      benchmark::RegisterBenchmark(("iq3_encode/" + level + "/" + effort.name).c_str(),
                                   [&, level, effort](benchmark::State& state) {
                                     measure(state, distributions[0], speed_rows, level, effort,
                                             ggml);
                                   })
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  const bool better = report_errors(distributions, rows, ggml);
  if (ggml == nullptr) {
    std::fputs(
        "quantproof_iq3_encode_bench: NO PEER: give --ggml=PATH or set QUANTPROOF_GGML_LIB "
        "(tools/get_ggml.sh fetches it)\n",
        stderr);
    return 4;
  }
  if (better) return 0;
  std::fputs("quantproof_iq3_encode_bench: an effort is not better than what it should be\n",
             stderr);
  return 1;
}

}  // namespace

}  // namespace quantproof::bench

int main(int argc, char** argv) { return quantproof::bench::run(argc, argv); }
