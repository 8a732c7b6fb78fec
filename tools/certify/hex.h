// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_CERTIFY_HEX_H_
#define QUANTPROOF_TOOLS_CERTIFY_HEX_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quantproof::certify {

// Two lower-case digits a byte.
std::string to_hex(std::span<const std::uint8_t> bytes);

// The reverse; blanks between digits are skipped. Throws std::invalid_argument for anything else.
std::vector<std::uint8_t> parse_hex(std::string_view text);

}  // namespace quantproof::certify

#endif
