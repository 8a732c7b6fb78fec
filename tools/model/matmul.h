// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_MODEL_MATMUL_H_
#define QUANTPROOF_TOOLS_MODEL_MATMUL_H_

#include <cstddef>

namespace quantproof::model {

// Positions are worked on in groups of this many: strides of activations are multiples of it.
constexpr std::size_t kLanes = 16;

// evaluation.md 4.1: y[r][t] = the sum of w[r][c] x[c][t] over c, in ascending order, in binary32.
// `w`: rows x cols; `x`: cols x stride; `y`: rows x stride, apart from the others. The lanes of a
// vector are positions, so that vectors of any width add in the same order.
void matmul(const float* w, std::size_t rows, std::size_t cols, const float* x, std::size_t stride,
            float* y);

}  // namespace quantproof::model

#endif
