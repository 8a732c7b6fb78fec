// SPDX-License-Identifier: Apache-2.0
#include "tools/report/gate.h"

#include <algorithm>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "quantproof/qp.h"
#include "tools/certify/decoder.h"
#include "tools/report/report.h"

namespace quantproof::report {

namespace {

using nlohmann::ordered_json;

// How much a method says: about every input, about some, about none in particular.
int strength(const std::string& method) {
  if (method == "smt" || method == "machine_code" || method == "exhaustive") return 3;
  if (method == "vectors" || method == "property") return 2;
  return 1;
}

ordered_json list_of(const ordered_json& certificate, const char* key) {
  return certificate.contains(key) ? certificate.at(key) : ordered_json::array();
}

// The element of `list` that has the values of `like` under `keys`; null where there is none.
const ordered_json* find(const ordered_json& list, const ordered_json& like,
                         std::initializer_list<const char*> keys) {
  for (const ordered_json& element : list) {
    if (std::all_of(keys.begin(), keys.end(),
                    [&](const char* key) { return element.at(key) == like.at(key); })) {
      return &element;
    }
  }
  return nullptr;
}

class Comparison {
 public:
  Comparison(const ordered_json& baseline, const ordered_json& current, double speed_loss)
      : baseline_(baseline), current_(current), speed_loss_(speed_loss) {}

  ordered_json run() {
    specification();
    levels();
    claims();
    encoders();
    measurements();
    return rows_;
  }

 private:
  void add(const char* kind, const std::string& subject, const char* outcome,
           const std::string& before, const std::string& now, const std::string& detail,
           const std::string& reproduce) {
    rows_.push_back({{"kind", kind},
                     {"subject", subject},
                     {"outcome", outcome},
                     {"baseline", before},
                     {"current", now},
                     {"detail", detail},
                     {"reproduce", reproduce}});
  }

  void specification() {
    const std::string before = baseline_.at("spec_digest");
    const std::string now = current_.at("spec_digest");
    const bool same = before == now;
    add("specification", "specification", same ? "same" : "worse", before.substr(0, 16),
        now.substr(0, 16),
        same ? "" : "the two certificates speak of different texts; make a new baseline",
        "quantproof certify --json NEW_BASELINE");
  }

  void levels() {
    const ordered_json& now = current_.at("levels").at("run");
    const ordered_json& before = baseline_.at("levels").at("run");
    for (const ordered_json& level : before) {
      const bool ran = std::find(now.begin(), now.end(), level) != now.end();
      std::string reason;
      if (!ran) {
        reason = "it is not compiled in";
        for (const ordered_json& other : current_["levels"].at("not_run")) {
          if (other.at("name") == level) reason = other.value("reason", "");
        }
      }
      add("level", level, ran ? "same" : "not_run", "run", ran ? "run" : "not run", reason,
          "quantproof certify");
    }
    for (const ordered_json& level : now) {
      if (std::find(before.begin(), before.end(), level) == before.end()) {
        add("level", level, "note", "not run", "run", "new", "quantproof certify");
      }
    }
  }

  void claims() {
    for (const ordered_json& before : baseline_.at("claims")) {
      const ordered_json* now = find(current_.at("claims"), before, {"id"});
      if (now == nullptr) {
        add("claim", before["id"], "worse", before["verdict"], "absent",
            "the claim is not made any more", before["reproduce"]);
      } else {
        claim(before, *now);
      }
    }
    for (const ordered_json& now : current_.at("claims")) {
      if (find(baseline_.at("claims"), now, {"id"}) == nullptr) {
        add("claim", now["id"], "note", "absent", now["verdict"],
            now["verdict"] == "pass" ? "new" : fmt::format("new: {}", std::string(now["detail"])),
            now["reproduce"]);
      }
    }
  }

