// SPDX-License-Identifier: Apache-2.0
//
// The tables of the KAIJU1 kernel: 16 bytes each, looked up by half a byte; and of the columns
// around the side-band.
#ifndef QUANTPROOF_FAST_KAIJU1_TABLES_H_
#define QUANTPROOF_FAST_KAIJU1_TABLES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "quantproof/golay.h"

namespace quantproof::fast {

using Table16 = std::array<std::uint8_t, 16>;

struct Kaiju1Tables {
  alignas(16) Table16 two_codes;     // two codes of 7 bytes to 8 bytes each
  alignas(16) Table16 low_trit;      // 4 (t - 1) for the lower base-3 digit t of a number below 9
  alignas(16) Table16 high_trit;     // for the higher one
  alignas(16) Table16 twice_bit[4];  // [j][k]: twice bit j of k
  alignas(16) Table16 golay[3][3];   // leech.md 3.3: [byte][part][k]: of the word of k 16^part
};

constexpr Kaiju1Tables make_kaiju1_tables() {
  Kaiju1Tables t{};
  const auto byte = [](std::size_t value) { return static_cast<std::uint8_t>(value); };
  for (std::size_t k = 0; k < 16; ++k) {
    // The eighth byte of a code may be anything.
    t.two_codes[k] = byte(k % 8 < 7 ? 7 * (k / 8) + k % 8 : 0);
    // Numbers above 8 are those of invalid codes.
    t.low_trit[k] = byte(k < 9 ? 4 * (k % 3) - 4 : 0);
    t.high_trit[k] = byte(k < 9 ? 4 * (k / 3) - 4 : 0);
    for (std::size_t j = 0; j < 4; ++j) t.twice_bit[j][k] = byte(2 * (k >> j & 1));
    for (std::size_t part = 0; part < 3; ++part) {
      const std::uint32_t word = golay_word(static_cast<std::uint32_t>(k << 4 * part));
      for (std::size_t b = 0; b < 3; ++b) t.golay[b][part][k] = byte(word >> 8 * b);
    }
  }
  return t;
}

inline constexpr Kaiju1Tables kKaiju1Tables = make_kaiju1_tables();

// [mask]: eight columns, those of the mask in the side-band: which of the next coordinates each of
// the others takes.
using Kaiju1Spread = std::array<std::array<std::uint8_t, 8>, 256>;

constexpr Kaiju1Spread make_kaiju1_spread() {
  Kaiju1Spread spread{};
  for (std::size_t mask = 0; mask < 256; ++mask) {
    std::uint8_t next = 0;
    for (std::size_t j = 0; j < 8; ++j) {
      spread[mask][j] = next;
      if ((mask >> j & 1) == 0) ++next;
    }
  }
  return spread;
}

inline constexpr Kaiju1Spread kKaiju1Spread = make_kaiju1_spread();

}  // namespace quantproof::fast

#endif
