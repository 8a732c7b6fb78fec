// SPDX-License-Identifier: Apache-2.0
#include "proofs/iq3_sign.h"

#include <map>
#include <stdexcept>

namespace quantproof::proofs {

namespace {

using Parts = Shipped<Iq3Xxs>;

// The clauses of a goal in conjunctive normal form, as DIMACS.
class Dimacs {
 public:
  void add(const z3::expr& formula) {
    if (formula.is_and()) {
      for (unsigned i = 0; i < formula.num_args(); ++i) add(formula.arg(i));
      return;
    }
    if (formula.is_true()) return;
    if (formula.is_false()) {
      end_clause();
      return;
    }
    if (formula.is_or()) {
      for (unsigned i = 0; i < formula.num_args(); ++i) add_literal(formula.arg(i));
    } else {
      add_literal(formula);
    }
    end_clause();
  }

  [[nodiscard]] std::string text() const {
    return "p cnf " + std::to_string(variables_.size()) + " " + std::to_string(clauses_) + "\n" +
           body_;
  }

 private:
  void add_literal(const z3::expr& literal) {
    const z3::expr atom = literal.is_not() ? literal.arg(0) : literal;
    if (!atom.is_const() || !atom.is_bool()) throw std::logic_error("not a clause");
    const auto place =
        variables_.emplace(Z3_get_ast_id(atom.ctx(), atom), variables_.size() + 1).first;
    if (literal.is_not()) body_ += '-';
    body_ += std::to_string(place->second);
    body_ += ' ';
  }
  void end_clause() {
    body_ += "0\n";
    ++clauses_;
  }

  std::map<unsigned, std::size_t> variables_;
  std::size_t clauses_ = 0;
  std::string body_;
};

// The negated statement of IQ3-SIGN-1 as clauses. They are unsatisfiable iff the statement holds.
std::string sign_words_as_clauses() {
  symbolic::Session session;
  const z3::expr word = session.constant("word", 32);
  z3::goal goal(session.z3);
  goal.add(kernel_sign_word<Parts>(word) != reference_sign_word<Parts>(word));
  const z3::tactic to_clauses = z3::tactic(session.z3, "simplify") &
                                z3::tactic(session.z3, "bit-blast") &
                                z3::tactic(session.z3, "tseitin-cnf");
  const z3::apply_result subgoals = to_clauses(goal);
  if (subgoals.size() != 1) throw std::logic_error("bit-blasting split the goal");
  Dimacs dimacs;
  for (unsigned i = 0; i < subgoals[0].size(); ++i) {
    // Atoms are told apart by their id, which is theirs as long as the subgoals live.
    dimacs.add(subgoals[0][static_cast<int>(i)]);
  }
  return dimacs.text();
}

}  // namespace

void iq3_sign_1(Obligation& o) {
  prove_sign_words<Parts>(o, replay<Parts>);
  if (o.exporting() && !o.failed()) o.write_export("sign_words.cnf", sign_words_as_clauses());
}

void iq3_sign_2(Obligation& o) { prove_even_signs<Parts>(o, replay<Parts>); }

}  // namespace quantproof::proofs
