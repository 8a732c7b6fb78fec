// SPDX-License-Identifier: Apache-2.0
#include "tools/containers/tensor_data.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "fmt/format.h"

#include "fast/half.h"
#include "quantproof/qp.h"
#include "tools/containers/container_error.h"

namespace quantproof::containers {

namespace {

constexpr std::uint64_t kSizeLimit = std::numeric_limits<std::int64_t>::max();

struct Type {
  TensorType type;
  const char* name;
  std::uint64_t block;  // weights; a row is whole blocks, except in E8_IQ3
  std::uint64_t bytes;  // of a block
};

constexpr std::array<Type, 7> kTypes = {{{TensorType::kF32, "F32", 1, 4},
                                         {TensorType::kF16, "F16", 1, 2},
                                         {TensorType::kBf16, "BF16", 1, 2},
                                         {TensorType::kQ8_0, "Q8_0", 32, 34},
                                         {TensorType::kIq3Xxs, "IQ3_XXS", 256, 98},
                                         {TensorType::kE8Iq3, "E8_IQ3", 256, 98},
                                         {TensorType::kKaiju1, "KAIJU1", 1, 0}}};

const Type& find(TensorType type) { return kTypes[static_cast<std::size_t>(type)]; }

// One load, which loops over many can be vectors of.
template <class Int>
Int load(const std::uint8_t* bytes) {
  Int value = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&value, bytes, sizeof value);
  } else {
    for (std::size_t b = sizeof value; b-- != 0;) value = static_cast<Int>(value << 8 | bytes[b]);
  }
  return value;
}

std::uint32_t load16(const std::uint8_t* bytes) { return load<std::uint16_t>(bytes); }

// Numbers whose exponent is all ones under `mask`, `stride` bytes from one to the next.
template <class Int, std::size_t kStride>
NotFinite find_not_finite(std::span<const std::uint8_t> bytes, Int mask) {
  constexpr std::size_t kAtOnce = 1024;
  const std::size_t n = bytes.size() / kStride;
  NotFinite result;
  for (std::size_t first = 0; first < n; first += kAtOnce) {
    const std::size_t end = std::min(first + kAtOnce, n);
    unsigned count = 0;
    for (std::size_t i = first; i < end; ++i) {
      count += (load<Int>(bytes.data() + kStride * i) & mask) == mask ? 1 : 0;
    }
    if (count == 0) continue;
    if (result.count == 0) {
      result.first = first;
      while ((load<Int>(bytes.data() + kStride * result.first) & mask) != mask) ++result.first;
    }
    result.count += count;
  }
  return result;
}

void store16(std::uint8_t* bytes, std::uint32_t value) {
  bytes[0] = static_cast<std::uint8_t>(value);
  bytes[1] = static_cast<std::uint8_t>(value >> 8);
}

float widen_half(std::uint32_t half) {
  return std::bit_cast<float>(fast::WidenScale(QP_PROFILE_GGML, half));
}

// The nearest binary16, ties to even, of a finite number; beyond the range an infinity.
std::uint32_t narrow_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude >= 0x477FF000u) return sign | 0x7C00u;
  if (magnitude < 0x38800000u) {  // a multiple of 2^-24: the addition rounds
    const float sum = std::bit_cast<float>(magnitude) + 0.5f;
    return sign | (std::bit_cast<std::uint32_t>(sum) - 0x3F000000u);
  }
  const std::uint32_t odd = magnitude >> 13 & 1u;
  return sign | ((magnitude + 0xFFFu + odd - (112u << 23)) >> 13);
}

std::uint32_t narrow_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16;
}

void decode_blocks(qp_format format, std::span<const std::uint8_t> bytes, std::uint64_t row,
                   std::uint64_t first, std::uint64_t rows, float* out) {
  const std::size_t row_bytes = qp_row_size(format, row);
  for (std::uint64_t r = first; r < first + rows; ++r) {
    qp_location where{};
    const qp_status status = qp_decode_at(QP_PROFILE_STRICT, format, bytes.data() + r * row_bytes,
                                          row_bytes, out + (r - first) * row, row, &where);
    if (status != QP_OK) {
      throw ContainerError(fmt::format("row {}, block {}, {} at {}: {}", r, where.block,
                                       where.field, r * row_bytes + where.offset,
                                       qp_status_name(status)));
    }
  }
}

}  // namespace

const char* type_name(TensorType type) { return find(type).name; }

std::optional<TensorType> tensor_type(std::string_view name) {
  for (const Type& type : kTypes) {
    if (name == type.name) return type.type;
  }
  return std::nullopt;
}

bool fits(TensorType type, std::uint64_t row) {
  return type == TensorType::kE8Iq3 || row % find(type).block == 0;
}

std::optional<std::uint64_t> tensor_size(TensorType type, std::uint64_t rows, std::uint64_t row) {
  const Type& entry = find(type);
  const std::uint64_t blocks = row / entry.block + (row % entry.block != 0 ? 1 : 0);
  if (blocks != 0 && rows > kSizeLimit / entry.bytes / blocks) return std::nullopt;
  return rows * blocks * entry.bytes;
}

