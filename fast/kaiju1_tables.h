// SPDX-License-Identifier: Apache-2.0
//
// The tables of the KAIJU1 kernel: 16 bytes each, looked up by half a byte.
#ifndef QUANTPROOF_FAST_KAIJU1_TABLES_H_
#define QUANTPROOF_FAST_KAIJU1_TABLES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "quantproof/golay.h"

namespace quantproof::fast {

// Two codes of 7 bytes to 8 bytes each; what the eighth holds does not matter.
alignas(16) inline constexpr std::uint8_t kTwoCodes[16] = {0, 1, 2, 3,  4,  5,  6,  0,
                                                           7, 8, 9, 10, 11, 12, 13, 0};

// 4 (t - 1) for the lower and the higher base-3 digit t of a number below 9.
alignas(16) inline constexpr std::uint8_t kLowTrit[16] = {0xFC, 0, 4, 0xFC, 0, 4, 0xFC, 0, 4};
alignas(16) inline constexpr std::uint8_t kHighTrit[16] = {0xFC, 0xFC, 0xFC, 0, 0, 0, 4, 4, 4};

// leech.md 3.3: [byte][part][k]: eight bits of the word of index k 16^part.
using GolayBytes = std::array<std::array<std::array<std::uint8_t, 16>, 3>, 3>;

constexpr GolayBytes make_golay_bytes() {
  GolayBytes bytes{};
  for (std::uint32_t part = 0; part < 3; ++part) {
    for (std::uint32_t k = 0; k < 16; ++k) {
      const std::uint32_t word = golay_word(k << 4 * part);
      for (std::uint32_t byte = 0; byte < 3; ++byte) {
        bytes[byte][part][k] = static_cast<std::uint8_t>(word >> 8 * byte);
      }
    }
  }
  return bytes;
}

alignas(16) inline constexpr GolayBytes kGolayBytes = make_golay_bytes();

}  // namespace quantproof::fast

#endif
