// SPDX-License-Identifier: Apache-2.0
//
// CPU levels: which compilations of the kernels exist, which the CPU can run, which is in use.
// The choice is this library's own; Highway's process-wide choice is neither read nor changed.
#ifndef QUANTPROOF_FAST_LEVEL_H_
#define QUANTPROOF_FAST_LEVEL_H_

#include <cstddef>
#include <cstdint>

#include "quantproof/status.h"

namespace quantproof::fast {

// A row decoder of one level; arguments as DecodeRow in iq3_row-inl.h.
using DecodeRowFunction = qp_status (*)(qp_profile, const std::uint8_t*, float*, std::size_t,
                                        qp_location*);

// The level in use, as a single Highway target bit.
std::int64_t active_target();

// The kernels of a level. `target` must be a compiled target.
DecodeRowFunction iq3_xxs_row(std::int64_t target);
DecodeRowFunction e8_iq3_row(std::int64_t target);

}  // namespace quantproof::fast

#endif
