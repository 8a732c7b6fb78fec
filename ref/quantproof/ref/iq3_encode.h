// SPDX-License-Identifier: Apache-2.0
//
// Reference encoder of IQ3_XXS and E8/IQ3, spec/formats/encoding.md: every row of the codebook is
// tried for every half-group, wherever the text asks for the best one.
#ifndef QUANTPROOF_REF_IQ3_ENCODE_H_
#define QUANTPROOF_REF_IQ3_ENCODE_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "quantproof/iq3_encoding.h"
#include "quantproof/status.h"

namespace quantproof::ref {

struct Iq3EncodeOptions {
  Iq3Effort effort = Iq3Effort::kDefault;
  Iq3Weighting weighting = Iq3Weighting::kImportance;
};

// 2: `rows` rows of `cols` weights at `x`, row by row, to `n_bytes` bytes, exactly rows times the
// bytes of a row of the format. `importance`: cols numbers, each finite and at least 0, or null.
// Returns QP_OK, QP_BAD_ARGUMENT, QP_BAD_WIDTH, QP_BAD_SIZE, QP_IMPORTANCE_NOT_FINITE,
// QP_IMPORTANCE_NEGATIVE, QP_WEIGHT_NOT_FINITE or QP_WEIGHT_OUT_OF_RANGE. On an error *where (may
// be null) says where, and nothing is written.
qp_status encode_iq3(qp_format format, const float* x, std::size_t rows, std::size_t cols,
                     const float* importance, Iq3EncodeOptions options, std::uint8_t* bytes,
                     std::size_t n_bytes, qp_location* where);

// 6.2 and 6.3: the best codebook row of four weights, of those without and with one flipped sign.
struct Iq3RowChoice {
  float value = 0;                // of 6.2, greatest
  float square = 0;               // c of the row
  unsigned row = 0;               // least of those with that value
  unsigned flip = kGroupWeights;  // weight whose sign is flipped; kGroupWeights: none
};

struct Iq3HalfGroup {
  Iq3RowChoice kept;
  Iq3RowChoice flipped;
};

// `x`, `w`: four working numbers of 5; `u`: half the effective scale, positive.
Iq3HalfGroup best_rows(const float* x, const float* w, float u);

// 6.4 and 6.5: the best content of a sub-block.
struct Iq3Content {
  std::array<std::uint32_t, 8> index{};
  std::array<std::uint32_t, 4> sign_field{};
  float product = 0;  // B
  float square = 0;   // C
  float error = 0;
};

// `x`, `w`: 32 working numbers; `t`: the effective scale, positive.
Iq3Content best_content(const float* x, const float* w, float t);

}  // namespace quantproof::ref

#endif
