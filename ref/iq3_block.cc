// SPDX-License-Identifier: Apache-2.0
#include "quantproof/ref/iq3_block.h"

#include <bit>
#include <cmath>

#include "quantproof/iq3_codebook.h"

namespace quantproof::ref {

std::uint32_t weight(const Scale& scale, std::uint32_t multiplier, std::uint32_t magnitude,
                     bool negative, int value_shift) {
  const std::uint32_t sign = scale.negative != negative ? 0x80000000u : 0u;
  if (scale.kind == Scale::Class::kInfinite) return sign | 0x7F800000u;
  if (scale.kind == Scale::Class::kNan) return sign | 0x7F800000u | scale.nan_fraction;
  const std::int64_t significand = scale.significand * multiplier * magnitude;
  const double value = std::ldexp(static_cast<double>(significand), scale.exponent - value_shift);
  return sign | std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

std::array<std::uint32_t, kBlockWeights> decode_block(const Iq3Fields<std::uint32_t>& fields,
                                                      const Scale& scale, int value_shift) {
  std::array<std::uint32_t, kBlockWeights> weights{};
  for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
    const std::uint32_t multiplier = scale_multiplier(fields.scale_code[ib]);
    for (std::size_t l = 0; l < kGroupsPerSubblock; ++l) {
      const auto negative = group_signs(fields.sign_field[ib][l]);
      for (std::size_t j = 0; j < kGroupWeights; ++j) {
        const std::size_t i = kSubblockWeights * ib + kGroupWeights * l + j;
        const auto& row = kIq3Codebook[fields.index[i / kRowWeights]];
        weights[i] = weight(scale, multiplier, row[i % kRowWeights], negative[j] != 0, value_shift);
      }
    }
  }
  return weights;
}

}  // namespace quantproof::ref
