// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/references.h"

#include <bit>

#include "fmt/format.h"

#include "quantproof/iq3_block.h"
#include "quantproof/ref/e8_iq3.h"
#include "quantproof/ref/iq3_xxs.h"
#include "tools/certify/vectors.h"

namespace quantproof::certify {

namespace {

// How many pinned vectors of the format a reference contradicts, and the first of them.
struct Contradictions {
  std::size_t count = 0;
  int first = 0;
};

Contradictions contradictions(Reference reference, qp_format format) {
  Contradictions found;
  for (const VectorCase& vector : decode_vectors(format)) {
    for (const auto& [profile, expected] : vector.expected) {
      if (same_answer(reference(format, profile, vector.bytes, vector.n_values), expected)) {
        continue;
      }
      if (found.count == 0) found.first = vector.id;
      ++found.count;
      break;
    }
  }
  return found;
}

std::string text_of(const Contradictions& found) {
  if (found.count == 0) return "agrees with all pinned vectors";
  return fmt::format("contradicts {} pinned vectors (first: {})", found.count, found.first);
}

}  // namespace

qp_status reference_decode(qp_format format, qp_profile profile,
                           std::span<const std::uint8_t> bytes, float* out, std::size_t n_values,
                           qp_location* where) {
  const auto decode = format == QP_IQ3_XXS ? ref::decode_iq3_xxs : ref::decode_e8_iq3;
  return decode(profile, bytes.data(), bytes.size(), out, n_values, where);
}

Answer reference_answer(qp_format format, qp_profile profile, std::span<const std::uint8_t> bytes,
                        std::size_t n_values) {
  Answer answer;
  std::vector<float> values(n_values);
  answer.status = reference_decode(format, profile, bytes, values.data(), n_values, &answer.where);
  std::size_t written = answer.status == QP_OK ? n_values : 0;
  if (answer.status == QP_SCALE_NOT_FINITE) {
    written = static_cast<std::size_t>(answer.where.block) * kBlockWeights;
  }
  answer.bits.resize(written);
  for (std::size_t i = 0; i < written; ++i) {
    answer.bits[i] = std::bit_cast<std::uint32_t>(values[i]);
  }
  return answer;
}

bool same_answer(const Answer& a, const Answer& b) {
  return a.status == b.status && a.bits == b.bits &&
         (a.status == QP_OK ||
          (a.where.block == b.where.block && a.where.offset == b.where.offset &&
           std::string(a.where.field) == b.where.field));
}

Vote vote(Reference reference, qp_format format, qp_profile profile,
          std::span<const std::uint8_t> bytes, std::size_t n_values, const Answer& got,
          const Answer* pinned) {
  const Answer first = reference(format, profile, bytes, n_values);
  const Answer second = second_reference_answer(format, profile, bytes, n_values);
  if (same_answer(first, second)) {
    if (pinned == nullptr || same_answer(first, *pinned)) return {false, "both references agree"};
    return {true, "the vector is the outlier: both references contradict it"};
  }
  // A target that names no place of an error is on the side of whoever has its verdict and bits.
  const bool target_with_second =
      (got.status == QP_OK) == (second.status == QP_OK) && got.bits == second.bits;
  const Contradictions of_first = contradictions(reference, format);
  const Contradictions of_second = contradictions(second_reference_answer, format);
  const std::string facts =
      fmt::format("the second reference differs from it{}; the reference {}, the second one {}",
                  target_with_second ? " and sides with the target" : "", text_of(of_first),
                  text_of(of_second));
  if (of_first.count == 0 && of_second.count > 0) {
    return {false, "the second reference is the outlier: " + facts};
  }
  if (of_first.count > 0 || target_with_second) {
    return {true, "the reference is the outlier: " + facts};
  }
  return {true, "the reference and the second reference disagree, no verdict: " + facts};
}

}  // namespace quantproof::certify
