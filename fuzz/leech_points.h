// SPDX-License-Identifier: Apache-2.0
//
// Points on which nearest-point decoders of the Leech lattice are compared: one family per way to
// be wrong. The same seed gives the same points on every machine.
#ifndef QUANTPROOF_FUZZ_LEECH_POINTS_H_
#define QUANTPROOF_FUZZ_LEECH_POINTS_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "quantproof/leech.h"

namespace quantproof::fuzz {

using LeechRow = std::array<std::int32_t, kLeechDimension>;

enum class LeechFamily {
  kUniform,      // modulo 8 lattice units
  kGaussian,     // standard deviations 2^-3 to 2^8 lattice units
  kWall,         // midpoints of lattice points at norms 4, 6 and 8, 0 to 1 unit off
  kDyadic,       // multiples of 2^6 to 2^14 units: ties are frequent
  kDeepHole,     // centres of deep holes of 13 kinds, exact or rounded, 0 to 1 unit off
  kNearLattice,  // within a few units of a lattice point
  kRange,        // the whole range and its ends
  kLattice,      // lattice points
};

inline constexpr std::array<LeechFamily, 8> kLeechFamilies = {
    LeechFamily::kUniform,  LeechFamily::kGaussian,    LeechFamily::kWall,  LeechFamily::kDyadic,
    LeechFamily::kDeepHole, LeechFamily::kNearLattice, LeechFamily::kRange, LeechFamily::kLattice};

inline const char* leech_family_name(LeechFamily family) {
  constexpr std::array<const char*, 8> kNames = {"uniform",   "gaussian",     "wall",  "dyadic",
                                                 "deep_hole", "near_lattice", "range", "lattice"};
  return kNames[static_cast<std::size_t>(family)];
}

// vector / order is the centre of a deep hole: its distance from the lattice is 4.
struct LeechDeepHole {
  std::int32_t order;
  LeechRow vector;
};

inline constexpr LeechDeepHole kLeechDeepHoles[] = {
    {1, {4}},
    {7, {1, 3, -1, 1, -1, 3, -3, -3, 5, -5, 3, -11, -1, -5, 9, 1, 5, 11, 11, 1, -3, -11, 7, 3}},
    {8,
     {-8, -6, -10, -6, -6, 0, 2, -10, -8, 4, 8, 2, -14, -2, -8, -2, 0, -6, 0, 4, -2, -12, -4, 4}},
    {9, {6, 20, 8, 4, 6, 4, -2, -6, 6, 2, 2, -4, -10, -14, -4, 2, -10, 0, 10, -2, 0, 6, 6, -6}},
    {10,
     {15, 5, -7, -3, 3, -17, 9, 7, 1, 1, -9, 5, -7, 11, -9, 3, -1, -11, 7, -5, -11, -11, -7, 3}},
    {12, {4, 8, -8, -6, -14, 8, 10, -2, 4, 2, -6, -26, -22, 6, -8, 2, 2, 8, -8, 0, 0, 4, -6, 16}},
    {13,
     {-19, 9, -7, 5, 1, 1, 9, -3, 1, 9, -7, -7, -13, 7, 11, -5, -1, -5, -21, -1, 29, -3, -3, -15}},
    {14,
     {1, -3, -1, -5, -3, -9, 15, 13, -5, 15, -5, 23, 9, -5, 17, -21, 1, 3, 9, -21, 7, -5, -17, -9}},
    {16,
     {6, -24, 10, 16, 6, -20, 8, 2, 0, 14, -20, -26, -8, -14, 14, 8, 4, 10, -8, 22, -8, 6, 2, 8}},
    {18,
     {21, -31, -1, -13, 3, 9, 29, 7, 3, -7, -9, -3, -3, 1, 5, 17, 17, 13, -19, -11, 29, 3, 9, -17}},
    {22, {20,  20, 20, 20, 26, 12, 42, 16,  -20, -2,  0,   6,
          -24, 20, -8, 4,  2,  6,  8,  -12, -8,  -34, -14, -12}},
    {25, {8,  -52, 0,   6,  36,  10,  16, -4, 4,   14, 18,  18,
          -6, -2,  -12, 10, -22, -16, -8, 12, -22, 34, -40, 14}},
    {30, {37, 33,  -1,  -31, -17, -5, -5,  41, 7,   -19, -19, -23,
          45, -37, -19, 37,  9,   19, -13, 19, -17, -7,  35,  -1}},
};

inline LeechRow leech_sum(LeechRow a, const LeechRow& b) {
  for (std::size_t i = 0; i < kLeechDimension; ++i) a[i] += b[i];
  return a;
}

inline LeechRow leech_scaled(LeechRow row, std::int32_t factor) {
  for (std::int32_t& value : row) value *= factor;
  return row;
}

inline std::int64_t leech_product(const LeechRow& a, const LeechRow& b) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < kLeechDimension; ++i) total += std::int64_t{a[i]} * b[i];
  return total;
}

