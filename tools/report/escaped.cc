// SPDX-License-Identifier: Apache-2.0
#include "tools/report/escaped.h"

#include "fmt/format.h"

namespace quantproof::report {

// XML 1.0 and HTML have no way to write most control characters.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
      case '\t':
        out += fmt::format("&#{};", static_cast<int>(c));
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? std::string("\xEF\xBF\xBD") : std::string{c};
    }
  }
  return out;
}

}  // namespace quantproof::report
