// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_CLI_MOG_H_
#define QUANTPROOF_TOOLS_CLI_MOG_H_

#include <array>
#include <cstdint>
#include <string>

#include "quantproof/leech.h"

namespace quantproof::cli {

// Prints 24 numbers as six columns of four rows (leech.md 3.5), with `name` and `unit` beside them.
void print_mog(const char* name, const char* unit,
               const std::array<std::int32_t, kLeechDimension>& numbers);

// "an octad", "a dodecad" and so on, for a Golay word of this weight.
const char* golay_weight_name(int weight);

// "0 0 w w w^2 1 (index 2)".
std::string hexaword_text(const Hexaword& hexaword);

}  // namespace quantproof::cli

#endif
