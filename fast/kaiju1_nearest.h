// SPDX-License-Identifier: Apache-2.0
//
// Nearest representable points of KAIJU1, spec/formats/kaiju1.md 7: the kernels of every CPU level.
#ifndef QUANTPROOF_FAST_KAIJU1_NEAREST_H_
#define QUANTPROOF_FAST_KAIJU1_NEAREST_H_

#include <cstddef>
#include <cstdint>

#include "quantproof/status.h"

namespace quantproof::fast {

// `points`: n rows of 24 coordinates in units of 2^-13; `out`: n rows of 24 integers, not
// overlapping them. Errors: QP_POINT_OUT_OF_RANGE, with *where (or null) naming the point as the
// block and the coordinate by its byte offset; the points before it are written, nothing else.
using Kaiju1NearestFunction = qp_status (*)(const std::int32_t* points, std::size_t n,
                                            std::int32_t* out, qp_location* where);

// The kernel of a level. `target` must be a compiled target.
Kaiju1NearestFunction kaiju1_nearest(std::int64_t target);

}  // namespace quantproof::fast

#endif
