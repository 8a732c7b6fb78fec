// SPDX-License-Identifier: Apache-2.0
#include "proofs/symbolic.h"

namespace quantproof::symbolic {

namespace {

thread_local Session* g_current = nullptr;

z3::func_decl word_function(z3::context& z3, const char* name, unsigned arity) {
  z3::sort_vector domain(z3);
  for (unsigned i = 0; i < arity; ++i) domain.push_back(z3.bv_sort(32));
  return z3.function(name, domain, z3.bv_sort(32));
}

}  // namespace

Session::Session()
    : multiply(word_function(z3, "multiply", 2)), convert(word_function(z3, "convert", 1)) {
  if (g_current != nullptr) throw std::logic_error("a session is already alive in this thread");
  g_current = this;
}

Session::~Session() { g_current = nullptr; }

Session& Session::current() {
  if (g_current == nullptr) throw std::logic_error("symbolic value without a session");
  return *g_current;
}

z3::expr Session::constant(const std::string& name, unsigned bits) {
  return z3.bv_const(name.c_str(), bits);
}

z3::expr Session::value(std::uint64_t number, unsigned bits) { return z3.bv_val(number, bits); }

z3::expr Session::all(const std::vector<z3::expr>& terms) {
  z3::expr_vector v(z3);
  for (const z3::expr& term : terms) v.push_back(term);
  return z3::mk_and(v);
}

void Session::require(const z3::expr& holds, std::string what) {
  conditions_.push_back({z3::implies(path(), holds), std::move(what)});
}

bool Session::decide(const z3::expr& condition) {
  if (next_decision_ == decisions_.size()) decisions_.push_back(true);
  const bool taken = decisions_[next_decision_++];
  path_.push_back(taken ? condition : !condition);
  return taken;
}

void Session::explore(const std::function<void()>& body) {
  decisions_.clear();
  do {
    path_.clear();
    next_decision_ = 0;
    body();
    if (next_decision_ != decisions_.size()) throw std::logic_error("paths are not repeatable");
    while (!decisions_.empty() && !decisions_.back()) decisions_.pop_back();
    if (!decisions_.empty()) decisions_.back() = false;
  } while (!decisions_.empty());
  path_.clear();
}

z3::expr Session::path() { return path_.empty() ? z3.bool_val(true) : all(path_); }

const z3::expr& Byte::term() const {
  if (!term_) throw Violation("use of an indeterminate byte");
  return *term_;
}

Byte::Byte(const Uint32& word) : term_(word.term().extract(7, 0)) {}

const z3::expr& Uint32::term() const {
  if (!term_) throw Violation("use of an indeterminate word");
  return *term_;
}

Uint32 FloatBits(const Uint32& value) {
  Session& s = Session::current();
  // Defined through to_fp, whose meaning is standard; the inverse is not. The value is no NaN, so
  // its bits are unique.
  const z3::sort binary32 = s.z3.fpa_sort(8, 24);
  const z3::expr nearest(s.z3, Z3_mk_fpa_rne(s.z3));
  const z3::expr number(s.z3, Z3_mk_fpa_to_fp_signed(s.z3, nearest, value.term(), binary32));
  const z3::expr bits = s.constant(s.fresh_name("float_bits"), 32);
  s.assume(z3::expr(s.z3, Z3_mk_fpa_to_fp_bv(s.z3, bits, binary32)) == number);
  return Uint32(bits);
}

Uint32 Codebook::element(const z3::expr& sum, std::size_t n) {
  Session& s = Session::current();
  const z3::expr low = sum.extract(1, 0).simplify();
  const bool whole_row = n < kRowWeights && low.is_numeral() && low.get_numeral_uint64() == 0;
  // Equal addresses should be equal terms, else they get two variables and a true statement may
  // not be provable. (A false one stays false.)
  const z3::expr address =
      (whole_row
           ? z3::concat(sum.extract(kCodebookElementBits - 1, 2), s.value(n, 2))
           : (sum + s.value(n, sum.get_sort().bv_size())).extract(kCodebookElementBits - 1, 0))
          .simplify();
  for (const Element& element : elements_) {
    if (z3::eq(element.address, address)) return Uint32(z3::zext(element.magnitude, 1));
  }
  const z3::expr magnitude = s.constant(name_ + "." + std::to_string(elements_.size()), 31);
  elements_.push_back({address, magnitude});
  return Uint32(z3::zext(magnitude, 1));
}

}  // namespace quantproof::symbolic
