// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_CERTIFY_SHA256_H_
#define QUANTPROOF_TOOLS_CERTIFY_SHA256_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace quantproof::certify {

// SHA-256 of `bytes` as 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

// SHA-256 of bytes that come in pieces.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void update(const void* bytes, std::size_t n);
  std::string finish();  // once, at the end

 private:
  void* context_;
};

// The same of a file; empty where it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace quantproof::certify

#endif