  void claim(const ordered_json& before, const ordered_json& now) {
    const std::string then = before["verdict"];
    const std::string verdict = now["verdict"];
    const auto row = [&](const char* outcome, const std::string& detail) {
      add("claim", now["id"], outcome, then, verdict, detail, now["reproduce"]);
    };
    if (then != "fail" && verdict == "fail") return row("worse", now["detail"]);
    if (then == "pass" && verdict != "pass") return row("not_run", now["detail"]);
    if (then != "pass" && verdict == "pass") return row("better", "");
    if (before["method"] != now["method"]) {
      const int difference = strength(now["method"]) - strength(before["method"]);
      return row(difference < 0   ? "worse"
                 : difference > 0 ? "better"
                                  : "note",
                 fmt::format("method {}, was {}", std::string(now["method"]),
                             std::string(before["method"])));
    }
    if (before["domain"] != now["domain"]) {
      return row("note", fmt::format("covers \"{}\", was \"{}\"", std::string(now["domain"]),
                                     std::string(before["domain"])));
    }
    if (before["statement"] != now["statement"]) {
      return row("note", fmt::format("says \"{}\", said \"{}\"", std::string(now["statement"]),
                                     std::string(before["statement"])));
    }
    if (then != verdict) return row("note", now["detail"]);
    if (then != "pass") return row("note", "as before: " + std::string(now["detail"]));
    row("same", "");
  }

  void encoders() {
    for (const ordered_json& before : list_of(baseline_, "encoders")) {
      const std::string subject =
          fmt::format("{} {}", std::string(before["format"]), std::string(before["effort"]));
      const std::string digest = before["sha256"];
      const ordered_json list = list_of(current_, "encoders");
      const ordered_json* now = find(list, before, {"format", "effort", "corpus"});
      const auto row = [&](const char* outcome, const std::string& other, const char* detail) {
        add("encoder", subject, outcome, digest.substr(0, 16), other, detail,
            "quantproof certify --json -");
      };
      if (now == nullptr) {
        row("not_run", "absent", "no digest of this encoder on the corpus of the baseline");
      } else if (now->at("sha256") != digest) {
        row("worse", std::string(now->at("sha256")).substr(0, 16),
            "the encoder writes other bytes for the same weights");
      } else {
        row("same", digest.substr(0, 16), "");
      }
    }
  }

  void measurements() {
    for (const ordered_json& before : list_of(baseline_, "measurements")) {
      const ordered_json list = list_of(current_, "measurements");
      const ordered_json* now = find(list, before, {"name", "unit", "peer"});
      const double then = before["peer_ratio"];
      const auto text = [&](double ratio) {
        return fmt::format("{:.2f} x {}", ratio, std::string(before["peer"]));
      };
      const auto row = [&](const char* outcome, const std::string& other,
                           const std::string& detail) {
        add("measurement", before["name"], outcome, text(then), other, detail,
            "quantproof certify --measure");
      };
      if (now == nullptr) {
        row("not_run", "absent", "not measured; certify --measure does");
        continue;
      }
      const double ratio = now->at("peer_ratio");
      const double loss = then > 0 ? 100 * (1 - ratio / then) : 0;
      const bool slower = loss > speed_loss_;
      row(slower ? "worse" : "same", text(ratio),
          slower ? fmt::format("{:.0f} % slower next to the {}; {} % are allowed", loss,
                               std::string(before["peer"]), speed_loss_)
                 : "");
    }
  }

