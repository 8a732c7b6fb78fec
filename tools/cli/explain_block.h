// SPDX-License-Identifier: Apache-2.0
//
// A block of IQ3_XXS or E8/IQ3 in words: each field, and how one weight is made of them.
#ifndef QUANTPROOF_TOOLS_CLI_EXPLAIN_BLOCK_H_
#define QUANTPROOF_TOOLS_CLI_EXPLAIN_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "nlohmann/json_fwd.hpp"

#include "quantproof/status.h"

namespace quantproof::cli {

// A binary32 number in decimal and as bits.
std::string value_text(std::uint32_t bits);

// `block`: 98 bytes; `weight`: below 256. The fields that the weight is made of are marked.
std::string explain_block(qp_format format, std::span<const std::uint8_t> block,
                          std::size_t weight);
nlohmann::ordered_json explain_block_json(qp_format format, std::span<const std::uint8_t> block,
                                          std::size_t weight);

}  // namespace quantproof::cli

#endif
