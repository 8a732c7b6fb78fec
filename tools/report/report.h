// SPDX-License-Identifier: Apache-2.0
//
// Reports for other programs and for people, each made from the JSON of a certificate or of a gate
// (spec/certificate.schema.json, spec/gate.schema.json) and from nothing else.
#ifndef QUANTPROOF_TOOLS_REPORT_REPORT_H_
#define QUANTPROOF_TOOLS_REPORT_REPORT_H_

#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

namespace quantproof::report {

// One line of a report.
struct Entry {
  std::string id;       // the claim, or what the gate compared
  std::string group;    // the format, or the kind of comparison
  std::string verdict;  // "pass", "fail", "refused" or "not_exercised"
  std::string statement;
  std::string method;
  double seconds = 0;
  std::string detail;
  std::string reproduce;
};

struct Report {
  std::string command;  // "certify" or "gate"
  std::string version;
  std::string target;       // in words
  std::string target_file;  // path of the library; empty: none
  std::vector<Entry> entries;

  std::size_t count(const std::string& verdict) const;
};

// The certificate in FILE, checked as far as the reports and the gate rely on it: unreadable, no
// certificate, or one whose summary does not match its claims is an UnreadableError.
nlohmann::ordered_json read_certificate(const std::string& path);

Report report_of_certificate(const nlohmann::ordered_json& certificate);
Report report_of_gate(const nlohmann::ordered_json& gate);

// A target as one line: "fast", "lib:PATH, SYMBOL" or "cmd:COMMAND".
std::string target_in_words(const nlohmann::ordered_json& target);

// JUnit XML. A claim that was refused or not exercised is an error there, for a reader that knows
// only failures and skipped tests takes the latter for no harm.
std::string to_junit(const Report& report);

// SARIF 2.1.0: a rule for each entry, a result for each that does not pass.
std::string to_sarif(const Report& report);

// TAP 14: whatever does not pass is "not ok".
std::string to_tap(const Report& report);

// One page that needs no other file and no network.
std::string to_html(const nlohmann::ordered_json& certificate);

}  // namespace quantproof::report

#endif
