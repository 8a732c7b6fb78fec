// SPDX-License-Identifier: Apache-2.0
//
// The nearest representable point without vectors: for points with ties, and for those so far out
// that int32 does not hold their costs. kaiju1.md 7.
#ifndef QUANTPROOF_FAST_KAIJU1_COSET_H_
#define QUANTPROOF_FAST_KAIJU1_COSET_H_

#include <cstdint>

#include "quantproof/leech.h"

namespace quantproof::fast {

// `y`: 24 coordinates in units of 2^-13, each of magnitude at most 2^30. `x`: 24 integers.
void kaiju1_nearest_point(const std::int32_t* y, std::int32_t* x);

// Whether a lattice point has a code (kaiju1.md 3.6).
bool is_kaiju1_point(const std::int32_t* x);

}  // namespace quantproof::fast

#endif
