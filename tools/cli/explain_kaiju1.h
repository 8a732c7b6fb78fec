// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_CLI_EXPLAIN_KAIJU1_H_
#define QUANTPROOF_TOOLS_CLI_EXPLAIN_KAIJU1_H_

#include <cstddef>
#include <string>

namespace quantproof::cli {

// Explains the fields of one LeechCode, its point, and the formula of weight `weight`, 0 to 23.
// `input`: 14 hexadecimal digits, or FILE[:OFFSET]. `json`: as --json, empty for text. Returns the
// exit code: 1 where the code is not valid. Throws UsageError and UnreadableError.
int explain_kaiju1(const std::string& input, std::size_t weight, const std::string& json);

}  // namespace quantproof::cli

#endif
