// SPDX-License-Identifier: Apache-2.0
//
// Reference encoder of KAIJU1 tensors, spec/formats/kaiju1.md clause 8.
#ifndef QUANTPROOF_REF_KAIJU1_ENCODE_H_
#define QUANTPROOF_REF_KAIJU1_ENCODE_H_

#include <cstddef>
#include <cstdint>

#include "quantproof/kaiju1.h"
#include "quantproof/status.h"

namespace quantproof::ref {

// 8.2: a weight of greater magnitude is refused: 127 times the greatest binary16 number.
inline constexpr float kKaiju1WeightLimit = 127.0f * 65504.0f;

// 8: the tensor of rows x cols weights, row by row at `weights`. `importance`: cols numbers, each
// at least 0, or null for all ones. `hi_frac`: in millionths, 0 to 1,000,000. `out`: `n_bytes`
// bytes, exactly kaiju1_size(rows, cols, hi_frac). Returns QP_OK, QP_BAD_ARGUMENT, QP_BAD_WIDTH,
// QP_BAD_SIZE, QP_IMPORTANCE_NOT_FINITE, QP_IMPORTANCE_NEGATIVE, QP_WEIGHT_NOT_FINITE or
// QP_WEIGHT_OUT_OF_RANGE. On an error *where (may be null) says where, and nothing is written.
qp_status encode_kaiju1(const float* weights, std::size_t rows, std::size_t cols,
                        const float* importance, std::uint32_t hi_frac, std::uint8_t* out,
                        std::size_t n_bytes, qp_location* where);

}  // namespace quantproof::ref

#endif
