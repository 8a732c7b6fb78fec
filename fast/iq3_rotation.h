// SPDX-License-Identifier: Apache-2.0
//
// The rotation of rows, spec/formats/rotation.md: the kernels of every CPU level.
#ifndef QUANTPROOF_FAST_IQ3_ROTATION_H_
#define QUANTPROOF_FAST_IQ3_ROTATION_H_

#include <cstddef>
#include <cstdint>

namespace quantproof::fast {

// Rotates a row of n > 0 numbers in place, or turns it back.
using RotateRowFunction = void (*)(float* row, std::size_t n);

// The kernels of a level. `target` must be a compiled target.
RotateRowFunction rotate_iq3_row(std::int64_t target);
RotateRowFunction unrotate_iq3_row(std::int64_t target);

}  // namespace quantproof::fast

#endif
