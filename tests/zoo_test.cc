// SPDX-License-Identifier: Apache-2.0
//
// usage: zoo_test LIBRARY ZOO_FOLDER
//
// certify on every decoder of zoo.json: the broken ones must be killed with the words that are
// listed, the dead ones must not be exercised, the right ones must pass all claims. Prints the
// score, and holds the table of the folder's README.md against it; UPDATE=1 rewrites the table.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "tools/certify/certify.h"

namespace quantproof::certify {
namespace {

using nlohmann::json;

struct Entry {
  std::string kind;  // "broken", "dead" or "right"
  json text;
};

struct Judged {
  std::size_t entry = 0;
  bool as_expected = false;
  std::string claim;   // that ended it
  std::string detail;  // what the report said
};

void to_json(json& to, const Judged& from) {
  to = {from.entry, from.as_expected, from.claim, from.detail};
}
void from_json(const json& from, Judged& to) {
  to = {from.at(0), from.at(1), from.at(2), from.at(3)};
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Judged judge(const std::string& library, std::size_t number, const Entry& entry) {
  const bool right = entry.kind == "right";
  const std::string words = entry.text.value("words", "");
  Request request;
  request.target_text =
      fmt::format("lib:{},preset={},symbol={}", library, entry.text.at("preset").get<std::string>(),
                  entry.text.at("name").get<std::string>());
  request.formats = {entry.text.at("format")};
  if (entry.text.contains("profile")) request.profile = parse_profile(entry.text.at("profile"));
  request.seconds = 0;
  request.stop_at_failure = !right;
  if (words.rfind("no answer", 0) == 0) request.call_limit = std::chrono::milliseconds(1000);
  const Certificate certificate = certify(request);
  const ClaimResult& last = certificate.claims.back();
  Judged judged{number, false, last.claim->id, last.outcome.detail};
  if (right) {
    judged.as_expected = certificate.exit_code() == 0;
    for (const ClaimResult& result : certificate.claims) {
      if (result.outcome.verdict != Verdict::kPass) judged.detail = result.outcome.detail;
    }
  } else {
    judged.as_expected = certificate.exit_code() == (entry.kind == "dead" ? 4 : 1) &&
                         last.outcome.detail.find(words) != std::string::npos;
  }
  return judged;
}

// Every second entry each, in two processes.
std::vector<Judged> judge_all(const std::string& library, const std::vector<Entry>& entries) {
  constexpr std::size_t kWorkers = 2;
  std::array<FILE*, kWorkers> results{};
  for (std::size_t worker = 0; worker < kWorkers; ++worker) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) std::abort();
    std::fflush(nullptr);
    if (fork() == 0) {
      close(ends[0]);
      FILE* to = fdopen(ends[1], "w");
      for (std::size_t i = worker; i < entries.size(); i += kWorkers) {
        Judged judged{i, false, "none", "certify ended with an exception"};
        try {
          judged = judge(library, i, entries[i]);
        } catch (const std::exception& error) {
          judged.detail += fmt::format(": {}", error.what());
        }
        fmt::print(to, "{}\n", json(judged).dump());
        std::fflush(to);
      }
      _exit(0);
    }
    close(ends[1]);
    results[worker] = fdopen(ends[0], "r");
  }
  std::vector<Judged> all(entries.size(), {0, false, "none", "not judged: the worker died"});
  for (FILE* from : results) {
    char* line = nullptr;
    std::size_t room = 0;
    while (getline(&line, &room, from) > 0) {
      const Judged judged = json::parse(line).get<Judged>();
      all.at(judged.entry) = judged;
    }
    std::free(line);  // NOLINT(cppcoreguidelines-no-malloc): of getline
    std::fclose(from);
  }
  while (wait(nullptr) > 0) {
  }
  return all;
}

std::string table_of(const std::vector<Entry>& entries, const std::vector<Judged>& all,
                     const std::string& score) {
  std::string table = score +
                      "\n\n| decoder | called as | what is wrong | ended by | report says |\n" +
                      "|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].kind == "right") continue;
    const json& text = entries[i].text;
    const std::string preset = text.at("preset");
    const std::string format = text.at("format");
    table += fmt::format(
        "| `{}` | {}{}{} | {} | {} | {} |\n", text.at("name").get<std::string>(), preset,
        preset == "qp" ? " " + format : "",
        text.contains("profile") ? ", profile " + text.at("profile").get<std::string>() : "",
        text.at("bug").get<std::string>(), all[i].claim, text.at("words").get<std::string>());
  }
  table += "\nRight ones:";
  for (const Entry& entry : entries) {
    if (entry.kind == "right")
      table += fmt::format(" `{}`", entry.text.at("name").get<std::string>());
  }
  return table + "\n";
}

int run(const std::string& library, const std::string& folder) {
  const json zoo = json::parse(read_file(folder + "/zoo.json"));
  std::vector<Entry> entries;
  for (const char* kind : {"broken", "dead", "right"}) {
    for (const json& text : zoo.at(kind)) entries.push_back({kind, text});
  }
  const auto all = judge_all(library, entries);
  std::array<std::size_t, 3> good{};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::size_t kind = entries[i].kind == "broken" ? 0 : entries[i].kind == "dead" ? 1 : 2;
    if (all[i].as_expected) {
      ++good[kind];
    } else {
      fmt::print("NOT AS EXPECTED: {} {}: ended by {}: {}\n", entries[i].kind,
                 entries[i].text.at("name").get<std::string>(), all[i].claim, all[i].detail);
    }
  }
  const std::string score = fmt::format(
      "zoo: {} of {} killed, {} of {} dead ones not exercised, {} of {} right ones pass", good[0],
      zoo.at("broken").size(), good[1], zoo.at("dead").size(), good[2], zoo.at("right").size());
  fmt::print("{}\n", score);
  bool passed = good[0] + good[1] + good[2] == entries.size() && good[0] >= 40 && good[2] >= 5;

  // The README is worth something only if it is what was run.
  const std::string path = folder + "/README.md";
  const std::string begin = "<!-- score -->\n";
  const std::string readme = read_file(path);
  const std::size_t at = readme.find(begin);
  const std::string wanted = readme.substr(0, at) + begin + table_of(entries, all, score);
  if (at == std::string::npos) {
    fmt::print("{} has no line {}", path, begin);
    passed = false;
  } else if (std::getenv("UPDATE") != nullptr) {
    std::ofstream(path) << wanted;
  } else if (readme != wanted) {
    fmt::print("{} has another table; UPDATE=1 rewrites it\n", path);
    passed = false;
  }
  return passed ? 0 : 1;
}

}  // namespace
}  // namespace quantproof::certify

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: {} LIBRARY ZOO_FOLDER\n", argv[0]);
    return 2;
  }
  return quantproof::certify::run(argv[1], argv[2]);
}
