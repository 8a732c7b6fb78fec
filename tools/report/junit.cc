// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "fmt/format.h"

#include "tools/report/escaped.h"
#include "tools/report/report.h"

namespace quantproof::report {

namespace {

std::string counts(const std::vector<Entry>& entries) {
  std::size_t failures = 0;
  std::size_t errors = 0;
  double seconds = 0;
  for (const Entry& entry : entries) {
    failures += entry.verdict == "fail" ? 1 : 0;
    errors += entry.verdict == "refused" || entry.verdict == "not_exercised" ? 1 : 0;
    seconds += entry.seconds;
  }
  return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="0" time="{:.3f}")",
                     entries.size(), failures, errors, seconds);
}

}  // namespace

std::string to_junit(const Report& report) {
  std::vector<std::string> groups;  // in order of appearance
  for (const Entry& entry : report.entries) {
    if (std::find(groups.begin(), groups.end(), entry.group) == groups.end()) {
      groups.push_back(entry.group);
    }
  }
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  auto out = std::back_inserter(text);
  fmt::format_to(out, "<testsuites name=\"quantproof {}\" {}>\n", report.command,
                 counts(report.entries));
  for (const std::string& group : groups) {
    std::vector<Entry> entries;
    std::copy_if(report.entries.begin(), report.entries.end(), std::back_inserter(entries),
                 [&](const Entry& e) { return e.group == group; });
    fmt::format_to(out, "  <testsuite name=\"{}\" {}>\n", escaped(group), counts(entries));
    fmt::format_to(out,
                   "    <properties>\n"
                   "      <property name=\"quantproof\" value=\"{}\"/>\n"
                   "      <property name=\"target\" value=\"{}\"/>\n"
                   "    </properties>\n",
                   escaped(report.version), escaped(report.target));
    for (const Entry& entry : entries) {
      fmt::format_to(out,
                     "    <testcase classname=\"quantproof.{}.{}\" name=\"{}\" time=\"{:.3f}\"",
                     report.command, escaped(group), escaped(entry.id), entry.seconds);
      if (entry.verdict == "pass") {
        fmt::format_to(out, "/>\n");
        continue;
      }
      const char* element = entry.verdict == "fail" ? "failure" : "error";
      fmt::format_to(out, ">\n      <{} type=\"{}\" message=\"{}\">", element,
                     escaped(entry.verdict), escaped(entry.detail));
      fmt::format_to(out, "{}",
                     escaped(fmt::format("{}\nagain: {}", entry.statement, entry.reproduce)));
      fmt::format_to(out, "</{}>\n    </testcase>\n", element);
    }
    fmt::format_to(out, "  </testsuite>\n");
  }
  return text + "</testsuites>\n";
}

}  // namespace quantproof::report
