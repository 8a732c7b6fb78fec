// SPDX-License-Identifier: Apache-2.0
//
// Reference decoder of KAIJU1 tensors, spec/formats/kaiju1.md clauses 2 to 6.
#ifndef QUANTPROOF_REF_KAIJU1_H_
#define QUANTPROOF_REF_KAIJU1_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "quantproof/kaiju1.h"
#include "quantproof/ref/half.h"
#include "quantproof/status.h"

namespace quantproof::ref {

// ---- LeechCode (3) ----------------------------------------------------------------------------

// 3.3: QP_OK, QP_TRITS_OUT_OF_RANGE, QP_FIX_OUT_OF_RANGE or QP_FIX_ON_ZERO. On an error *offset
// (may be null) is the byte of the code, 0 to 6, that the text names.
qp_status check_leech_code(const LeechCode<std::uint32_t>& code, std::size_t* offset);

// 3.2 and 3.4: the residuals z_i of a valid code, -2 to 2.
std::array<int, kLeechDimension> leech_code_residuals(const LeechCode<std::uint32_t>& code);

// 3.5: the lattice point of a valid code, each coordinate of magnitude at most 10.
std::array<std::int32_t, kLeechDimension> leech_code_point(const LeechCode<std::uint32_t>& code);

// 3.7: the code of a representable point. `x`: 24 integers, any values. Returns QP_OK or
// QP_POINT_NOT_REPRESENTABLE; *code only on QP_OK.
qp_status leech_code_of_point(const std::int32_t* x, LeechCode<std::uint32_t>* code);

// ---- Weight (4) -------------------------------------------------------------------------------

// 4.2: the binary32 number nearest to step_num / step_den, ties to even. Both at least 1.
float kaiju1_step(std::uint32_t step_num, std::uint32_t step_den);

// 4.1: a weight of the side-band as binary32 bits. `scale` is finite, -128 <= q <= 127. Exact.
std::uint32_t kaiju1_hi_weight(const Scale& scale, int q);

// 4.3: a weight of the bulk as binary32 bits. `scale` is finite, 0 <= multiplier <= 15,
// |x| <= 10, `step` is a value of kaiju1_step. Rounded once, to nearest even, whatever the
// rounding mode of the processor.
std::uint32_t kaiju1_bulk_weight(const Scale& scale, std::uint32_t multiplier, std::int32_t x,
                                 float step);

// ---- Tensor (6) -------------------------------------------------------------------------------

// 6: decodes rows [first_row, first_row + rows) of the tensor at `tensor`, `n_bytes` long, to
// rows x cols binary32 numbers at `out`, row by row. On an error *where (may be null) says where:
// `block` is the row, the entry of HiIndex or the channel of HiBand. The rows before the failing
// one have been written and nothing else. Needs no memory beyond a few words for any input.
qp_status decode_kaiju1_rows(const std::uint8_t* tensor, std::size_t n_bytes, std::size_t first_row,
                             std::size_t rows, float* out, qp_location* where);

}  // namespace quantproof::ref

#endif
