// SPDX-License-Identifier: Apache-2.0
//
// What the bytes of a tensor stand for: weights of any type that this project reads, as binary32.
#ifndef QUANTPROOF_TOOLS_CONTAINERS_TENSOR_DATA_H_
#define QUANTPROOF_TOOLS_CONTAINERS_TENSOR_DATA_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace quantproof::containers {

enum class TensorType {
  kF32,
  kF16,
  kBf16,
  kQ8_0,    // 32 weights in 34 bytes: a binary16 scale, then signed bytes (gguf.md 5)
  kIq3Xxs,  // iq3_xxs.md
  kE8Iq3,   // e8_iq3.md; what it decodes to may be rotated (rotation.md)
  kKaiju1,  // kaiju1.md: the whole tensor, with its header
};

// "F32", "IQ3_XXS", ...: as GGUF, safetensors and KNOT write it.
const char* type_name(TensorType type);
std::optional<TensorType> tensor_type(std::string_view name);

// Whether rows of `row` weights have bytes in this type; for KAIJU1 all do.
bool fits(TensorType type, std::uint64_t row);

// Bytes of `rows` rows of `row` weights that fit; nothing where they are 2^63 or more. Not for
// KAIJU1, whose size depends on its side-band.
std::optional<std::uint64_t> tensor_size(TensorType type, std::uint64_t rows, std::uint64_t row);

// Rows [first, first + rows) of a tensor with rows of `row` weights, as binary32 to `out`.
// `bytes`: the whole tensor, of the size that type and shape ask for. Weights that are not finite
// are decoded as they are, where the type has them: in F32, F16, BF16 and the scales of Q8_0.
// Throws ContainerError, which names row and block, where a decoder refuses the bytes.
void decode_rows(TensorType type, std::span<const std::uint8_t> bytes, std::uint64_t row,
                 std::uint64_t first, std::uint64_t rows, float* out);

// Infinite and NaN weights in bytes of type F32, F16, BF16 or Q8_0 (all 32 where its scale is one).
struct NotFinite {
  std::uint64_t count = 0;
  std::uint64_t first = 0;  // the number of the first, if there is one
};
NotFinite not_finite(TensorType type, std::span<const std::uint8_t> bytes);

// Encodes whole rows in one of the types F32, F16, BF16 and Q8_0, rounded to nearest, ties to even;
// Q8_0 with the arithmetic of ggml. `n`: a number of weights that fits. Returns the number of the
// first weight that is not finite or too large for F16, or `n`.
std::uint64_t encode_plain(TensorType type, const float* x, std::uint64_t n, std::uint8_t* bytes);

}  // namespace quantproof::containers

#endif