void decode_rows(TensorType type, std::span<const std::uint8_t> bytes, std::uint64_t row,
                 std::uint64_t first, std::uint64_t rows, float* out) {
  const std::uint64_t n = rows * row;
  if (n == 0) return;
  switch (type) {
    case TensorType::kF32: {
      const std::uint8_t* in = bytes.data() + 4 * first * row;
      for (std::uint64_t i = 0; i < n; ++i) {
        out[i] = std::bit_cast<float>(load<std::uint32_t>(in + 4 * i));
      }
      return;
    }
    case TensorType::kF16: {
      const std::uint8_t* in = bytes.data() + 2 * first * row;
      for (std::uint64_t i = 0; i < n; ++i) out[i] = widen_half(load16(in + 2 * i));
      return;
    }
    case TensorType::kBf16: {
      const std::uint8_t* in = bytes.data() + 2 * first * row;
      for (std::uint64_t i = 0; i < n; ++i) {
        out[i] = std::bit_cast<float>(load16(in + 2 * i) << 16);
      }
      return;
    }
    case TensorType::kQ8_0: {
      const std::uint8_t* in = bytes.data() + first * row / 32 * 34;
      for (std::uint64_t block = 0; block < n / 32; ++block) {
        const float scale = widen_half(load16(in + 34 * block));
        for (std::uint64_t i = 0; i < 32; ++i) {
          const auto q = static_cast<std::int8_t>(in[34 * block + 2 + i]);
          out[32 * block + i] = scale * static_cast<float>(q);
        }
      }
      return;
    }
    case TensorType::kIq3Xxs:
      return decode_blocks(QP_IQ3_XXS, bytes, row, first, rows, out);
    case TensorType::kE8Iq3:
      return decode_blocks(QP_E8_IQ3, bytes, row, first, rows, out);
    case TensorType::kKaiju1: {
      qp_location where{};
      const qp_status status =
          qp_kaiju1_decode_rows_at(bytes.data(), bytes.size(), first, rows, out, &where);
      if (status != QP_OK) {
        throw ContainerError(fmt::format("{} {} at {}: {}", where.field, where.block, where.offset,
                                         qp_status_name(status)));
      }
      return;
    }
  }
}

NotFinite not_finite(TensorType type, std::span<const std::uint8_t> bytes) {
  switch (type) {
    case TensorType::kF32:
      return find_not_finite<std::uint32_t, 4>(bytes, 0x7F800000u);
    case TensorType::kF16:
      return find_not_finite<std::uint16_t, 2>(bytes, 0x7C00);
    case TensorType::kBf16:
      return find_not_finite<std::uint16_t, 2>(bytes, 0x7F80);
    case TensorType::kQ8_0: {
      const NotFinite scales = find_not_finite<std::uint16_t, 34>(bytes, 0x7C00);
      return {32 * scales.count, 32 * scales.first};
    }
    default:
      return {};
  }
}

std::uint64_t encode_plain(TensorType type, const float* x, std::uint64_t n, std::uint8_t* bytes) {
  // The least that rounds to an infinity.
  const float limit = type == TensorType::kF16    ? 65520.0f
                      : type == TensorType::kBf16 ? 0x1.FFp127f
                                                  : std::numeric_limits<float>::infinity();
  for (std::uint64_t i = 0; i < n; ++i) {
    if (!(std::fabs(x[i]) < limit)) return i;
  }
  if (type == TensorType::kQ8_0) {
    for (std::uint64_t block = 0; block < n / 32; ++block) {
      const float* in = x + 32 * block;
      float most = 0;
      for (int i = 0; i < 32; ++i) most = std::fmax(most, std::fabs(in[i]));
      const float scale = most / 127.0f;
      const float inverse = scale >= 0x1p-126f ? 1.0f / scale : 0.0f;  // else the scale is 0
      const std::uint32_t half = narrow_half(scale);
      if (half == 0x7C00u) return 32 * block;
      store16(bytes + 34 * block, half);
      for (int i = 0; i < 32; ++i) {
        const auto q = static_cast<std::int8_t>(std::round(in[i] * inverse));
        bytes[34 * block + 2 + static_cast<std::uint64_t>(i)] = static_cast<std::uint8_t>(q);
      }
    }
    return n;
  }
  for (std::uint64_t i = 0; i < n; ++i) {
    if (type == TensorType::kF32) {
      const auto bits = std::bit_cast<std::uint32_t>(x[i]);
      store16(bytes + 4 * i, bits);
      store16(bytes + 4 * i + 2, bits >> 16);
    } else {
      store16(bytes + 2 * i, type == TensorType::kF16 ? narrow_half(x[i]) : narrow_bf16(x[i]));
    }
  }
  return n;
}

}  // namespace quantproof::containers
