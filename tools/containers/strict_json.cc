// SPDX-License-Identifier: Apache-2.0
#include "tools/containers/strict_json.h"

#include <set>
#include <vector>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "tools/containers/container_error.h"
#include "tools/containers/quoted.h"

namespace quantproof::containers {

using nlohmann::json;
using nlohmann::ordered_json;

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 255;
  const bool cut = text.size() > kMost;
  return ordered_json(text.substr(0, kMost))
             .dump(-1, ' ', true, ordered_json::error_handler_t::replace) +
         (cut ? "..." : "");
}

json parse_strict_json(std::span<const std::uint8_t> text, int depth_limit,
                       const std::string& name) {
  std::vector<std::set<std::string>> keys;
  const auto fail = [&](const std::string& message) {
    throw ContainerError(name + ": the header " + message);
  };
  const json::parser_callback_t watch = [&](int depth, json::parse_event_t event, json& value) {
    switch (event) {
      case json::parse_event_t::object_start:
      case json::parse_event_t::array_start:
        if (depth >= depth_limit) fail(fmt::format("nests more than {} deep", depth_limit));
        keys.emplace_back();
        break;
      case json::parse_event_t::object_end:
      case json::parse_event_t::array_end:
        keys.pop_back();
        break;
      case json::parse_event_t::key:
        if (!keys.back().insert(value.get<std::string>()).second) {
          fail(fmt::format("has the key {} twice", in_quotes(value.get<std::string>())));
        }
        break;
      case json::parse_event_t::value:
        break;
    }
    return true;
  };
  if (text.size() >= 3 && text[0] == 0xEF) fail("begins with a byte order mark");
  try {
    return json::parse(text.begin(), text.end(), watch);
  } catch (const json::parse_error& error) {
    throw ContainerError(
        fmt::format("{}: the header is not JSON (near its byte {})", name, error.byte));
  } catch (const json::out_of_range&) {  // a number beyond binary64
    throw ContainerError(name + ": the header has a number that is out of range");
  }
}

}  // namespace quantproof::containers
