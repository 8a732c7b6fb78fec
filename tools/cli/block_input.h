// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_CLI_BLOCK_INPUT_H_
#define QUANTPROOF_TOOLS_CLI_BLOCK_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace quantproof::cli {

// `n_bytes` bytes of FILE[:OFFSET]; nothing when `input` names no file. Throws UsageError where
// OFFSET is no number, UnreadableError where the file is too short.
std::optional<std::vector<std::uint8_t>> read_file_at(const std::string& input,
                                                      std::size_t n_bytes);

// `n_bytes` bytes: hexadecimal digits as they are, or FILE[:OFFSET]. Throws as read_file_at.
std::vector<std::uint8_t> read_block(const std::string& input, std::size_t n_bytes);

}  // namespace quantproof::cli

#endif
