// SPDX-License-Identifier: Apache-2.0
#include "fuzz/blocks.h"

#include <array>

#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_xxs.h"
#include "quantproof/ref/iq3_block.h"

namespace quantproof::fuzz {

namespace {

std::uint32_t bits(Random& random, unsigned count) {
  return static_cast<std::uint32_t>(random() >> (64 - count));
}

// One scale of a class that random bytes meet too seldom.
std::uint32_t unusual_scale(Random& random) {
  const std::uint32_t sign = bits(random, 1) << 15;
  switch (bits(random, 3)) {
    case 0:
      return sign;  // zero
    case 1:
      return sign | 1;  // least subnormal
    case 2:
      return sign | bits(random, 10);  // subnormal
    case 3:
      return sign | 0x03FF;  // greatest subnormal
    case 4:
      return sign | 0x0400;  // least normal
    case 5:
      return sign | 0x7BFF;  // greatest finite
    case 6:
      return sign | 0x7C00;  // infinite
    default:
      return sign | 0x7C00 | bits(random, 10);  // NaN, but for fraction 0
  }
}

}  // namespace

std::size_t block_bytes(qp_format format) {
  return format == QP_IQ3_XXS ? Iq3Xxs::kBlockBytes : E8Iq3::kBlockBytes;
}

std::vector<std::uint8_t> pack(qp_format format, const Iq3Fields<std::uint32_t>& fields) {
  std::vector<std::uint8_t> block(block_bytes(format));
  if (format == QP_IQ3_XXS) {
    ref::pack<Iq3Xxs>(fields, block.data());
  } else {
    ref::pack<E8Iq3>(fields, block.data());
  }
  return block;
}

Iq3Fields<std::uint32_t> random_fields(Random& random) {
  Iq3Fields<std::uint32_t> fields;
  for (auto& index : fields.index) index = bits(random, 8);
  for (auto& subblock : fields.sign_field) {
    for (auto& field : subblock) field = bits(random, 7);
  }
  for (auto& code : fields.scale_code) code = bits(random, 4);
  do {
    fields.scale = bits(random, 16);
  } while ((fields.scale & 0x7C00) == 0x7C00 || (fields.scale & 0x7FFF) == 0);
  return fields;
}

std::vector<std::uint8_t> structured_blocks(qp_format format, std::size_t n_blocks,
                                            Random& random) {
  std::vector<std::uint8_t> blocks;
  blocks.reserve(n_blocks * block_bytes(format));
  for (std::size_t b = 0; b < n_blocks; ++b) {
    auto fields = random_fields(random);
    const std::uint32_t kind = bits(random, 3);
    if (kind == 0 || kind == 1) fields.scale = unusual_scale(random);
    if (kind == 1 || kind == 2) fields.index.fill(bits(random, 1) != 0 ? 255 : bits(random, 8));
    if (kind == 2) {
      const std::uint32_t field = std::array<std::uint32_t, 4>{0, 0x7F, 0x40, 1}[bits(random, 2)];
      for (auto& subblock : fields.sign_field) subblock.fill(field);
    }
    if (kind == 3) fields.scale_code.fill(bits(random, 1) * 15);
    if (kind == 4) fields.scale = bits(random, 16);  // every pattern, non-finite ones included
    const auto block = pack(format, fields);
    blocks.insert(blocks.end(), block.begin(), block.end());
  }
  return blocks;
}

}  // namespace quantproof::fuzz
