// SPDX-License-Identifier: Apache-2.0
#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "tools/report/report.h"

namespace quantproof::report {

namespace {

// A number sign begins a directive.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '#' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

// A JSON string is a YAML scalar.
std::string scalar(const std::string& text) { return nlohmann::json(text).dump(-1, ' ', true); }

}  // namespace

std::string to_tap(const Report& report) {
  std::string text = "TAP version 14\n";
  auto out = std::back_inserter(text);
  fmt::format_to(out, "1..{}\n", report.entries.size());
  if (report.entries.empty()) fmt::format_to(out, "Bail out! Nothing ran\n");
  std::size_t number = 0;
  for (const Entry& entry : report.entries) {
    const bool pass = entry.verdict == "pass";
    fmt::format_to(out, "{} {} - {}: {}\n", pass ? "ok" : "not ok", ++number, escaped(entry.id),
                   escaped(entry.statement));
    if (pass) continue;
    fmt::format_to(out, "  ---\n  verdict: {}\n  message: {}\n  again: {}\n  ...\n",
                   scalar(entry.verdict), scalar(entry.detail), scalar(entry.reproduce));
  }
  return text;
}

}  // namespace quantproof::report