// leech.md 5.3: y in units of 2^-13, x in lattice units.
inline std::int64_t leech_squared_distance(const LeechRow& y, const LeechRow& x) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    const std::int64_t r = y[i] - std::int64_t{kLeechUnit} * x[i];
    total += r * r;
  }
  return total;
}

class LeechPoints {
 public:
  explicit LeechPoints(std::uint64_t seed) : bits_(seed) {}

  LeechRow next(LeechFamily family) {
    switch (family) {
      case LeechFamily::kUniform:
        return each([&] { return between(0, 8 * kLeechUnit - 1); });
      case LeechFamily::kGaussian: {
        const double scale = std::ldexp(kLeechUnit, between(-3, 8));
        return each([&] { return static_cast<std::int32_t>(std::lrint(scale * normal())); });
      }
      case LeechFamily::kWall:
        return moved(leech_sum(leech_scaled(lattice_point(40), kLeechUnit),
                               leech_scaled(short_vector(between(0, 14)), kLeechUnit / 2)));
      case LeechFamily::kDyadic: {
        const std::int32_t grid = 1 << between(6, 14);
        const std::int32_t most = (between(0, 3) == 0 ? 64 : 4) * kLeechUnit / grid;
        return each([&] { return grid * between(-most, most); });
      }
      case LeechFamily::kDeepHole: {
        const auto count = static_cast<std::int32_t>(std::size(kLeechDeepHoles));
        const LeechDeepHole& hole = kLeechDeepHoles[between(0, count - 1)];
        LeechRow centre{};
        for (std::size_t i = 0; i < kLeechDimension; ++i) {
          centre[i] = static_cast<std::int32_t>(
              std::lrint(static_cast<double>(hole.vector[i]) * kLeechUnit / hole.order));
        }
        return moved(leech_sum(leech_scaled(lattice_point(40), kLeechUnit), centre));
      }
      case LeechFamily::kNearLattice: {
        const std::int32_t most = 1 << between(0, 12);
        return leech_sum(leech_scaled(lattice_point(4000), kLeechUnit),
                         each([&] { return between(-most, most); }));
      }
      case LeechFamily::kRange:
        if (between(0, 1) == 0)
          return each([&] { return between(-kLeechPointLimit, kLeechPointLimit); });
        return each([&] {
          const std::int32_t value = kLeechPointLimit - between(0, 1 << between(0, 17));
          return between(0, 1) == 0 ? value : -value;
        });
      case LeechFamily::kLattice:
        return leech_scaled(
            between(0, 3) == 0 ? lattice_point(100'000) : short_vector(between(0, 14)), kLeechUnit);
    }
    return {};
  }

  // A lattice point with coordinates of magnitude at most `most` + 8.
  LeechRow lattice_point(std::int32_t most) {
    const int m = between(0, 1);
    const std::uint32_t word = golay_word(static_cast<std::uint32_t>(between(0, 4095)));
    LeechRow x{};
    std::int32_t sum_z = 0;
    for (std::size_t i = 0; i < kLeechDimension; ++i) {
      const std::int32_t z = between(-most / 4, most / 4);
      x[i] = leech_offset(m, static_cast<int>(word >> i & 1u)) + 4 * z;
      sum_z += z;
    }
    if ((sum_z & 1) != m) x[place()] += 4;
    return x;
  }

  // A vector of norm 4 (shape 0 to 2), 6 (3 to 6) or 8 (7 to 14): leech.md 4.2.
  LeechRow short_vector(int shape) {
    const std::uint32_t word = golay_word(static_cast<std::uint32_t>(between(0, 4095)));
    std::vector<std::size_t> places(kLeechDimension);
    for (std::size_t i = 0; i < kLeechDimension; ++i) places[i] = i;
    std::shuffle(places.begin(), places.end(), bits_);
    switch (shape) {
      case 0:
        return fours(places, 2);
      case 1:
        return twos(word_of_weight(8), 0, 0);
      case 2:
        return odd(word, places, {-3});
      case 3:
        return twos(word_of_weight(12), 0, 0);
      case 4:
        return twos(word_of_weight(8), 1, 0);
      case 5:
        return odd(word, places, {-3, -3, -3});
      case 6:
        return odd(word, places, {5});
      case 7: {
        LeechRow x{};
        x[places[0]] = sign() * 8;
        return x;
      }
      case 8:
        return fours(places, 4);
      case 9:
        return twos(word_of_weight(8), 0, 1);
      case 10:
        return twos(word_of_weight(8), 2, 0);
      case 11:
        return twos(word_of_weight(12), 1, 0);
      case 12:
        return twos(word_of_weight(16), 0, 0);
      case 13:
        return odd(word, places, {-3, -3, -3, -3, -3});
      default:
        return odd(word, places, {5, -3, -3});
    }
  }

  std::int32_t between(std::int32_t low, std::int32_t high) {
    const auto count = static_cast<std::uint64_t>(std::int64_t{high} - low) + 1;
    return static_cast<std::int32_t>(low +
                                     static_cast<std::int64_t>((bits_() >> 32) * count >> 32));
  }

 private:
  template <class Make>
  static LeechRow each(const Make& make) {
    LeechRow row{};
    for (std::int32_t& value : row) value = make();
    return row;
  }

  // 0, one or all coordinates move by one unit.
  LeechRow moved(LeechRow row) {
    switch (between(0, 2)) {
      case 0:
        break;
      case 1:
        row[place()] += sign();
        break;
      default:
        for (std::int32_t& value : row) value += between(-1, 1);
    }
    return row;
  }

  std::size_t place() { return static_cast<std::size_t>(between(0, kLeechDimension - 1)); }
  std::int32_t sign() { return 1 - 2 * between(0, 1); }

  // About normal: the sum of twelve uniform numbers.
  double normal() {
    double total = -6;
    for (int k = 0; k < 12; ++k) total += std::ldexp(static_cast<double>(bits_() >> 32), -32);
    return total;
  }

  std::uint32_t word_of_weight(int weight) {
    for (;;) {
      const std::uint32_t word = golay_word(static_cast<std::uint32_t>(between(0, 4095)));
      if (std::popcount(word) == weight) return word;
    }
  }

  LeechRow fours(const std::vector<std::size_t>& places, std::size_t count) {
    LeechRow x{};
    for (std::size_t k = 0; k < count; ++k) x[places[k]] = sign() * 4;
    return x;
  }

  // 2 on the word, `outside` fours elsewhere, `sixes` twos made 6; signs so that the sum fits.
  LeechRow twos(std::uint32_t word, int outside, int sixes) {
    LeechRow x{};
    std::int32_t total = 0;
    for (std::size_t i = 0; i < kLeechDimension; ++i) {
      if ((word >> i & 1u) != 0) x[i] = sign() * 2;
    }
    for (int made = 0; made < sixes;) {
      std::int32_t& value = x[place()];
      if (std::abs(value) != 2) continue;
      value *= 3;
      ++made;
    }
    for (int made = 0; made < outside;) {
      std::int32_t& value = x[place()];
      if (value != 0) continue;
      value = sign() * 4;
      ++made;
    }
    for (const std::int32_t value : x) total += value;
    if (total % 8 != 0) {
      for (std::int32_t& value : x) {
        if (std::abs(value) != 2) continue;
        value = -value;
        break;
      }
    }
    return x;
  }

  static LeechRow odd(std::uint32_t word, const std::vector<std::size_t>& places,
                      const std::vector<std::int32_t>& factors) {
    LeechRow x{};
    for (std::size_t i = 0; i < kLeechDimension; ++i) x[i] = (word >> i & 1u) != 0 ? -1 : 1;
    for (std::size_t k = 0; k < factors.size(); ++k) x[places[k]] *= factors[k];
    return x;
  }

  std::mt19937_64 bits_;
};

}  // namespace quantproof::fuzz

#endif
