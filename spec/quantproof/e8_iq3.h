// SPDX-License-Identifier: Apache-2.0
//
// Layout of an E8/IQ3 block (colibri fmt=6), spec/formats/e8_iq3.md clause 2. All offsets are
// in bytes from the start of the block; multi-byte fields are little-endian, without alignment.
#ifndef QUANTPROOF_E8_IQ3_H_
#define QUANTPROOF_E8_IQ3_H_

#include "quantproof/iq3_block.h"
#include "quantproof/status.h"

namespace quantproof {

struct E8Iq3 {
  static constexpr qp_format kFormat = QP_E8_IQ3;
  static constexpr std::size_t kBlockBytes = 98;
  static constexpr std::size_t kIndexOffset = 0;       // 64 index bytes
  static constexpr std::size_t kSignScaleOffset = 64;  // 8 words of 4 bytes
  static constexpr std::size_t kScaleOffset = 96;      // binary16 d, 2 bytes
  static constexpr int kValueShift = 3;                // weight = d (2s + 1) G / 2^3, signed
  static constexpr bool kPartialBlock = true;          // the last block of a row may be partial
};

}  // namespace quantproof

#endif
