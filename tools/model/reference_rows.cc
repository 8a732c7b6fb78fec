// SPDX-License-Identifier: Apache-2.0
#include "tools/model/reference_rows.h"

#include <bit>

#include "fmt/format.h"

#include "quantproof/qp.h"
#include "quantproof/ref/e8_iq3.h"
#include "quantproof/ref/half.h"
#include "quantproof/ref/iq3_rotation.h"
#include "quantproof/ref/iq3_xxs.h"
#include "quantproof/ref/kaiju1.h"
#include "tools/containers/container_error.h"
#include "tools/containers/quoted.h"

namespace quantproof::model {

namespace {

using containers::TensorType;

std::uint32_t number_at(const std::uint8_t* bytes, unsigned n) {
  return ref::read_little_endian<std::uint32_t>(bytes, n);
}

float half_at(const std::uint8_t* bytes) {
  ref::Scale scale;
  ref::read_scale(QP_PROFILE_GGML, static_cast<std::uint16_t>(number_at(bytes, 2)), &scale);
  return std::bit_cast<float>(ref::widen(scale));
}

// gguf.md 5
float q8_0_at(const std::uint8_t* bytes, std::uint64_t weight) {
  const std::uint8_t* const block = bytes + weight / 32 * 34;
  const auto q = static_cast<std::int8_t>(block[2 + weight % 32]);
  return half_at(block) * static_cast<float>(q);
}

}  // namespace

void decode_by_reference(const containers::ModelTensor& tensor, float* out) {
  const auto fail = [&](const std::string& why) {
    throw containers::ContainerError(
        fmt::format("tensor {}: {}", containers::in_quotes(tensor.name), why));
  };
  if (!tensor.type) fail(tensor.type_name + " is known, but not decoded here");
  const std::uint64_t row = tensor.row();
  const std::uint64_t rows = tensor.rows();
  const std::uint8_t* const bytes = tensor.bytes.data();
  if (rows * row == 0) return;
  const std::size_t row_bytes = tensor.bytes.size() / rows;
  qp_location where{};
  qp_status status = QP_OK;
  switch (*tensor.type) {
    case TensorType::kF32:
      for (std::uint64_t i = 0; i < rows * row; ++i) {
        out[i] = std::bit_cast<float>(number_at(bytes + 4 * i, 4));
      }
      break;
    case TensorType::kF16:
      for (std::uint64_t i = 0; i < rows * row; ++i) out[i] = half_at(bytes + 2 * i);
      break;
    case TensorType::kBf16:
      for (std::uint64_t i = 0; i < rows * row; ++i) {
        out[i] = std::bit_cast<float>(number_at(bytes + 2 * i, 2) << 16);
      }
      break;
    case TensorType::kQ8_0:
      for (std::uint64_t i = 0; i < rows * row; ++i) out[i] = q8_0_at(bytes, i);
      break;
    case TensorType::kIq3Xxs:
    case TensorType::kE8Iq3: {
      const auto decode =
          *tensor.type == TensorType::kIq3Xxs ? &ref::decode_iq3_xxs : &ref::decode_e8_iq3;
      for (std::uint64_t r = 0; r < rows && status == QP_OK; ++r) {
        status =
            decode(QP_PROFILE_STRICT, bytes + r * row_bytes, row_bytes, out + r * row, row, &where);
        if (status == QP_OK && tensor.rotated) ref::unrotate(out + r * row, row);
        if (status != QP_OK) where.offset += r * row_bytes;
      }
      break;
    }
    case TensorType::kKaiju1:
      status = ref::decode_kaiju1_rows(bytes, tensor.bytes.size(), 0, rows, out, &where);
      break;
  }
  if (status != QP_OK) {
    fail(fmt::format("{} {} at {}: {}", where.field, where.block, where.offset,
                     qp_status_name(status)));
  }
}

}  // namespace quantproof::model
