// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_CONTAINERS_QUOTED_H_
#define QUANTPROOF_TOOLS_CONTAINERS_QUOTED_H_

#include <string>
#include <string_view>

namespace quantproof::containers {

// A name of a file as messages show it: in quotes, ASCII, nothing that a terminal obeys, and not
// longer than messages should be.
std::string in_quotes(std::string_view text);

}  // namespace quantproof::containers

#endif
