// SPDX-License-Identifier: Apache-2.0
//
// The codebook as the kernels read it: 256 rows of four binary32 magnitudes, 4 KiB.
#ifndef QUANTPROOF_FAST_CODEBOOK_H_
#define QUANTPROOF_FAST_CODEBOOK_H_

#include <array>
#include <cstddef>

#include "quantproof/iq3_codebook.h"

namespace quantproof::fast {

using FloatCodebook = std::array<std::array<float, kRowWeights>, kCodebookRows>;

constexpr FloatCodebook make_float_codebook(const Iq3Codebook& rows) {
  FloatCodebook floats{};
  for (std::size_t r = 0; r < kCodebookRows; ++r) {
    for (std::size_t j = 0; j < kRowWeights; ++j) floats[r][j] = static_cast<float>(rows[r][j]);
  }
  return floats;
}

alignas(64) inline constexpr FloatCodebook kCodebookRowsFloat = make_float_codebook(kIq3Codebook);

}  // namespace quantproof::fast

#endif
