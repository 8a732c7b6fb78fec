// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/hex.h"

#include <stdexcept>

#include "fmt/format.h"

namespace quantproof::certify {

std::string to_hex(std::span<const std::uint8_t> bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) fmt::format_to(std::back_inserter(text), "{:02x}", byte);
  return text;
}

std::vector<std::uint8_t> parse_hex(std::string_view text) {
  std::vector<std::uint8_t> bytes;
  int pending = -1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    int digit = 0;
    if (c >= '0' && c <= '9') {
      digit = c - '0';
    } else if (c >= 'a' && c <= 'f') {
      digit = c - 'a' + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = c - 'A' + 10;
    } else {
      throw std::invalid_argument(
          fmt::format("character {} of the hexadecimal text is not a digit", i + 1));
    }
    if (pending < 0) {
      pending = digit;
    } else {
      bytes.push_back(static_cast<std::uint8_t>(16 * pending + digit));
      pending = -1;
    }
  }
  if (pending >= 0) throw std::invalid_argument("the hexadecimal text has an odd number of digits");
  return bytes;
}

}  // namespace quantproof::certify
