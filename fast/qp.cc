// SPDX-License-Identifier: Apache-2.0
//
// The C ABI: checks arguments, widths and sizes (clause 6), then calls the level in use.
#include "quantproof/qp.h"

#include "fast/iq3_encode.h"
#include "fast/iq3_rotation.h"
#include "fast/kaiju1.h"
#include "fast/kaiju1_encode.h"
#include "fast/kaiju1_nearest.h"
#include "fast/leech.h"
#include "fast/level.h"
#include "fast/transcode.h"
#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_xxs.h"

namespace {

using quantproof::E8Iq3;
using quantproof::Iq3Xxs;
using quantproof::kBlockWeights;

qp_status refuse(qp_location* where, qp_status status, const char* field) {
  if (where != nullptr) *where = {0, 0, field};
  return status;
}

bool is_format(qp_format format) { return format == QP_IQ3_XXS || format == QP_E8_IQ3; }

bool is_profile(qp_profile profile) {
  return profile == QP_PROFILE_STRICT || profile == QP_PROFILE_GGML ||
         profile == QP_PROFILE_COLIBRI;
}

bool fits(qp_format format, std::size_t n_values) {
  return format == QP_E8_IQ3 || n_values % kBlockWeights == 0;
}

}  // namespace

size_t qp_row_size(qp_format format, size_t n_values) {
  if (!is_format(format) || !fits(format, n_values)) return 0;
  static_assert(Iq3Xxs::kBlockBytes == E8Iq3::kBlockBytes);
  // No overflow: 98 bytes stand for 256 values.
  return (n_values / kBlockWeights + (n_values % kBlockWeights != 0 ? 1 : 0)) * Iq3Xxs::kBlockBytes;
}

qp_status qp_decode_at(qp_profile profile, qp_format format, const void* bytes, size_t n_bytes,
                       float* out, size_t n_values, qp_location* where) {
  if (!is_profile(profile)) return refuse(where, QP_BAD_ARGUMENT, "profile");
  if (!is_format(format)) return refuse(where, QP_BAD_ARGUMENT, "format");
  if (bytes == nullptr && n_bytes > 0) return refuse(where, QP_BAD_ARGUMENT, "bytes");
  if (out == nullptr && n_values > 0) return refuse(where, QP_BAD_ARGUMENT, "out");
  if (!fits(format, n_values)) return refuse(where, QP_BAD_WIDTH, "n_values");
  if (n_bytes != qp_row_size(format, n_values)) return refuse(where, QP_BAD_SIZE, "n_bytes");
  const std::int64_t target = quantproof::fast::active_target();
  const auto decode_row = format == QP_IQ3_XXS ? quantproof::fast::iq3_xxs_row(target)
                                               : quantproof::fast::e8_iq3_row(target);
  return decode_row(profile, static_cast<const std::uint8_t*>(bytes), out, n_values, where);
}

qp_status qp_decode(qp_format format, const void* bytes, size_t n_bytes, float* out,
                    size_t n_values) {
  return qp_decode_at(QP_PROFILE_STRICT, format, bytes, n_bytes, out, n_values, nullptr);
}

qp_status qp_transcode_at(qp_format from, const void* in, qp_format to, void* out, size_t n_blocks,
                          qp_location* where) {
  if (!is_format(from)) return refuse(where, QP_BAD_ARGUMENT, "from");
  if (!is_format(to) || to == from) return refuse(where, QP_BAD_ARGUMENT, "to");
  if (in == nullptr && n_blocks > 0) return refuse(where, QP_BAD_ARGUMENT, "in");
  if (out == nullptr && n_blocks > 0) return refuse(where, QP_BAD_ARGUMENT, "out");
  const auto* source = static_cast<const std::uint8_t*>(in);
  auto* target = static_cast<std::uint8_t*>(out);
  return to == QP_E8_IQ3 ? quantproof::fast::transcode_to_e8_iq3(source, target, n_blocks, where)
                         : quantproof::fast::transcode_to_iq3_xxs(source, target, n_blocks, where);
}

