// SPDX-License-Identifier: Apache-2.0
//
// Nearest points of the Leech lattice, spec/formats/leech.md: the kernels of every CPU level.
#ifndef QUANTPROOF_FAST_LEECH_H_
#define QUANTPROOF_FAST_LEECH_H_

#include <cstddef>
#include <cstdint>

#include "quantproof/status.h"

namespace quantproof::fast {

// `points`: n rows of 24 coordinates in units of 2^-13; `out`: n rows of 24 integers, not
// overlapping them. Errors: QP_POINT_OUT_OF_RANGE, with *where (or null) naming the point as the
// block and the coordinate by its byte offset; the points before it are written, nothing else.
using LeechFunction = qp_status (*)(const std::int32_t* points, std::size_t n, std::int32_t* out,
                                    qp_location* where);

// The same from binary32 coordinates in lattice units, rounded to the nearest multiple of 2^-13,
// ties to even. QP_POINT_NOT_FINITE where one is infinite or NaN.
using LeechFloatFunction = qp_status (*)(const float* points, std::size_t n, std::int32_t* out,
                                         qp_location* where);

// The kernels of a level. `target` must be a compiled target.
LeechFunction leech_nearest(std::int64_t target);
LeechFloatFunction leech_nearest_float(std::int64_t target);

}  // namespace quantproof::fast

#endif
