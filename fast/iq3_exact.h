// SPDX-License-Identifier: Apache-2.0
//
// Blocks of weights that a block of the format holds exactly, spec/formats/encoding.md clause 7.
#ifndef QUANTPROOF_FAST_IQ3_EXACT_H_
#define QUANTPROOF_FAST_IQ3_EXACT_H_

#include <cstdint>

#include "quantproof/iq3_block.h"

namespace quantproof::fast {

// Whether all of the 256 finite weights at `x` can be held exactly, and then the fields. Ordinary
// weights are told apart after a few comparisons.
bool find_exact_iq3(const float* x, int value_shift, Iq3Fields<std::uint32_t>* fields);

}  // namespace quantproof::fast

#endif