qp_status qp_transcode(qp_format from, const void* in, qp_format to, void* out, size_t n_blocks) {
  return qp_transcode_at(from, in, to, out, n_blocks, nullptr);
}

size_t qp_encoded_size(qp_format format, size_t rows, size_t cols) {
  const size_t row_bytes = qp_row_size(format, cols);
  return row_bytes == 0 || rows > SIZE_MAX / row_bytes ? 0 : rows * row_bytes;
}

qp_status qp_encode_at(qp_format format, const float* x, size_t rows, size_t cols,
                       const float* importance, void* bytes, size_t n_bytes,
                       const qp_encode_options* options, qp_location* where) {
  using quantproof::Iq3Effort;
  using quantproof::Iq3Weighting;
  if (!is_format(format)) return refuse(where, QP_BAD_ARGUMENT, "format");
  if (x == nullptr && rows > 0 && cols > 0) return refuse(where, QP_BAD_ARGUMENT, "x");
  if (bytes == nullptr && n_bytes > 0) return refuse(where, QP_BAD_ARGUMENT, "bytes");
  quantproof::fast::Iq3EncodeOptions chosen;
  if (options != nullptr) {
    if (options->struct_size != sizeof(qp_encode_options) || options->effort < QP_EFFORT_DEFAULT ||
        options->effort > QP_EFFORT_BEST || options->weighting < QP_WEIGHTING_IMPORTANCE ||
        options->weighting > QP_WEIGHTING_GGML) {
      return refuse(where, QP_BAD_ARGUMENT, "options");
    }
    chosen.effort = options->effort == QP_EFFORT_FAST   ? Iq3Effort::kFast
                    : options->effort == QP_EFFORT_BEST ? Iq3Effort::kBest
                                                        : Iq3Effort::kDefault;
    chosen.weighting =
        options->weighting == QP_WEIGHTING_GGML ? Iq3Weighting::kGgml : Iq3Weighting::kImportance;
  }
  if (!fits(format, cols)) return refuse(where, QP_BAD_WIDTH, "cols");
  const size_t row_bytes = qp_row_size(format, cols);
  if (row_bytes == 0 ? n_bytes != 0 : n_bytes % row_bytes != 0 || n_bytes / row_bytes != rows) {
    return refuse(where, QP_BAD_SIZE, "n_bytes");
  }
  const int value_shift = format == QP_IQ3_XXS ? Iq3Xxs::kValueShift : E8Iq3::kValueShift;
  const qp_status status =
      quantproof::fast::check_iq3_input(x, rows, cols, importance, value_shift, where);
  if (status != QP_OK) return status;
  const std::int64_t target = quantproof::fast::active_target();
  const auto encode_row = format == QP_IQ3_XXS ? quantproof::fast::encode_iq3_xxs_row(target)
                                               : quantproof::fast::encode_e8_iq3_row(target);
  auto* at = static_cast<std::uint8_t*>(bytes);
  for (size_t row = 0; row < rows && cols > 0; ++row) {
    encode_row(x + cols * row, importance, cols, chosen, at + row_bytes * row);
  }
  return QP_OK;
}

qp_status qp_encode(qp_format format, const float* x, size_t rows, size_t cols,
                    const float* importance, void* bytes, size_t n_bytes,
                    const qp_encode_options* options) {
  return qp_encode_at(format, x, rows, cols, importance, bytes, n_bytes, options, nullptr);
}

qp_status qp_rotate(float* x, size_t rows, size_t cols) {
  if (x == nullptr && rows > 0 && cols > 0) return QP_BAD_ARGUMENT;
  const auto rotate = quantproof::fast::rotate_iq3_row(quantproof::fast::active_target());
  for (size_t row = 0; row < rows && cols > 0; ++row) rotate(x + cols * row, cols);
  return QP_OK;
}

