// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/certificate.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "quantproof/qp.h"
#include "tools/certify/decoder.h"
#include "tools/certify/spec_data.h"

namespace quantproof::certify {

namespace {

struct Style {
  const char* on;
  const char* off;
};

Style style_of(Verdict verdict, bool colour) {
  if (!colour) return {"", ""};
  switch (verdict) {
    case Verdict::kPass:
      return {"\x1b[32m", "\x1b[0m"};
    case Verdict::kFail:
      return {"\x1b[1;31m", "\x1b[0m"};
    case Verdict::kRefused:
    case Verdict::kNotExercised:
      break;
  }
  return {"\x1b[33m", "\x1b[0m"};
}

const char* verdict_word(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kFail:
      return "FAIL";
    case Verdict::kRefused:
      return "REFUSED";
    case Verdict::kNotExercised:
      break;
  }
  return "NOT RUN";
}

// A finding of several lines goes on below its first one.
std::string indented(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c;
    if (c == '\n') result += "                ";
  }
  return result;
}

// The table keeps to one line a claim; the JSON has the whole text.
std::string shortened(const std::string& text) {
  constexpr std::size_t kLongest = 100;
  return text.size() <= kLongest ? text : text.substr(0, kLongest - 3) + "...";
}

}  // namespace

std::string host_cpu() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0) {
      const std::size_t colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  }
  return "unknown";
}

std::string host_compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#elif defined(__GNUC__)
  return "g++ " __VERSION__;
#else
  return "unknown";
#endif
}

std::size_t Certificate::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      claims.begin(), claims.end(), [&](const auto& c) { return c.outcome.verdict == verdict; }));
}

int Certificate::exit_code() const {
  if (count(Verdict::kFail) > 0) return 1;
  if (count(Verdict::kPass) != claims.size() || claims.empty()) return 4;
  return 0;
}

nlohmann::ordered_json to_json(const Certificate& certificate) {
  using nlohmann::ordered_json;
  ordered_json not_run = ordered_json::array();
  for (const auto& [name, reason] : certificate.levels_not_run) {
    not_run.push_back({{"name", name}, {"reason", reason}});
  }
  ordered_json claims = ordered_json::array();
  for (const ClaimResult& result : certificate.claims) {
    claims.push_back({{"id", result.claim->id},
                      {"format", result.claim->format},
                      {"statement", result.claim->statement},
                      {"method", result.claim->method},
                      {"domain", result.claim->domain},
                      {"verdict", verdict_name(result.outcome.verdict)},
                      {"seconds", std::round(result.seconds * 1000) / 1000},
                      {"detail", result.outcome.detail},
                      {"reproduce", result.reproduce}});
  }
  ordered_json coverage = ordered_json::array();
  for (const auto& format : certificate.coverage) {
    ordered_json parts = {{"format", format_name(format->format())}};
    for (const auto& part : format->parts()) {
      parts[part.name] = {{"touched", part.touched}, {"of", part.of}};
    }
    coverage.push_back(parts);
  }
  ordered_json json = {
      {"tool", {{"name", "quantproof"}, {"version", qp_version()}}},
      {"spec_digest", spec_digest()},
      {"profile", certificate.profile},
      {"seed", certificate.seed},
      {"host", {{"cpu", host_cpu()}, {"compiler", host_compiler()}}},
      {"levels", {{"run", certificate.levels_run}, {"not_run", not_run}}},
      {"target", certificate.target},
      {"coverage", coverage},
      {"claims", claims},
  };
  for (const EncoderDigest& encoder : certificate.encoders) {
    json["encoders"].push_back({{"format", encoder.format},
                                {"effort", encoder.effort},
                                {"corpus", encoder.corpus},
                                {"sha256", encoder.sha256}});
  }
  for (const Measurement& measurement : certificate.measurements) {
    json["measurements"].push_back({{"name", measurement.name},
                                    {"unit", measurement.unit},
                                    {"value", measurement.value},
                                    {"peer", measurement.peer},
                                    {"peer_ratio", measurement.peer_ratio}});
  }
  json["summary"] = {{"pass", certificate.count(Verdict::kPass)},
                     {"fail", certificate.count(Verdict::kFail)},
                     {"refused", certificate.count(Verdict::kRefused)},
                     {"not_exercised", certificate.count(Verdict::kNotExercised)}};
  return json;
}

std::string to_text(const Certificate& certificate, bool colour) {
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "quantproof {}, specification {}\n", qp_version(),
                 spec_digest().substr(0, 16));
  fmt::format_to(out, "target    {}\n", certificate.target_text);
  fmt::format_to(out, "profile   {}, seed {}\n", certificate.profile, certificate.seed);
  fmt::format_to(out, "host      {}, built with {}\n", host_cpu(), host_compiler());
  if (!certificate.levels_run.empty()) {
    fmt::format_to(out, "levels    run: {}\n", fmt::join(certificate.levels_run, " "));
    for (const auto& [name, reason] : certificate.levels_not_run) {
      fmt::format_to(out, "          NOT run: {} ({})\n", name, reason);
    }
  }
  std::size_t id_width = 5;
  for (const ClaimResult& result : certificate.claims) {
    id_width = std::max(id_width, result.claim->id.size());
  }
  fmt::format_to(out, "\n{:8} {:{}} {:11} {:>8}  {}\n", "verdict", "claim", id_width, "method",
                 "seconds", "what was covered");
  for (const ClaimResult& result : certificate.claims) {
    const Verdict verdict = result.outcome.verdict;
    const Style style = style_of(verdict, colour);
    const std::string& detail = result.outcome.detail;
    // For a proof the domain says more than the number of queries.
    const bool shows_detail =
        verdict == Verdict::kPass && !detail.empty() && result.claim->method != "smt";
    fmt::format_to(out, "{}{:8}{} {:{}} {:11} {:8.3f}  {}\n", style.on, verdict_word(verdict),
                   style.off, result.claim->id, id_width, result.claim->method, result.seconds,
                   shows_detail ? shortened(detail) : result.claim->domain);
    if (verdict == Verdict::kPass) continue;
    if (verdict == Verdict::kFail) {
      fmt::format_to(out, "         claim: {}\n", result.claim->statement);
    }
    fmt::format_to(out, "         found: {}\n", indented(detail));
    fmt::format_to(out, "         again: {}\n", result.reproduce);
  }
  for (const Measurement& measurement : certificate.measurements) {
    fmt::format_to(out, "measured  {:24} {:8.2f} {}, {:.1f} x {}\n", measurement.name,
                   measurement.value, measurement.unit, measurement.peer_ratio, measurement.peer);
  }
  for (const std::string& note : certificate.notes) fmt::format_to(out, "note      {}\n", note);
  for (const auto& coverage : certificate.coverage) {
    fmt::format_to(out, "coverage  {}\n", coverage->text());
  }
  double seconds = 0;
  for (const ClaimResult& result : certificate.claims) seconds += result.seconds;
  fmt::format_to(out, "\n{} claim{}: {} pass, {} fail, {} refused, {} not exercised; {:.1f} s\n",
                 certificate.claims.size(), certificate.claims.size() == 1 ? "" : "s",
                 certificate.count(Verdict::kPass), certificate.count(Verdict::kFail),
                 certificate.count(Verdict::kRefused), certificate.count(Verdict::kNotExercised),
                 seconds);
  return text;
}

}  // namespace quantproof::certify
