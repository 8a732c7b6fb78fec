// SPDX-License-Identifier: Apache-2.0
//
// The body of the decoder fuzz targets: arbitrary bytes, every level against the reference.
#ifndef QUANTPROOF_FUZZ_DECODE_FUZZ_H_
#define QUANTPROOF_FUZZ_DECODE_FUZZ_H_

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "fuzz/blocks.h"
#include "quantproof/qp.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace quantproof::fuzz {

// The body of LLVMFuzzerCustomMutator where byte 0 chooses and blocks follow: half of the time what
// libFuzzer does with any bytes, else one block changed field by field, or another block after the
// last.
inline std::size_t mutate_blocks(qp_format format, std::uint8_t* data, std::size_t size,
                                 std::size_t max_size, unsigned seed) {
  Random random(seed);
  const std::size_t block = block_bytes(format);
  const std::size_t blocks = size == 0 ? 0 : (size - 1) / block;
  const std::uint64_t choice = random() % 8;
  if (blocks == 0 || choice < 4) return LLVMFuzzerMutate(data, size, max_size);
  if (choice == 4 && 1 + (blocks + 1) * block <= max_size) {
    const auto row = adversarial_row(format, random(), 1 + random() % 1000);
    std::memcpy(data + 1 + blocks * block, row.data(), block);
    return 1 + (blocks + 1) * block;
  }
  mutate_block(format, std::span(data + 1 + random() % blocks * block, block), random);
  return 1 + blocks * block;
}

// The first byte chooses profile and how the width departs from whole blocks; the rest is the
// input. `reference` is the literal decoder of `format`. Aborts on any difference.
template <class Reference>
void fuzz_decode(qp_format format, Reference reference, const std::uint8_t* data,
                 std::size_t size) {
  if (size == 0) return;
  const auto profile = static_cast<qp_profile>(data[0] % 3);
  const std::size_t missing = data[0] / 3;  // 0 to 85
  const std::uint8_t* const bytes = data + 1;
  const std::size_t n_bytes = size - 1;
  const std::size_t whole = 256 * ((n_bytes + 97) / 98);
  const std::size_t n_values = whole - (whole == 0 ? 0 : missing);
  std::vector<float> want(n_values, 0.25f);
  qp_location want_where{};
  const qp_status status = reference(profile, bytes, n_bytes, want.data(), n_values, &want_where);
  for (std::size_t i = 0; i < qp_level_count(); ++i) {
    if (qp_force_level(qp_level_name(i)) != QP_OK) continue;
    std::vector<float> got(n_values, 0.25f);
    qp_location where{};
    const bool same =
        qp_decode_at(profile, format, bytes, n_bytes, got.data(), n_values, &where) == status &&
        where.block == want_where.block && where.offset == want_where.offset &&
        (n_values == 0 || std::memcmp(got.data(), want.data(), n_values * sizeof(float)) == 0);
    if (!same) std::abort();
  }
}

}  // namespace quantproof::fuzz

#endif
