// SPDX-License-Identifier: Apache-2.0
#include "quantproof/ref/kaiju1.h"

#include <bit>
#include <cmath>

#include "quantproof/golay.h"
#include "quantproof/ref/iq3_block.h"
#include "quantproof/ref/leech.h"

namespace quantproof::ref {

namespace {

// 4.2 and 4.3: significand * 2^exponent, rounded to 24 significant bits, ties to even. The result
// is zero or a normal binary32 number for all uses of this file (claim KAIJU1-VALUE-1).
float nearest_binary32(std::uint64_t significand, int exponent) {
  const int width = static_cast<int>(std::bit_width(significand));
  if (width > 24) {
    const int shift = width - 24;
    const std::uint64_t floor = significand >> shift;
    const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    const bool up = rest > half || (rest == half && floor % 2 != 0);
    significand = floor + (up ? 1 : 0);
    exponent += shift;
  }
  return std::ldexp(static_cast<float>(significand), exponent);
}

std::uint32_t with_sign(bool negative, float magnitude) {
  return (negative ? 0x80000000u : 0u) | std::bit_cast<std::uint32_t>(magnitude);
}

}  // namespace

qp_status check_leech_code(const LeechCode<std::uint32_t>& code, std::size_t* offset) {
  const auto refuse = [offset](qp_status status, std::size_t at) {
    if (offset != nullptr) *offset = at;
    return status;
  };
  for (std::size_t g = 0; g + 1 < kTritGroups; ++g) {
    if (code.trit_group[g] > kTritGroupLimit) return refuse(QP_TRITS_OUT_OF_RANGE, g);
  }
  if (code.trit_group[4] > kLastTritGroupLimit) return refuse(QP_TRITS_OUT_OF_RANGE, 5);
  if (code.fix == kNoFix) return QP_OK;
  if (code.fix >= kLeechDimension) return refuse(QP_FIX_OUT_OF_RANGE, 6);
  const std::uint32_t group = code.trit_group[trit_group_of(code.fix)];
  if (trit_of(group, trit_place_of(code.fix)) == 0) return refuse(QP_FIX_ON_ZERO, 6);
  return QP_OK;
}

std::array<int, kLeechDimension> leech_code_residuals(const LeechCode<std::uint32_t>& code) {
  std::array<int, kLeechDimension> z{};
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    z[i] = trit_of(code.trit_group[trit_group_of(i)], trit_place_of(i));
  }
  if (code.fix != kNoFix) z[code.fix] *= 2;
  return z;
}

std::array<std::int32_t, kLeechDimension> leech_code_point(const LeechCode<std::uint32_t>& code) {
  const std::array<int, kLeechDimension> z = leech_code_residuals(code);
  int sum_z = 0;
  for (const int value : z) sum_z += value;
  const int m = sum_z & 1;
  const std::uint32_t word = golay_word(code.golay_index);
  std::array<std::int32_t, kLeechDimension> x{};
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    x[i] = leech_offset(m, static_cast<int>(word >> i & 1u)) + 4 * z[i];
  }
  return x;
}

qp_status leech_code_of_point(const std::int32_t* x, LeechCode<std::uint32_t>* code) {
  if (!is_leech_point(x)) return QP_POINT_NOT_REPRESENTABLE;
  const int m = x[0] & 1;
  LeechCode<std::uint32_t> result;
  result.fix = kNoFix;
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < kLeechDimension; ++i) {
    const std::uint32_t bit = static_cast<std::uint32_t>(x[i] >> 1) & 1u;  // leech.md 2.1 (b)
    word |= bit << i;
    const std::int64_t z =
        (std::int64_t{x[i]} - leech_offset(m, static_cast<int>(bit))) / 4;  // no remainder
    if (z < -2 || z > 2) return QP_POINT_NOT_REPRESENTABLE;
    int trit = static_cast<int>(z);
    if (trit == 2 || trit == -2) {
      if (result.fix != kNoFix) return QP_POINT_NOT_REPRESENTABLE;
      result.fix = static_cast<std::uint32_t>(i);
      trit /= 2;
    }
    result.trit_group[trit_group_of(i)] +=
        static_cast<std::uint32_t>(trit + 1) * kPowersOfThree[trit_place_of(i)];
  }
  result.golay_index = golay_index(word);
  *code = result;
  return QP_OK;
}

float kaiju1_step(std::uint32_t step_num, std::uint32_t step_den) {
  // At least 32 bits of the quotient; the lowest one also stands for the remainder.
  const int shift = std::countl_zero(std::uint64_t{step_num});
  const std::uint64_t shifted = std::uint64_t{step_num} << shift;
  const std::uint64_t quotient = shifted / step_den;
  const std::uint64_t rest = shifted % step_den != 0 ? 1 : 0;
  return nearest_binary32(quotient | rest, -shift);
}

