// SPDX-License-Identifier: Apache-2.0
#include "proofs/obligation.h"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace quantproof::proofs {

namespace {

struct LogicNames {
  const char* smt_lib;  // for the export
  const char* solver;   // Z3's solver for it, or null for its general one
};

LogicNames names_of(Obligation::Logic logic) {
  switch (logic) {
    case Obligation::Logic::kBitVectors:
      return {"QF_BV", "QF_BV"};
    case Obligation::Logic::kFloats:
      return {"QF_BVFP", nullptr};
    case Obligation::Logic::kLinearReals:
      return {"QF_LRA", "QF_LRA"};
    case Obligation::Logic::kReals:
      return {"QF_NRA", "QF_NRA"};
    case Obligation::Logic::kIntegers:
      return {"QF_NIA", nullptr};
  }
  throw std::logic_error("unknown logic");
}

z3::solver make_solver(z3::context& z3, const LogicNames& names, unsigned milliseconds) {
  z3::solver solver = names.solver == nullptr ? z3::solver(z3) : z3::solver(z3, names.solver);
  z3::params limits(z3);
  limits.set("timeout", milliseconds);
  solver.set(limits);
  return solver;
}

std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  return text;
}

// Of this process: a loaded machine does not use up a budget.
double processor_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

}  // namespace

Obligation::Obligation(std::string claim, Options options)
    : claim_(std::move(claim)),
      options_(std::move(options)),
      start_(std::chrono::steady_clock::now()),
      processor_start_(processor_seconds()) {}

unsigned Obligation::remaining_milliseconds() const {
  const double rest = options_.budget_seconds - (processor_seconds() - processor_start_);
  return rest <= 0 ? 0 : static_cast<unsigned>(rest * 1000);
}

bool Obligation::prove(symbolic::Session& session, const std::string& query, Logic logic,
                       const z3::expr& statement, const Explain& explain) {
  const auto conditions = session.take_conditions();
  if (!conditions.empty()) {
    std::vector<z3::expr> terms;
    for (const auto& condition : conditions) terms.push_back(condition.holds);
    ask(session, query + ".conditions", logic, session.all(terms), [&](const z3::model& model) {
      for (const auto& condition : conditions) {
        if (model.eval(condition.holds, true).is_false()) return condition.what;
      }
      return std::string("a side condition does not hold");
    });
  }
  return ask(session, query, logic, statement, explain);
}

bool Obligation::ask(symbolic::Session& session, const std::string& query, Logic logic,
                     const z3::expr& statement, const Explain& explain) {
  ++checks_;
  std::string why;
  const auto refuted = [&](const z3::model& model) { fail(query + ": " + explain(model)); };
  const Answer answer = question(session, query, logic, statement, refuted, &why);
  if (answer == Answer::kUnknown) refuse(query + ": " + why);
  return answer == Answer::kProved;
}

Obligation::Answer Obligation::question(symbolic::Session& session, const std::string& query,
                                        Logic logic, const z3::expr& statement,
                                        const std::function<void(const z3::model&)>& refuted,
                                        std::string* why_unknown) {
  const unsigned milliseconds = remaining_milliseconds();
  if (milliseconds == 0) {
    *why_unknown = "the time budget is used up";
    return Answer::kUnknown;
  }
  const LogicNames names = names_of(logic);
  z3::solver solver = make_solver(session.z3, names, milliseconds);
  if (!session.assumptions().empty()) {
    // Contradictory assumptions would prove anything.
    for (const z3::expr& fact : session.assumptions()) solver.add(fact);
    if (solver.check() != z3::sat) {
      *why_unknown = "the assumptions were not shown to be satisfiable";
      return Answer::kUnknown;
    }
  }
  solver.add(!statement);
  const std::string text = exporting() ? solver.to_smt2() : "";
  switch (solver.check()) {
    case z3::unsat:
      ++queries_;
      write_export(query + ".smt2",
                   "(set-logic " + std::string(names.smt_lib) + ")\n" + text + "(exit)\n");
      return Answer::kProved;
    case z3::sat:
      refuted(solver.get_model());
      return Answer::kRefuted;
    default:
      *why_unknown = solver.reason_unknown();
      return Answer::kUnknown;
  }
}

bool Obligation::check(bool holds, const std::string& what_failed) {
  ++checks_;
  if (!holds) fail(what_failed);
  return holds;
}

void Obligation::fail(const std::string& why) { failures_.push_back(why); }
void Obligation::refuse(const std::string& why) { refusals_.push_back(why); }
void Obligation::note(const std::string& text) { notes_.push_back(text); }

void Obligation::write_export(const std::string& name, const std::string& text) const {
  if (!exporting()) return;
  const std::filesystem::path directory(options_.export_directory);
  std::filesystem::create_directories(directory);
  std::ofstream file(directory / (claim_ + "." + name), std::ios::binary);
  file << text;
  file.close();
  if (!file)
    throw std::runtime_error("cannot write " + (directory / (claim_ + "." + name)).string());
}

Result Obligation::result() const {
  Result result;
  result.claim = claim_;
  const std::chrono::duration<double> used = std::chrono::steady_clock::now() - start_;
  result.seconds = used.count();
  if (!failures_.empty()) {
    result.verdict = Verdict::kFail;
    result.detail = join(failures_);
  } else if (!refusals_.empty()) {
    result.verdict = Verdict::kRefused;
    result.detail = join(refusals_);
  } else if (checks_ == 0) {
    result.verdict = Verdict::kFail;
    result.detail = "the obligation checked nothing";
  } else {
    result.verdict = Verdict::kPass;
    result.detail = join(notes_);
    if (queries_ != 0) {
      result.detail += (result.detail.empty() ? "" : "; ") + std::to_string(queries_) +
                       (queries_ == 1 ? " query unsatisfiable" : " queries unsatisfiable");
    }
  }
  return result;
}

}  // namespace quantproof::proofs
