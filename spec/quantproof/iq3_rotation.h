// SPDX-License-Identifier: Apache-2.0
//
// The rotation that colibri applies to the rows of an E8/IQ3 matrix, spec/formats/rotation.md: how
// a row is cut into tiles, and the signs of a tile.
#ifndef QUANTPROOF_IQ3_ROTATION_H_
#define QUANTPROOF_IQ3_ROTATION_H_

#include <cstddef>
#include <cstdint>

namespace quantproof {

inline constexpr std::size_t kRotationTileLimit = 32768;

// rotation.md 2.1: numbers of the next tile when `rest` > 0 numbers of the row are left.
constexpr std::size_t rotation_tile(std::size_t rest) {
  const std::size_t lowest_bit = rest & (~rest + 1);
  return lowest_bit < kRotationTileLimit ? lowest_bit : kRotationTileLimit;
}

// rotation.md 3.1: the bytes of the sign stream of a tile, one after the other.
class RotationSigns {
 public:
  explicit constexpr RotationSigns(std::size_t tile) : state_(417 + std::uint64_t{tile}) {}

  constexpr std::uint8_t next_byte() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<std::uint8_t>(state_ * 2685821657736338717u >> 56);
  }

 private:
  std::uint64_t state_;
};

}  // namespace quantproof

#endif
