// SPDX-License-Identifier: Apache-2.0
#include "fast/transcode.h"

#include <cstring>

#include "fast/half.h"
#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_xxs.h"

namespace quantproof::fast {

namespace {

// Indices and words stand side by side, in the same order, in both layouts.
constexpr std::size_t kContentBytes = 96;
static_assert(Iq3Xxs::kSignScaleOffset - Iq3Xxs::kIndexOffset ==
              E8Iq3::kSignScaleOffset - E8Iq3::kIndexOffset);
static_assert(Iq3Xxs::kScaleOffset + 2 == Iq3Xxs::kIndexOffset);
static_assert(E8Iq3::kIndexOffset + kContentBytes == E8Iq3::kScaleOffset);

template <class From, class To, class Convert>
qp_status transcode_blocks(const std::uint8_t* in, std::uint8_t* out, std::size_t n_blocks,
                           qp_location* where, Convert convert) {
  for (std::size_t b = 0; b < n_blocks; ++b) {
    const std::uint8_t* const source = in + From::kBlockBytes * b;
    std::uint8_t* const target = out + To::kBlockBytes * b;
    const std::uint32_t half =
        source[From::kScaleOffset] | (std::uint32_t{source[From::kScaleOffset + 1]} << 8);
    std::uint32_t scale = 0;
    const qp_status status = convert(half, &scale);
    if (status != QP_OK) {
      if (where != nullptr) {
        *where = {b, From::kBlockBytes * b + From::kScaleOffset, "scale"};
      }
      return status;
    }
    std::memmove(target + To::kIndexOffset, source + From::kIndexOffset, kContentBytes);
    target[To::kScaleOffset] = static_cast<std::uint8_t>(scale);
    target[To::kScaleOffset + 1] = static_cast<std::uint8_t>(scale >> 8);
  }
  return QP_OK;
}

}  // namespace

qp_status transcode_to_e8_iq3(const std::uint8_t* in, std::uint8_t* out, std::size_t n_blocks,
                              qp_location* where) {
  return transcode_blocks<Iq3Xxs, E8Iq3>(in, out, n_blocks, where,
                                         [](std::uint32_t half, std::uint32_t* scale) {
                                           const std::uint32_t exponent = (half >> 10) & 31;
                                           if (exponent == 31) return QP_SCALE_NOT_FINITE;
                                           if (exponent == 30) return QP_TRANSCODE_OVERFLOW;
                                           *scale = DoubleHalf(half);
                                           return QP_OK;
                                         });
}

qp_status transcode_to_iq3_xxs(const std::uint8_t* in, std::uint8_t* out, std::size_t n_blocks,
                               qp_location* where) {
  return transcode_blocks<E8Iq3, Iq3Xxs>(in, out, n_blocks, where,
                                         [](std::uint32_t half, std::uint32_t* scale) {
                                           const std::uint32_t exponent = (half >> 10) & 31;
                                           if (exponent == 31) return QP_SCALE_NOT_FINITE;
                                           if (exponent < 2 && half % 2 != 0)
                                             return QP_TRANSCODE_INEXACT;
                                           *scale = HalveHalf(half);
                                           return QP_OK;
                                         });
}

}  // namespace quantproof::fast