qp_status qp_unrotate(float* x, size_t rows, size_t cols) {
  if (x == nullptr && rows > 0 && cols > 0) return QP_BAD_ARGUMENT;
  const auto unrotate = quantproof::fast::unrotate_iq3_row(quantproof::fast::active_target());
  for (size_t row = 0; row < rows && cols > 0; ++row) unrotate(x + cols * row, cols);
  return QP_OK;
}

qp_status qp_leech_nearest_at(const int32_t* points, size_t n, int32_t* out, qp_location* where) {
  if (points == nullptr && n > 0) return refuse(where, QP_BAD_ARGUMENT, "points");
  if (out == nullptr && n > 0) return refuse(where, QP_BAD_ARGUMENT, "out");
  return quantproof::fast::leech_nearest(quantproof::fast::active_target())(points, n, out, where);
}

qp_status qp_leech_nearest(const int32_t* points, size_t n, int32_t* out) {
  return qp_leech_nearest_at(points, n, out, nullptr);
}

qp_status qp_leech_nearest_float_at(const float* points, size_t n, int32_t* out,
                                    qp_location* where) {
  if (points == nullptr && n > 0) return refuse(where, QP_BAD_ARGUMENT, "points");
  if (out == nullptr && n > 0) return refuse(where, QP_BAD_ARGUMENT, "out");
  return quantproof::fast::leech_nearest_float(quantproof::fast::active_target())(points, n, out,
                                                                                  where);
}

qp_status qp_leech_nearest_float(const float* points, size_t n, int32_t* out) {
  return qp_leech_nearest_float_at(points, n, out, nullptr);
}

qp_status qp_kaiju1_shape_at(const void* tensor, size_t n_bytes, size_t* rows, size_t* cols,
                             qp_location* where) {
  if (tensor == nullptr && n_bytes > 0) return refuse(where, QP_BAD_ARGUMENT, "tensor");
  if (rows == nullptr) return refuse(where, QP_BAD_ARGUMENT, "rows");
  if (cols == nullptr) return refuse(where, QP_BAD_ARGUMENT, "cols");
  quantproof::fast::Kaiju1Tensor opened;
  const qp_status status = quantproof::fast::open_kaiju1(static_cast<const std::uint8_t*>(tensor),
                                                         n_bytes, &opened, where);
  if (status != QP_OK) return status;
  *rows = opened.header.rows;
  *cols = opened.header.cols;
  return QP_OK;
}

qp_status qp_kaiju1_shape(const void* tensor, size_t n_bytes, size_t* rows, size_t* cols) {
  return qp_kaiju1_shape_at(tensor, n_bytes, rows, cols, nullptr);
}

qp_status qp_kaiju1_decode_rows_at(const void* tensor, size_t n_bytes, size_t first_row,
                                   size_t rows, float* out, qp_location* where) {
  if (tensor == nullptr && n_bytes > 0) return refuse(where, QP_BAD_ARGUMENT, "tensor");
  if (out == nullptr && rows > 0) return refuse(where, QP_BAD_ARGUMENT, "out");
  quantproof::fast::Kaiju1Tensor opened;
  qp_status status = quantproof::fast::open_kaiju1(static_cast<const std::uint8_t*>(tensor),
                                                   n_bytes, &opened, where);
  if (status == QP_OK) {
    status = quantproof::fast::check_kaiju1_range(opened, first_row, rows, where);
  }
  if (status != QP_OK || rows == 0) return status;
  const auto decode_rows = quantproof::fast::kaiju1_rows(quantproof::fast::active_target());
  return decode_rows(opened, first_row, rows, out, where);
}

qp_status qp_kaiju1_decode_rows(const void* tensor, size_t n_bytes, size_t first_row, size_t rows,
                                float* out) {
  return qp_kaiju1_decode_rows_at(tensor, n_bytes, first_row, rows, out, nullptr);
}

