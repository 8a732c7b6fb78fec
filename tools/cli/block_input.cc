// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/block_input.h"

#include <filesystem>
#include <fstream>

#include "fmt/format.h"

#include "tools/certify/decoder.h"
#include "tools/certify/hex.h"

namespace quantproof::cli {

namespace {

struct Place {
  std::string path;
  std::size_t offset = 0;
};

// FILE[:OFFSET]; nothing where there is no such file.
std::optional<Place> place_of(const std::string& input) {
  if (std::filesystem::exists(input)) return Place{input, 0};
  const std::size_t colon = input.rfind(':');
  if (colon == std::string::npos || !std::filesystem::exists(input.substr(0, colon))) {
    return std::nullopt;
  }
  const std::string digits = input.substr(colon + 1);
  std::size_t offset = 0;
  std::size_t used = 0;
  try {
    offset = std::stoull(digits, &used, 0);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != digits.size()) {
    throw certify::UsageError(fmt::format("\"{}\" is not an offset in bytes", digits));
  }
  return Place{input.substr(0, colon), offset};
}

std::vector<std::uint8_t> read_at(const Place& place, std::size_t n_bytes) {
  std::ifstream file(place.path, std::ios::binary);
  if (!file || std::filesystem::is_directory(place.path)) {
    throw certify::UnreadableError(fmt::format("cannot read {}", place.path));
  }
  file.seekg(static_cast<std::streamoff>(place.offset));
  std::vector<std::uint8_t> bytes(n_bytes);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(n_bytes));
  if (static_cast<std::size_t>(file.gcount()) != n_bytes) {
    throw certify::UnreadableError(fmt::format("{} ends {} bytes after offset {}; {} are needed",
                                               place.path, file.gcount(), place.offset, n_bytes));
  }
  return bytes;
}

}  // namespace

std::optional<std::vector<std::uint8_t>> read_file_at(const std::string& input,
                                                      std::size_t n_bytes) {
  const auto place = place_of(input);
  if (!place) return std::nullopt;
  return read_at(*place, n_bytes);
}

std::vector<std::uint8_t> read_blocks(const std::string& input, std::size_t block_bytes,
                                      std::size_t n_blocks) {
  const auto place = place_of(input);
  if (!place) throw certify::UsageError(fmt::format("there is no file \"{}\"", input));
  std::error_code error;
  const std::size_t size = std::filesystem::file_size(place->path, error);
  if (error || place->offset > size) {
    throw certify::UnreadableError(fmt::format("{} has no offset {}", place->path, place->offset));
  }
  const std::size_t left = size - place->offset;
  // Compared by division: the number comes from the user.
  if (n_blocks > left / block_bytes) {
    throw certify::UnreadableError(fmt::format("{} holds {} whole blocks after offset {}, not {}",
                                               place->path, left / block_bytes, place->offset,
                                               n_blocks));
  }
  if (n_blocks == 0 && left % block_bytes != 0) {
    throw certify::UnreadableError(
        fmt::format("{} ends {} bytes after a whole block; --blocks says how many to read",
                    place->path, left % block_bytes));
  }
  return read_at(*place, n_blocks == 0 ? left : n_blocks * block_bytes);
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
