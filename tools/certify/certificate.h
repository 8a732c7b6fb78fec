// SPDX-License-Identifier: Apache-2.0
//
// The result of a certification: the source of every report. Schema: spec/certificate.schema.json.
#ifndef QUANTPROOF_TOOLS_CERTIFY_CERTIFICATE_H_
#define QUANTPROOF_TOOLS_CERTIFY_CERTIFICATE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "tools/certify/claims.h"
#include "tools/certify/coverage.h"
#include "tools/certify/encoder_digests.h"
#include "tools/certify/isolate.h"
#include "tools/certify/measurements.h"

namespace quantproof::certify {

struct ClaimResult {
  const Claim* claim = nullptr;
  Outcome outcome;
  double seconds = 0;
  std::string reproduce;  // one command that runs this again
};

struct Certificate {
  std::string profile;  // "strict", "ggml", "colibri" or "all"
  std::uint64_t seed = 0;
  std::vector<std::string> levels_run;
  std::vector<std::pair<std::string, std::string>> levels_not_run;  // name, reason
  nlohmann::ordered_json target;
  std::string target_text;                          // for people
  std::vector<std::shared_ptr<Coverage>> coverage;  // of the formats with blocks
  std::vector<ClaimResult> claims;
  std::vector<EncoderDigest> encoders;
  std::vector<Measurement> measurements;
  std::vector<std::string> notes;  // what does not apply to this target, and why

  std::size_t count(Verdict verdict) const;
  // 0: all pass; 1: something failed; 4: something was refused or not exercised, or nothing ran.
  int exit_code() const;
};

nlohmann::ordered_json to_json(const Certificate& certificate);

// A table for people, at most `width` columns wide where the words allow it.
std::string to_text(const Certificate& certificate, bool colour);

std::string host_cpu();
std::string host_compiler();

}  // namespace quantproof::certify

#endif
