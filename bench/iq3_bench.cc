// SPDX-License-Identifier: Apache-2.0
#include "bench/iq3_bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <random>
#include <utility>

#include "benchmark/benchmark.h"

#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_xxs.h"
#include "quantproof/qp.h"
#include "quantproof/ref/e8_iq3.h"
#include "quantproof/ref/iq3_xxs.h"
#include "quantproof/ref/transcode.h"

namespace quantproof::bench {

namespace {

constexpr std::size_t kBlockBytes = Iq3Xxs::kBlockBytes;
static_assert(kBlockBytes == E8Iq3::kBlockBytes);

constexpr qp_format kFormats[] = {QP_IQ3_XXS, QP_E8_IQ3};

const char* format_name(qp_format format) { return format == QP_IQ3_XXS ? "iq3_xxs" : "e8_iq3"; }

const std::uint8_t* blocks(const Iq3Data& data, qp_format format) {
  return (format == QP_IQ3_XXS ? data.iq3_xxs : data.e8_iq3).data();
}

std::vector<std::string> supported_levels() {
  std::vector<std::string> levels;
  for (std::size_t i = 0; i < qp_level_count(); ++i) {
    if (qp_level_supported(i) != 0) levels.emplace_back(qp_level_name(i));
  }
  return levels;
}

void poison(Iq3Data& data) { std::memset(data.out.data(), 0xA5, data.out.size() * sizeof(float)); }

// Whether the first `n_values` of the output are the expected ones.
bool is_expected(const Iq3Data& data, std::size_t n_values, const std::string& who) {
  if (std::memcmp(data.out.data(), data.expected.data(), n_values * sizeof(float)) == 0) {
    return true;
  }
  std::size_t i = 0;
  while (std::memcmp(&data.out[i], &data.expected[i], sizeof(float)) == 0) ++i;
  std::fprintf(stderr,
               "quantproof_bench: %s, %zu blocks: weight %zu of block %zu is %a, the reference "
               "says %a\n",
               who.c_str(), n_values / kBlockWeights, i % kBlockWeights, i / kBlockWeights,
               static_cast<double>(data.out[i]), static_cast<double>(data.expected[i]));
  return false;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Seconds per round of one contestant.
using Rounds = std::vector<double>;

double median_ratio(const Rounds& a, const Rounds& b) {
  std::vector<double> ratios(a.size());
  std::transform(a.begin(), a.end(), b.begin(), ratios.begin(), std::divides<>());
  return median(std::move(ratios));
}

// One round is one iteration: each contestant fills the same output, one right after the other,
// so that a change of the machine's speed meets all of them. Manual time is ours. Small rows walk
// through the data: a row decoded again and again would train the branch predictor by heart.
void decode(benchmark::State& state, Iq3Data& data, GgmlDecode ggml, qp_format format,
            const std::string& level, std::size_t n_blocks) {
  const std::size_t n_values = n_blocks * kBlockWeights;
  const std::size_t n_bytes = n_blocks * kBlockBytes;
  const std::size_t out_bytes = n_values * sizeof(float);
  // Small rows are decoded many times in a round, or the clock would be measured.
  const std::size_t calls = std::max<std::size_t>(1, 1024 / n_blocks);
  const std::uint8_t* const in = blocks(data, format);
  float* const out = data.out.data();
  std::size_t first_byte = 0;  // of the round's first row

  const auto timed = [&](Rounds& rounds, auto&& contestant) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < calls; ++i) {
      contestant(first_byte + i * n_bytes);
      benchmark::ClobberMemory();
    }
    rounds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  };
  Rounds ours, theirs, store, copy;
  const auto run_ours = [&] {
    timed(ours, [&](std::size_t at) { qp_decode(format, in + at, n_bytes, out, n_values); });
  };
  const auto run_theirs = [&] {
    if (ggml == nullptr) return;
    timed(theirs, [&](std::size_t at) {
      ggml(data.iq3_xxs.data() + at, out, static_cast<std::int64_t>(n_values));
    });
  };

