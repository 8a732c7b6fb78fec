// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

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
