// SPDX-License-Identifier: Apache-2.0
//
// Reference decoders of the Leech lattice, spec/formats/leech.md.
#ifndef QUANTPROOF_REF_LEECH_H_
#define QUANTPROOF_REF_LEECH_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "quantproof/leech.h"
#include "quantproof/status.h"

namespace quantproof::ref {

// A lattice point and where leech.md 2.4 puts it.
struct LeechNearest {
  std::array<std::int32_t, kLeechDimension> point{};
  int m = 0;                          // 0 or 1
  std::uint32_t golay_index = 0;      // 0 to 4095
  std::int64_t squared_distance = 0;  // to y, in squared units of 2^-13; at most 2^30
};

// leech.md 2.1, from the definition. `x`: 24 coordinates in lattice units.
bool is_leech_point(const std::int32_t* x);

// leech.md 5.5: the nearest lattice point by the literal search of the 8,192 cosets. `y`: 24
// coordinates in units of 2^-13, each of magnitude at most 2^30.
LeechNearest find_nearest_leech_point(const std::int32_t* y);

// The same answer by another way: sums over the two halves of the coordinates.
LeechNearest find_nearest_leech_point_split(const std::int32_t* y);

// leech.md 6: the nearest lattice points of `n_points` rows of 24 coordinates in units of 2^-13,
// as rows of 24 integers. Returns QP_OK, QP_BAD_ARGUMENT or QP_POINT_OUT_OF_RANGE. On an error
// *where (may be null) says where; the rows before the failing one have been written and nothing
// else. `points` and `out` must not overlap.
qp_status leech_nearest(const std::int32_t* points, std::size_t n_points, std::int32_t* out,
                        qp_location* where);

// leech.md 7: the same for coordinates in lattice units. Also returns QP_POINT_NOT_FINITE.
qp_status leech_nearest_f32(const float* points, std::size_t n_points, std::int32_t* out,
                            qp_location* where);

}  // namespace quantproof::ref

#endif
