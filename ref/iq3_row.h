// SPDX-License-Identifier: Apache-2.0
//
// Clauses 5 and 6 of spec/formats/iq3_xxs.md and e8_iq3.md: rows, widths and verdicts.
#ifndef QUANTPROOF_REF_IQ3_ROW_H_
#define QUANTPROOF_REF_IQ3_ROW_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "quantproof/ref/iq3_block.h"

namespace quantproof::ref {

inline qp_status refuse(qp_location* where, qp_status status, std::size_t block, std::size_t offset,
                        const char* field) {
  if (where != nullptr) *where = {block, offset, field};
  return status;
}

template <class Layout>
qp_status decode_row(qp_profile profile, const std::uint8_t* bytes, std::size_t n_bytes, float* out,
                     std::size_t n_values, qp_location* where) {
  if (profile != QP_PROFILE_STRICT && profile != QP_PROFILE_GGML && profile != QP_PROFILE_COLIBRI) {
    return refuse(where, QP_BAD_ARGUMENT, 0, 0, "profile");
  }
  if (bytes == nullptr && n_bytes > 0) return refuse(where, QP_BAD_ARGUMENT, 0, 0, "bytes");
  if (out == nullptr && n_values > 0) return refuse(where, QP_BAD_ARGUMENT, 0, 0, "out");
  if (!Layout::kPartialBlock && n_values % kBlockWeights != 0) {
    return refuse(where, QP_BAD_WIDTH, 0, 0, "n_values");
  }
  const std::size_t blocks = n_values / kBlockWeights + (n_values % kBlockWeights != 0 ? 1 : 0);
  if (n_bytes != blocks * Layout::kBlockBytes) {
    return refuse(where, QP_BAD_SIZE, 0, 0, "n_bytes");
  }
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::uint8_t* block = bytes + Layout::kBlockBytes * b;
    const auto fields = unpack<Layout, std::uint32_t>(block);
    Scale scale;
    const qp_status status = read_scale(profile, static_cast<std::uint16_t>(fields.scale), &scale);
    if (status != QP_OK) {
      return refuse(where, status, b, Layout::kBlockBytes * b + Layout::kScaleOffset, "scale");
    }
    const auto weights = decode_block(fields, scale, Layout::kValueShift);
    const std::size_t first = kBlockWeights * b;
    const std::size_t count = std::min(kBlockWeights, n_values - first);
    std::memcpy(out + first, weights.data(), count * sizeof(float));
  }
  return QP_OK;
}

}  // namespace quantproof::ref

#endif
