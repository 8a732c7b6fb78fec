// SPDX-License-Identifier: Apache-2.0
//
// Reference of the rotation of rows, spec/formats/rotation.md.
#ifndef QUANTPROOF_REF_IQ3_ROTATION_H_
#define QUANTPROOF_REF_IQ3_ROTATION_H_

#include <cstddef>

namespace quantproof::ref {

// Rotates a row of n numbers in place, or turns it back. n: any; `row` may be null when n is 0.
void rotate(float* row, std::size_t n);
void unrotate(float* row, std::size_t n);

}  // namespace quantproof::ref

#endif
