// SPDX-License-Identifier: Apache-2.0
//
// The checks that run a decoder: each discharges one claim of spec/claims.json.
#ifndef QUANTPROOF_TOOLS_CERTIFY_CHECKS_H_
#define QUANTPROOF_TOOLS_CERTIFY_CHECKS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "quantproof/status.h"
#include "tools/certify/coverage.h"
#include "tools/certify/decoder.h"
#include "tools/certify/encoder.h"
#include "tools/certify/isolate.h"
#include "tools/certify/references.h"

namespace quantproof::certify {

struct CheckInput {
  Decoder* decoder = nullptr;  // null for checks that do not run one
  qp_format format = QP_IQ3_XXS;
  std::vector<qp_profile> profiles;
  std::uint64_t seed = 1;
  double seconds = 1.0;  // for random checks: how long to go on, at least their minimum
  Reference reference = reference_answer;
  Coverage* coverage = nullptr;
  std::vector<std::shared_ptr<Encoder>> encoders = {};  // of encoder_checks(): one per format
};

inline Outcome fail(std::string detail) { return {Verdict::kFail, std::move(detail)}; }

// Calls body() at least `least` times, and until the time of `input` is up, or until it returns a
// failure, which is given back. `count`: the calls that returned none.
template <class Body>
std::string repeat(const CheckInput& input, std::size_t least, std::size_t& count,
                   const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  for (count = 0;; ++count) {
    const std::chrono::duration<double> used = std::chrono::steady_clock::now() - start;
    if (count >= least && used.count() >= input.seconds) return {};
    const std::string failure = body();
    if (!failure.empty()) return failure;
  }
}

using Check = Outcome (*)(const CheckInput&, Situation&);

struct CheckEntry {
  std::string claim;
  Check run;
  bool needs_status;          // cannot be put to a decoder without an error channel
  bool builtin_only;          // speaks of this library's own functions
  bool needs_memory = false;  // cannot be put to a decoder in another process
};

// The checks of one format, in the order in which they run and are reported.
std::vector<CheckEntry> format_checks(qp_format format);

// The checks that IQ3_XXS and E8/IQ3 share (HALF-WIDEN-1, IQ3-CODEBOOK-1, TRANSCODE-2).
std::vector<CheckEntry> general_checks();

// The checks of the nearest-point decoders of the Leech lattice.
std::vector<CheckEntry> leech_checks();

// The checks of the encoder of IQ3_XXS and E8/IQ3, and of the rotation of rows.
std::vector<CheckEntry> iq3_encode_checks();

// The checks of an encoder as a black box.
std::vector<CheckEntry> encoder_checks();

// The checks of KAIJU1.
std::vector<CheckEntry> kaiju1_checks();

}  // namespace quantproof::certify

#endif
