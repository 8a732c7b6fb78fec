// SPDX-License-Identifier: Apache-2.0
//
// spec/vectors/: literal bytes to literal bits, read from the copy inside this program.
#ifndef QUANTPROOF_TOOLS_CERTIFY_VECTORS_H_
#define QUANTPROOF_TOOLS_CERTIFY_VECTORS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "quantproof/status.h"
#include "tools/certify/references.h"

namespace quantproof::certify {

struct VectorCase {
  int id = 0;
  std::string comment;
  std::vector<std::uint8_t> bytes;
  std::size_t n_values = 0;
  std::map<qp_profile, Answer> expected;
};

struct TranscodeCase {
  int id = 0;
  std::string comment;
  qp_format from = QP_IQ3_XXS;
  qp_format to = QP_E8_IQ3;
  std::vector<std::uint8_t> bytes;
  std::size_t n_blocks = 0;
  qp_status status = QP_OK;
  qp_location where{0, 0, ""};
  std::vector<std::uint8_t> expected;  // the bytes that are to be written
};

struct HalfCase {
  struct Result {
    qp_status status = QP_OK;
    std::uint16_t half = 0;
  };
  int id = 0;
  std::uint16_t half = 0;
  std::map<qp_profile, std::pair<qp_status, std::uint32_t>> widened;
  Result doubled;
  Result halved;
};

const std::vector<VectorCase>& decode_vectors(qp_format format);
const std::vector<TranscodeCase>& transcode_vectors();
const std::vector<HalfCase>& half_vectors();

// SHA-256 over all results of half.md 2 to 4 by name ("strict", ..., "double", "halve").
std::map<std::string, std::string> half_digests();

}  // namespace quantproof::certify

#endif
