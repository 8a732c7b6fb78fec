// SPDX-License-Identifier: Apache-2.0
//
// Checks of an encoder as a black box, spec/formats/encoding.md 10: whatever the target is, it sees
// floats and gives blocks.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include "fmt/format.h"

#include "fuzz/iq3_weights.h"
#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_codebook.h"
#include "quantproof/iq3_xxs.h"
#include "quantproof/ref/iq3_block.h"
#include "tools/certify/checks.h"
#include "tools/certify/encoder.h"
#include "tools/certify/guarded_buffer.h"

namespace quantproof::certify {

namespace {

using fuzz::Floats;
using fuzz::Iq3Weights;
using fuzz::kIq3Families;
using fuzz::WeightRandom;
using Bytes = std::vector<std::uint8_t>;

constexpr std::chrono::seconds kEdgeLimit{2};
constexpr std::size_t kBlockBytes = Iq3Xxs::kBlockBytes;

// The families of the first two checks. Importances of any size end the process of an encoder in
// wide use: IQ3ENC-EDGE-1 has a line for them, which must not hide what these checks find.
std::vector<fuzz::Iq3Family> ordinary_families() {
  std::vector<fuzz::Iq3Family> families(std::begin(kIq3Families), std::end(kIq3Families));
  std::erase_if(families, [](const auto& family) {
    return std::string_view(family.name) == "importance of any size";
  });
  return families;
}

Iq3Fields<std::uint32_t> unpack(qp_format format, const std::uint8_t* block) {
  return format == QP_IQ3_XXS ? ref::unpack<Iq3Xxs, std::uint32_t>(block)
                              : ref::unpack<E8Iq3, std::uint32_t>(block);
}

// Empty: the encoder did not encode.
Bytes encode(const Encoder& encoder, const Iq3Weights& weights, std::size_t rows) {
  const std::size_t cols = weights.x.size() / rows;
  Bytes bytes(qp_encoded_size(encoder.format(), rows, cols));
  const auto answer = encoder.encode(weights.x.data(), rows, cols, weights.importance_or_null(),
                                     bytes.data(), bytes.size());
  return answer == Encoder::Answer::kEncoded ? bytes : Bytes();
}

// Empty where a block is one that profile strict refuses.
Floats decode(qp_format format, const Bytes& bytes, std::size_t n) {
  Floats y(n);
  const bool valid = qp_decode(format, bytes.data(), bytes.size(), y.data(), n) == QP_OK;
  return valid ? y : Floats();
}

// The sum of h (x - y)^2; of zeros where y is empty. `importance` may be empty.
double weighted_error(const Iq3Weights& weights, const Floats& y) {
  double sum = 0;
  for (std::size_t i = 0; i < weights.x.size(); ++i) {
    const double h =
        weights.importance.empty() ? 1 : weights.importance[i % weights.importance.size()];
    const double e =
        static_cast<double>(weights.x[i]) - (y.empty() ? 0 : static_cast<double>(y[i]));
    sum += h * e * e;
  }
  return sum;
}

// Calls check(encoder) for each; the first failure, with the format where there are several.
template <class Check>
std::string on_every_encoder(const CheckInput& input, const Check& check) {
  for (const auto& encoder : input.encoders) {
    const std::string failure = check(*encoder);
    if (failure.empty()) continue;
    return input.encoders.size() == 1
               ? failure
               : fmt::format("{}: {}", format_name(encoder->format()), failure);
  }
  return {};
}

// IQ3ENC-OUTPUT-1
Outcome check_output(const CheckInput& input, Situation& situation) {
  constexpr std::size_t kMostWeights = 3 * 4 * kBlockWeights;
  const GuardedBuffer x_memory(kMostWeights * sizeof(float));
  const GuardedBuffer importance_memory(kMostWeights * sizeof(float));
  const GuardedBuffer output(kMostWeights / kBlockWeights * kBlockBytes);
  situation.watch(x_memory, "weights");
  situation.watch(importance_memory, "importances");
  situation.watch(output, "output");
  WeightRandom random(input.seed);
  const auto families = ordinary_families();
  std::size_t count = 0;
  const std::string failure = repeat(input, 24, count, [&] {
    const auto& family = families[count % families.size()];
    const std::size_t rows = 1 + count % 3;
    const std::size_t cols = kBlockWeights * (1 + count / 3 % 4);
    const std::string what = fmt::format("{} rows of {} weights, {}", rows, cols, family.name);
    situation.describe(what);
    Iq3Weights weights = family.make(random, cols);
    while (weights.x.size() < rows * cols) {
      const Floats more = family.make(random, cols).x;
      weights.x.insert(weights.x.end(), more.begin(), more.end());
    }
    // Everything ends where the guard page begins.
    auto* x = reinterpret_cast<float*>(x_memory.last(weights.x.size() * sizeof(float)));
    std::memcpy(x, weights.x.data(), weights.x.size() * sizeof(float));
    auto* importance = reinterpret_cast<float*>(importance_memory.last(cols * sizeof(float)));
    if (!weights.importance.empty()) {
      std::memcpy(importance, weights.importance.data(), cols * sizeof(float));
    }
    return on_every_encoder(input, [&](const Encoder& encoder) -> std::string {
      const std::size_t size = qp_encoded_size(encoder.format(), rows, cols);
      std::array<Bytes, 2> results;
      for (const int fill : {0x00, 0xFF}) {
        std::memset(output.first(), fill, output.capacity());
        std::uint8_t* bytes = output.last(size);
        const auto answer = encoder.encode(
            x, rows, cols, weights.importance.empty() ? nullptr : importance, bytes, size);
        if (answer == Encoder::Answer::kRefused) return what + ": refused";
        if (answer == Encoder::Answer::kWrongSize) {
          return what + ": the number of bytes that it returns is wrong";
        }
        for (const std::uint8_t* p = output.first(); p < bytes; ++p) {
          if (*p == fill) continue;
          return fmt::format("{}: byte {} before the start of the output is written", what,
                             bytes - p);
        }
        results[fill == 0 ? 0 : 1].assign(bytes, bytes + size);
      }
      for (std::size_t i = 0; i < size; ++i) {
        if (results[0][i] == results[1][i]) continue;
        return fmt::format("{}: byte {} of block {} depends on what stood there before", what,
                           i % kBlockBytes, i / kBlockBytes);
      }
      for (std::size_t at = 0; at < size; at += kBlockBytes) {
        const std::uint32_t scale = unpack(encoder.format(), results[0].data() + at).scale;
        if ((scale & 0x7C00) != 0x7C00) continue;
        return fmt::format("{}: block {} has scale 0x{:04X}", what, at / kBlockBytes, scale);
      }
      return {};
    });
  });
  if (!failure.empty()) return fail(failure);
  return {Verdict::kPass, fmt::format("{} matrices of 1 to 12 blocks, twice each", count)};
}

// Leaves `fill` where the next call will have its variables.
[[gnu::noinline]] void dirty_stack(int fill) {
  std::array<volatile unsigned char, 64 * 1024> bytes;
  for (volatile unsigned char& byte : bytes) byte = static_cast<unsigned char>(fill);
}

// IQ3ENC-REPEAT-1
Outcome check_repeat(const CheckInput& input, Situation& situation) {
  constexpr std::size_t kRows = 6;
  constexpr std::size_t kCols = 2 * kBlockWeights;
  WeightRandom random(input.seed);
  const auto families = ordinary_families();
  std::size_t count = 0;
  const std::string failure = repeat(input, 12, count, [&] {
    const auto& family = families[count % families.size()];
    situation.describe(family.name);
    Iq3Weights all = family.make(random, kCols);
    while (all.x.size() < kRows * kCols) {
      const Floats more = family.make(random, kCols).x;
      all.x.insert(all.x.end(), more.begin(), more.end());
    }
    return on_every_encoder(input, [&](const Encoder& encoder) -> std::string {
      const Bytes want = encode(encoder, all, kRows);
      if (want.empty()) return fmt::format("{}: not encoded", family.name);
      const std::size_t row_bytes = want.size() / kRows;
      const auto row_differs = [&](std::size_t row) {
        const Iq3Weights one{Floats(all.x.begin() + static_cast<std::ptrdiff_t>(row * kCols),
                                    all.x.begin() + static_cast<std::ptrdiff_t>((row + 1) * kCols)),
                             all.importance};
        const Bytes got = encode(encoder, one, 1);
        return got.empty() ||
               std::memcmp(got.data(), want.data() + row * row_bytes, row_bytes) != 0;
      };
      for (const int fill : {0x00, 0x7F, 0xA5}) {
        dirty_stack(fill);
        if (encode(encoder, all, kRows) != want) {
          return fmt::format("{}: other bytes from the same call again", family.name);
        }
      }
      for (std::size_t row = kRows; row-- > 0;) {
        if (row_differs(row)) {
          return fmt::format("{}: row {} has other bytes when it is encoded alone", family.name,
                             row);
        }
      }
      std::array<bool, 2> differs{};
      std::array<std::thread, 2> threads;
      for (std::size_t t = 0; t < 2; ++t) {
        threads[t] = std::thread([&, t] {
          for (std::size_t row = t; row < kRows; row += 2) differs[t] |= row_differs(row);
        });
      }
      for (std::thread& thread : threads) thread.join();
      if (differs[0] || differs[1]) {
        return fmt::format("{}: other bytes from two threads at once", family.name);
      }
      return {};
    });
  });
  if (!failure.empty()) return fail(failure);
  return {Verdict::kPass, fmt::format("{} matrices of 6 rows, five ways each", count)};
}

double magnitude_of_scale(std::uint16_t half) {
  ref::Scale scale;
  ref::read_scale(QP_PROFILE_STRICT, half, &scale);  // valid: the block was decoded
  return std::ldexp(static_cast<double>(scale.significand), scale.exponent);
}

// 3.2 for one block, in double precision. A factor common to all does not matter.
std::array<double, kBlockWeights> objective_weights(qp_weighting weighting, const float* x) {
  std::array<double, kBlockWeights> w;
  w.fill(1);
  if (weighting == QP_WEIGHTING_IMPORTANCE) return w;
  double sum = 0;
  for (std::size_t i = 0; i < kBlockWeights; ++i) sum += static_cast<double>(x[i]) * x[i];
  const double sigma2 = 2 * sum / static_cast<double>(kBlockWeights);
  for (std::size_t i = 0; i < kBlockWeights; ++i) {
    w[i] = std::sqrt(sigma2 + static_cast<double>(x[i]) * x[i]);
  }
  return w;
}

// 10.4: the least error of a group at magnitudes t G, every row and every sign tried: the best
// half-groups with an even and with an odd number of signs against x, and their sums.
double least_group_error(const float* x, const double* w, double t) {
  std::array<std::array<double, 2>, 2> best;  // of a half-group, by parity of the signs that differ
  bool odd = false;
  for (std::size_t half = 0; half < 2; ++half) {
    best[half].fill(std::numeric_limits<double>::infinity());
    for (const auto& row : kIq3Codebook) {
      double kept = 0;
      double flip = std::numeric_limits<double>::infinity();
      for (std::size_t j = 0; j < kRowWeights; ++j) {
        const std::size_t i = half * kRowWeights + j;
        const double magnitude = std::abs(static_cast<double>(x[i]));
        const double e = magnitude - t * row[j];
        kept += w[i] * e * e;
        flip = std::min(flip, 4 * w[i] * magnitude * t * row[j]);
      }
      best[half][0] = std::min(best[half][0], kept);
      best[half][1] = std::min(best[half][1], kept + flip);
    }
    for (std::size_t j = 0; j < kRowWeights; ++j) odd ^= x[half * kRowWeights + j] < 0;
  }
  return odd ? std::min(best[0][0] + best[1][1], best[0][1] + best[1][0])
             : std::min(best[0][0] + best[1][0], best[0][1] + best[1][1]);
}

// IQ3ENC-GAP-1
Outcome check_gap(const CheckInput& input, Situation& situation) {
  constexpr std::size_t kBlocks = 64;
  situation.describe("groups at their own scale");
  std::string measured;
  bool best = true;
  for (const auto& encoder : input.encoders) {
    WeightRandom random(input.seed);
    Iq3Weights weights{Floats(kBlocks * kBlockWeights), Floats(kBlocks * kBlockWeights, 1.0f)};
    for (float& v : weights.x) v = static_cast<float>(random.normal());
    const Bytes bytes = encode(*encoder, weights, 1);
    const Floats y = decode(encoder->format(), bytes, weights.x.size());
    if (y.empty()) return fail("normal weights are not encoded to valid blocks");
    const int shift = encoder->format() == QP_IQ3_XXS ? 2 : 3;
    std::size_t groups = 0;
    std::size_t worse = 0;
    double error = 0;
    double least = 0;
    for (std::size_t block = 0; block < kBlocks; ++block) {
      const float* x = weights.x.data() + block * kBlockWeights;
      const auto w = objective_weights(encoder->weighting(), x);
      const auto fields = unpack(encoder->format(), bytes.data() + block * kBlockBytes);
      const double d = magnitude_of_scale(static_cast<std::uint16_t>(fields.scale));
      for (std::size_t i = 0; i < kBlockWeights; i += kGroupWeights) {
        const double t = std::ldexp(d * (2 * fields.scale_code[i / kSubblockWeights] + 1), -shift);
        double group = 0;
        double all = 0;
        for (std::size_t j = i; j < i + kGroupWeights; ++j) {
          const double e =
              static_cast<double>(x[j]) - static_cast<double>(y[block * kBlockWeights + j]);
          group += w[j] * e * e;
          all += w[j] * static_cast<double>(x[j]) * static_cast<double>(x[j]);
        }
        const double bound = least_group_error(x + i, w.data() + i, t);
        ++groups;
        worse += group > bound + 1e-6 * all ? 1 : 0;
        error += group;
        least += bound;
      }
    }
    best = best && worse == 0;
    measured +=
        fmt::format("{}{}: {} of {} groups are not the best, error {:.3f} % above the least",
                    measured.empty() ? "" : "; ", format_name(encoder->format()), worse, groups,
                    100 * (error / least - 1));
  }
  return {best ? Verdict::kPass : Verdict::kFail, measured};
}

struct Distribution {
  const char* name;
  double (*x)(WeightRandom&);
  double (*importance)(WeightRandom&);
};

double normal(WeightRandom& random) { return random.normal(); }
double one(WeightRandom& /*random*/) { return 1; }
double lognormal(WeightRandom& random) { return std::exp(random.normal()); }
double chi_squared(WeightRandom& random) {
  const double z = random.normal();
  return z * z;
}
double student(WeightRandom& random) {
  double sum = 0;
  for (int i = 0; i < 4; ++i) sum += chi_squared(random);
  return random.normal() / std::sqrt(sum / 4);
}
double laplace(WeightRandom& random) {
  const double magnitude = -std::log(random.uniform());
  return random.below(2) == 0 ? magnitude : -magnitude;
}

constexpr Distribution kDistributions[] = {
    {"normal", normal, one},
    {"student t4", student, one},
    {"laplace", laplace, one},
    {"normal, lognormal importance", normal, lognormal},
    {"normal, chi-square importance", normal, chi_squared},
    {"t4, chi-square importance", student, chi_squared},
};

// IQ3ENC-ERROR-1
Outcome check_error(const CheckInput& input, Situation& situation) {
  constexpr std::size_t kRows = 16;
  constexpr std::size_t kCols = 4 * kBlockWeights;
  std::string measured;
  bool healthy = true;
  for (const auto& encoder : input.encoders) {
    WeightRandom random(input.seed);
    for (const Distribution& distribution : kDistributions) {
      situation.describe(distribution.name);
      Iq3Weights weights{Floats(kRows * kCols), Floats(kCols)};
      for (float& v : weights.x) v = static_cast<float>(distribution.x(random));
      for (float& v : weights.importance) v = static_cast<float>(distribution.importance(random));
      const Bytes theirs = encode(*encoder, weights, kRows);
      const Bytes ours = encode(*builtin_encoder(encoder->format()), weights, kRows);
      const Floats y = decode(encoder->format(), theirs, weights.x.size());
      const double all = weighted_error(weights, {});
      const double error = weighted_error(weights, y);
      const double reference =
          weighted_error(weights, decode(encoder->format(), ours, weights.x.size()));
      healthy = healthy && error <= 1.5 * reference;
      measured +=
          fmt::format("{}{} {:.4f} ({:.4f})", measured.empty() ? "" : ", ", distribution.name,
                      std::sqrt(error / all), std::sqrt(reference / all));
    }
  }
  return {healthy ? Verdict::kPass : Verdict::kFail,
          "relative error (of this library): " + measured};
}

// 10.6: what is asked of the encoder at an input off the beaten track.
enum class Demand {
  kRefuse,    // clause 2.3 refuses it: so must an encoder that can; else the blocks are valid
  kValid,     // refused, or valid blocks
  kNoLoss,    // valid blocks, with no more error than zeros have
  kZeros,     // decodes to zeros
  kFaithful,  // valid blocks, with at most a tenth of the energy as error
};

struct Edge {
  std::string name;
  Demand demand;
  Iq3Weights weights;
  std::size_t cols = 2 * kBlockWeights;
};

std::vector<Edge> make_edges(std::uint64_t seed) {
  constexpr std::size_t n = 2 * kBlockWeights;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  WeightRandom random(seed);
  Floats base(n);
  for (float& v : base) v = static_cast<float>(random.normal());
  const Floats ones(n, 1.0f);
  Floats any_size(n);
  for (float& v : any_size) v = std::bit_cast<float>(random.below(0x7F800000u));
  const auto with = [](Floats values, std::size_t at, float value) {
    values[at] = value;
    return values;
  };
  const auto scaled = [&](float factor) {
    Floats values = base;
    for (float& v : values) v *= factor;
    return values;
  };
  const auto zeroed = [](Floats values, std::size_t first, std::size_t count, float value) {
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(first), count, value);
    return values;
  };
  std::vector<Edge> edges = {
      {"a weight NaN", Demand::kRefuse, {with(base, 48, kNan), ones}},
      {"the last weight NaN", Demand::kRefuse, {with(base, n - 1, kNan), {}}},
      {"a weight +Inf", Demand::kRefuse, {with(base, 300, kInfinity), ones}},
      {"a weight -Inf, no importance", Demand::kRefuse, {with(base, 48, -kInfinity), {}}},
      {"a weight 1e8", Demand::kValid, {with(base, 48, 1e8f), ones}},
      {"weights of 1e18", Demand::kValid, {scaled(1e18f), ones}},
      {"weights of 1e30", Demand::kValid, {scaled(1e30f), ones}},
      {"weights of 1e38", Demand::kValid, {scaled(5e37f), ones}},
      {"importance NaN", Demand::kRefuse, {base, with(ones, 16, kNan)}},
      {"importance +Inf", Demand::kRefuse, {base, with(ones, 16, kInfinity)}},
      {"importance -1", Demand::kRefuse, {base, with(ones, 16, -1.0f)}},
      {"importances all -1", Demand::kRefuse, {base, Floats(n, -1.0f)}},
      {"importances all 0", Demand::kFaithful, {base, Floats(n, 0.0f)}},
      {"importances all 0 in a block", Demand::kFaithful, {base, zeroed(ones, 0, 256, 0.0f)}},
      {"importances all 0 in a sub-block", Demand::kFaithful, {base, zeroed(ones, 64, 32, 0.0f)}},
      {"importances all 1e-44", Demand::kFaithful, {base, Floats(n, 1e-44f)}},
      {"importances all 1e38", Demand::kFaithful, {base, Floats(n, 1e38f)}},
      {"importances of any size", Demand::kValid, {base, any_size}},
      {"weights all +0", Demand::kZeros, {Floats(n, 0.0f), ones}},
      {"weights all -0, no importance", Demand::kZeros, {Floats(n, -0.0f), {}}},
      {"a weight of 1e-11 among zeros", Demand::kNoLoss, {with(Floats(n), 7, 1e-11f), ones}},
      {"a denormal weight among zeros", Demand::kNoLoss, {with(Floats(n), 7, 1e-45f), {}}},
      {"a weight of 1 among zeros", Demand::kNoLoss, {with(Floats(n), 255, -1.0f), ones}},
      {"weights of 1e-3", Demand::kFaithful, {scaled(1e-3f), ones}},
      {"weights of 1e-5", Demand::kNoLoss, {scaled(1e-5f), ones}},
      {"weights of 1e-7", Demand::kNoLoss, {scaled(1e-7f), ones}},
      {"weights of 1e-20", Demand::kNoLoss, {scaled(1e-20f), ones}},
      {"weights of 1e-38", Demand::kNoLoss, {scaled(1e-38f), ones}},
      {"weights all 1", Demand::kFaithful, {ones, ones}},
      {"weights all 1, importance of one 1e6",
       Demand::kNoLoss,
       {with(Floats(n, 1.1f), 3, -1e-6f), with(ones, 3, 1e6f)}},
      {"rows of 128 weights", Demand::kRefuse, {Floats(128, 1.0f), {}}, 128},
      {"rows of 255 weights", Demand::kRefuse, {Floats(255, 1.0f), {}}, 255},
  };
  for (std::size_t k = 0; k < kSubblocks; ++k) {
    // Zeros decode to the scale of their sub-block at least: the others' energy bounds the error.
    edges.push_back({fmt::format("sub-block {} all 0", k),
                     Demand::kFaithful,
                     {zeroed(base, k * kSubblockWeights, kSubblockWeights, 0.0f), ones}});
  }
  return edges;
}

// What is wrong with the answer; empty: nothing.
std::string judge(const Encoder& encoder, const Edge& edge) {
  const std::size_t n = edge.weights.x.size();
  const std::size_t n_bytes = (n + kBlockWeights - 1) / kBlockWeights * kBlockBytes;
  Bytes bytes(n_bytes, 0xA5);
  const auto answer = encoder.encode(edge.weights.x.data(), 1, edge.cols,
                                     edge.weights.importance_or_null(), bytes.data(), n_bytes);
  const bool refused = answer == Encoder::Answer::kRefused;
  if (edge.demand == Demand::kRefuse && encoder.has_status()) {
    return refused ? "" : "accepted";
  }
  if (refused) return edge.demand == Demand::kValid ? "" : "refused";
  if (edge.cols % kBlockWeights != 0) return {};  // no answer is right, and none can be given
  const Floats y = decode(encoder.format(), bytes, n);
  if (y.empty()) {
    const auto fields = unpack(encoder.format(), bytes.data());
    return fmt::format("writes a scale that is not finite (block 0: 0x{:04X})", fields.scale);
  }
  if (edge.demand == Demand::kRefuse || edge.demand == Demand::kValid) return {};
  if (edge.demand == Demand::kZeros) {
    const bool zeros = std::all_of(y.begin(), y.end(), [](float v) { return v == 0; });
    return zeros ? "" : "does not decode to zeros";
  }
  // Importances that are 0 leave nothing to be judged by: then all weights count.
  Iq3Weights judged = edge.weights;
  if (edge.demand == Demand::kFaithful) judged.importance.clear();
  const double relative = weighted_error(judged, y) / weighted_error(judged, {});
  if (relative <= (edge.demand == Demand::kFaithful ? 0.1 : 1.0)) return {};
  return fmt::format("relative squared error {:.3g}", relative);
}

// IQ3ENC-EDGE-1. Each input in a child of its own, so that one that ends the process is a line.
Outcome check_edges(const CheckInput& input, Situation& situation) {
  std::string found;
  std::size_t cases = 0;
  std::size_t faults = 0;
  for (const auto& encoder : input.encoders) {
    for (const Edge& edge : make_edges(input.seed)) {
      // E8/IQ3 has rows of any width.
      if (encoder->format() == QP_E8_IQ3 && edge.cols % kBlockWeights != 0) continue;
      situation.describe(edge.name);
      ++cases;
      const Outcome outcome = run_isolated(kEdgeLimit, [&](Situation&) -> Outcome {
        const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        std::string wrong = judge(*encoder, edge);
        return {wrong.empty() ? Verdict::kPass : Verdict::kFail, wrong};
      });
      if (outcome.verdict == Verdict::kPass) continue;
      ++faults;
      found += fmt::format("\n{}: {}", edge.name, outcome.detail);
    }
  }
  if (faults > 0) return fail(fmt::format("{} of {} inputs:{}", faults, cases, found));
  return {Verdict::kPass, fmt::format("{} inputs, each in a process of its own", cases)};
}

}  // namespace

std::vector<CheckEntry> encoder_checks() {
  return {
      {"IQ3ENC-EDGE-1", check_edges, false, false},
      {"IQ3ENC-ERROR-1", check_error, false, false},
      {"IQ3ENC-GAP-1", check_gap, false, false},
      {"IQ3ENC-OUTPUT-1", check_output, false, false},
      {"IQ3ENC-REPEAT-1", check_repeat, false, false},
  };
}

}  // namespace quantproof::certify
