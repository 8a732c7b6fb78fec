// SPDX-License-Identifier: Apache-2.0
#include "proofs/machine_code/smt_script.h"

#include <algorithm>

#include "fmt/format.h"

namespace quantproof::proofs::machine_code {

namespace {

constexpr std::uint32_t kUnknown = 1u << 24;  // variables that are no bit of the input

bool place(const SmtScript::Point& p, std::size_t i) {
  return ((p.at[i / 64] >> (i % 64)) & 1) != 0;
}

// The first of some sorted points, equal in all higher places, that has place `i` set.
std::size_t split(const std::vector<SmtScript::Point>& points, std::size_t begin, std::size_t end,
                  std::size_t i) {
  return static_cast<std::size_t>(
      std::partition_point(points.begin() + static_cast<std::ptrdiff_t>(begin),
                           points.begin() + static_cast<std::ptrdiff_t>(end),
                           [&](const SmtScript::Point& p) { return !place(p, i); }) -
      points.begin());
}

}  // namespace

std::string SmtScript::reference(Term term) const {
  if (term <= kYes) return term == kYes ? "true" : "false";
  return (term & 1) != 0 ? fmt::format("(not n{})", term >> 1) : fmt::format("n{}", term >> 1);
}

SmtScript::Term SmtScript::define(const std::string& expression) {
  ++last_;
  let(fmt::format("n{}", last_), expression);
  return last_ << 1;
}

SmtScript::Term SmtScript::variable(std::uint32_t id) {
  const auto [it, fresh] = variables_.try_emplace(id, kNo);
  if (fresh) {
    order_.push_back(id);
    ++last_;
    fmt::format_to(std::back_inserter(declarations_), "(declare-fun n{} () Bool)\n", last_);
    it->second = last_ << 1;
  }
  return it->second;
}

std::string SmtScript::legend() const {
  std::string text;
  for (const std::uint32_t id : order_) {
    const std::string name = reference(variables_.at(id));
    text += id < kUnknown ? fmt::format("; {}: bit {} of byte {}\n", name, id % 8, id / 8)
                          : fmt::format("; {}: any value\n", name);
  }
  return text;
}

SmtScript::Term SmtScript::ite(Term condition, Term yes, Term no) {
  if (condition <= kYes) return condition == kYes ? yes : no;
  if (yes == no) return yes;
  if (yes == kYes && no == kNo) return condition;
  if (yes == kNo && no == kYes) return condition ^ 1;
  const auto [it, fresh] = choices_.try_emplace({condition, yes, no}, kNo);
  if (fresh) {
    it->second =
        define(fmt::format("(ite {} {} {})", reference(condition), reference(yes), reference(no)));
  }
  return it->second;
}

SmtScript::Term SmtScript::bit(Bit bit) {
  const std::uint32_t id = bit >> 1;
  const Term inverted = bit & 1;
  if (id == 0) return inverted;
  if (const auto it = nodes_.find(id); it != nodes_.end()) return it->second ^ inverted;
  const Graph::Node node = g_.node(bit);
  Term term = kNo;
  switch (node.kind) {
    case Graph::Kind::kVariable:
      term = variable(node.a);
      break;
    case Graph::Kind::kAnd:
    case Graph::Kind::kXor: {
      const Term a = this->bit(node.a);
      const Term b = this->bit(node.b);
      term = define(fmt::format("({} {} {})", node.kind == Graph::Kind::kAnd ? "and" : "xor",
                                reference(a), reference(b)));
      break;
    }
    case Graph::Kind::kTable:
      tables_.clear();
      term = table(g_.table_variables(node.a), g_.table_truth(node.a),
                   g_.table_variables(node.a).size());
      break;
    default:
      throw Refusal("a term that is no function of the input's bits cannot be written down");
  }
  nodes_[id] = term;
  return term ^ inverted;
}

// The table of the first `n` variables: one choice for each different half.
SmtScript::Term SmtScript::table(const Variables& variables, const Truth& truth, std::size_t n) {
  const auto all = [&](std::uint64_t word) {
    return std::all_of(truth.begin(), truth.end(), [&](std::uint64_t w) { return w == word; });
  };
  if (all(0)) return kNo;
  if (all(~std::uint64_t{0})) return kYes;
  if (const auto it = tables_.find({n, truth}); it != tables_.end()) return it->second;
  Truth low;
  Truth high;
  if (n > 6) {
    const auto middle = truth.begin() + static_cast<std::ptrdiff_t>(truth.size() / 2);
    low.assign(truth.begin(), middle);
    high.assign(middle, truth.end());
  } else {
    const std::size_t half = std::size_t{1} << (n - 1);
    for (const bool upper : {false, true}) {
      std::uint64_t w = (truth[0] >> (upper ? half : 0)) & ((std::uint64_t{1} << half) - 1);
      for (std::size_t k = half; k < 64; k *= 2) w |= w << k;
      (upper ? high : low) = {w};
    }
  }
  const Term no = table(variables, low, n - 1);
  const Term yes = table(variables, high, n - 1);
  return tables_[{n, truth}] = ite(variable(variables[n - 1]), yes, no);
}

SmtScript::Term SmtScript::is_listed(const std::vector<Term>& arguments,
                                     const std::vector<Point>& points) {
  return listed(arguments, points, 0, points.size(), arguments.size());
}

// Points that are equal but for their lowest `places` places.
SmtScript::Term SmtScript::listed(const std::vector<Term>& arguments,
                                  const std::vector<Point>& points, std::size_t begin,
                                  std::size_t end, std::size_t places) {
  if (begin == end) return kNo;
  if (places < 63 && end - begin == std::size_t{1} << places) return kYes;
  const std::size_t middle = split(points, begin, end, places - 1);
  const Term no = listed(arguments, points, begin, middle, places - 1);
  const Term yes = listed(arguments, points, middle, end, places - 1);
  return ite(arguments[places - 1], yes, no);
}

SmtScript::Term SmtScript::value_of(const std::vector<Term>& arguments,
                                    const std::vector<Point>& points, unsigned bit) {
  return value(arguments, points, 0, points.size(), bit);
}

SmtScript::Term SmtScript::value(const std::vector<Term>& arguments,
                                 const std::vector<Point>& points, std::size_t begin,
                                 std::size_t end, unsigned bit) {
  const auto of = [&](std::size_t i) { return (points[i].result >> bit) & 1; };
  std::size_t same = begin + 1;
  while (same < end && of(same) == of(begin)) ++same;
  if (same == end) return of(begin) != 0 ? kYes : kNo;
  // Sorted, so the first and the last differ in the highest place of all.
  std::size_t i = arguments.size() - 1;
  while (place(points[begin], i) == place(points[end - 1], i)) --i;
  const std::size_t middle = split(points, begin, end, i);
  const Term no = value(arguments, points, begin, middle, bit);
  const Term yes = value(arguments, points, middle, end, bit);
  return ite(arguments[i], yes, no);
}

std::string SmtScript::word(const std::string& name, const std::vector<Term>& bits) {
  std::string value;
  for (const Term bit : bits) {
    const std::string one = bit == kNo    ? "#b0"
                            : bit == kYes ? "#b1"
                                          : fmt::format("(ite {} #b1 #b0)", reference(bit));
    value = value.empty() ? one : fmt::format("(concat {} {})", one, value);
  }
  return let(name, value);
}

std::string SmtScript::let(const std::string& name, const std::string& expression) {
  fmt::format_to(std::back_inserter(lets_), "(let (({} {}))\n", name, expression);
  ++n_lets_;
  return name;
}

std::string SmtScript::text(const std::string& expression) const {
  return fmt::format("{}(assert\n{}(and true{} {}){})\n(check-sat)\n(exit)\n", declarations_, lets_,
                     facts_, expression, std::string(n_lets_, ')'));
}

}  // namespace quantproof::proofs::machine_code
