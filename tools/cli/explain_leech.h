// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_CLI_EXPLAIN_LEECH_H_
#define QUANTPROOF_TOOLS_CLI_EXPLAIN_LEECH_H_

#include <string>

namespace quantproof::cli {

// Explains the nearest lattice point of one point. `input`: 24 numbers apart by spaces or commas,
// integers in units of 2^-13, or lattice units where one of them has a point or an exponent; or
// FILE[:OFFSET] with 24 little-endian int32. `json`: as --json, empty for text. Returns the exit
// code; throws UsageError and UnreadableError.
int explain_leech(const std::string& input, const std::string& json);

}  // namespace quantproof::cli

#endif
