// SPDX-License-Identifier: Apache-2.0
//
// The nearest point that a LeechCode can hold, spec/formats/kaiju1.md clause 7.
#ifndef QUANTPROOF_REF_KAIJU1_NEAREST_H_
#define QUANTPROOF_REF_KAIJU1_NEAREST_H_

#include <array>
#include <cstdint>

#include "quantproof/kaiju1.h"
#include "quantproof/status.h"

namespace quantproof::ref {

// A representable point and where leech.md 2.4 puts it.
struct Kaiju1Nearest {
  std::array<std::int32_t, kLeechDimension> point{};  // lattice units
  int m = 0;                                          // 0 or 1
  std::uint32_t golay_index = 0;                      // 0 to 4095
  std::int64_t cost = 0;  // squared distance to y less |y|^2, in squared units of 2^-13
};

// 7.2: the nearest representable point by the literal search of the 8,192 cosets. `y`: 24
// coordinates in units of 2^-13, each of magnitude at most 2^30.
Kaiju1Nearest find_nearest_kaiju1_point(const std::int32_t* y);

// 7.7: the nearest representable points of `n_points` rows of 24 coordinates in units of 2^-13, as
// rows of 24 integers. Returns QP_OK, QP_BAD_ARGUMENT or QP_POINT_OUT_OF_RANGE. On an error *where
// (may be null) says where; the rows before the failing one have been written and nothing else.
// `points` and `out` must not overlap.
qp_status kaiju1_nearest(const std::int32_t* points, std::size_t n_points, std::int32_t* out,
                         qp_location* where);

}  // namespace quantproof::ref

#endif
