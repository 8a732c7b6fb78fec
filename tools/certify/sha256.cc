// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/sha256.h"

#include <array>
#include <fstream>
#include <iterator>
#include <openssl/evp.h>
#include <stdexcept>

#include "fmt/format.h"

namespace quantproof::certify {

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("SHA-256 is not available from libcrypto");
  }
  std::string text;
  for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string sha256_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return file.bad() ? std::string{} : sha256(bytes);
}

}  // namespace quantproof::certify
