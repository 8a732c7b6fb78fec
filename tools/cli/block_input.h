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

// The blocks in FILE[:OFFSET], `n_blocks` of them, or for 0 all up to its end, which must be the
// end of a block. Throws as read_file_at, and UsageError where there is no such file.
std::vector<std::uint8_t> read_blocks(const std::string& input, std::size_t block_bytes,
                                      std::size_t n_blocks);

}  // namespace quantproof::cli

#endif
