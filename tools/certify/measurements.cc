// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/measurements.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "fmt/format.h"

#include "fuzz/blocks.h"
#include "fuzz/iq3_weights.h"
#include "quantproof/kaiju1.h"
#include "quantproof/qp.h"
#include "quantproof/ref/kaiju1.h"
#include "tools/certify/comparer.h"
#include "tools/certify/decoder.h"

namespace quantproof::certify {

namespace {

constexpr int kRounds = 15;
constexpr int kTries = 5;               // of each side of a round; the best counts
constexpr double kLeastSeconds = 2e-4;  // of one try

// Decodes all weights of a sample once; false where that fails.
using Decode = std::function<bool()>;

// Seconds a call: the best try, for whatever else runs on the machine only adds to a time.
double seconds_of(const Decode& decode) {
  double best = 0;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const auto start = std::chrono::steady_clock::now();
    std::chrono::duration<double> used{0};
    int calls = 0;
    for (; used.count() < kLeastSeconds; ++calls) {
      if (!decode()) throw std::runtime_error("a decoder fails while its speed is measured");
      used = std::chrono::steady_clock::now() - start;
    }
    if (attempt == 0 || used.count() / calls < best) best = used.count() / calls;
  }
  return best;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The two sides alternate, so that whatever slows the machine slows both.
void measure(const std::string& format, std::size_t weights, const Decode& fast,
             const Decode& reference, std::vector<Measurement>& results) {
  for (std::size_t i = 0; i < qp_level_count(); ++i) {
    if (qp_level_supported(i) == 0) continue;
    if (qp_force_level(qp_level_name(i)) != QP_OK) throw std::logic_error("a level is refused");
    std::vector<double> rates;
    std::vector<double> ratios;
    for (int round = 0; round < kRounds; ++round) {
      const double ours = seconds_of(fast);
      const double theirs = seconds_of(reference);
      rates.push_back(static_cast<double>(weights * sizeof(float)) / ours * 1e-9);
      ratios.push_back(theirs / ours);
    }
    const auto rounded = [](double value) { return std::round(value * 1000) / 1000; };
    results.push_back({fmt::format("decode {} {}", format, qp_level_name(i)), "GB/s",
                       rounded(median(rates)), "reference", rounded(median(ratios))});
  }
  qp_force_level(nullptr);
}

}  // namespace

std::vector<Measurement> measure_decoders(const std::vector<qp_format>& formats, bool kaiju1,
                                          std::uint64_t seed) {
  std::vector<Measurement> results;
  for (const qp_format format : formats) {
    constexpr std::size_t kBlocks = 32;
    constexpr std::size_t kWeights = kBlocks * kBlockWeights;
    fuzz::Random random(seed);
    std::vector<std::uint8_t> bytes;
    for (std::size_t b = 0; b < kBlocks; ++b) {
      const auto block = fuzz::pack(format, fuzz::random_fields(random));
      bytes.insert(bytes.end(), block.begin(), block.end());
    }
    std::vector<float> out(kWeights);
    measure(
        format_name(format), kWeights,
        [&] {
          return qp_decode(format, bytes.data(), bytes.size(), out.data(), kWeights) == QP_OK;
        },
        [&] {
          return reference_decode(format, QP_PROFILE_STRICT, bytes, out.data(), kWeights,
                                  nullptr) == QP_OK;
        },
        results);
  }
  if (kaiju1) {
    constexpr std::size_t kRows = 16;
    constexpr std::size_t kCols = 768;
    fuzz::WeightRandom random(seed);
    const fuzz::Iq3Weights input = fuzz::kIq3Families[0].make(random, kRows * kCols);
    std::vector<std::uint8_t> tensor(qp_kaiju1_size(kRows, kCols, kKaiju1DefaultHiFrac));
    if (qp_kaiju1_encode(input.x.data(), kRows, kCols, nullptr, kKaiju1DefaultHiFrac, 1,
                         tensor.data(), tensor.size()) != QP_OK) {
      throw std::runtime_error("the sample of KAIJU1 cannot be encoded");
    }
    std::vector<float> out(kRows * kCols);
    measure(
        "kaiju1", out.size(),
        [&] {
          return qp_kaiju1_decode_rows(tensor.data(), tensor.size(), 0, kRows, out.data()) == QP_OK;
        },
        [&] {
          return ref::decode_kaiju1_rows(tensor.data(), tensor.size(), 0, kRows, out.data(),
                                         nullptr) == QP_OK;
        },
        results);
  }
  return results;
}

}  // namespace quantproof::certify
