// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_CERTIFY_SHA256_H_
#define QUANTPROOF_TOOLS_CERTIFY_SHA256_H_

#include <string>
#include <string_view>

namespace quantproof::certify {

// SHA-256 of `bytes` as 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

// The same of a file; empty where it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace quantproof::certify

#endif
