// SPDX-License-Identifier: Apache-2.0
//
// The content that an IQ3_XXS block and an E8/IQ3 block share (spec/formats/iq3_xxs.md,
// clause 2): 784 bits that describe 256 weights. The two formats differ in where the scale
// stands and in a factor of two; iq3_xxs.h and e8_iq3.h say which.
#ifndef QUANTPROOF_IQ3_BLOCK_H_
#define QUANTPROOF_IQ3_BLOCK_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace quantproof {

inline constexpr std::size_t kBlockWeights = 256;                            // one super-block
inline constexpr std::size_t kSubblockWeights = 32;                          // share a scale code
inline constexpr std::size_t kGroupWeights = 8;                              // share a sign field
inline constexpr std::size_t kRowWeights = 4;                                // one codebook row
inline constexpr std::size_t kSubblocks = kBlockWeights / kSubblockWeights;  // 8
inline constexpr std::size_t kGroupsPerSubblock = kSubblockWeights / kGroupWeights;  // 4
inline constexpr std::size_t kIndices = kBlockWeights / kRowWeights;                 // 64
inline constexpr std::size_t kSignFieldBits = kGroupWeights - 1;                     // 7

// The fields of one block. `Int` is uint32_t in programs and a symbolic integer in proofs.
template <class Int>
struct Iq3Fields {
  Int scale{};                                                               // 16 bits, binary16
  std::array<Int, kIndices> index{};                                         // 8 bits each
  std::array<std::array<Int, kGroupsPerSubblock>, kSubblocks> sign_field{};  // 7 bits each
  std::array<Int, kSubblocks> scale_code{};                                  // 4 bits each

  bool operator==(const Iq3Fields&) const = default;
};

}  // namespace quantproof

#endif
