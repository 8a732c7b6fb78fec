// SPDX-License-Identifier: Apache-2.0
//
// Layout of an IQ3_XXS block, spec/formats/iq3_xxs.md clause 2. All offsets are in bytes from
// the start of the block; multi-byte fields are little-endian and have no alignment.
#ifndef QUANTPROOF_IQ3_XXS_H_
#define QUANTPROOF_IQ3_XXS_H_

#include "quantproof/iq3_block.h"
#include "quantproof/status.h"

namespace quantproof {

struct Iq3Xxs {
  static constexpr qp_format kFormat = QP_IQ3_XXS;
  static constexpr std::size_t kBlockBytes = 98;
  static constexpr std::size_t kScaleOffset = 0;       // binary16 d, 2 bytes
  static constexpr std::size_t kIndexOffset = 2;       // 64 index bytes
  static constexpr std::size_t kSignScaleOffset = 66;  // 8 words of 4 bytes
  static constexpr int kValueShift = 2;                // weight = d (2s + 1) G / 2^2, signed
  static constexpr bool kPartialBlock = false;         // a row is a whole number of blocks
};

}  // namespace quantproof

#endif