size_t qp_kaiju1_size(size_t rows, size_t cols, uint32_t hi_frac) {
  constexpr std::size_t kMost = 0xFFFFFFFFu;
  if (rows > kMost || cols > kMost || hi_frac > quantproof::kKaiju1HiFracUnit) return 0;
  const auto size = quantproof::kaiju1_size(static_cast<std::uint32_t>(rows),
                                            static_cast<std::uint32_t>(cols), hi_frac);
  return size && *size <= SIZE_MAX ? static_cast<std::size_t>(*size) : 0;
}

qp_status qp_kaiju1_encode_at(const float* weights, size_t rows, size_t cols,
                              const float* importance, uint32_t hi_frac, size_t threads,
                              void* tensor, size_t n_bytes, qp_location* where) {
  if (threads == 0) return refuse(where, QP_BAD_ARGUMENT, "threads");
  return quantproof::fast::encode_kaiju1(weights, rows, cols, importance, hi_frac, threads,
                                         static_cast<std::uint8_t*>(tensor), n_bytes, where);
}

qp_status qp_kaiju1_encode(const float* weights, size_t rows, size_t cols, const float* importance,
                           uint32_t hi_frac, size_t threads, void* tensor, size_t n_bytes) {
  return qp_kaiju1_encode_at(weights, rows, cols, importance, hi_frac, threads, tensor, n_bytes,
                             nullptr);
}

qp_status qp_kaiju1_nearest_at(const int32_t* points, size_t n, int32_t* out, qp_location* where) {
  if (points == nullptr && n > 0) return refuse(where, QP_BAD_ARGUMENT, "points");
  if (out == nullptr && n > 0) return refuse(where, QP_BAD_ARGUMENT, "out");
  return quantproof::fast::kaiju1_nearest(quantproof::fast::active_target())(points, n, out, where);
}

qp_status qp_kaiju1_nearest(const int32_t* points, size_t n, int32_t* out) {
  return qp_kaiju1_nearest_at(points, n, out, nullptr);
}

const char* qp_status_name(qp_status status) {
  switch (status) {
    case QP_OK:
      return "ok";
    case QP_BAD_ARGUMENT:
      return "bad_argument";
    case QP_BAD_WIDTH:
      return "bad_width";
    case QP_BAD_SIZE:
      return "bad_size";
    case QP_SCALE_NOT_FINITE:
      return "scale_not_finite";
    case QP_TRANSCODE_OVERFLOW:
      return "transcode_overflow";
    case QP_TRANSCODE_INEXACT:
      return "transcode_inexact";
    case QP_UNKNOWN_LEVEL:
      return "unknown_level";
    case QP_UNSUPPORTED_LEVEL:
      return "unsupported_level";
    case QP_POINT_OUT_OF_RANGE:
      return "point_out_of_range";
    case QP_POINT_NOT_FINITE:
      return "point_not_finite";
    case QP_BAD_MAGIC:
      return "bad_magic";
    case QP_BAD_HEADER:
      return "bad_header";
    case QP_ROW_OUT_OF_RANGE:
      return "row_out_of_range";
    case QP_INDEX_OUT_OF_RANGE:
      return "index_out_of_range";
    case QP_INDEX_NOT_ASCENDING:
      return "index_not_ascending";
    case QP_PADDING_NOT_ZERO:
      return "padding_not_zero";
    case QP_TRITS_OUT_OF_RANGE:
      return "trits_out_of_range";
    case QP_FIX_OUT_OF_RANGE:
      return "fix_out_of_range";
    case QP_FIX_ON_ZERO:
      return "fix_on_zero";
    case QP_POINT_NOT_REPRESENTABLE:
      return "point_not_representable";
    case QP_WEIGHT_NOT_FINITE:
      return "weight_not_finite";
    case QP_WEIGHT_OUT_OF_RANGE:
      return "weight_out_of_range";
    case QP_IMPORTANCE_NOT_FINITE:
      return "importance_not_finite";
    case QP_IMPORTANCE_NEGATIVE:
      return "importance_negative";
    case QP_OUT_OF_MEMORY:
      return "out_of_memory";
  }
  return "unknown_status";
}

const char* qp_version(void) { return QUANTPROOF_VERSION; }
