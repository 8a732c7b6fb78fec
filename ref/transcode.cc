// SPDX-License-Identifier: Apache-2.0
#include "quantproof/ref/transcode.h"

#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_xxs.h"
#include "quantproof/ref/half.h"
#include "ref/iq3_row.h"

namespace quantproof::ref {

namespace {

// 7: every field moves unchanged, but for the scale.
template <class From, class To>
qp_status transcode_blocks(qp_status (*convert_scale)(std::uint16_t, std::uint16_t*),
                           const std::uint8_t* in, std::uint8_t* out, std::size_t n_blocks,
                           qp_location* where) {
  for (std::size_t b = 0; b < n_blocks; ++b) {
    auto fields = unpack<From, std::uint32_t>(in + From::kBlockBytes * b);
    std::uint16_t scale = 0;
    const qp_status status = convert_scale(static_cast<std::uint16_t>(fields.scale), &scale);
    if (status != QP_OK) {
      return refuse(where, status, b, From::kBlockBytes * b + From::kScaleOffset, "scale");
    }
    fields.scale = scale;
    pack<To>(fields, out + To::kBlockBytes * b);
  }
  return QP_OK;
}

}  // namespace

qp_status transcode(qp_format from, const std::uint8_t* in, qp_format to, std::uint8_t* out,
                    std::size_t n_blocks, qp_location* where) {
  if (from != QP_IQ3_XXS && from != QP_E8_IQ3) return refuse(where, QP_BAD_ARGUMENT, 0, 0, "from");
  if ((to != QP_IQ3_XXS && to != QP_E8_IQ3) || to == from) {
    return refuse(where, QP_BAD_ARGUMENT, 0, 0, "to");
  }
  if (in == nullptr && n_blocks > 0) return refuse(where, QP_BAD_ARGUMENT, 0, 0, "in");
  if (out == nullptr && n_blocks > 0) return refuse(where, QP_BAD_ARGUMENT, 0, 0, "out");
  return from == QP_IQ3_XXS
             ? transcode_blocks<Iq3Xxs, E8Iq3>(double_scale, in, out, n_blocks, where)
             : transcode_blocks<E8Iq3, Iq3Xxs>(halve_scale, in, out, n_blocks, where);
}

}  // namespace quantproof::ref
