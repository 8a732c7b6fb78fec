// SPDX-License-Identifier: Apache-2.0
#include "quantproof/ref/e8_iq3.h"

#include "ref/iq3_row.h"

namespace quantproof::ref {

qp_status decode_e8_iq3(qp_profile profile, const std::uint8_t* bytes, std::size_t n_bytes,
                        float* out, std::size_t n_values, qp_location* where) {
  return decode_row<E8Iq3>(profile, bytes, n_bytes, out, n_values, where);
}

}  // namespace quantproof::ref
