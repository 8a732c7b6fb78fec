// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/levels.h"

#include "fmt/format.h"

#include "quantproof/qp.h"

namespace quantproof::certify {

std::string on_every_level(Situation& situation, const std::string& what,
                           const std::function<std::string()>& check) {
  std::string failure;
  for (std::size_t i = 0; i < qp_level_count() && failure.empty(); ++i) {
    if (qp_level_supported(i) == 0) continue;
    const std::string level = qp_level_name(i);
    situation.describe(fmt::format("{} on level {}", what, level));
    failure = qp_force_level(level.c_str()) == QP_OK ? check() : "it cannot be forced";
    if (!failure.empty()) failure = fmt::format("level {}: {}", level, failure);
  }
  qp_force_level(nullptr);
  return failure;
}

}  // namespace quantproof::certify
