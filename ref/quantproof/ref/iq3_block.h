// SPDX-License-Identifier: Apache-2.0
//
// The clauses that IQ3_XXS and E8/IQ3 share, in the order of spec/formats/iq3_xxs.md. Clauses
// over bits are templates over the integer type, so that proofs/ reads this very text with
// symbolic integers: no second model of the reference exists that could drift from it.
#ifndef QUANTPROOF_REF_IQ3_BLOCK_H_
#define QUANTPROOF_REF_IQ3_BLOCK_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "quantproof/iq3_block.h"
#include "quantproof/ref/half.h"
#include "quantproof/status.h"

namespace quantproof::ref {

// 2: little-endian field of `n` bytes.
template <class Int, class Byte>
Int read_little_endian(const Byte* bytes, unsigned n) {
  Int value = Int(0u);
  for (unsigned i = 0; i < n; ++i) {
    // A row with a block has bytes (clause 6), which the analyzer does not see.
    value = value | (Int(bytes[i]) << (8 * i));  // NOLINT(clang-analyzer-core.NullDereference)
  }
  return value;
}

template <class Int, class Byte>
void write_little_endian(const Int& value, Byte* bytes, unsigned n) {
  for (unsigned i = 0; i < n; ++i) bytes[i] = static_cast<Byte>((value >> (8 * i)) & Int(0xFFu));
}

// 2: the fields of a block of 98 bytes.
template <class Layout, class Int, class Byte>
Iq3Fields<Int> unpack(const Byte* block) {
  Iq3Fields<Int> fields;
  fields.scale = read_little_endian<Int>(block + Layout::kScaleOffset, 2);
  for (std::size_t k = 0; k < kIndices; ++k) {
    fields.index[k] = Int(block[Layout::kIndexOffset + k]);
  }
  for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
    const Int word = read_little_endian<Int>(block + Layout::kSignScaleOffset + 4 * ib, 4);
    for (unsigned l = 0; l < kGroupsPerSubblock; ++l) {
      fields.sign_field[ib][l] = (word >> (7 * l)) & Int(0x7Fu);
    }
    fields.scale_code[ib] = word >> 28;
  }
  return fields;
}

// 2: the block of these fields. Each field must be within its width.
template <class Layout, class Int, class Byte>
void pack(const Iq3Fields<Int>& fields, Byte* block) {
  write_little_endian(fields.scale, block + Layout::kScaleOffset, 2);
  for (std::size_t k = 0; k < kIndices; ++k) {
    write_little_endian(fields.index[k], block + Layout::kIndexOffset + k, 1);
  }
  for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
    Int word = fields.scale_code[ib] << 28;
    for (unsigned l = 0; l < kGroupsPerSubblock; ++l) {
      word = word | (fields.sign_field[ib][l] << (7 * l));
    }
    write_little_endian(word, block + Layout::kSignScaleOffset + 4 * ib, 4);
  }
}

// 4.2: which of a group's eight weights are negative (1) for a 7-bit sign field.
template <class Int>
std::array<Int, kGroupWeights> group_signs(const Int& field) {
  std::array<Int, kGroupWeights> negative;
  Int odd = Int(0u);
  for (unsigned j = 0; j < kSignFieldBits; ++j) {
    negative[j] = (field >> j) & Int(1u);
    odd = odd ^ negative[j];
  }
  negative[kSignFieldBits] = odd;
  return negative;
}

// 4.3
template <class Int>
Int scale_multiplier(const Int& scale_code) {
  return (scale_code << 1) + Int(1u);
}

// 4.4 and 4.5: one weight as binary32 bits. `multiplier` is 2s + 1, `magnitude` the codebook's
// G, `value_shift` the format's power of two. Exact, so no rounding mode enters.
std::uint32_t weight(const Scale& scale, std::uint32_t multiplier, std::uint32_t magnitude,
                     bool negative, int value_shift);

// 4: all 256 weights of a block as binary32 bits.
std::array<std::uint32_t, kBlockWeights> decode_block(const Iq3Fields<std::uint32_t>& fields,
                                                      const Scale& scale, int value_shift);

}  // namespace quantproof::ref

#endif