  if (qp_force_level(level.c_str()) != QP_OK) {
    state.SkipWithError("the level cannot be forced");
    return;
  }
  bool ours_first = true;
  for (auto _ : state) {
    if (ours_first) run_ours();
    run_theirs();
    if (!ours_first) run_ours();
    ours_first = !ours_first;
    timed(store, [&](std::size_t) { std::memset(out, 0, out_bytes); });
    timed(copy, [&](std::size_t) { std::memcpy(out, data.copy_source.data(), out_bytes); });
    first_byte = (first_byte + calls * n_bytes) % data.iq3_xxs.size();
    state.SetIterationTime(ours.back());
  }
  const double gigabytes = static_cast<double>(calls * out_bytes) * 1e-9;
  state.counters[kOutRate] = gigabytes / median(ours);
  state.counters[kStoreRate] = gigabytes / median(store);
  state.counters[kCopyRate] = gigabytes / median(copy);
  state.counters[kOfStore] = median_ratio(store, ours);
  if (ggml != nullptr) {
    state.counters[kGgmlRate] = gigabytes / median(theirs);
    state.counters[kVsGgml] = median_ratio(theirs, ours);
  }
}

}  // namespace

GgmlDecode load_ggml(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library == nullptr ? nullptr : dlsym(library, "dequantize_row_iq3_xxs");
  if (symbol == nullptr) std::fprintf(stderr, "quantproof_bench: %s\n", dlerror());
  return reinterpret_cast<GgmlDecode>(symbol);
}

Iq3Data::Iq3Data(std::size_t n_blocks)
    : iq3_xxs(n_blocks * kBlockBytes),
      e8_iq3(n_blocks * kBlockBytes),
      expected(n_blocks * kBlockWeights),
      out(n_blocks * kBlockWeights),
      copy_source(n_blocks * kBlockWeights, 1.0F) {
  std::mt19937 random(20260829);  // NOLINT(cert-msc51-cpp): the same data in every run
  for (auto& byte : iq3_xxs) byte = static_cast<std::uint8_t>(random() >> 24);
  for (std::size_t b = 0; b < n_blocks; ++b) {
    // Exponents 30 and 31 become 14 and 15: finite, and so is twice the scale.
    std::uint8_t& high = iq3_xxs[kBlockBytes * b + Iq3Xxs::kScaleOffset + 1];
    if ((high & 0x78) == 0x78) high = static_cast<std::uint8_t>(high & ~0x40);
  }
  // A refusal would leave zeros behind, which outputs_equal() then finds.
  ref::transcode(QP_IQ3_XXS, iq3_xxs.data(), QP_E8_IQ3, e8_iq3.data(), n_blocks, nullptr);
  ref::decode_iq3_xxs(QP_PROFILE_STRICT, iq3_xxs.data(), iq3_xxs.size(), expected.data(),
                      expected.size(), nullptr);
}

bool outputs_equal(Iq3Data& data, GgmlDecode ggml) {
  bool equal = true;
  poison(data);
  ref::decode_e8_iq3(QP_PROFILE_STRICT, data.e8_iq3.data(), data.e8_iq3.size(), data.out.data(),
                     data.out.size(), nullptr);
  equal &= is_expected(data, data.out.size(), "reference of e8_iq3");
  for (const std::size_t n_blocks : kBlockCounts) {
    const std::size_t n_values = n_blocks * kBlockWeights;
    for (const std::string& level : supported_levels()) {
      for (const qp_format format : kFormats) {
        poison(data);
        qp_force_level(level.c_str());
        qp_decode(format, blocks(data, format), n_blocks * kBlockBytes, data.out.data(), n_values);
        equal &= is_expected(data, n_values, std::string(format_name(format)) + " on " + level);
      }
    }
    if (ggml != nullptr) {
      poison(data);
      ggml(data.iq3_xxs.data(), data.out.data(), static_cast<std::int64_t>(n_values));
      equal &= is_expected(data, n_values, "ggml's dequantize_row_iq3_xxs");
    }
  }
  return equal;
}

void register_iq3(Iq3Data& data, GgmlDecode ggml, std::vector<Row>& rows) {
  for (const qp_format format : kFormats) {
    for (const std::string& level : supported_levels()) {
      for (const std::size_t n_blocks : kBlockCounts) {
        Row row;
        row.format = format_name(format);
        row.level = level;
        row.blocks = n_blocks;
        row.name = row.format + "/" + level + "/blocks:" + std::to_string(n_blocks);
        benchmark::RegisterBenchmark(
            row.name.c_str(),
            [&data, ggml, format, level, n_blocks](benchmark::State& state) {
              decode(state, data, ggml, format, level, n_blocks);
            })
            ->UseManualTime()
            ->Unit(benchmark::kMicrosecond);
        rows.push_back(std::move(row));
      }
    }
  }
}

}  // namespace quantproof::bench
