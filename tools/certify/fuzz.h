// SPDX-License-Identifier: Apache-2.0
//
// Adversarial rows, one after the other, to a decoder and to the reference: which differ, made as
// small as they can be. Nothing here prints.
#ifndef QUANTPROOF_TOOLS_CERTIFY_FUZZ_H_
#define QUANTPROOF_TOOLS_CERTIFY_FUZZ_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "quantproof/status.h"
#include "tools/certify/isolate.h"

namespace quantproof::certify {

struct FuzzRequest {
  std::string target_text = "fast";
  std::string format;
  std::optional<qp_profile> profile;  // none: the target's own, as in certify
  std::uint64_t seed = 1;
  std::uint64_t first = 0;             // number of the first case
  std::optional<std::uint64_t> cases;  // none: as many as the time allows
  double seconds = 10.0;
  std::chrono::milliseconds call_limit{10'000};
  // One row instead of the generated ones, of `count` weights (KAIJU1: rows of a tensor).
  std::optional<std::vector<std::uint8_t>> input;
  std::size_t count = 256;
  // Called now and then with the number of cases and of findings so far.
  std::function<void(std::uint64_t cases, std::size_t findings, double seconds)> progress;
  const std::atomic<bool>* stop = nullptr;  // set: no new cases
};

struct FuzzFinding {
  std::uint64_t number = 0;  // of the first case that showed it
  std::uint64_t cases = 1;   // that look the same
  bool alone = true;         // false: only after the cases before it
  std::string detail;
  std::vector<std::uint8_t> bytes;
  std::size_t count = 0;
  std::string set_fields;  // what is left in `bytes`, in words
  std::string reproduce;
};

struct FuzzResult {
  std::string target_text;
  nlohmann::ordered_json target;
  std::string format;
  std::string profile;
  std::uint64_t seed = 0;
  std::uint64_t first = 0;
  std::uint64_t cases = 0;
  double seconds = 0;
  std::vector<FuzzFinding> findings;
  std::string not_exercised;  // why nothing was found out, or empty
  bool stopped = false;       // by request.stop

  // 0: no difference in at least one case; 1: findings; 4: not exercised; 130: stopped.
  int exit_code() const;
};

// Throws UsageError and UnreadableError.
FuzzResult fuzz_target(const FuzzRequest& request);

nlohmann::ordered_json to_json(const FuzzResult& result);
std::string to_text(const FuzzResult& result);

}  // namespace quantproof::certify

#endif
