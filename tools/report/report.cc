// SPDX-License-Identifier: Apache-2.0
#include "tools/report/report.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "tools/certify/decoder.h"

namespace quantproof::report {

namespace {

using nlohmann::ordered_json;

constexpr const char* kVerdicts[] = {"pass", "fail", "refused", "not_exercised"};

// Throws where a reader of certificates would stumble; the schema says more.
void check(const ordered_json& certificate) {
  if (certificate.contains("error")) {
    throw std::runtime_error(fmt::format("it holds an error: {}",
                                         certificate.at("error").at("message").get<std::string>()));
  }
  if (certificate.at("tool").at("name") != "quantproof") {
    throw std::runtime_error("its tool is not quantproof");
  }
  for (const char* key : {"spec_digest", "profile"}) certificate.at(key).get<std::string>();
  if (!certificate.at("seed").is_number_unsigned()) throw std::runtime_error("its seed is no seed");
  const std::string kind = certificate.at("target").at("kind");
  if (kind != "fast" && kind != "lib" && kind != "cmd") {
    throw std::runtime_error(fmt::format("unknown kind of target \"{}\"", kind));
  }
  target_in_words(certificate.at("target"));
  if (kind == "lib") certificate["target"].at("preset").get<std::string>();
  if (certificate["target"].contains("sha256")) {
    certificate["target"].at("sha256").get<std::string>();
  }
  for (const ordered_json& level : certificate.at("levels").at("run")) level.get<std::string>();
  for (const ordered_json& level : certificate.at("levels").at("not_run")) {
    for (const char* key : {"name", "reason"}) level.at(key).get<std::string>();
  }
  if (certificate.contains("encoders")) {
    for (const ordered_json& encoder : certificate.at("encoders")) {
      for (const char* key : {"format", "effort", "corpus", "sha256"}) {
        encoder.at(key).get<std::string>();
      }
    }
  }
  if (certificate.contains("measurements")) {
    for (const ordered_json& measurement : certificate.at("measurements")) {
      for (const char* key : {"name", "unit", "peer"}) measurement.at(key).get<std::string>();
      for (const char* key : {"value", "peer_ratio"}) measurement.at(key).get<double>();
    }
  }
  if (certificate.contains("coverage")) {
    for (const ordered_json& format : certificate.at("coverage")) {
      format.at("format").get<std::string>();
      for (const auto& [name, part] : format.items()) {
        if (name == "format") continue;
        for (const char* key : {"touched", "of"}) part.at(key).get<double>();
      }
    }
  }
  for (const char* key : {"cpu", "compiler"}) certificate.at("host").at(key).get<std::string>();
  std::set<std::string> ids;
  for (const Entry& entry : report_of_certificate(certificate).entries) {
    if (!ids.insert(entry.id).second) {
      throw std::runtime_error(fmt::format("claim {} is there twice", entry.id));
    }
  }
  for (const char* verdict : kVerdicts) {
    const auto claims = certificate.at("claims");
    const auto n = std::count_if(claims.begin(), claims.end(),
                                 [&](const ordered_json& c) { return c["verdict"] == verdict; });
    if (certificate.at("summary").at(verdict) != n) {
      throw std::runtime_error(fmt::format("its summary says {} {}, its claims {}",
                                           certificate["summary"][verdict].dump(), verdict, n));
    }
  }
}

}  // namespace

std::size_t Report::count(const std::string& verdict) const {
  return static_cast<std::size_t>(std::count_if(
      entries.begin(), entries.end(), [&](const Entry& e) { return e.verdict == verdict; }));
}

ordered_json read_certificate(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file || file.bad()) throw certify::UnreadableError(fmt::format("cannot read {}", path));
  try {
    const ordered_json certificate = ordered_json::parse(text);
    check(certificate);
    return certificate;
  } catch (const std::exception& error) {
    throw certify::UnreadableError(fmt::format("{} is no certificate: {}", path, error.what()));
  }
}

std::string target_in_words(const ordered_json& target) {
  const std::string kind = target.at("kind");
  if (kind == "lib") {
    return fmt::format("lib:{}, {}", target.at("path").get<std::string>(),
                       target.at("symbol").get<std::string>());
  }
  if (kind == "cmd") return "cmd:" + target.at("command").get<std::string>();
  return kind;
}

Report report_of_certificate(const ordered_json& certificate) {
  Report report;
  report.command = "certify";
  report.version = certificate.at("tool").at("version");
  report.target = target_in_words(certificate.at("target"));
  if (certificate.at("target").at("kind") == "lib") {
    report.target_file = certificate.at("target").at("path");
  }
  for (const ordered_json& claim : certificate.at("claims")) {
    Entry entry{claim.at("id"),        claim.at("format"),   claim.at("verdict"),
                claim.at("statement"), claim.at("method"),   claim.at("seconds"),
                claim.at("detail"),    claim.at("reproduce")};
    claim.at("domain").get<std::string>();
    if (std::find(std::begin(kVerdicts), std::end(kVerdicts), entry.verdict) ==
        std::end(kVerdicts)) {
      throw std::runtime_error(
          fmt::format("claim {} has the unknown verdict \"{}\"", entry.id, entry.verdict));
    }
    report.entries.push_back(std::move(entry));
  }
  return report;
}

Report report_of_gate(const ordered_json& gate) {
  Report report;
  report.command = "gate";
  report.version = gate.at("tool").at("version");
  report.target = target_in_words(gate.at("current").at("target"));
  if (gate["current"]["target"].at("kind") == "lib") {
    report.target_file = gate["current"]["target"].at("path");
  }
  for (const ordered_json& comparison : gate.at("comparisons")) {
    const std::string outcome = comparison.at("outcome");
    Entry entry;
    entry.id = comparison.at("subject");
    entry.group = comparison.at("kind");
    entry.verdict = outcome == "worse" ? "fail" : outcome == "not_run" ? "not_exercised" : "pass";
    entry.statement = fmt::format("{} is no worse than in the baseline", entry.id);
    entry.method = "comparison";
    entry.detail = comparison.at("detail");
    entry.reproduce = comparison.at("reproduce");
    report.entries.push_back(std::move(entry));
  }
  return report;
}

}  // namespace quantproof::report
