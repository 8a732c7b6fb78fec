// SPDX-License-Identifier: Apache-2.0
//
// What a KAIJU1 tensor says of itself, and the verdicts of spec/formats/kaiju1.md clause 6.
#ifndef QUANTPROOF_FAST_KAIJU1_TENSOR_H_
#define QUANTPROOF_FAST_KAIJU1_TENSOR_H_

#include <cstddef>
#include <cstdint>

#include "quantproof/kaiju1.h"
#include "quantproof/status.h"

namespace quantproof::fast {

// A tensor whose header and size are valid.
struct Kaiju1Tensor {
  const std::uint8_t* bytes = nullptr;
  Kaiju1Header header;
  Kaiju1Layout layout;
  float step = 0;

  [[nodiscard]] const std::uint8_t* index(std::uint64_t entry) const {
    return bytes + layout.hi_index_offset + kKaiju1IndexBytes * entry;
  }
  [[nodiscard]] std::uint32_t column_of(std::uint64_t entry) const {
    return read_kaiju1_u32(index(entry));
  }
  [[nodiscard]] const std::uint8_t* channel(std::uint64_t j) const {
    return bytes + layout.hi_band_offset + layout.channel_bytes * j;
  }
  [[nodiscard]] const std::uint8_t* row(std::uint64_t r) const {
    return bytes + layout.bulk_rows_offset + layout.row_bytes * r;
  }
  [[nodiscard]] std::size_t codes_in_row() const {  // where they begin
    return static_cast<std::size_t>(kKaiju1ScaleBytes + layout.multiplier_bytes);
  }
};

inline std::uint32_t read_half(const std::uint8_t* bytes) {
  return bytes[0] | std::uint32_t{bytes[1]} << 8;
}

// half.md 3: neither infinite nor NaN.
inline bool is_finite_half(std::uint32_t half) { return (half & 0x7C00u) != 0x7C00u; }

// 4.2: the binary32 number nearest to step_num / step_den, ties to even. Both at least 1.
float kaiju1_step(std::uint32_t step_num, std::uint32_t step_den);

// 6.1, the lines of the header and of the size. *tensor only on QP_OK.
qp_status open_kaiju1(const std::uint8_t* bytes, std::size_t n_bytes, Kaiju1Tensor* tensor,
                      qp_location* where);

// 6.1, the lines of first_row, of rows, of HiIndex and of HiBand.
qp_status check_kaiju1_range(const Kaiju1Tensor& tensor, std::uint64_t first_row,
                             std::uint64_t rows, qp_location* where);

// 6.1, the lines of row r: QP_OK iff all of it is valid.
qp_status judge_kaiju1_row(const Kaiju1Tensor& tensor, std::uint64_t r, qp_location* where);

}  // namespace quantproof::fast

#endif
