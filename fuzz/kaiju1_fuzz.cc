// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "fuzz/kaiju1_tensors.h"
#include "quantproof/kaiju1.h"
#include "quantproof/qp.h"
#include "quantproof/ref/kaiju1.h"

// The first two bytes choose the rows that are asked for; the rest is a tensor, or claims to be
// one. Every level against the reference: status, place, and what was written.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostWeights = 1 << 16;
  if (size < 2 + quantproof::kKaiju1HeaderBytes) return 0;
  const std::uint8_t* const tensor = data + 2;
  const std::size_t n_bytes = size - 2;
  const quantproof::Kaiju1Header header = quantproof::read_kaiju1_header(tensor);
  const std::size_t first_row = data[0] % 8;
  const std::size_t rows =
      std::min<std::size_t>(data[1] % 8, kMostWeights / std::max<std::size_t>(header.cols, 1));
  const std::size_t room = rows * std::min<std::size_t>(header.cols, kMostWeights);
  std::vector<float> want(room + 1, 0.25f);
  qp_location want_where{0, 0, ""};
  const qp_status status = quantproof::ref::decode_kaiju1_rows(tensor, n_bytes, first_row, rows,
                                                               want.data(), &want_where);
  for (std::size_t i = 0; i < qp_level_count(); ++i) {
    if (qp_force_level(qp_level_name(i)) != QP_OK) continue;
    std::vector<float> got(room + 1, 0.25f);
    qp_location where{0, 0, ""};
    const bool same =
        qp_kaiju1_decode_rows_at(tensor, n_bytes, first_row, rows, got.data(), &where) == status &&
        where.block == want_where.block && where.offset == want_where.offset &&
        std::strcmp(where.field, want_where.field) == 0 &&
        std::memcmp(got.data(), want.data(), got.size() * sizeof(float)) == 0;
    if (!same) std::abort();
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

// Half of the time what libFuzzer does with any bytes; else the tensor damaged where it hurts, or
// another one.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  quantproof::fuzz::Random random(seed);
  const std::uint64_t choice = random() % 8;
  if (size < 2 || choice < 4) return LLVMFuzzerMutate(data, size, max_size);
  std::vector<std::uint8_t> tensor(data + 2, data + size);
  if (choice == 4) {
    tensor = quantproof::fuzz::adversarial_kaiju1_tensor(seed, 0);
  } else {
    quantproof::fuzz::damage_kaiju1_tensor(tensor, random);
  }
  if (tensor.size() + 2 > max_size) return size;
  std::copy(tensor.begin(), tensor.end(), data + 2);
  return tensor.size() + 2;
}
