// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "tools/report/escaped.h"
#include "tools/report/layout_picture.h"
#include "tools/report/page_data.h"
#include "tools/report/report.h"

namespace quantproof::report {

namespace {

using nlohmann::ordered_json;

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

  // On a narrow screen the rows of a table become cards, and the roles keep it a table for those
  // who have it read to them. `numbers`: the columns that hold numbers.
  void begin_table(const char* caption, std::initializer_list<const char*> columns,
                   const std::set<std::size_t>& numbers) {
    put("<table class=\"cards\" role=\"table\">\n");
    if (*caption != '\0') put("<caption>{}</caption>\n", caption);
    put("<thead role=\"rowgroup\"><tr role=\"row\">");
    std::size_t i = 0;
    for (const char* column : columns) {
      put("<th scope=\"col\" role=\"columnheader\"{}>{}</th>",
          numbers.count(i++) > 0 ? " class=\"number\"" : "", column);
    }
    put("</tr></thead>\n<tbody role=\"rowgroup\">\n");
  }

  void row_header(const std::string& html) {
    put("<th scope=\"row\" role=\"rowheader\">{}</th>", html);
  }

  void cell(const char* kind, const char* label, const std::string& html) {
    put("<td role=\"cell\"");
    if (*kind != '\0') put(" class=\"{}\"", kind);
    if (*label != '\0') put(" data-label=\"{}\"", label);
    put(">{}</td>", html);
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
        "<output id=\"shown\"></output>\n</form>\n");
    begin_table("", {"Verdict", "Claim", "Method", "What was covered", "Seconds"}, {4});
    for (const ordered_json& claim : certificate_.at("claims")) {
      const std::string verdict = claim.at("verdict");
      const std::string detail = claim.at("detail");
      put("<tr role=\"row\" data-verdict=\"{}\" data-format=\"{}\">", verdict,
          text_of(claim, "format"));
      cell("brief", "",
           fmt::format("<span class=\"verdict {}\">{}</span>", verdict, verdict_word(verdict)));
      row_header(fmt::format("<code>{}</code>", text_of(claim, "id")));
      cell("brief", "Method:", text_of(claim, "method"));
      cell("", "",
           fmt::format("{}<br><span class=\"dim\">Domain: {}{}</span>", text_of(claim, "statement"),
                       text_of(claim, "domain"),
                       verdict == "pass" && !detail.empty() ? ". Run: " + escaped(detail) : ""));
      cell("number", "Seconds:", fmt::format("{:.3f}", claim.at("seconds").get<double>()));
      put("</tr>\n");
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
    put("<section id=\"coverage\">\n<h2>Inputs that the checks touched</h2>\n");
    begin_table("", {"What", "Format", "Touched", "Share"}, {2});
    for (const ordered_json& row : certificate_["coverage"]) {
      for (const auto& [name, part] : row.items()) {
        if (name == "format") continue;
        const double touched = part.at("touched").get<double>();
        const double of = part.at("of").get<double>();
        std::string words = escaped(name);
        std::replace(words.begin(), words.end(), '_', ' ');
        put("<tr role=\"row\">");
        row_header(words);
        cell("brief", "Format:", text_of(row, "format"));
        cell("number",
             "Touched:", fmt::format("{} of {}", part["touched"].dump(), part["of"].dump()));
        cell("wide", "", bar(of > 0 ? touched / of : 0));
        put("</tr>\n");
      }
    }
    put("</tbody>\n</table>\n</section>\n");
  }

  void speed() {
    if (!certificate_.contains("measurements")) return;
    double most = 0;
    for (const ordered_json& row : certificate_["measurements"]) {
      most = std::max(most, row.at("value").get<double>());
    }
    put("<section id=\"speed\">\n<h2>Speed</h2>\n");
    begin_table("Medians, one thread, on the host above; the peer ran in the same rounds.",
                {"What", "Speed", "Next to peer", "Speed as a bar"}, {1, 2});
    for (const ordered_json& row : certificate_["measurements"]) {
      const double value = row.at("value").get<double>();
      put("<tr role=\"row\">");
      row_header(text_of(row, "name"));
      cell("number", "Speed:", fmt::format("{:.2f} {}", value, text_of(row, "unit")));
      cell("number", "Next to peer:",
           fmt::format("{:.1f} x {}", row.at("peer_ratio").get<double>(), text_of(row, "peer")));
      cell("wide", "", bar(most > 0 ? value / most : 0));
      put("</tr>\n");
    }
    put("</tbody>\n</table>\n</section>\n");
  }

  void encoders() {
    if (!certificate_.contains("encoders")) return;
    put("<section id=\"encoders\">\n<h2>What the encoders write</h2>\n");
    begin_table("SHA-256 of the bytes for a fixed corpus; a gate compares them.",
                {"Encoder", "Effort", "Corpus", "SHA-256"}, {});
    for (const ordered_json& row : certificate_["encoders"]) {
      put("<tr role=\"row\">");
      row_header(text_of(row, "format"));
      cell("brief", "Effort:", text_of(row, "effort"));
      cell("", "Corpus:", text_of(row, "corpus"));
      cell("", "", fmt::format("<code>{}</code>", text_of(row, "sha256")));
      put("</tr>\n");
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
