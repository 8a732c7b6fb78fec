// SPDX-License-Identifier: Apache-2.0
//
// Certifies a target against the specification: which checks apply, in which order, with what
// result. Nothing here prints.
#ifndef QUANTPROOF_TOOLS_CERTIFY_CERTIFY_H_
#define QUANTPROOF_TOOLS_CERTIFY_CERTIFY_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "quantproof/status.h"
#include "tools/certify/certificate.h"
#include "tools/certify/decoder.h"
#include "tools/certify/references.h"

namespace quantproof::certify {

struct Request {
  std::string target_text = "fast";
  bool encoder = false;               // certify the target's encoder, not its decoder
  std::vector<std::string> formats;   // empty: all that the target has
  std::optional<qp_profile> profile;  // none: the target's own (see default_profiles)
  std::vector<std::string> claims;    // empty: all that apply
  bool skip_unknown_claims = false;   // else one that this target lacks is a UsageError
  std::uint64_t seed = 1;
  double seconds = 1.0;                          // for each random check, at least its minimum
  bool measure = false;                          // the speed of the built-in decoders, too
  std::chrono::milliseconds call_limit{10'000};  // for each call of a foreign target
  std::size_t jobs = 0;  // claims at a time; 0: one per processor, but one of a foreign target
  bool stop_at_failure = false;            // leaves out the claims after the first that fails
  Reference reference = reference_answer;  // tests put a broken one here
  // Called before each claim with its id, its number and how many there are; from one thread at a
  // time.
  std::function<void(const std::string&, std::size_t, std::size_t)> progress;
};

// Throws UsageError and UnreadableError.
Certificate certify(const Request& request);

}  // namespace quantproof::certify

#endif
