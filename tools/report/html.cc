// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "tools/report/layout_picture.h"
#include "tools/report/page_data.h"
#include "tools/report/report.h"

namespace quantproof::report {

namespace {

using nlohmann::ordered_json;

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
      default:
        out += c;
    }
  }
  return out;
}

std::string text_of(const ordered_json& object, const char* key) {
  return escaped(object.at(key).get<std::string>());
}

const char* verdict_word(const std::string& verdict) {
  if (verdict == "pass") return "pass";
  if (verdict == "fail") return "FAIL";
  return verdict == "refused" ? "REFUSED" : "NOT RUN";
}

std::string bar(double share) {
  return fmt::format("<div class=\"bar\"><span style=\"width:{:.1f}%\"></span></div>",
                     100 * std::clamp(share, 0.0, 1.0));
}

class Page {
 public:
  explicit Page(const ordered_json& certificate)
      : certificate_(certificate), report_(report_of_certificate(certificate)) {}

  std::string write() {
    const std::string target = escaped(report_.target);
    put("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        // The page needs nothing from elsewhere, and says so to the browser.
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
        "<title>quantproof certificate: {}</title>\n<style>{}</style>\n</head>\n<body>\n",
        target, kPageStyle);
    head();
    put("<main>\n");
    findings();
    claims();
    coverage();
    speed();
    encoders();
    layouts();
    put("</main>\n<footer>Made by quantproof {} from the JSON of a certificate; this page adds "
        "nothing to it.</footer>\n<script>{}</script>\n</body>\n</html>\n",
        escaped(report_.version), kPageScript);
    return out_;
  }

