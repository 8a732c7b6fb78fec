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
#include "tools/certify/coverage.h"
#include "tools/certify/decoder.h"
#include "tools/certify/guarded_buffer.h"
#include "tools/certify/isolate.h"
#include "tools/certify/references.h"

namespace quantproof::certify {

// Holds a decoder against the reference, bit for bit. Input and output end at guard pages; the
// output is filled beforehand with a pattern that no decoder produces, new for each call, and
// what stands before it must not change.
class Comparer {
 public:
  // Largest row a call may decode: 65,792 values, beyond the range of 16 bits.
  static constexpr std::size_t kMaxBlocks = 257;

  // `coverage` may be null.
  Comparer(Decoder& decoder, qp_format format, std::vector<qp_profile> profiles, std::uint64_t seed,
           Situation& situation, Reference reference = reference_answer,
           Coverage* coverage = nullptr);

  // Decodes `n_values` weights from `bytes` in every variant and profile. False after the first
  // difference from the reference, which outcome() then tells. `what` names the case. A case that
  // this decoder cannot be asked (an error, but no status to tell it with) is only counted.
  bool compare(std::span<const std::uint8_t> bytes, std::size_t n_values, const std::string& what);

  // The same, against the answer that a pinned vector states, for one profile.
  bool compare_with(const Answer& pinned, qp_profile profile, std::span<const std::uint8_t> bytes,
                    std::size_t n_values, const std::string& what);

  // Fails for values that were found wrong outside compare(); `poison`: what stood there before.
  bool report_values(qp_profile profile, std::span<const std::uint8_t> bytes, const Answer& want,
                     std::span<const std::uint32_t> got, std::uint32_t poison,
                     const std::string& what);
  // Fails with other words; refuse(): shows nothing about the target.
  bool report(const std::string& text);
  bool refuse(const std::string& text);

  // Whether the decoder writes output that depends on its input; else what it does.
  std::optional<Outcome> not_exercised();

  // After all cases: fail with the first difference, refused where the references are in doubt, or
  // pass with `passed` as detail.
  Outcome outcome(const std::string& passed) const;

  std::uint64_t cases() const { return cases_; }
  std::uint64_t left_out() const { return left_out_; }

 private:
  void place_input(std::span<const std::uint8_t> bytes);
  float* place_output(std::size_t n_values);
  std::uint32_t poison() const { return 0x7FA00000u | (salt_ & 0x000FFFFFu); }
  bool compare_answer(const Answer& expected, const Answer* pinned, qp_profile profile,
                      std::span<const std::uint8_t> bytes, std::size_t n_values,
                      const std::string& what);

  Decoder& decoder_;
  qp_format format_;
  std::vector<qp_profile> profiles_;
  Situation& situation_;
  Reference reference_;
  Coverage* coverage_;
  GuardedBuffer input_;
  GuardedBuffer output_;
  std::vector<std::string> variants_;
  std::uint32_t salt_;
  std::uint64_t cases_ = 0;
  std::uint64_t left_out_ = 0;
  std::vector<std::uint32_t> previous_;  // what the call before was to give
  Verdict verdict_ = Verdict::kPass;
  std::string failure_;
};

}  // namespace quantproof::certify

#endif
