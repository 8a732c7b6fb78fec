// SPDX-License-Identifier: Apache-2.0
//
// The tables of the KAIJU1 kernel: 16 bytes each, most of them looked up by half a byte. Their
// values are out of the compiler's sight, which would else build them from immediates at each use.
#ifndef QUANTPROOF_FAST_KAIJU1_TABLES_H_
#define QUANTPROOF_FAST_KAIJU1_TABLES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "quantproof/golay.h"

namespace quantproof::fast {

using Table16 = std::array<std::uint8_t, 16>;

struct Kaiju1Tables {
  alignas(16) Table16 two_codes;       // two codes of 7 bytes to 8 bytes each
  alignas(16) Table16 low_trit;        // 4 (t - 1) for the lower base-3 digit t of a number below 9
  alignas(16) Table16 high_trit;       // for the higher one
  alignas(16) Table16 twice_bit[4];    // [j][k]: twice bit j of k
  alignas(16) Table16 golay[3][3];     // leech.md 3.3: [byte][part][k]: of the word of k 16^part
  alignas(16) Table16 coordinate[24];  // [i]: all i
};

extern const Kaiju1Tables kKaiju1Tables;  // kaiju1_tensor.cc

}  // namespace quantproof::fast

#endif
