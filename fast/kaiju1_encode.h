// SPDX-License-Identifier: Apache-2.0
//
// The encoder of KAIJU1 tensors, spec/formats/kaiju1.md 8.
#ifndef QUANTPROOF_FAST_KAIJU1_ENCODE_H_
#define QUANTPROOF_FAST_KAIJU1_ENCODE_H_

#include <cstddef>
#include <cstdint>

#include "quantproof/status.h"

namespace quantproof::fast {

// `weights`: rows x cols, row by row. `importance`: cols numbers, or null for all ones. `hi_frac`:
// in millionths. `threads`: how many rows are encoded at once, at least 1; the bytes do not depend
// on it. Errors: those of kaiju1.md 8.2 in its order, and QP_OUT_OF_MEMORY; nothing of use is then
// in `out`.
qp_status encode_kaiju1(const float* weights, std::size_t rows, std::size_t cols,
                        const float* importance, std::uint32_t hi_frac, std::size_t threads,
                        std::uint8_t* out, std::size_t n_bytes, qp_location* where);

}  // namespace quantproof::fast

#endif
