// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_CERTIFY_LEVELS_H_
#define QUANTPROOF_TOOLS_CERTIFY_LEVELS_H_

#include <functional>
#include <string>

#include "tools/certify/isolate.h"

namespace quantproof::certify {

// Runs `check` on every level that this CPU supports, until one returns a failure, which is given
// back with the level's name. Empty: none did. Describes each step as `what` on that level.
std::string on_every_level(Situation& situation, const std::string& what,
                           const std::function<std::string()>& check);

}  // namespace quantproof::certify

#endif
