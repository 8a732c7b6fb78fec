// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_CONTAINERS_STRICT_JSON_H_
#define QUANTPROOF_TOOLS_CONTAINERS_STRICT_JSON_H_

#include <cstdint>
#include <span>
#include <string>

#include "nlohmann/json_fwd.hpp"

namespace quantproof::containers {

// The JSON text (RFC 8259, UTF-8) of a header: no byte order mark, no key twice in an object, not
// more than `depth_limit` deep. Throws ContainerError, `name` in front.
nlohmann::json parse_strict_json(std::span<const std::uint8_t> text, int depth_limit,
                                 const std::string& name);

}  // namespace quantproof::containers

#endif
