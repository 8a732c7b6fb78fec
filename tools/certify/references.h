// SPDX-License-Identifier: Apache-2.0
//
// The literal reference, a second one written another way, and who is wrong where they differ.
#ifndef QUANTPROOF_TOOLS_CERTIFY_REFERENCES_H_
#define QUANTPROOF_TOOLS_CERTIFY_REFERENCES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "quantproof/status.h"

namespace quantproof::certify {

// What a decoder says of one row: a verdict, and the bits of the values that it writes.
struct Answer {
  qp_status status = QP_OK;
  qp_location where{0, 0, ""};
  std::vector<std::uint32_t> bits;
};

using Reference = Answer (*)(qp_format format, qp_profile profile,
                             std::span<const std::uint8_t> bytes, std::size_t n_values);

// ref/, by format.
qp_status reference_decode(qp_format format, qp_profile profile,
                           std::span<const std::uint8_t> bytes, float* out, std::size_t n_values,
                           qp_location* where);
Answer reference_answer(qp_format format, qp_profile profile, std::span<const std::uint8_t> bytes,
                        std::size_t n_values);

// The same rules once more, sharing nothing with ref/ and the headers of spec/: the layout, the
// codebook and the formula are read from the format's text, the fields from a string of bits, and
// the binary32 number is put together from integers.
Answer second_reference_answer(qp_format format, qp_profile profile,
                               std::span<const std::uint8_t> bytes, std::size_t n_values);

// Whether two answers are the same: bits, status, and the place of an error.
bool same_answer(const Answer& a, const Answer& b);

// Who is doubted after a target and the reference differed on one row.
struct Vote {
  bool reference_is_outlier = false;  // then nothing is shown about the target
  std::string text;                   // the vote in words
};

// Asks the second reference, and where it does not side with `reference`, the pinned vectors.
// `got`: the target's answer; `pinned`: what a vector states for this row, or null.
Vote vote(Reference reference, qp_format format, qp_profile profile,
          std::span<const std::uint8_t> bytes, std::size_t n_values, const Answer& got,
          const Answer* pinned);

}  // namespace quantproof::certify

#endif
