// SPDX-License-Identifier: Apache-2.0
//
// KAIJU1 tensors to try a decoder on: valid ones with random content, and damaged ones.
#ifndef QUANTPROOF_FUZZ_KAIJU1_TENSORS_H_
#define QUANTPROOF_FUZZ_KAIJU1_TENSORS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "quantproof/kaiju1.h"
#include "quantproof/ref/kaiju1.h"
#include "quantproof/ref/leech.h"

namespace quantproof::fuzz {

using Random = std::mt19937_64;

inline void put_number(std::vector<std::uint8_t>& bytes, std::uint32_t value, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

inline std::uint32_t below(Random& random, std::uint64_t n) {
  return static_cast<std::uint32_t>(random() % n);
}

inline std::uint32_t finite_half(Random& random) {
  std::uint32_t half = below(random, 0x10000);
  while ((half & 0x7C00u) == 0x7C00u) half = below(random, 0x10000);
  return half;
}

inline LeechCode<std::uint32_t> valid_code(Random& random) {
  LeechCode<std::uint32_t> code;
  do {
    for (std::size_t g = 0; g + 1 < kTritGroups; ++g) {
      code.trit_group[g] = below(random, kTritGroupLimit + 1);
    }
    code.trit_group[kTritGroups - 1] = below(random, kLastTritGroupLimit + 1);
    code.golay_index = below(random, kGolayWordCount);
    code.fix = below(random, kLeechDimension + 1);
    if (code.fix == kLeechDimension) code.fix = kNoFix;
  } while (ref::check_leech_code(code, nullptr) != QP_OK);
  return code;
}

// A valid tensor with a random side-band, random scales, codes and step.
inline std::vector<std::uint8_t> random_kaiju1_tensor(Random& random, std::uint32_t rows,
                                                      std::uint32_t cols) {
  const std::uint32_t bulk_cols =
      kaiju1_bulk_cols(cols, below(random, 3) == 0 ? 0 : below(random, kKaiju1HiFracUnit + 1));
  std::vector<std::uint32_t> columns(cols);
  for (std::uint32_t c = 0; c < cols; ++c) columns[c] = c;
  std::shuffle(columns.begin(), columns.end(), random);
  columns.resize(cols - bulk_cols);
  std::sort(columns.begin(), columns.end());
  std::vector<std::uint8_t> bytes;
  const bool plain_step = below(random, 2) == 0;
  for (const std::uint32_t field :
       {kKaiju1Magic, rows, cols, cols - bulk_cols, bulk_cols,
        plain_step ? 1 : below(random, 0xFFFFFFFF) + 1,
        plain_step ? 1u << below(random, 32) : below(random, 0xFFFFFFFF) + 1}) {
    put_number(bytes, field, 4);
  }
  for (const std::uint32_t column : columns) put_number(bytes, column, 4);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    put_number(bytes, finite_half(random), 2);
    for (std::uint32_t r = 0; r < rows; ++r) put_number(bytes, below(random, 256), 1);
  }
  const std::size_t blocks = bulk_cols / kKaiju1BlockCols;
  for (std::uint32_t r = 0; r < rows; ++r) {
    put_number(bytes, finite_half(random), 2);
    for (std::size_t b = 0; b < blocks; b += 2) {
      put_number(bytes, below(random, b + 1 < blocks ? 256 : 16), 1);
    }
    for (std::size_t b = 0; b < blocks; ++b) {
      std::vector<std::uint8_t> code(kLeechCodeBytes);
      pack_leech_code(valid_code(random), code.data());
      bytes.insert(bytes.end(), code.begin(), code.end());
    }
  }
  return bytes;
}

// A code of seven bytes that stands for nothing.
inline LeechCode<std::uint32_t> invalid_code(Random& random) {
  LeechCode<std::uint32_t> code = valid_code(random);
  switch (below(random, 4)) {
    case 0:
      code.trit_group[below(random, kTritGroups - 1)] =
          kTritGroupLimit + 1 + below(random, 255 - kTritGroupLimit);
      break;
    case 1:
      code.trit_group[kTritGroups - 1] =
          kLastTritGroupLimit + 1 + below(random, 127 - kLastTritGroupLimit);
      break;
    case 2:
      code.fix = kLeechDimension + below(random, kNoFix - kLeechDimension);
      break;
    default: {  // a fix on a coordinate whose trit is 0
      const std::uint32_t i = below(random, kLeechDimension);
      code.fix = i;
      // All digits 1, which stands for 0.
      const std::size_t group = trit_group_of(i);
      code.trit_group[group] =
          (group + 1 < kTritGroups ? kTritGroupLimit : kLastTritGroupLimit) / 2;
    }
  }
  return code;
}

// Breaks one thing: a code, a scale, a column, the header, the length, or any bit. `tensor` is
// valid but for what was broken before.
inline void damage_kaiju1_tensor(std::vector<std::uint8_t>& tensor, Random& random) {
  if (tensor.size() <= kKaiju1HeaderBytes) return;
  const std::size_t place = kKaiju1HeaderBytes + below(random, tensor.size() - kKaiju1HeaderBytes);
  const Kaiju1Header header = read_kaiju1_header(tensor.data());
  switch (below(random, 10)) {
    case 0:
      tensor[below(random, kKaiju1HeaderBytes)] = static_cast<std::uint8_t>(below(random, 256));
      break;
    case 1:
      tensor.resize(below(random, tensor.size() + 1));
      break;
    case 2:
      tensor.push_back(0);
      break;
    case 3:  // an infinite or NaN half, where one stands
      tensor[place] = static_cast<std::uint8_t>(0x7C | below(random, 256));
      break;
    case 4:
      tensor[place] = static_cast<std::uint8_t>(tensor[place] ^ (1u << below(random, 8)));
      break;
    case 5: {  // the unused half of the last multiplier, where there is one
      const std::size_t codes = header.bulk_cols / kKaiju1BlockCols;
      if (codes % 2 == 0 || tensor.size() <= codes * kLeechCodeBytes + kKaiju1HeaderBytes) return;
      tensor[tensor.size() - codes * kLeechCodeBytes - 1] |= 0x10;
      break;
    }
    default: {  // a code of the last row, which ends the tensor
      const std::size_t codes = header.bulk_cols / kKaiju1BlockCols;
      if (codes == 0 || tensor.size() < codes * kLeechCodeBytes + kKaiju1HeaderBytes) return;
      const std::size_t from_end =
          kLeechCodeBytes * (1 + below(random, std::min(codes, tensor.size())));
      pack_leech_code(invalid_code(random), &tensor[tensor.size() - from_end]);
    }
  }
}

// Tensor `number` of the sequence `seed`: half of them valid, the others with one or two damages.
inline std::vector<std::uint8_t> adversarial_kaiju1_tensor(std::uint64_t seed,
                                                           std::uint64_t number) {
  Random random(seed + 0x9E3779B97F4A7C15u * (number + 1));
  const std::uint32_t rows = 1 + below(random, 4);
  const std::uint32_t cols = below(random, 40) == 0 ? below(random, 600) : below(random, 100);
  auto tensor = random_kaiju1_tensor(random, rows, cols);
  for (std::uint32_t n = below(random, 4); n > 1; --n) damage_kaiju1_tensor(tensor, random);
  return tensor;
}

}  // namespace quantproof::fuzz

#endif