std::uint32_t kaiju1_hi_weight(const Scale& scale, int q) {
  const auto magnitude = static_cast<std::uint64_t>(scale.significand * std::abs(q));
  return with_sign(scale.negative != (q < 0), nearest_binary32(magnitude, scale.exponent));
}

std::uint32_t kaiju1_bulk_weight(const Scale& scale, std::uint32_t multiplier, std::int32_t x,
                                 float step) {
  int step_exponent = 0;
  const float fraction = std::frexp(step, &step_exponent);  // step = fraction * 2^step_exponent
  const auto step_significand = static_cast<std::uint64_t>(std::ldexp(fraction, 24));
  const auto product = static_cast<std::uint64_t>(scale.significand) * multiplier *
                       static_cast<std::uint64_t>(std::abs(x));  // below 2^19
  const float magnitude =
      nearest_binary32(product * step_significand, scale.exponent + step_exponent - 24);
  return with_sign(scale.negative != (x < 0), magnitude);
}

// ---- Tensor -----------------------------------------------------------------------------------

namespace {

// The lines of the table of 6.1 in their order. Each function returns QP_OK, or an error with its
// place in *place.
struct Tensor {
  const std::uint8_t* bytes;
  std::size_t n_bytes;
  Kaiju1Header header;
  Kaiju1Layout layout;
  float step;
};

qp_status refuse(qp_location* place, qp_status status, std::uint64_t block, std::uint64_t offset,
                 const char* field) {
  *place = {block, offset, field};
  return status;
}

qp_status read_header(Tensor* tensor, qp_location* place) {
  if (tensor->n_bytes < kKaiju1HeaderBytes) return refuse(place, QP_BAD_SIZE, 0, 0, "n_bytes");
  if (read_kaiju1_u32(tensor->bytes) != kKaiju1Magic) {
    return refuse(place, QP_BAD_MAGIC, 0, 0, "magic");
  }
  const Kaiju1Header header = read_kaiju1_header(tensor->bytes);
  if (header.hi_count > header.cols) {
    return refuse(place, QP_BAD_HEADER, 0, kKaiju1HiCountOffset, "hi_count");
  }
  if (header.bulk_cols != header.cols - header.hi_count ||
      header.bulk_cols % kKaiju1BlockCols != 0) {
    return refuse(place, QP_BAD_HEADER, 0, kKaiju1BulkColsOffset, "bulk_cols");
  }
  if (header.step_num == 0) {
    return refuse(place, QP_BAD_HEADER, 0, kKaiju1StepNumOffset, "step_num");
  }
  if (header.step_den == 0) {
    return refuse(place, QP_BAD_HEADER, 0, kKaiju1StepDenOffset, "step_den");
  }
  const auto layout = kaiju1_layout(header);
  if (!layout || layout->size != tensor->n_bytes) {
    return refuse(place, QP_BAD_SIZE, 0, 0, "n_bytes");
  }
  tensor->header = header;
  tensor->layout = *layout;
  tensor->step = kaiju1_step(header.step_num, header.step_den);
  return QP_OK;
}

std::uint64_t index_offset(const Tensor& tensor, std::uint64_t entry) {
  return tensor.layout.hi_index_offset + kKaiju1IndexBytes * entry;
}

std::uint64_t channel_offset(const Tensor& tensor, std::uint64_t channel) {
  return tensor.layout.hi_band_offset + tensor.layout.channel_bytes * channel;
}

std::uint32_t column_of_entry(const Tensor& tensor, std::uint64_t entry) {
  return read_kaiju1_u32(tensor.bytes + index_offset(tensor, entry));
}

qp_status read_scale_at(const Tensor& tensor, std::uint64_t offset, Scale* scale) {
  const auto half = static_cast<std::uint16_t>(
      read_little_endian<std::uint32_t>(tensor.bytes + offset, kKaiju1ScaleBytes));
  return read_scale(QP_PROFILE_STRICT, half, scale);
}

qp_status check_side_band(const Tensor& tensor, qp_location* place) {
  for (std::uint64_t j = 0; j < tensor.header.hi_count; ++j) {
    const std::uint32_t column = column_of_entry(tensor, j);
    if (column >= tensor.header.cols) {
      return refuse(place, QP_INDEX_OUT_OF_RANGE, j, index_offset(tensor, j), "index");
    }
    if (j > 0 && column <= column_of_entry(tensor, j - 1)) {
      return refuse(place, QP_INDEX_NOT_ASCENDING, j, index_offset(tensor, j), "index");
    }
  }
  for (std::uint64_t j = 0; j < tensor.header.hi_count; ++j) {
    Scale scale;
    if (read_scale_at(tensor, channel_offset(tensor, j), &scale) != QP_OK) {
      return refuse(place, QP_SCALE_NOT_FINITE, j, channel_offset(tensor, j), "hi_scale");
    }
  }
  return QP_OK;
}

// The bytes of one row of BulkRows.
struct BulkRow {
  std::uint64_t scale_offset;
  std::uint64_t multipliers_offset;
  std::uint64_t codes_offset;
  Scale scale;
};

LeechCode<std::uint32_t> code_of_block(const Tensor& tensor, const BulkRow& bulk,
                                       std::uint64_t block) {
  return unpack_leech_code<std::uint32_t>(tensor.bytes + bulk.codes_offset +
                                          kLeechCodeBytes * block);
}

qp_status read_row(const Tensor& tensor, std::uint64_t row, BulkRow* bulk, qp_location* place) {
  const Kaiju1Layout& layout = tensor.layout;
  bulk->scale_offset = layout.bulk_rows_offset + layout.row_bytes * row;
  bulk->multipliers_offset = bulk->scale_offset + kKaiju1ScaleBytes;
  bulk->codes_offset = bulk->multipliers_offset + layout.multiplier_bytes;
  if (read_scale_at(tensor, bulk->scale_offset, &bulk->scale) != QP_OK) {
    return refuse(place, QP_SCALE_NOT_FINITE, row, bulk->scale_offset, "row_scale");
  }
  if (layout.blocks % 2 != 0 && tensor.bytes[bulk->codes_offset - 1] >> 4 != 0) {
    return refuse(place, QP_PADDING_NOT_ZERO, row, bulk->codes_offset - 1, "multipliers");
  }
  for (std::uint64_t b = 0; b < layout.blocks; ++b) {
    std::size_t at = 0;
    const qp_status status = check_leech_code(code_of_block(tensor, *bulk, b), &at);
    if (status != QP_OK) {
      const char* const field = status == QP_TRITS_OUT_OF_RANGE ? "trits" : "fix";
      return refuse(place, status, row, bulk->codes_offset + kLeechCodeBytes * b + at, field);
    }
  }
  return QP_OK;
}

// 4: all columns of one row, side-band and bulk as the index merges them.
void write_row(const Tensor& tensor, std::uint64_t row, const BulkRow& bulk, float* out) {
  std::uint64_t entry = 0;        // the next of HiIndex
  std::uint64_t bulk_column = 0;  // the next of the bulk
  std::array<std::int32_t, kLeechDimension> x{};
  std::uint32_t multiplier = 0;
  for (std::uint64_t column = 0; column < tensor.header.cols; ++column) {
    std::uint32_t bits = 0;
    if (entry < tensor.header.hi_count && column == column_of_entry(tensor, entry)) {
      const std::uint64_t channel = channel_offset(tensor, entry);
      Scale scale;
      read_scale_at(tensor, channel, &scale);  // was checked
      const std::uint8_t q = tensor.bytes[channel + kKaiju1ScaleBytes + row];
      bits = kaiju1_hi_weight(scale, static_cast<std::int8_t>(q));
      ++entry;
    } else {
      const std::uint64_t block = bulk_column / kKaiju1BlockCols;
      const std::uint64_t i = bulk_column % kKaiju1BlockCols;
      if (i == 0) {
        x = leech_code_point(code_of_block(tensor, bulk, block));
        const std::uint8_t pair = tensor.bytes[bulk.multipliers_offset + block / 2];
        multiplier = pair >> 4 * (block % 2) & 15u;
      }
      bits = kaiju1_bulk_weight(bulk.scale, multiplier, x[i], tensor.step);
      ++bulk_column;
    }
    out[column] = std::bit_cast<float>(bits);
  }
}

}  // namespace

