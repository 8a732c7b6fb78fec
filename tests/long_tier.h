// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TESTS_LONG_TIER_H_
#define QUANTPROOF_TESTS_LONG_TIER_H_

#include <cstdlib>
#include <string>

namespace quantproof::tests {

// QUANTPROOF_LONG=1 in the environment: many more points, minutes instead of seconds.
inline bool long_tier() {
  const char* value = std::getenv("QUANTPROOF_LONG");
  return value != nullptr && std::string(value) == "1";
}

}  // namespace quantproof::tests

#endif
