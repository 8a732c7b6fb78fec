// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/block_input.h"

#include <filesystem>
#include <fstream>

#include "fmt/format.h"

#include "tools/certify/decoder.h"
#include "tools/certify/hex.h"

namespace quantproof::cli {

std::optional<std::vector<std::uint8_t>> read_file_at(const std::string& input,
                                                      std::size_t n_bytes) {
  std::string path = input;
  std::size_t offset = 0;
  if (!std::filesystem::exists(path)) {
    const std::size_t colon = input.rfind(':');
    if (colon == std::string::npos || !std::filesystem::exists(input.substr(0, colon))) {
      return std::nullopt;
    }
    path = input.substr(0, colon);
    const std::string digits = input.substr(colon + 1);
    std::size_t used = 0;
    try {
      offset = std::stoull(digits, &used, 0);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used == 0 || used != digits.size()) {
      throw certify::UsageError(fmt::format("\"{}\" is not an offset in bytes", digits));
    }
  }
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    throw certify::UnreadableError(fmt::format("cannot read {}", path));
  }
  file.seekg(static_cast<std::streamoff>(offset));
  std::vector<std::uint8_t> bytes(n_bytes);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(n_bytes));
  if (static_cast<std::size_t>(file.gcount()) != n_bytes) {
    throw certify::UnreadableError(fmt::format("{} ends {} bytes after offset {}; {} are needed",
                                               path, file.gcount(), offset, n_bytes));
  }
  return bytes;
}

std::vector<std::uint8_t> read_block(const std::string& input, std::size_t n_bytes) {
  if (auto bytes = read_file_at(input, n_bytes)) return *std::move(bytes);
  std::vector<std::uint8_t> bytes;
  try {
    bytes = certify::parse_hex(input);
  } catch (const std::invalid_argument& error) {
    throw certify::UsageError(fmt::format("\"{}\" is neither a file nor a block in hexadecimal: {}",
                                          input.substr(0, 40) + (input.size() > 40 ? "..." : ""),
                                          error.what()));
  }
  if (bytes.size() != n_bytes) {
    throw certify::UsageError(
        fmt::format("a block has {} bytes, but {} were given", n_bytes, bytes.size()));
  }
  return bytes;
}

}  // namespace quantproof::cli
