// SPDX-License-Identifier: Apache-2.0
//
// The Leech lattice in integer coordinates and the fixed-point contract of its decoders,
// spec/formats/leech.md clauses 2, 4 and 5.
#ifndef QUANTPROOF_LEECH_H_
#define QUANTPROOF_LEECH_H_

#include <cstddef>
#include <cstdint>

#include "quantproof/golay.h"

namespace quantproof {

inline constexpr std::size_t kLeechDimension = 24;

// leech.md 5.1: points are integers in units of 2^-13; one lattice unit is 8,192 of them.
inline constexpr int kLeechUnitBits = 13;
inline constexpr std::int32_t kLeechUnit = std::int32_t{1} << kLeechUnitBits;

// leech.md 5.2: |y_i| <= 2^30, both ends included.
inline constexpr std::int32_t kLeechPointLimit = std::int32_t{1} << 30;

// leech.md 5.4: the nearest lattice point x of such a y has |x_i| <= 2^17 + 4.
inline constexpr std::int32_t kLeechCoordinateLimit = (std::int32_t{1} << 17) + 4;

// leech.md 4.4: no point of space is farther than 4 from the lattice. Squared, in lattice units
// and in squared fixed-point units.
inline constexpr std::int64_t kLeechCoveringRadiusSquared = 16;
inline constexpr std::int64_t kLeechCoveringCost =
    kLeechCoveringRadiusSquared * kLeechUnit * kLeechUnit;

// leech.md 4.1: the number of lattice points at squared length 32, 48 and 64 (norms 4, 6 and 8
// of the lattice in its usual scale).
inline constexpr std::int64_t kLeechShell4 = 196'560;
inline constexpr std::int64_t kLeechShell6 = 16'773'120;
inline constexpr std::int64_t kLeechShell8 = 398'034'000;

// leech.md 4.6: the Voronoi cell has one facet for each vector of norm 4 and 6.
inline constexpr std::int64_t kLeechFacets = kLeechShell4 + kLeechShell6;

// leech.md 2.4: coset (m, c) has at coordinate i the values leech_offset(m, c_i) + 4 z.
constexpr int leech_offset(int m, int golay_bit) {
  return m == 0 ? 2 * golay_bit : 1 - 2 * golay_bit;
}

}  // namespace quantproof

#endif