qp_status decode_kaiju1_rows(const std::uint8_t* tensor, std::size_t n_bytes, std::size_t first_row,
                             std::size_t rows, float* out, qp_location* where) {
  qp_location ignored{};
  qp_location* const place = where != nullptr ? where : &ignored;
  if (tensor == nullptr && n_bytes > 0) return refuse(place, QP_BAD_ARGUMENT, 0, 0, "tensor");
  if (out == nullptr && rows > 0) return refuse(place, QP_BAD_ARGUMENT, 0, 0, "out");
  Tensor input{tensor, n_bytes, {}, {}, 0};
  qp_status status = read_header(&input, place);
  if (status != QP_OK) return status;
  if (first_row > input.header.rows) {
    return refuse(place, QP_ROW_OUT_OF_RANGE, 0, 0, "first_row");
  }
  if (rows > input.header.rows - first_row) {
    return refuse(place, QP_ROW_OUT_OF_RANGE, 0, 0, "rows");
  }
  status = check_side_band(input, place);
  if (status != QP_OK) return status;
  for (std::size_t r = 0; r < rows; ++r) {
    BulkRow bulk{};
    status = read_row(input, first_row + r, &bulk, place);
    if (status != QP_OK) return status;
    write_row(input, first_row + r, bulk, out + r * input.header.cols);
  }
  return QP_OK;
}

}  // namespace quantproof::ref
