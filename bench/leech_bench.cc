// SPDX-License-Identifier: Apache-2.0
//
// Nearest points of the Leech lattice: time per point on every level, beside the reference, on
// uniform points and on the worst ones; then what the lattice is good for: its normalised second
// moment beside that of E8, and the sizes of its shells.
//
//   quantproof_leech_bench [--points=N] [Google Benchmark's options]
//
// N (default 20,000,000) points go into the second moments; 0 leaves them out.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"

#include "quantproof/leech.h"
#include "quantproof/qp.h"
#include "quantproof/ref/leech.h"

namespace quantproof::bench {
namespace {

constexpr std::size_t kPoints = 4096;  // of a round
constexpr std::size_t kReferencePoints = 4;

// Sebastiano Vigna's splitmix64: fast, and good enough for Monte Carlo here.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

// Uniform modulo 8 lattice units: the lattice repeats with 8 Z^24.
void fill_uniform(Random& random, std::vector<std::int32_t>& points) {
  for (std::size_t i = 0; i < points.size(); i += 4) {
    const std::uint64_t bits = random.next();
    for (std::size_t part = 0; part < 4; ++part) {
      points[i + part] = static_cast<std::int32_t>(bits >> (16 * part) & 0xFFFFu);
    }
  }
}

std::vector<std::int32_t> uniform_points() {
  std::vector<std::int32_t> points(kLeechDimension * kPoints);
  Random random(24);
  fill_uniform(random, points);
  return points;
}

// Deep holes 4 e_i: 48 nearest points each, at the covering radius. Their cost is beyond what a
// bound in one byte can exclude, so all 256 words of every point are evaluated.
std::vector<std::int32_t> worst_points() {
  std::vector<std::int32_t> points(kLeechDimension * kPoints);
  for (std::size_t p = 0; p < kPoints; ++p) {
    points[kLeechDimension * p + p % kLeechDimension] = 4 * kLeechUnit;
  }
  return points;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// One round is one iteration: the level's batch, then a few points by the reference, so that a
// change of the machine's speed meets both.
void nearest(benchmark::State& state, const std::string& level,
             const std::vector<std::int32_t>& points) {
  if (qp_force_level(level.c_str()) != QP_OK) {
    state.SkipWithError("the level cannot be forced");
    return;
  }
  std::vector<std::int32_t> out(points.size());
  std::vector<double> ours;
  std::vector<double> reference;
  std::vector<double> ratios;
  std::size_t at = 0;
  for (auto _ : state) {
    auto start = std::chrono::steady_clock::now();
    qp_leech_nearest(points.data(), kPoints, out.data());
    const double seconds = seconds_since(start);
    start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < kReferencePoints; ++i) {
      benchmark::DoNotOptimize(ref::find_nearest_leech_point(&points[kLeechDimension * at]));
      at = (at + 1) % kPoints;
    }
    reference.push_back(1e9 * seconds_since(start) / kReferencePoints);
    ours.push_back(1e9 * seconds / kPoints);
    ratios.push_back(reference.back() / ours.back());
    state.SetIterationTime(seconds);
  }
  qp_force_level(nullptr);
  state.counters["ns/point"] = median(ours);
  state.counters["ref_ns/point"] = median(reference);
  state.counters["ref/ours"] = median(ratios);
}

// Speed is shown only of right code.
bool outputs_equal(const std::vector<std::int32_t>& points, const std::string& level) {
  std::vector<std::int32_t> out(points.size());
  if (qp_force_level(level.c_str()) != QP_OK) return false;
  const qp_status status = qp_leech_nearest(points.data(), kPoints, out.data());
  qp_force_level(nullptr);
  if (status != QP_OK) return false;
  for (std::size_t p = 0; p < kPoints; p += 8) {
    const auto expected = ref::find_nearest_leech_point_split(&points[kLeechDimension * p]);
    if (std::equal(expected.point.begin(), expected.point.end(), &out[kLeechDimension * p]))
      continue;
    std::fprintf(stderr, "quantproof_leech_bench: %s differs from the reference at point %zu\n",
                 level.c_str(), p);
    return false;
  }
  return true;
}

// ------------------------------------------------------------------------- second moments, shells

struct Moment {
  double value;
  double standard_error;
};

// Mean and standard error of squared distances, over dimension and covolume^(2 / dimension).
Moment moment(double sum, double sum_of_squares, double n, double scale) {
  const double mean = sum / n;
  const double variance = (sum_of_squares / n - mean * mean) * n / (n - 1);
  return {mean / scale, std::sqrt(variance / n) / scale};
}

// G of the Leech lattice: covolume 8^12, so E|r|^2 / (24 * 8).
Moment leech_moment(std::size_t n) {
  Random random(2026);
  std::vector<std::int32_t> points(kLeechDimension * kPoints);
  std::vector<std::int32_t> out(points.size());
  double sum = 0;
  double sum_of_squares = 0;
  std::size_t done = 0;
  for (; done < n; done += kPoints) {
    fill_uniform(random, points);
    qp_leech_nearest(points.data(), kPoints, out.data());
    for (std::size_t p = 0; p < kPoints; ++p) {
      std::int64_t squared = 0;
      for (std::size_t i = kLeechDimension * p; i < kLeechDimension * (p + 1); ++i) {
        const std::int64_t r = points[i] - std::int64_t{kLeechUnit} * out[i];
        squared += r * r;
      }
      const double d = std::ldexp(static_cast<double>(squared), -2 * kLeechUnitBits);
      sum += d;
      sum_of_squares += d * d;
    }
  }
  return moment(sum, sum_of_squares, static_cast<double>(done), 24 * 8);
}

// Squared distance of y to D8: round, and where the sum is odd move the coordinate that it costs
// least to move. Units of 2^-16.
std::int64_t squared_distance_to_d8(const std::array<std::int64_t, 8>& y) {
  constexpr std::int64_t kOne = 1 << 16;
  std::int64_t squared = 0;
  std::int64_t greatest = 0;
  std::int64_t parity = 0;
  for (const std::int64_t value : y) {
    const std::int64_t nearest = (value + kOne / 2) >> 16;
    const std::int64_t r = std::abs(value - nearest * kOne);
    squared += r * r;
    parity ^= nearest & 1;
    greatest = std::max(greatest, r);
  }
  return parity == 0 ? squared : squared + kOne * kOne - 2 * kOne * greatest;
}

// G of E8 = D8 and D8 + (1/2, ..., 1/2), which repeats with 2 Z^8: covolume 1, so E|r|^2 / 8.
Moment e8_moment(std::size_t n) {
  Random random(8);
  double sum = 0;
  double sum_of_squares = 0;
  for (std::size_t done = 0; done < n; ++done) {
    std::array<std::int64_t, 8> y{};
    std::array<std::int64_t, 8> shifted{};
    for (std::size_t i = 0; i < 8; i += 2) {
      const std::uint64_t bits = random.next();
      y[i] = static_cast<std::int64_t>(bits & 0x1FFFF);
      y[i + 1] = static_cast<std::int64_t>(bits >> 32 & 0x1FFFF);
      shifted[i] = y[i] - (1 << 15);
      shifted[i + 1] = y[i + 1] - (1 << 15);
    }
    const std::int64_t squared =
        std::min(squared_distance_to_d8(y), squared_distance_to_d8(shifted));
    const double d = std::ldexp(static_cast<double>(squared), -32);
    sum += d;
    sum_of_squares += d * d;
  }
  return moment(sum, sum_of_squares, static_cast<double>(n), 8);
}

// The number of lattice points of each squared length up to 64, from the cosets: coordinate by
// coordinate, by squared length and parity of sum z.
std::array<std::int64_t, 65> shell_sizes() {
  std::map<int, std::int64_t> words_of_weight;
  for (std::uint32_t k = 0; k < kGolayWordCount; ++k) {
    int weight = 0;
    for (std::uint32_t word = golay_word(k); word != 0; word &= word - 1) ++weight;
    ++words_of_weight[weight];
  }
  std::array<std::int64_t, 65> sizes{};
  for (int m = 0; m < 2; ++m) {
    for (const auto& [weight, words] : words_of_weight) {
      std::array<std::array<std::int64_t, 65>, 2> count{};
      count[0][0] = 1;
      for (int i = 0; i < static_cast<int>(kLeechDimension); ++i) {
        std::array<std::array<std::int64_t, 65>, 2> next{};
        for (int z = -3; z <= 3; ++z) {
          const int x = leech_offset(m, i < weight ? 1 : 0) + 4 * z;
          for (int parity = 0; parity < 2; ++parity) {
            for (int length = 0; length + x * x <= 64; ++length) {
              next[static_cast<std::size_t>(parity ^ (z & 1))]
                  [static_cast<std::size_t>(length + x * x)] +=
                  count[static_cast<std::size_t>(parity)][static_cast<std::size_t>(length)];
            }
          }
        }
        count = next;
      }
      for (std::size_t length = 0; length <= 64; ++length) {
        sizes[length] += words * count[static_cast<std::size_t>(m)][length];
      }
    }
  }
  return sizes;
}

// Prints the facts; false when one is not what theory says.
bool report_lattice(std::size_t n) {
  bool right = true;
  const auto sizes = shell_sizes();
  std::printf("\nshells (squared length, points, expected):\n");
  for (const auto& [length, expected] : {std::pair<std::size_t, std::int64_t>{0, 1},
                                         {32, kLeechShell4},
                                         {48, kLeechShell6},
                                         {64, kLeechShell8}}) {
    std::printf("  %2zu  %10lld  %10lld\n", length, static_cast<long long>(sizes[length]),
                static_cast<long long>(expected));
    right = right && sizes[length] == expected;
  }
  if (n == 0) return right;

  constexpr double kLeechMeasured = 0.06575251;  // over 5e8 points, standard error 2.6e-7
  constexpr double kE8Exact = 929.0 / 12960.0;
  const Moment leech = leech_moment(n);
  const Moment e8 = e8_moment(n);
  const double gain = 1 - leech.value / e8.value;
  std::printf("\nnormalised second moment G over %zu points:\n", n);
  std::printf("  Leech %.8f +- %.1e  (%+.1f standard errors from %.8f)\n", leech.value,
              leech.standard_error, (leech.value - kLeechMeasured) / leech.standard_error,
              kLeechMeasured);
  std::printf("  E8    %.8f +- %.1e  (%+.1f standard errors from 929/12960 = %.8f)\n", e8.value,
              e8.standard_error, (e8.value - kE8Exact) / e8.standard_error, kE8Exact);
  std::printf("  Leech over E8: %.2f %% less, %.3f dB; against 929/12960: %.2f %%\n", 100 * gain,
              -10 * std::log10(1 - gain), 100 * (1 - leech.value / kE8Exact));
  return right && std::abs(leech.value - kLeechMeasured) <= 4 * leech.standard_error &&
         std::abs(e8.value - kE8Exact) <= 4 * e8.standard_error;
}

int run(int argc, char** argv) {
  std::size_t n = 20'000'000;
  std::vector<char*> rest;
  for (int i = 0; i < argc; ++i) {
    if (std::strncmp(argv[i], "--points=", 9) == 0) {
      n = std::strtoull(argv[i] + 9, nullptr, 10);
    } else {
      rest.push_back(argv[i]);
    }
  }
  int rest_count = static_cast<int>(rest.size());
  benchmark::Initialize(&rest_count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(rest_count, rest.data())) return 2;

  const auto uniform = uniform_points();
  const auto worst = worst_points();
  for (std::size_t i = 0; i < qp_level_count(); ++i) {
    const std::string level = qp_level_name(i);
    if (qp_level_supported(i) == 0) {
      std::printf("not run, this CPU lacks it: %s\n", level.c_str());
      continue;
    }
    if (!outputs_equal(uniform, level) || !outputs_equal(worst, level)) return 1;
    for (const auto* points : {&uniform, &worst}) {
      const std::string name = "leech/" + level + (points == &uniform ? "/uniform" : "/worst");
      benchmark::RegisterBenchmark(name.c_str(),
                                   [=](benchmark::State& state) { nearest(state, level, *points); })
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (report_lattice(n)) return 0;
  std::fprintf(stderr, "quantproof_leech_bench: the lattice's numbers are not the known ones\n");
  return 1;
}

}  // namespace
}  // namespace quantproof::bench

int main(int argc, char** argv) { return quantproof::bench::run(argc, argv); }
