// SPDX-License-Identifier: Apache-2.0
//
// Reference decoder of E8/IQ3 rows, spec/formats/e8_iq3.md.
#ifndef QUANTPROOF_REF_E8_IQ3_H_
#define QUANTPROOF_REF_E8_IQ3_H_

#include <cstddef>
#include <cstdint>

#include "quantproof/e8_iq3.h"
#include "quantproof/ref/iq3_block.h"
#include "quantproof/status.h"

namespace quantproof::ref {

// Decodes one row of `n_values` weights from `n_bytes` bytes, clauses 5 and 6. Returns any
// status but the transcoding and level ones. On an error *where (may be null) says where; the
// values of the blocks before the failing one have been written and nothing else.
qp_status decode_e8_iq3(qp_profile profile, const std::uint8_t* bytes, std::size_t n_bytes,
                        float* out, std::size_t n_values, qp_location* where);

}  // namespace quantproof::ref

#endif
