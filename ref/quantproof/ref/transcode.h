// SPDX-License-Identifier: Apache-2.0
//
// Lossless transcoding between IQ3_XXS and E8/IQ3, clause 7 of their texts.
#ifndef QUANTPROOF_REF_TRANSCODE_H_
#define QUANTPROOF_REF_TRANSCODE_H_

#include <cstddef>
#include <cstdint>

#include "quantproof/status.h"

namespace quantproof::ref {

// Rewrites `n_blocks` blocks of 98 bytes so that every decoded weight keeps its value. `from` and
// `to` are the two different formats, else QP_BAD_ARGUMENT. `in` and `out` are the same buffer
// or do not overlap. A scale outside the exact domain (half.md 4) is refused: the blocks
// before it have been written, nothing else, and *where (may be null) says which.
qp_status transcode(qp_format from, const std::uint8_t* in, qp_format to, std::uint8_t* out,
                    std::size_t n_blocks, qp_location* where);

}  // namespace quantproof::ref

#endif
