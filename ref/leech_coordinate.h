// SPDX-License-Identifier: Apache-2.0
//
// leech.md 5.6 for one coordinate: the nearest of the values offset + 4 z to y, and the next one.
#ifndef QUANTPROOF_REF_LEECH_COORDINATE_H_
#define QUANTPROOF_REF_LEECH_COORDINATE_H_

#include <cstdint>

#include "quantproof/leech.h"

namespace quantproof::ref {

// Fixed-point distance between two neighbours among the values offset + 4 z.
inline constexpr std::int64_t kLeechStep = 4 * std::int64_t{kLeechUnit};

struct LeechChoice {
  std::int64_t z;            // the nearest
  std::int64_t second_z;     // the second nearest: z + 1 or z - 1
  std::int64_t cost;         // squared distance of the nearest, in squared units of 2^-13
  std::int64_t change_cost;  // what the second nearest costs on top
};

constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

// `y`: magnitude at most 2^30. `offset`: leech.md 2.4. Claim LEECH-COST-1.
constexpr LeechChoice choose_leech_coordinate(std::int64_t y, int offset) {
  const std::int64_t t = y - std::int64_t{offset} * kLeechUnit;
  const std::int64_t z = floor_divide(t + kLeechStep / 2, kLeechStep);  // half way: the greater
  const std::int64_t r = t - kLeechStep * z;
  const std::int64_t second_z = r >= 0 ? z + 1 : z - 1;  // equally far: the greater
  const std::int64_t second_r = t - kLeechStep * second_z;
  return {z, second_z, r * r, second_r * second_r - r * r};
}

}  // namespace quantproof::ref

#endif
