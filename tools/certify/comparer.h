// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_CERTIFY_COMPARER_H_
#define QUANTPROOF_TOOLS_CERTIFY_COMPARER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quantproof/status.h"
#include "tools/certify/decoder.h"
#include "tools/certify/guarded_buffer.h"
#include "tools/certify/isolate.h"

namespace quantproof::certify {

// The literal reference, by format.
qp_status reference_decode(qp_format format, qp_profile profile,
                           std::span<const std::uint8_t> bytes, float* out, std::size_t n_values,
                           qp_location* where);

// Holds a decoder against the reference, bit for bit. Input and output end at guard pages; the
// output is filled beforehand with a pattern that no decoder produces, new for each call, and
// what stands before it must not change.
class Comparer {
 public:
  // Largest row a call may decode.
  static constexpr std::size_t kMaxBlocks = 64;

  Comparer(Decoder& decoder, qp_format format, std::vector<qp_profile> profiles, std::uint64_t seed,
           Situation& situation);

  // Decodes `n_values` weights from `bytes` in every variant and profile. False after the first
  // difference from the reference, which outcome() then tells. `what` names the case. A case that
  // this decoder cannot be asked (an error, but no status to tell it with) is only counted.
  bool compare(std::span<const std::uint8_t> bytes, std::size_t n_values, const std::string& what);

  // The same, against given bits and a given verdict, for one profile. `bits` holds the values
  // that are to be written.
  struct Expected {
    qp_status status = QP_OK;
    qp_location where{0, 0, ""};
    std::vector<std::uint32_t> bits;
  };
  bool compare_with(const Expected& expected, qp_profile profile,
                    std::span<const std::uint8_t> bytes, std::size_t n_values,
                    const std::string& what);

  // Whether the decoder writes output that depends on its input; else what it does.
  std::optional<Outcome> not_exercised();

  // After all cases: fail with the first difference, or not exercised where cases had to be left
  // out that the claim's domain names, or pass with `passed` as detail.
  Outcome outcome(const std::string& passed) const;

  std::uint64_t cases() const { return cases_; }
  std::uint64_t left_out() const { return left_out_; }

 private:
  void place_input(std::span<const std::uint8_t> bytes);
  float* place_output(std::size_t n_values);
  bool report(const std::string& text);

  Decoder& decoder_;
  qp_format format_;
  std::vector<qp_profile> profiles_;
  Situation& situation_;
  GuardedBuffer input_;
  GuardedBuffer output_;
  std::vector<std::string> variants_;
  std::uint32_t salt_;
  std::uint64_t cases_ = 0;
  std::uint64_t left_out_ = 0;
  std::string failure_;
};

}  // namespace quantproof::certify

#endif
