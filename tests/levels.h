// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TESTS_LEVELS_H_
#define QUANTPROOF_TESTS_LEVELS_H_

#include <string>
#include <vector>

#include "quantproof/qp.h"

namespace quantproof::tests {

// The levels that this CPU can run.
inline std::vector<std::string> supported_levels() {
  std::vector<std::string> levels;
  for (std::size_t i = 0; i < qp_level_count(); ++i) {
    if (qp_level_supported(i) != 0) levels.emplace_back(qp_level_name(i));
  }
  return levels;
}

}  // namespace quantproof::tests

#endif
