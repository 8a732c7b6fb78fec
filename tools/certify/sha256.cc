// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/sha256.h"

#include <array>
#include <fstream>
#include <iterator>
#include <openssl/evp.h>
#include <stdexcept>

#include "fmt/format.h"

namespace quantproof::certify {

namespace {

[[noreturn]] void fail() { throw std::runtime_error("SHA-256 is not available from libcrypto"); }

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  auto* context = static_cast<EVP_MD_CTX*>(context_);
  if (context == nullptr || EVP_DigestInit_ex(context, EVP_sha256(), nullptr) != 1) fail();
}

Sha256::~Sha256() { EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context_)); }

void Sha256::update(const void* bytes, std::size_t n) {
  if (EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(context_), bytes, n) != 1) fail();
}

std::string Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  if (EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(context_), digest.data(), &length) != 1) fail();
  std::string text;
  for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 digest;
  digest.update(bytes.data(), bytes.size());
  return digest.finish();
}

std::string sha256_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return file.bad() ? std::string{} : sha256(bytes);
}

}  // namespace quantproof::certify
