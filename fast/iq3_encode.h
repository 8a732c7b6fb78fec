// SPDX-License-Identifier: Apache-2.0
//
// Encoding of IQ3_XXS and E8/IQ3 rows, spec/formats/encoding.md: the kernels of every CPU level.
#ifndef QUANTPROOF_FAST_IQ3_ENCODE_H_
#define QUANTPROOF_FAST_IQ3_ENCODE_H_

#include <cstddef>
#include <cstdint>

#include "quantproof/iq3_encoding.h"
#include "quantproof/status.h"

namespace quantproof::fast {

struct Iq3EncodeOptions {
  Iq3Effort effort = Iq3Effort::kDefault;
  Iq3Weighting weighting = Iq3Weighting::kImportance;
};

// Encodes one row of `cols` weights, all within iq3_weight_limit(), with `importance` as cols
// finite numbers of at least 0 or null, to the bytes of a row. Needs about 80 KiB of stack.
using EncodeIq3RowFunction = void (*)(const float* x, const float* importance, std::size_t cols,
                                      Iq3EncodeOptions options, std::uint8_t* bytes);

// The kernels of a level. `target` must be a compiled target.
EncodeIq3RowFunction encode_iq3_xxs_row(std::int64_t target);
EncodeIq3RowFunction encode_e8_iq3_row(std::int64_t target);

// encoding.md 2.3: the first value, importances before weights, that an encoder refuses. `rows`
// and `cols` fit the format. QP_OK, QP_IMPORTANCE_NOT_FINITE, QP_IMPORTANCE_NEGATIVE,
// QP_WEIGHT_NOT_FINITE or QP_WEIGHT_OUT_OF_RANGE; *where (may be null) says where.
qp_status check_iq3_input(const float* x, std::size_t rows, std::size_t cols,
                          const float* importance, int value_shift, qp_location* where);

}  // namespace quantproof::fast

#endif
