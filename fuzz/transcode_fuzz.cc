// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "fuzz/decode_fuzz.h"
#include "quantproof/qp.h"
#include "quantproof/ref/transcode.h"

// The first byte chooses the direction; the rest is cut to whole blocks.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const qp_format from = data[0] % 2 == 0 ? QP_IQ3_XXS : QP_E8_IQ3;
  const qp_format to = data[0] % 2 == 0 ? QP_E8_IQ3 : QP_IQ3_XXS;
  const std::size_t n_blocks = (size - 1) / 98;
  std::vector<std::uint8_t> want(98 * n_blocks, 0xEE);
  std::vector<std::uint8_t> got(98 * n_blocks, 0xEE);
  qp_location want_where{};
  qp_location got_where{};
  const qp_status status =
      quantproof::ref::transcode(from, data + 1, to, want.data(), n_blocks, &want_where);
  if (qp_transcode_at(from, data + 1, to, got.data(), n_blocks, &got_where) != status ||
      got != want || got_where.block != want_where.block || got_where.offset != want_where.offset) {
    std::abort();
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  const qp_format from = size > 0 && data[0] % 2 != 0 ? QP_E8_IQ3 : QP_IQ3_XXS;
  return quantproof::fuzz::mutate_blocks(from, data, size, max_size, seed);
}
