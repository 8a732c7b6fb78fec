// SPDX-License-Identifier: Apache-2.0
//
// Clause 7 of iq3_xxs.md and e8_iq3.md: the scale moves and doubles or halves, the other 96
// bytes move unchanged. `in` and `out` are the same buffer or do not overlap.
#ifndef QUANTPROOF_FAST_TRANSCODE_H_
#define QUANTPROOF_FAST_TRANSCODE_H_

#include <cstddef>
#include <cstdint>

#include "quantproof/status.h"

namespace quantproof::fast {

qp_status transcode_to_e8_iq3(const std::uint8_t* in, std::uint8_t* out, std::size_t n_blocks,
                              qp_location* where);
qp_status transcode_to_iq3_xxs(const std::uint8_t* in, std::uint8_t* out, std::size_t n_blocks,
                               qp_location* where);

}  // namespace quantproof::fast

#endif
