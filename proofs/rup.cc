// SPDX-License-Identifier: Apache-2.0
#include "proofs/rup.h"

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

namespace quantproof::proofs {

namespace {

using Clause = std::vector<int>;

// Splits a line at blanks.
std::vector<std::string_view> tokens_of(std::string_view line) {
  std::vector<std::string_view> tokens;
  while (true) {
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string_view::npos) return tokens;
    line.remove_prefix(start);
    const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    tokens.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

std::string_view next_line(std::string_view* text) {
  const std::size_t end = std::min(text->find('\n'), text->size());
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return line;
}

// Literals up to the final 0; nothing if the line is not exactly that.
std::optional<Clause> read_clause(const std::vector<std::string_view>& tokens, int variables) {
  Clause clause;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    int literal = 0;
    const char* const end = tokens[i].data() + tokens[i].size();
    const auto [stop, error] = std::from_chars(tokens[i].data(), end, literal);
    if (error != std::errc() || stop != end) return std::nullopt;
    if (literal < -variables || literal > variables) return std::nullopt;
    if (literal == 0) return i + 1 == tokens.size() ? std::optional(clause) : std::nullopt;
    clause.push_back(literal);
  }
  return std::nullopt;
}

// Clauses and what follows from them by unit propagation. Each clause of two or more literals is
// watched at its first two; a clause is looked at again when a watched literal becomes false.
class Propagation {
 public:
  explicit Propagation(int variables)
      : value_(static_cast<std::size_t>(variables) + 1, 0),
        watchers_(2 * static_cast<std::size_t>(variables) + 2) {}

  [[nodiscard]] bool conflict() const { return conflict_; }

  void add(Clause clause) {
    if (conflict_) return;
    // Two literals that are not false go first, so that the watches are sound.
    std::size_t open = 0;
    for (std::size_t i = 0; i < clause.size() && open < 2; ++i) {
      if (value(clause[i]) >= 0) std::swap(clause[open++], clause[i]);
    }
    if (open == 0) {
      conflict_ = true;
      return;
    }
    const int first = clause[0];
    if (clause.size() > 1) {
      watchers_[slot(clause[0])].push_back(clauses_.size());
      watchers_[slot(clause[1])].push_back(clauses_.size());
      clauses_.push_back(std::move(clause));
    }
    // With one open literal the clause is a unit, now and for good: nothing is ever unassigned
    // at this level.
    if (open == 1 && value(first) == 0) {
      assign(first);
      conflict_ = !propagate();
    }
  }

  // Whether the clause follows by unit propagation.
  bool follows(const Clause& clause) {
    if (conflict_) return true;
    const std::size_t mark = trail_.size();
    bool refuted = false;
    for (const int literal : clause) {
      if (value(literal) > 0) refuted = true;  // already true
      if (value(literal) == 0) assign(-literal);
    }
    refuted = refuted || !propagate();
    while (trail_.size() > mark) {
      value_[static_cast<std::size_t>(std::abs(trail_.back()))] = 0;
      trail_.pop_back();
    }
    next_ = mark;
    return refuted;
  }

 private:
  [[nodiscard]] int value(int literal) const {
    const int v = value_[static_cast<std::size_t>(std::abs(literal))];
    return literal > 0 ? v : -v;
  }
  static std::size_t slot(int literal) {
    return 2 * static_cast<std::size_t>(std::abs(literal)) + (literal < 0 ? 1 : 0);
  }
  void assign(int literal) {
    value_[static_cast<std::size_t>(std::abs(literal))] = literal > 0 ? 1 : -1;
    trail_.push_back(literal);
  }

  // False on a conflict.
  bool propagate() {
    while (next_ < trail_.size()) {
      const int false_literal = -trail_[next_++];
      std::vector<std::size_t>& watchers = watchers_[slot(false_literal)];
      for (std::size_t i = 0; i < watchers.size();) {
        Clause& clause = clauses_[watchers[i]];
        if (clause[0] == false_literal) std::swap(clause[0], clause[1]);
        if (value(clause[0]) > 0) {
          ++i;
          continue;
        }
        std::size_t other = 2;
        while (other < clause.size() && value(clause[other]) < 0) ++other;
        if (other < clause.size()) {
          std::swap(clause[1], clause[other]);
          watchers_[slot(clause[1])].push_back(watchers[i]);
          watchers[i] = watchers.back();
          watchers.pop_back();
          continue;
        }
        if (value(clause[0]) < 0) return false;
        assign(clause[0]);
        ++i;
      }
    }
    return true;
  }

  std::vector<Clause> clauses_;
  std::vector<int> value_;  // by variable: 1 true, -1 false, 0 open
  std::vector<std::vector<std::size_t>> watchers_;
  std::vector<int> trail_;
  std::size_t next_ = 0;
  bool conflict_ = false;
};

RupResult wrong(const std::string& why) { return {false, why}; }

}  // namespace

RupResult check_rup(std::string_view cnf, std::string_view proof) {
  int variables = -1;
  long stated = 0;
  long clauses = 0;
  std::optional<Propagation> state;
  while (!cnf.empty()) {
    const auto tokens = tokens_of(next_line(&cnf));
    if (tokens.empty() || tokens[0] == "c") continue;
    if (tokens[0] == "p") {
      if (state || tokens.size() != 4 || tokens[1] != "cnf") return wrong("bad problem line");
      std::from_chars(tokens[2].data(), tokens[2].data() + tokens[2].size(), variables);
      std::from_chars(tokens[3].data(), tokens[3].data() + tokens[3].size(), stated);
      if (variables < 0) return wrong("bad problem line");
      state.emplace(variables);
      continue;
    }
    const auto clause = read_clause(tokens, variables);
    if (!state || !clause) return wrong("bad clause");
    state->add(*clause);
    ++clauses;
  }
  if (!state || clauses != stated) return wrong("the number of clauses is not the stated one");
  long steps = 0;
  while (!proof.empty()) {
    const auto tokens = tokens_of(next_line(&proof));
    if (tokens.empty() || tokens[0] == "d" || tokens[0] == "c") continue;
    const auto clause = read_clause(tokens, variables);
    ++steps;
    if (!clause) return wrong("step " + std::to_string(steps) + " is not a clause");
    if (!state->follows(*clause)) {
      return wrong("step " + std::to_string(steps) + " does not follow by unit propagation");
    }
    if (clause->empty()) {
      return {true, std::to_string(clauses) + " clauses, " + std::to_string(steps) + " steps"};
    }
    state->add(*clause);
  }
  return wrong("the proof does not end in the empty clause");
}

}  // namespace quantproof::proofs