  const ordered_json& baseline_;
  const ordered_json& current_;
  double speed_loss_;
  ordered_json rows_ = ordered_json::array();
};

const char* verdict_of(const ordered_json& rows, const ordered_json& summary) {
  if (summary.at("worse") > 0) return "fail";
  if (summary.at("not_run") > 0) return "not_exercised";
  // A claim that passed neither then nor now is nothing that was held.
  const bool held = std::any_of(rows.begin(), rows.end(), [](const ordered_json& row) {
    return row.at("kind") == "claim" && row.at("current") == "pass" && row.at("outcome") != "note";
  });
  return held ? "pass" : "not_exercised";
}

ordered_json side(const ordered_json& certificate) {
  return {{"version", certificate.at("tool").at("version")},
          {"spec_digest", certificate.at("spec_digest")},
          {"target", certificate.at("target")},
          {"host", certificate.at("host")}};
}

// Two targets are comparable when they are called the same way; the file itself may change.
std::string way_of(const ordered_json& target) {
  const std::string kind = target.at("kind");
  if (kind == "lib") {
    return fmt::format("lib, preset {}, symbol {}", std::string(target.at("preset")),
                       std::string(target.at("symbol")));
  }
  return kind;
}

void require_same(const std::string& what, const std::string& before, const std::string& now) {
  if (before == now) return;
  throw certify::UsageError(
      fmt::format("the baseline has {} {}, the current certificate {}: they cannot be compared",
                  what, before, now));
}

}  // namespace

ordered_json compare_certificates(const ordered_json& baseline, const ordered_json& current,
                                  double speed_loss) {
  require_same("target", way_of(baseline.at("target")), way_of(current.at("target")));
  require_same("profile", baseline.at("profile"), current.at("profile"));
  require_same("seed", baseline.at("seed").dump(), current.at("seed").dump());
  const ordered_json rows = Comparison(baseline, current, speed_loss).run();
  ordered_json summary;
  for (const char* outcome : {"same", "better", "note", "worse", "not_run"}) {
    summary[outcome] = std::count_if(rows.begin(), rows.end(), [&](const ordered_json& row) {
      return row.at("outcome") == outcome;
    });
  }
  return {{"tool", {{"name", "quantproof"}, {"version", qp_version()}}},
          {"profile", baseline.at("profile")},
          {"seed", baseline.at("seed")},
          {"speed_loss_percent", speed_loss},
          {"baseline", side(baseline)},
          {"current", side(current)},
          {"comparisons", rows},
          {"summary", summary},
          {"verdict", verdict_of(rows, summary)}};
}

int gate_exit_code(const ordered_json& gate) {
  const std::string verdict = gate.at("verdict");
  return verdict == "pass" ? 0 : verdict == "fail" ? 1 : 4;
}

std::string gate_to_text(const ordered_json& gate, bool colour) {
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "quantproof {}, gate\n", std::string(gate.at("tool").at("version")));
  for (const char* name : {"baseline", "current"}) {
    const ordered_json& s = gate.at(name);
    fmt::format_to(out, "{:9} quantproof {}, specification {}, target {}\n", name,
                   std::string(s.at("version")), std::string(s.at("spec_digest")).substr(0, 16),
                   target_in_words(s.at("target")));
  }
  fmt::format_to(out, "profile   {}, seed {}\n", std::string(gate.at("profile")),
                 gate.at("seed").dump());
  std::size_t width = 7;
  for (const ordered_json& row : gate.at("comparisons")) {
    if (row.at("outcome") == "same") continue;
    width =
        std::max(width, std::string(row["kind"]).size() + std::string(row["subject"]).size() + 1);
  }
  bool header = false;
  for (const char* outcome : {"worse", "not_run", "note", "better"}) {
    for (const ordered_json& row : gate["comparisons"]) {
      if (row["outcome"] != outcome) continue;
      if (!header) {
        fmt::format_to(out, "\n{:8} {:{}} {:17} {}\n", "change", "subject", width, "baseline",
                       "current");
      }
      header = true;
      const std::string word = row["outcome"] == "worse"     ? "WORSE"
                               : row["outcome"] == "not_run" ? "NOT RUN"
                                                             : std::string(outcome);
      const char* on = !colour                       ? ""
                       : row["outcome"] == "worse"   ? "\x1b[1;31m"
                       : row["outcome"] == "not_run" ? "\x1b[33m"
                                                     : "\x1b[32m";
      fmt::format_to(out, "{}{:8}{} {:{}} {:17} {}\n", on, word, colour ? "\x1b[0m" : "",
                     fmt::format("{} {}", std::string(row["kind"]), std::string(row["subject"])),
                     width, std::string(row["baseline"]), std::string(row["current"]));
      const std::string detail = row["detail"];
      if (!detail.empty()) fmt::format_to(out, "         found: {}\n", detail);
      if (word == "WORSE" || word == "NOT RUN") {
        fmt::format_to(out, "         again: {}\n", std::string(row["reproduce"]));
      }
    }
  }
  const ordered_json& summary = gate.at("summary");
  fmt::format_to(out, "\n{} compared: {} same, {} better, {} notes, {} worse, {} not run\n",
                 gate["comparisons"].size(), summary["same"].dump(), summary["better"].dump(),
                 summary["note"].dump(), summary["worse"].dump(), summary["not_run"].dump());
  const std::string verdict = gate.at("verdict");
  text += verdict == "pass" ? "nothing got worse\n"
          : verdict == "fail"
              ? "FAILED: something got worse\n"
              : "NOT EXERCISED: not all of the baseline ran and passed, then and now\n";
  return text;
}

}  // namespace quantproof::report
