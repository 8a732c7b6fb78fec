// SPDX-License-Identifier: Apache-2.0
//
// Rows of KAIJU1 tensors, spec/formats/kaiju1.md: the kernels of every CPU level.
#ifndef QUANTPROOF_FAST_KAIJU1_H_
#define QUANTPROOF_FAST_KAIJU1_H_

#include <cstddef>
#include <cstdint>

#include "fast/kaiju1_tensor.h"
#include "quantproof/status.h"

namespace quantproof::fast {

// Writes rows [first_row, first_row + rows) of `tensor` to `out`, header.cols numbers each.
// check_kaiju1_range must have accepted the range. On an error in a row *where (or null) receives
// the place; the rows before it are written, nothing else.
using Kaiju1RowsFunction = qp_status (*)(const Kaiju1Tensor& tensor, std::uint64_t first_row,
                                         std::uint64_t rows, float* out, qp_location* where);

// The kernel of a level. `target` must be a compiled target.
Kaiju1RowsFunction kaiju1_rows(std::int64_t target);

}  // namespace quantproof::fast

#endif
