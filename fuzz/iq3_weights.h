// SPDX-License-Identifier: Apache-2.0
//
// Weights and importances to try encoders on, the same everywhere: for tests and the command.
#ifndef QUANTPROOF_FUZZ_IQ3_WEIGHTS_H_
#define QUANTPROOF_FUZZ_IQ3_WEIGHTS_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "quantproof/iq3_block.h"

namespace quantproof::fuzz {

using Floats = std::vector<float>;

// splitmix64: the same numbers everywhere.
class WeightRandom {
 public:
  explicit WeightRandom(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }

  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>((next() >> 32) * n >> 32);
  }

  // Four uniform numbers of 16 bits, centred: exact, and nearly normal with deviation 0.577.
  float bell() {
    const std::uint64_t bits = next();
    std::int32_t sum = -2 * 65535;
    for (int i = 0; i < 64; i += 16) sum += static_cast<std::int32_t>(bits >> i & 0xFFFF);
    return static_cast<float>(sum) * 0x1p-16f;
  }

  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }

  double normal() {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform());
  }

 private:
  std::uint64_t state_;
};

struct Iq3Weights {
  Floats x;
  Floats importance;  // empty: none

  [[nodiscard]] const float* importance_or_null() const {
    return importance.empty() ? nullptr : importance.data();
  }
};

// Families of weights and importances, `n` weights each.
struct Iq3Family {
  const char* name;
  Iq3Weights (*make)(WeightRandom&, std::size_t n);
};

inline Floats fill(WeightRandom& random, std::size_t n, float (*draw)(WeightRandom&)) {
  Floats values(n);
  for (float& v : values) v = draw(random);
  return values;
}

inline float heavy(WeightRandom& random) {  // a few weights are a thousand times the others
  const float v = random.bell();
  return random.below(100) == 0 ? 1000 * v : v;
}

inline float skewed(WeightRandom& random) {  // over twelve octaves
  const float v = 1.0f + static_cast<float>(random.below(8)) / 8;
  return std::ldexp(v, static_cast<int>(random.below(12)));
}

inline const Iq3Family kIq3Families[] = {
    {"bell",
     [](WeightRandom& r, std::size_t n) {
       return Iq3Weights{fill(r, n, [](WeightRandom& q) { return q.bell(); }), {}};
     }},
    {"heavy",
     [](WeightRandom& r, std::size_t n) {
       return Iq3Weights{fill(r, n, heavy), {}};
     }},
    {"bell, skewed importance",
     [](WeightRandom& r, std::size_t n) {
       return Iq3Weights{fill(r, n, [](WeightRandom& q) { return q.bell(); }), fill(r, n, skewed)};
     }},
    {"heavy, mostly zero importance",
     [](WeightRandom& r, std::size_t n) {
       return Iq3Weights{fill(r, n, heavy), fill(r, n, [](WeightRandom& q) {
                           return q.below(4) == 0 ? skewed(q) : 0.0f;
                         })};
     }},
    {"sparse",
     [](WeightRandom& r, std::size_t n) {
       return Iq3Weights{
           fill(r, n, [](WeightRandom& q) { return q.below(20) == 0 ? q.bell() : 0.0f; }), {}};
     }},
    {"one weight a block",
     [](WeightRandom& r, std::size_t n) {
       Floats x(n);
       for (std::size_t i = 0; i < n; i += kBlockWeights) {
         x[std::min(i + r.below(kBlockWeights), n - 1)] = r.bell();
       }
       return Iq3Weights{x, {}};
     }},
    {"small integers",  // full of ties
     [](WeightRandom& r, std::size_t n) {
       return Iq3Weights{
           fill(r, n, [](WeightRandom& q) { return static_cast<float>(q.below(9)) - 4.0f; }), {}};
     }},
    {"constant magnitude",
     [](WeightRandom& r, std::size_t n) {
       return Iq3Weights{fill(r, n, [](WeightRandom& q) { return q.below(2) == 0 ? 1.0f : -1.0f; }),
                         {}};
     }},
    {"sub-blocks of any size",
     [](WeightRandom& r, std::size_t n) {
       Floats x(n);
       float scale = 1;
       for (std::size_t i = 0; i < n; ++i) {
         if (i % kSubblockWeights == 0) scale = std::ldexp(1.0f, -static_cast<int>(r.below(30)));
         x[i] = scale * r.bell();
       }
       return Iq3Weights{x, {}};
     }},
    {"scales near the least",
     [](WeightRandom& r, std::size_t n) {
       Floats x(n);
       float scale = 1;
       for (std::size_t i = 0; i < n; ++i) {
         if (i % kBlockWeights == 0) scale = std::ldexp(1.0f, -8 - static_cast<int>(r.below(20)));
         x[i] = scale * r.bell();
       }
       return Iq3Weights{x, {}};
     }},
    {"scales near the greatest",
     [](WeightRandom& r, std::size_t n) {
       return Iq3Weights{fill(r, n,
                              [](WeightRandom& q) {
                                return q.below(64) == 0
                                           ? (q.below(2) == 0 ? 0x1.e0p+23f : -0x1.dp+23f)
                                           : 0x1p+22f * q.bell();
                              }),
                         {}};
     }},
    {"importance of any size",
     [](WeightRandom& r, std::size_t n) {
       return Iq3Weights{
           fill(r, n, [](WeightRandom& q) { return q.bell(); }),
           fill(r, n, [](WeightRandom& q) { return std::bit_cast<float>(q.below(0x7F800000u)); })};
     }},
    {"ramp",
     [](WeightRandom& /*r*/, std::size_t n) {
       Floats x(n);
       for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i % 251) - 125.0f;
       return Iq3Weights{x, {}};
     }},
};

}  // namespace quantproof::fuzz

#endif
