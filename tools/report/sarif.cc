// SPDX-License-Identifier: Apache-2.0
#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "tools/report/report.h"

namespace quantproof::report {

namespace {

using nlohmann::ordered_json;

// A path as the URI reference that SARIF asks for.
std::string uri(const std::string& path) {
  std::string out;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '-' || c == '_' || c == '.' || c == '~';
    out += plain ? std::string{c} : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

ordered_json location(const Report& report) {
  if (!report.target_file.empty()) {
    return {{"physicalLocation", {{"artifactLocation", {{"uri", uri(report.target_file)}}}}}};
  }
  return {{"logicalLocations", ordered_json::array({{{"fullyQualifiedName", report.target}}})}};
}

}  // namespace

std::string to_sarif(const Report& report) {
  ordered_json rules = ordered_json::array();
  ordered_json results = ordered_json::array();
  for (const Entry& entry : report.entries) {
    rules.push_back({{"id", entry.id},
                     {"shortDescription", {{"text", entry.statement}}},
                     {"properties", {{"tags", {entry.group, entry.method}}}}});
    if (entry.verdict == "pass") continue;
    results.push_back(
        {{"ruleId", entry.id},
         {"ruleIndex", rules.size() - 1},
         {"kind", "fail"},  // readers hide all others
         {"level", entry.verdict == "fail" ? "error" : "warning"},
         {"message",
          {{"text", fmt::format("{} ({}): {}\n{}", entry.id, entry.verdict, entry.statement,
                                entry.detail)}}},
         {"locations", ordered_json::array({location(report)})},
         {"partialFingerprints", {{"quantproofEntry/v1", report.command + " " + entry.id}}},
         {"properties", {{"verdict", entry.verdict}, {"reproduce", entry.reproduce}}}});
  }
  const ordered_json run = {
      {"tool",
       {{"driver",
         {{"name", "quantproof " + report.command},
          {"semanticVersion", report.version},
          {"rules", rules}}}}},
      {"invocations", ordered_json::array({{{"executionSuccessful", true}}})},
      {"results", results},
      {"properties", {{"target", report.target}, {"passed", report.count("pass")}}},
  };
  const ordered_json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                            {"version", "2.1.0"},
                            {"runs", ordered_json::array({run})}};
  return log.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace quantproof::report
