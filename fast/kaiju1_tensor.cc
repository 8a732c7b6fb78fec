// SPDX-License-Identifier: Apache-2.0
#include "fast/kaiju1_tensor.h"

#include <bit>
#include <cmath>

namespace quantproof::fast {

namespace {

qp_status refuse(qp_location* where, qp_status status, std::uint64_t block, std::uint64_t offset,
                 const char* field) {
  if (where != nullptr) *where = {block, offset, field};
  return status;
}

// 6.1, the lines of one code: `offset` is that of the code in the tensor.
qp_status judge_code(const std::uint8_t* bytes, std::uint64_t r, std::uint64_t offset,
                     qp_location* where) {
  const auto code = unpack_leech_code<std::uint32_t>(bytes);
  for (std::size_t g = 0; g + 1 < kTritGroups; ++g) {
    if (code.trit_group[g] > kTritGroupLimit) {
      return refuse(where, QP_TRITS_OUT_OF_RANGE, r, offset + g, "trits");
    }
  }
  if (code.trit_group[kTritGroups - 1] > kLastTritGroupLimit) {
    return refuse(where, QP_TRITS_OUT_OF_RANGE, r, offset + 5, "trits");
  }
  if (code.fix == kNoFix) return QP_OK;
  if (code.fix >= kLeechDimension) {
    return refuse(where, QP_FIX_OUT_OF_RANGE, r, offset + 6, "fix");
  }
  if (trit_of(code.trit_group[trit_group_of(code.fix)], trit_place_of(code.fix)) == 0) {
    return refuse(where, QP_FIX_ON_ZERO, r, offset + 6, "fix");
  }
  return QP_OK;
}

}  // namespace

float kaiju1_step(std::uint32_t step_num, std::uint32_t step_den) {
  // The quotient has at least 32 bits. A remainder sets the lowest one, which is far below the
  // place of rounding, so that no quotient looks like a tie that is none.
  const int shift = std::countl_zero(std::uint64_t{step_num});
  const std::uint64_t shifted = std::uint64_t{step_num} << shift;
  const std::uint64_t quotient = shifted / step_den | (shifted % step_den != 0 ? 1u : 0u);
  const int below = static_cast<int>(std::bit_width(quotient)) - 24;
  const std::uint64_t kept = quotient >> below;
  const std::uint64_t rest = quotient - (kept << below);
  const std::uint64_t half = std::uint64_t{1} << (below - 1);
  const bool up = rest > half || (rest == half && kept % 2 == 1);
  return std::ldexp(static_cast<float>(kept + (up ? 1u : 0u)), below - shift);
}

qp_status open_kaiju1(const std::uint8_t* bytes, std::size_t n_bytes, Kaiju1Tensor* tensor,
                      qp_location* where) {
  if (n_bytes < kKaiju1HeaderBytes) return refuse(where, QP_BAD_SIZE, 0, 0, "n_bytes");
  if (read_kaiju1_u32(bytes) != kKaiju1Magic) return refuse(where, QP_BAD_MAGIC, 0, 0, "magic");
  const Kaiju1Header header = read_kaiju1_header(bytes);
  if (header.hi_count > header.cols) {
    return refuse(where, QP_BAD_HEADER, 0, kKaiju1HiCountOffset, "hi_count");
  }
  if (header.bulk_cols != header.cols - header.hi_count ||
      header.bulk_cols % kKaiju1BlockCols != 0) {
    return refuse(where, QP_BAD_HEADER, 0, kKaiju1BulkColsOffset, "bulk_cols");
  }
  if (header.step_num == 0) {
    return refuse(where, QP_BAD_HEADER, 0, kKaiju1StepNumOffset, "step_num");
  }
  if (header.step_den == 0) {
    return refuse(where, QP_BAD_HEADER, 0, kKaiju1StepDenOffset, "step_den");
  }
  const auto layout = kaiju1_layout(header);
  if (!layout || layout->size != n_bytes) return refuse(where, QP_BAD_SIZE, 0, 0, "n_bytes");
  *tensor = {bytes, header, *layout, kaiju1_step(header.step_num, header.step_den)};
  return QP_OK;
}

qp_status check_kaiju1_range(const Kaiju1Tensor& tensor, std::uint64_t first_row,
                             std::uint64_t rows, qp_location* where) {
  if (first_row > tensor.header.rows) {
    return refuse(where, QP_ROW_OUT_OF_RANGE, 0, 0, "first_row");
  }
  if (rows > tensor.header.rows - first_row) {
    return refuse(where, QP_ROW_OUT_OF_RANGE, 0, 0, "rows");
  }
  const auto offset_of = [&](const std::uint8_t* place) {
    return static_cast<std::uint64_t>(place - tensor.bytes);
  };
  std::uint64_t least = 0;  // that the next column may be
  for (std::uint64_t j = 0; j < tensor.header.hi_count; ++j) {
    const std::uint64_t column = tensor.column_of(j);
    if (column >= tensor.header.cols) {
      return refuse(where, QP_INDEX_OUT_OF_RANGE, j, offset_of(tensor.index(j)), "index");
    }
    if (column < least) {
      return refuse(where, QP_INDEX_NOT_ASCENDING, j, offset_of(tensor.index(j)), "index");
    }
    least = column + 1;
  }
  for (std::uint64_t j = 0; j < tensor.header.hi_count; ++j) {
    if (!is_finite_half(read_half(tensor.channel(j)))) {
      return refuse(where, QP_SCALE_NOT_FINITE, j, offset_of(tensor.channel(j)), "hi_scale");
    }
  }
  return QP_OK;
}

qp_status judge_kaiju1_row(const Kaiju1Tensor& tensor, std::uint64_t r, qp_location* where) {
  const std::uint8_t* const row = tensor.row(r);
  const auto offset = static_cast<std::uint64_t>(row - tensor.bytes);
  if (!is_finite_half(read_half(row))) {
    return refuse(where, QP_SCALE_NOT_FINITE, r, offset, "row_scale");
  }
  const std::size_t codes = tensor.codes_in_row();
  if (tensor.layout.blocks % 2 != 0 && row[codes - 1] > kKaiju1MaxMultiplier) {
    return refuse(where, QP_PADDING_NOT_ZERO, r, offset + codes - 1, "multipliers");
  }
  for (std::uint64_t b = 0; b < tensor.layout.blocks; ++b) {
    const std::uint64_t at = codes + kLeechCodeBytes * b;
    const qp_status status = judge_code(row + at, r, offset + at, where);
    if (status != QP_OK) return status;
  }
  return QP_OK;
}

}  // namespace quantproof::fast
