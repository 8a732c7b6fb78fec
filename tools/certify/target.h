// SPDX-License-Identifier: Apache-2.0
//
// A target that has been opened: its decoders, what it is held to, and how reports name it.
#ifndef QUANTPROOF_TOOLS_CERTIFY_TARGET_H_
#define QUANTPROOF_TOOLS_CERTIFY_TARGET_H_

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "quantproof/status.h"
#include "tools/certify/decoder.h"
#include "tools/certify/encoder.h"

namespace quantproof::certify {

struct Target {
  std::map<qp_format, std::shared_ptr<Decoder>> decoders;  // null: the library lacks the symbol
  std::map<qp_format, std::shared_ptr<Encoder>> encoders;  // the same; either these or decoders
  std::vector<qp_profile> profiles;
  nlohmann::ordered_json json;
  std::string text;  // for people
};

// Opens it for `formats`; `profile`: none for the target's own. Throws UsageError and
// UnreadableError.
Target open_target(const TargetSpec& spec, const std::vector<qp_format>& formats,
                   std::optional<qp_profile> profile, std::chrono::milliseconds call_limit);

// The same for its encoders.
Target open_encoders(const TargetSpec& spec, const std::vector<qp_format>& formats,
                     std::optional<qp_profile> profile);

// The one format of presets ggml and colibri.
qp_format format_of(Preset preset);

// A word as a shell reads it.
std::string quote(const std::string& word);

}  // namespace quantproof::certify

#endif
