// SPDX-License-Identifier: Apache-2.0
//
// One query in SMT-LIB 2, made of the executor's terms as they stand: each node of the graph is one
// definition (a let, which every solver reads). Names count from the first use, so that equal
// queries are equal texts wherever in a row they come from.
#ifndef QUANTPROOF_PROOFS_MACHINE_CODE_SMT_SCRIPT_H_
#define QUANTPROOF_PROOFS_MACHINE_CODE_SMT_SCRIPT_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "proofs/machine_code/bits.h"

namespace quantproof::proofs::machine_code {

class SmtScript {
 public:
  explicit SmtScript(Graph& graph) : g_(graph) {}

  // A Boolean of the script: a definition and, in bit 0, whether it is inverted.
  using Term = std::uint32_t;
  static constexpr Term kNo = 0;
  static constexpr Term kYes = 1;

  Term bit(Bit bit);
  Term variable(std::uint32_t id);
  Term ite(Term condition, Term yes, Term no);
  Term both(Term a, Term b) { return ite(a, b, kNo); }
  Term either(Term a, Term b) { return ite(a, kYes, b); }
  Term differ(Term a, Term b) { return ite(a, b ^ 1, b); }

  // Points of a function of words: what it gives for the values that were listed, and whether the
  // words have a value that was.
  using Point = Graph::Listener::Point;
  Term is_listed(const std::vector<Term>& arguments, const std::vector<Point>& points);
  Term value_of(const std::vector<Term>& arguments, const std::vector<Point>& points, unsigned bit);

  [[nodiscard]] bool uses(std::uint32_t variable) const { return variables_.contains(variable); }
  // Names a word: some bits, the lowest first, or any expression.
  std::string word(const std::string& name, const std::vector<Term>& bits);
  std::string let(const std::string& name, const std::string& expression);
  void assume(Term term) { facts_ += " " + reference(term); }
  [[nodiscard]] std::string reference(Term term) const;
  // The variables and the bit of the input that each stands for, for a comment.
  [[nodiscard]] std::string legend() const;
  // The script that asks for a solution where what is assumed holds, and so does `expression`.
  [[nodiscard]] std::string text(const std::string& expression) const;

 private:
  Term define(const std::string& expression);
  Term table(const Variables& variables, const Truth& truth, std::size_t n);
  Term listed(const std::vector<Term>& arguments, const std::vector<Point>& points,
              std::size_t begin, std::size_t end, std::size_t places);
  Term value(const std::vector<Term>& arguments, const std::vector<Point>& points,
             std::size_t begin, std::size_t end, unsigned bit);

  Graph& g_;
  std::string declarations_;
  std::string lets_;
  std::size_t n_lets_ = 0;
  std::string facts_;
  std::uint32_t last_ = 0;
  std::map<std::uint32_t, Term> variables_;
  std::vector<std::uint32_t> order_;  // of the variables
  std::unordered_map<std::uint32_t, Term> nodes_;
  std::map<std::array<Term, 3>, Term> choices_;
  std::map<std::pair<std::size_t, Truth>, Term> tables_;  // of one table at a time
};

}  // namespace quantproof::proofs::machine_code

#endif
