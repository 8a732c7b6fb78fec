// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/claims.h"

#include "nlohmann/json.hpp"

#include "tools/certify/spec_data.h"

namespace quantproof::certify {

const std::vector<Claim>& claims() {
  static const std::vector<Claim> all = [] {
    std::vector<Claim> list;
    const auto file = nlohmann::json::parse(spec_file("claims.json"));
    for (const auto& entry : file.at("claims")) {
      list.push_back({entry.at("id"), entry.at("format"), entry.at("statement"), entry.at("method"),
                      entry.at("domain"), entry.at("clause"), entry.at("command"),
                      entry.at("kernels")});
    }
    return list;
  }();
  return all;
}

const Claim* find_claim(const std::string& id) {
  for (const Claim& claim : claims()) {
    if (claim.id == id) return &claim;
  }
  return nullptr;
}

}  // namespace quantproof::certify
