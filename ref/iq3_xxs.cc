// SPDX-License-Identifier: Apache-2.0
#include "quantproof/ref/iq3_xxs.h"

#include "ref/iq3_row.h"

namespace quantproof::ref {

qp_status decode_iq3_xxs(qp_profile profile, const std::uint8_t* bytes, std::size_t n_bytes,
                         float* out, std::size_t n_values, qp_location* where) {
  return decode_row<Iq3Xxs>(profile, bytes, n_bytes, out, n_values, where);
}

}  // namespace quantproof::ref