 private:
  template <class... T>
  void put(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<T>(values)...);
  }

  void fact(const char* name, const std::string& html) {
    put("<dt>{}</dt><dd>{}</dd>\n", name, html);
  }

  void head() {
    const std::size_t passed = report_.count("pass");
    const std::size_t failed = report_.count("fail");
    const std::size_t all = report_.entries.size();
    const bool clean = passed == all && all > 0;
    put("<header>\n<h1>quantproof certificate</h1>\n<p class=\"result {}\">{} of {} claims pass",
        clean        ? "pass"
        : failed > 0 ? "fail"
                     : "not_exercised",
        passed, all);
    for (const char* verdict : {"fail", "refused", "not_exercised"}) {
      const std::size_t n = report_.count(verdict);
      if (n > 0) put(", {} {}", n, std::string(verdict) == "not_exercised" ? "not run" : verdict);
    }
    put("</p>\n<dl class=\"facts\">\n");
    const ordered_json& target = certificate_.at("target");
    fact("target", fmt::format("<code>{}</code>", escaped(report_.target)));
    if (target.contains("preset")) fact("preset", text_of(target, "preset"));
    if (target.contains("sha256")) {
      fact("SHA-256", fmt::format("<code>{}</code>", text_of(target, "sha256")));
    }
    fact("profile", fmt::format("{}, seed {}", text_of(certificate_, "profile"),
                                certificate_.at("seed").dump()));
    fact("tool", fmt::format("quantproof {}, specification <code>{}</code>",
                             escaped(report_.version), text_of(certificate_, "spec_digest")));
    fact("host", fmt::format("{}, built with {}", text_of(certificate_.at("host"), "cpu"),
                             text_of(certificate_["host"], "compiler")));
    const ordered_json& levels = certificate_.at("levels");
    if (!levels.at("run").empty()) {
      std::string names;
      for (const ordered_json& level : levels["run"]) {
        names += (names.empty() ? "" : ", ") + level.get<std::string>();
      }
      fact("levels run", escaped(names));
    }
    for (const ordered_json& level : levels.at("not_run")) {
      fact("level not run", fmt::format("<span class=\"not_exercised\">{}</span>: {}",
                                        text_of(level, "name"), text_of(level, "reason")));
    }
    put("</dl>\n</header>\n");
  }

  void findings() {
    if (report_.count("pass") == report_.entries.size()) return;
    put("<section id=\"findings\">\n<h2>Findings</h2>\n");
    for (const Entry& entry : report_.entries) {
      if (entry.verdict == "pass") continue;
      put("<article class=\"finding{}\">\n<h3><span class=\"verdict {}\">{}</span> "
          "<code>{}</code></h3>\n<p>{}</p>\n<p><strong>Found:</strong> {}</p>\n"
          "<div class=\"command\"><code>{}</code></div>\n</article>\n",
          entry.verdict == "fail" ? " failed" : "", entry.verdict, verdict_word(entry.verdict),
          escaped(entry.id), escaped(entry.statement), escaped(entry.detail),
          escaped(entry.reproduce));
    }
    put("</section>\n");
  }

  void options(const char* label, const char* name, const std::set<std::string>& values) {
    put("<label>{} <select name=\"{}\"><option value=\"\">all</option>", label, name);
    for (const std::string& value : values) {
      put("<option value=\"{0}\">{1}</option>", escaped(value),
          value == "not_exercised" ? "not run" : escaped(value));
    }
    put("</select></label>\n");
  }

  void claims() {
    std::set<std::string> verdicts;
    std::set<std::string> formats;
    for (const Entry& entry : report_.entries) {
      verdicts.insert(entry.verdict);
      formats.insert(entry.group);
    }
    put("<section id=\"claims\">\n<h2>Claims</h2>\n<form id=\"filter\" class=\"filter\" hidden>\n");
    options("Verdict", "verdict", verdicts);
    options("Format", "format", formats);
    put("<label>Words <input name=\"words\" type=\"search\"></label>\n"
        "<output id=\"shown\"></output>\n</form>\n"
        "<table class=\"cards\" role=\"table\">\n<thead role=\"rowgroup\"><tr role=\"row\">");
    for (const char* column : {"Verdict", "Claim", "Method", "What was covered"}) {
      put("<th scope=\"col\" role=\"columnheader\">{}</th>", column);
    }
    put("<th scope=\"col\" role=\"columnheader\" class=\"number\">Seconds</th></tr></thead>\n"
        "<tbody role=\"rowgroup\">\n");
    for (const ordered_json& claim : certificate_.at("claims")) {
      const std::string verdict = claim.at("verdict");
      const std::string detail = claim.at("detail");
      put("<tr role=\"row\" data-verdict=\"{}\" data-format=\"{}\">"
          "<td role=\"cell\"><span class=\"verdict {}\">{}</span></td>"
          "<th scope=\"row\" role=\"rowheader\"><code>{}</code></th>"
          "<td role=\"cell\" data-label=\"Method:\">{}</td>"
          "<td role=\"cell\">{}<br><span class=\"dim\">Domain: {}{}</span></td>"
          "<td role=\"cell\" data-label=\"Seconds:\" class=\"number\">{:.3f}</td></tr>\n",
          verdict, text_of(claim, "format"), verdict, verdict_word(verdict), text_of(claim, "id"),
          text_of(claim, "method"), text_of(claim, "statement"), text_of(claim, "domain"),
          verdict == "pass" && !detail.empty() ? ". Run: " + escaped(detail) : "",
          claim.at("seconds").get<double>());
    }
    put("</tbody>\n</table>\n<details><summary>What the methods mean</summary>\n"
        "<dl class=\"facts\">\n");
    fact("smt", "proved with a solver for all inputs, from the source that ships");
    fact("machine_code", "proved for all inputs, from the machine code");
    fact("exhaustive", "every value of a finite domain was run");
    fact("vectors", "literal bytes against literal bits");
    fact("property", "random and extreme inputs, seeded");
    fact("measurement", "a number that was measured, against a stated limit");
    put("</dl></details>\n</section>\n");
  }

  void coverage() {
    if (!certificate_.contains("coverage") || certificate_["coverage"].empty()) return;
    put("<section id=\"coverage\">\n<h2>Inputs that the checks touched</h2>\n"
        "<table>\n<thead><tr><th scope=\"col\">Format</th><th scope=\"col\">What</th>"
        "<th scope=\"col\" class=\"number\">Touched</th><th scope=\"col\">Share</th></tr></thead>\n"
        "<tbody>\n");
    for (const ordered_json& row : certificate_["coverage"]) {
      const char* key = row.contains("table") ? "table" : "field";
      const double touched = row.at("touched").get<double>();
      const double of = row.at("of").get<double>();
      put("<tr><td>{}</td><th scope=\"row\">{}</th><td class=\"number\">{} of {}</td>"
          "<td>{}</td></tr>\n",
          text_of(row, "format"), text_of(row, key), row["touched"].dump(), row["of"].dump(),
          bar(of > 0 ? touched / of : 0));
    }
    put("</tbody>\n</table>\n</section>\n");
  }

  void speed() {
    if (!certificate_.contains("measurements")) return;
    double most = 0;
    for (const ordered_json& row : certificate_["measurements"]) {
      most = std::max(most, row.at("value").get<double>());
    }
    put("<section id=\"speed\">\n<h2>Speed</h2>\n<table>\n"
        "<caption>Medians, one thread, on the host above; the peer ran in the same rounds."
        "</caption>\n<thead><tr><th scope=\"col\">What</th>"
        "<th scope=\"col\" class=\"number\">Speed</th>"
        "<th scope=\"col\" class=\"number\">Next to peer</th><th scope=\"col\">"
        "</th></tr></thead>\n<tbody>\n");
    for (const ordered_json& row : certificate_["measurements"]) {
      const double value = row.at("value").get<double>();
      put("<tr><th scope=\"row\">{}</th><td class=\"number\">{:.2f} {}</td>"
          "<td class=\"number\">{:.1f} x {}</td><td>{}</td></tr>\n",
          text_of(row, "name"), value, text_of(row, "unit"), row.at("peer_ratio").get<double>(),
          text_of(row, "peer"), bar(most > 0 ? value / most : 0));
    }
    put("</tbody>\n</table>\n</section>\n");
  }

  void encoders() {
    if (!certificate_.contains("encoders")) return;
    put("<section id=\"encoders\">\n<h2>What the encoders write</h2>\n<table class=\"cards\">\n"
        "<caption>SHA-256 of the bytes for a fixed corpus; a gate compares them.</caption>\n"
        "<thead><tr><th scope=\"col\">Format</th><th scope=\"col\">Effort</th>"
        "<th scope=\"col\">Corpus</th><th scope=\"col\">SHA-256</th></tr></thead>\n<tbody>\n");
    for (const ordered_json& row : certificate_["encoders"]) {
      put("<tr><th scope=\"row\">{}</th><td data-label=\"Effort:\">{}</td><td>{}</td>"
          "<td><code>{}</code></td></tr>\n",
          text_of(row, "format"), text_of(row, "effort"), text_of(row, "corpus"),
          text_of(row, "sha256"));
    }
    put("</tbody>\n</table>\n</section>\n");
  }

  void layouts() {
    std::set<std::string> formats;
    for (const Entry& entry : report_.entries) formats.insert(entry.group);
    std::string pictures;
    for (const std::string& format : formats) pictures += layout_picture(format);
    if (pictures.empty()) return;
    put("<section id=\"layouts\">\n<h2>Layout</h2>\n{}</section>\n", pictures);
  }

  const ordered_json& certificate_;
  Report report_;
  std::string out_;
};

}  // namespace

std::string to_html(const ordered_json& certificate) { return Page(certificate).write(); }

}  // namespace quantproof::report
