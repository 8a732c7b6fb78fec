// SPDX-License-Identifier: Apache-2.0
//
// What the built-in encoders write for a fixed corpus: bytes that change are a change of the
// encoder, which a gate shows.
#ifndef QUANTPROOF_TOOLS_CERTIFY_ENCODER_DIGESTS_H_
#define QUANTPROOF_TOOLS_CERTIFY_ENCODER_DIGESTS_H_

#include <string>
#include <vector>

#include "quantproof/status.h"

namespace quantproof::certify {

struct EncoderDigest {
  std::string format;
  std::string effort;  // "fast", "default" or "best"
  std::string corpus;
  std::string sha256;  // of all the bytes written
};

// For each of `formats` and effort, and for KAIJU1. An encoder that crashes has no digest but a
// note.
std::vector<EncoderDigest> encoder_digests(const std::vector<qp_format>& formats, bool kaiju1,
                                           std::vector<std::string>& notes);

}  // namespace quantproof::certify

#endif
