// SPDX-License-Identifier: Apache-2.0
//
// Rows of IQ3_XXS and E8/IQ3 blocks: clauses 5 and 6 around the kernel of iq3_block-inl.h.

#if defined(QUANTPROOF_FAST_IQ3_ROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTPROOF_FAST_IQ3_ROW_INL_H_
#undef QUANTPROOF_FAST_IQ3_ROW_INL_H_
#else
#define QUANTPROOF_FAST_IQ3_ROW_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cstring>

#include "fast/codebook.h"
#include "fast/half.h"
#include "fast/iq3_block-inl.h"
#include "quantproof/status.h"

HWY_BEFORE_NAMESPACE();
namespace quantproof {
namespace fast {
namespace HWY_NAMESPACE {

// Decodes `n_values` weights; the caller has checked arguments, width and size.
template <class Layout>
qp_status DecodeRow(qp_profile profile, const std::uint8_t* bytes, float* out, std::size_t n_values,
                    qp_location* where) {
  constexpr float kFactor = 1.0f / static_cast<float>(1 << Layout::kValueShift);
  const float* const codebook = &kCodebookRowsFloat[0][0];
  for (std::size_t b = 0; kBlockWeights * b < n_values; ++b) {
    const std::uint8_t* const block = bytes + Layout::kBlockBytes * b;
    const std::uint32_t half =
        block[Layout::kScaleOffset] | (std::uint32_t{block[Layout::kScaleOffset + 1]} << 8);
    const bool finite = (half & 0x7C00u) != 0x7C00u;
    if (!finite && profile == QP_PROFILE_STRICT) {
      if (where != nullptr) {
        *where = {b, Layout::kBlockBytes * b + Layout::kScaleOffset, "scale"};
      }
      return QP_SCALE_NOT_FINITE;
    }
    const std::size_t count = std::min(kBlockWeights, n_values - kBlockWeights * b);
    float partial[kBlockWeights];  // the last block of a row may be wider than the row
    float* const target = count == kBlockWeights ? out + kBlockWeights * b : partial;
    const std::uint32_t bits = WidenScale(profile, half);
    if (finite) {
      DecodeBlock<Layout, NativeTags>(block, codebook, std::bit_cast<float>(bits) * kFactor,
                                      target);
    } else {
      FillNonFinite<Layout, NativeTags>(block, bits, target);
    }
    if (count != kBlockWeights) {
      std::memcpy(out + kBlockWeights * b, partial, count * sizeof(float));
    }
  }
  return QP_OK;
}

}  // namespace HWY_NAMESPACE
}  // namespace fast
}  // namespace quantproof
HWY_AFTER_NAMESPACE();

#endif
