// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_CLI_LADDER_PAGE_H_
#define QUANTPROOF_TOOLS_CLI_LADDER_PAGE_H_

#include <string>

#include "tools/model/ladder.h"

namespace quantproof::cli {

// A page that stands alone: divergence over rate as SVG, and the table; light or dark as the reader
// has it. `title` and `subtitle` are plain text.
std::string ladder_page(const model::Ladder& ladder, const std::string& title,
                        const std::string& subtitle);

}  // namespace quantproof::cli

#endif
