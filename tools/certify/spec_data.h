// SPDX-License-Identifier: Apache-2.0
//
// The parts of spec/ that the command carries inside itself, so that it certifies the same
// specification wherever it is installed.
#ifndef QUANTPROOF_TOOLS_CERTIFY_SPEC_DATA_H_
#define QUANTPROOF_TOOLS_CERTIFY_SPEC_DATA_H_

#include <string>
#include <string_view>
#include <vector>

namespace quantproof::certify {

struct SpecFile {
  std::string_view path;  // from spec/, for example "vectors/iq3_xxs.json"
  std::string_view bytes;
};

// Every carried file, in order of path.
const std::vector<SpecFile>& spec_files();

// The bytes of one file; throws std::out_of_range where there is none of that path.
std::string_view spec_file(std::string_view path);

// SHA-256 over path, size and bytes of every carried file: names the specification that a
// certificate speaks of.
std::string spec_digest();

}  // namespace quantproof::certify

#endif
