// SPDX-License-Identifier: Apache-2.0
//
// The body of the decoder fuzz targets: arbitrary bytes, every level against the reference.
#ifndef QUANTPROOF_FUZZ_DECODE_FUZZ_H_
#define QUANTPROOF_FUZZ_DECODE_FUZZ_H_

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "quantproof/qp.h"

namespace quantproof::fuzz {

// The first byte chooses profile and how the width departs from whole blocks; the rest is the
// input. `reference` is the literal decoder of `format`. Aborts on any difference.
template <class Reference>
void fuzz_decode(qp_format format, Reference reference, const std::uint8_t* data,
                 std::size_t size) {
  if (size == 0) return;
  const auto profile = static_cast<qp_profile>(data[0] % 3);
  const std::size_t missing = data[0] / 3;  // 0 to 85
  const std::uint8_t* const bytes = data + 1;
  const std::size_t n_bytes = size - 1;
  const std::size_t whole = 256 * ((n_bytes + 97) / 98);
  const std::size_t n_values = whole - (whole == 0 ? 0 : missing);
  std::vector<float> want(n_values, 0.25f);
  qp_location want_where{};
  const qp_status status = reference(profile, bytes, n_bytes, want.data(), n_values, &want_where);
  for (std::size_t i = 0; i < qp_level_count(); ++i) {
    if (qp_force_level(qp_level_name(i)) != QP_OK) continue;
    std::vector<float> got(n_values, 0.25f);
    qp_location where{};
    const bool same =
        qp_decode_at(profile, format, bytes, n_bytes, got.data(), n_values, &where) == status &&
        where.block == want_where.block && where.offset == want_where.offset &&
        (n_values == 0 || std::memcmp(got.data(), want.data(), n_values * sizeof(float)) == 0);
    if (!same) std::abort();
  }
}

}  // namespace quantproof::fuzz

#endif
