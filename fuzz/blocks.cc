// SPDX-License-Identifier: Apache-2.0
#include "fuzz/blocks.h"

#include <algorithm>
#include <array>
#include <utility>

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

namespace {

using Fields = Iq3Fields<std::uint32_t>;

std::size_t below(Random& random, std::size_t n) { return static_cast<std::size_t>(random() % n); }

// The fields of a block as numbers of a width, in the order of the text.
struct FieldSlot {
  std::uint32_t* value;
  unsigned width;
};

std::vector<FieldSlot> slots_of(Fields& fields) {
  std::vector<FieldSlot> slots = {{&fields.scale, 16}};
  for (auto& index : fields.index) slots.push_back({&index, 8});
  for (auto& subblock : fields.sign_field) {
    for (auto& field : subblock) slots.push_back({&field, 7});
  }
  for (auto& code : fields.scale_code) slots.push_back({&code, 4});
  return slots;
}

// One value of a field: its ends, the middle, a single bit, or any.
std::uint32_t unusual_value(unsigned width, Random& random) {
  const std::uint32_t greatest = (1u << width) - 1;
  switch (bits(random, 3)) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return greatest;
    case 3:
      return greatest - 1;
    case 4:
      return 1u << (width - 1);
    case 5:
      return (1u << (width - 1)) - 1;
    case 6:
      return 1u << below(random, width);
    default:
      return bits(random, width);
  }
}

Fields unpack(qp_format format, const std::uint8_t* block) {
  return format == QP_IQ3_XXS ? ref::unpack<Iq3Xxs, std::uint32_t>(block)
                              : ref::unpack<E8Iq3, std::uint32_t>(block);
}

void change(Fields& fields, Random& random) {
  auto slots = slots_of(fields);
  // The scale and the codes are few beside the indices, and matter as much.
  const FieldSlot& slot = slots[bits(random, 2) == 0   ? 0
                                : bits(random, 2) == 0 ? slots.size() - 1 - below(random, 8)
                                                       : below(random, slots.size())];
  switch (bits(random, 2)) {
    case 0:
      *slot.value = unusual_value(slot.width, random);
      break;
    case 1:
      *slot.value ^= 1u << below(random, slot.width);
      break;
    case 2:
      *slot.value = (*slot.value + (bits(random, 1) != 0 ? 1 : (1u << slot.width) - 1)) &
                    ((1u << slot.width) - 1);
      break;
    default: {  // the value of another field of its width
      const FieldSlot& other = slots[below(random, slots.size())];
      if (other.width == slot.width) std::swap(*slot.value, *other.value);
    }
  }
}

// A block that is not made from another one.
Fields fresh_fields(Random& random) {
  Fields fields;
  switch (bits(random, 3)) {
    case 0:
      fields = random_fields(random);
      fields.scale = unusual_scale(random);
      break;
    case 1:  // few fields set
      fields.scale = 0x3C00;
      for (std::size_t n = 1 + below(random, 3); n > 0; --n) change(fields, random);
      break;
    case 2:  // every field unusual
      for (const FieldSlot& slot : slots_of(fields)) {
        *slot.value = unusual_value(slot.width, random);
      }
      break;
    case 3: {  // one value for all fields of a kind
      const std::uint32_t index = unusual_value(8, random);
      const std::uint32_t signs = unusual_value(7, random);
      const std::uint32_t code = unusual_value(4, random);
      fields.scale = bits(random, 1) != 0 ? unusual_scale(random) : bits(random, 16);
      fields.index.fill(index);
      for (auto& subblock : fields.sign_field) subblock.fill(signs);
      fields.scale_code.fill(code);
      break;
    }
    case 4:  // as encoders write: a positive scale for which some code is 15
      fields = random_fields(random);
      fields.scale &= 0x7FFF;
      fields.scale_code[below(random, kSubblocks)] = 15;
      break;
    case 5:  // as they never do: content under a zero scale, negative scales
      fields = random_fields(random);
      fields.scale = bits(random, 1) != 0 ? bits(random, 1) << 15 : fields.scale | 0x8000;
      break;
    default:
      fields = random_fields(random);
      fields.scale = bits(random, 16);
  }
  return fields;
}

Random random_of(std::uint64_t seed, std::uint64_t number) {
  // Weyl's sequence keeps neighbouring numbers apart.
  return Random(seed + 0x9E3779B97F4A7C15u * (number + 1));
}

}  // namespace

void mutate_block(qp_format format, std::span<std::uint8_t> block, Random& random) {
  if (bits(random, 2) == 0) {
    const std::size_t bit = below(random, 8 * block.size());
    block[bit / 8] = static_cast<std::uint8_t>(block[bit / 8] ^ (1u << (bit % 8)));
    return;
  }
  Fields fields = unpack(format, block.data());
  change(fields, random);
  const auto packed = pack(format, fields);
  std::copy(packed.begin(), packed.end(), block.begin());
}

std::vector<std::uint8_t> adversarial_row(qp_format format, std::uint64_t seed,
                                          std::uint64_t number) {
  Random random = random_of(seed, number);
  const std::uint32_t length = bits(random, 6);
  const std::size_t n_blocks = length == 0  ? 1 + below(random, 64)
                               : length < 8 ? 1 + below(random, 16)
                                            : 1 + below(random, 3);
  std::vector<std::uint8_t> row;
  std::vector<std::uint8_t> block;
  for (std::size_t b = 0; b < n_blocks; ++b) {
    const std::uint32_t kind = bits(random, 2);
    if (kind == 0 && b > 0) {
      for (std::size_t n = below(random, 3); n > 0; --n) mutate_block(format, block, random);
    } else if (kind == 1 && number > 0) {
      // The first fresh block that a row before it would have.
      const std::uint64_t back = 1 + below(random, std::min<std::uint64_t>(number, 16));
      Random earlier = random_of(~seed, number - back);
      block = pack(format, fresh_fields(earlier));
      for (std::size_t n = 1 + below(random, 2); n > 0; --n) mutate_block(format, block, random);
    } else {
      // So that near-duplicates have an original, many rows begin with that block.
      Random own = random_of(~seed, number);
      block = pack(format, fresh_fields(b == 0 ? own : random));
    }
    row.insert(row.end(), block.begin(), block.end());
  }
  return row;
}

}  // namespace quantproof::fuzz
