// SPDX-License-Identifier: Apache-2.0
//
// A weight depends on the 56 bits of its code, too many to enumerate. So the proof is cut where a
// coordinate becomes a float: there it is replaced by a fresh number from -10 to 10, and that the
// coordinate is the text's, for all valid codes, is a query. What the weight does with the fresh
// number and the scale is enumerated.
#include "proofs/machine_code/kaiju1_code.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <random>
#include <set>
#include <tuple>

#include "fmt/format.h"

#include "proofs/kaiju1_text.h"
#include "proofs/machine_code/floats.h"
#include "proofs/machine_code/machine.h"
#include "proofs/machine_code/terms.h"
#include "quantproof/kaiju1.h"
#include "quantproof/ref/half.h"
#include "quantproof/ref/kaiju1.h"

namespace quantproof::proofs::machine_code {

namespace {

constexpr std::uint32_t kScales = 0x10000;
// The decoder's object lies on the stack.
constexpr std::size_t kStackBytes = 160 * 1024;
constexpr std::int64_t kReturnAt = kStackBytes - 256;
// Numbers of the fresh variables, eight for each coordinate, and of the low bits of the output's
// address. Input bits are below, unknown values above.
constexpr std::uint32_t kFresh = 1u << 21;
constexpr std::uint32_t kOutputResidue = 1u << 20;
constexpr std::uint32_t kNoCode = ~std::uint32_t{0};
enum { kInput = 0, kOutput = 1, kStack = 2 };

constexpr std::uint32_t variable(std::size_t byte, std::size_t bit) {
  return static_cast<std::uint32_t>(8 * byte + bit);
}

Variables variables_from(std::uint32_t first, std::uint32_t n) {
  Variables v;
  for (std::uint32_t j = 0; j < n; ++j) v.push_back(first + j);
  return v;
}

// Which tensors one execution is about. All before the line of 6.1 is valid, all after it free.
struct Case {
  enum Kind { kValid, kChannelScale, kRowScale, kPadding, kTrits, kFixRange, kFixZero };
  Kind kind = kValid;
  std::size_t row = 0;
  std::size_t at = 0;     // channel or block
  std::size_t group = 0;  // of kTrits
};

std::string name_of(const Case& c) {
  switch (c.kind) {
    case Case::kValid:
      return "valid";
    case Case::kChannelScale:
      return fmt::format("the scale of channel {} not finite", c.at);
    case Case::kRowScale:
      return fmt::format("the scale of row {} not finite", c.row);
    case Case::kPadding:
      return fmt::format("padding of row {} not zero", c.row);
    case Case::kTrits:
      return fmt::format("trit group {} of block {} of row {} out of range", c.group, c.at, c.row);
    case Case::kFixRange:
      return fmt::format("the fix of block {} of row {} out of range", c.at, c.row);
    case Case::kFixZero:
      return fmt::format("the fix of block {} of row {} on a zero", c.at, c.row);
  }
  return "";
}

qp_status status_of(Case::Kind kind) {
  switch (kind) {
    case Case::kValid:
      return QP_OK;
    case Case::kChannelScale:
    case Case::kRowScale:
      return QP_SCALE_NOT_FINITE;
    case Case::kPadding:
      return QP_PADDING_NOT_ZERO;
    case Case::kTrits:
      return QP_TRITS_OUT_OF_RANGE;
    case Case::kFixRange:
      return QP_FIX_OUT_OF_RANGE;
    case Case::kFixZero:
      return QP_FIX_ON_ZERO;
  }
  return QP_OK;
}

struct Counterexample {
  std::optional<std::vector<std::uint8_t>> tensor;
  std::string what;
};

// A tensor's places.
struct Places {
  explicit Places(const Kaiju1Shape& s) : shape(s) {
    const auto hi = static_cast<std::uint32_t>(s.side_band.size());
    header = {s.rows, s.cols, hi, s.cols - hi, s.step_num, s.step_den};
    layout = *kaiju1_layout(header);
    std::set<std::uint32_t> high(s.side_band.begin(), s.side_band.end());
    for (std::uint32_t c = 0; c < s.cols; ++c) {
      if (!high.contains(c)) bulk.push_back(c);
    }
  }
  [[nodiscard]] std::size_t blocks() const { return static_cast<std::size_t>(layout.blocks); }
  [[nodiscard]] std::size_t fixed_bytes() const {
    return static_cast<std::size_t>(layout.hi_band_offset);
  }
  [[nodiscard]] std::size_t channel(std::size_t j) const {
    return static_cast<std::size_t>(layout.hi_band_offset + layout.channel_bytes * j);
  }
  [[nodiscard]] std::size_t number(std::size_t j, std::size_t r) const {
    return channel(j) + kKaiju1ScaleBytes + r;
  }
  [[nodiscard]] std::size_t row(std::size_t r) const {
    return static_cast<std::size_t>(layout.bulk_rows_offset + layout.row_bytes * r);
  }
  [[nodiscard]] std::size_t multiplier(std::size_t r, std::size_t b) const {
    return row(r) + kKaiju1ScaleBytes + b / 2;
  }
  [[nodiscard]] std::size_t code(std::size_t r, std::size_t b) const {
    return row(r) + kKaiju1ScaleBytes + static_cast<std::size_t>(layout.multiplier_bytes) +
           kLeechCodeBytes * b;
  }
  [[nodiscard]] bool is_odd() const { return layout.blocks % 2 != 0; }
  [[nodiscard]] std::size_t padding(std::size_t r) const { return code(r, 0) - 1; }

  const Kaiju1Shape& shape;
  Kaiju1Header header;
  Kaiju1Layout layout;
  std::vector<std::uint32_t> bulk;  // columns
};

}  // namespace

std::string describe(const Kaiju1Shape& s) {
  return fmt::format("{} x {} with {} side-band columns, step {}/{}", s.rows, s.cols,
                     s.side_band.size(), s.step_num, s.step_den);
}

class Kaiju1Proof::Work {
 public:
  explicit Work(Obligation& o) : o_(o), terms_(g_, session_), floats_(g_) {
    for (std::size_t k = 0; k < 8 * kStackBytes; ++k) stack_.push_back(g_.opaque());
  }

  bool prove(const Kaiju1Code& code, const Kaiju1Shape& shape, Kaiju1Part part);

  Kaiju1Summary summary;

 private:
  // Where a coordinate or a condition was proved, for the same shape elsewhere.
  struct Proved {
    Bits bits;
    std::uint32_t first = 0;  // variable of the code
  };

  bool prove_case(const Case& c, const std::array<unsigned, 3>& residues,
                  std::array<bool, 3>* used);
  void set_care(const Case& c);
  State execute(Executor& x, const Case& c, const std::array<unsigned, 3>& residues);
  std::optional<Counterexample> check(Executor& x, const State& end, const Case& c);
  std::optional<Counterexample> check_weight(Executor& x, const Bits& got, std::size_t r,
                                             std::size_t b, std::size_t i);
  std::optional<Counterexample> check_product(const Bits& got, std::size_t scale,
                                              std::uint32_t multiplier, float step,
                                              std::uint32_t number, const std::string& what);
  std::optional<Counterexample> check_points();
  std::optional<Bits> cut(const Bits& operand);
  std::optional<bool> decide(const Executor& x, Bit condition);
  z3::expr assumption(const std::set<std::uint32_t>& variables, const Case& c);
  const CodeText& text(std::size_t r, std::size_t b);
  [[nodiscard]] std::uint32_t only_code(const std::set<std::uint32_t>& variables) const;
  std::vector<std::uint8_t> sample(const Case& c, std::mt19937_64& random);
  std::vector<std::uint8_t> tensor_of(const z3::model& model);
  std::string search();
  void report(const Case& c, const std::optional<Counterexample>& found,
              const std::string& refusal);

  Obligation& o_;
  Graph g_;
  symbolic::Session session_;
  Terms terms_;
  Floats floats_;
  Bits stack_;
  Bits output_;

  // Of the call of prove() at work.
  const Kaiju1Code* code_ = nullptr;
  const Places* places_ = nullptr;
  Process process_;
  std::map<std::pair<std::size_t, std::size_t>, CodeText> texts_;

  // Of the execution at work.
  Case case_;
  std::map<Bits, std::uint32_t> cuts_;  // by byte
  std::map<std::uint32_t, std::tuple<std::size_t, std::size_t, std::size_t>> coordinates_;
  std::map<std::pair<Bit, std::vector<Bit>>, std::optional<bool>> decided_;
  std::vector<std::vector<std::uint8_t>> samples_;
  // What an execution left: version of care, cuts, status and output.
  std::tuple<std::uint64_t, std::map<Bits, std::uint32_t>, std::vector<Bits>> checked_;

  // Of all.
  std::array<std::vector<Proved>, kLeechDimension> points_;
  std::vector<Proved> lanes_;
  std::map<std::string, Graph::Cares> cares_;
  std::set<std::tuple<std::vector<Bits>, std::size_t, std::uint32_t, std::uint32_t, std::uint64_t>>
      scales_;
  std::set<std::tuple<std::vector<Bits>, std::uint32_t, std::uint64_t>> numbers_;
  std::size_t queries_ = 0;
};

// ---------------------------------------------------------------------------------- assumptions

// The classes of scales, of padding, and of fields of codes, as far as they can be enumerated.
void Kaiju1Proof::Work::set_care(const Case& c) {
  const Places& p = *places_;
  // Wrong codes are not enumerated: they share the classes of valid ones.
  const bool code = c.kind == Case::kTrits || c.kind == Case::kFixRange || c.kind == Case::kFixZero;
  std::string key = describe(p.shape);
  if (code && c.row + 1 < p.shape.rows) key += fmt::format(", up to row {}", c.row);
  if (!code && c.kind != Case::kValid) key += ", " + name_of(c);
  for (const std::uint32_t column : p.shape.side_band) key += fmt::format(" {}", column);
  if (const auto it = cares_.find(key); it != cares_.end()) {
    g_.care = it->second;
    return;
  }
  std::vector<Graph::Care> sets;
  const auto require = [&](std::uint32_t first, std::uint32_t n,
                           const std::function<bool(std::uint32_t)>& holds) {
    Graph::Care care{variables_from(first, n), Truth(n <= 6 ? 1 : std::size_t{1} << (n - 6))};
    for (std::uint32_t value = 0; value < (1u << n); ++value) {
      if (holds(value)) care.possible[value / 64] |= std::uint64_t{1} << (value % 64);
    }
    for (std::uint32_t k = n; k < 6; ++k) care.possible[0] |= care.possible[0] << (1u << k);
    sets.push_back(care);
  };
  const auto finite = [](std::uint32_t half) { return (half & 0x7C00u) != 0x7C00u; };
  const auto scale = [&](std::size_t byte, bool want) {
    require(variable(byte, 0), 16, [&](std::uint32_t half) { return finite(half) == want; });
  };
  for (std::size_t j = 0; j < p.shape.side_band.size(); ++j) {
    if (c.kind == Case::kChannelScale && j > c.at) break;
    scale(p.channel(j), !(c.kind == Case::kChannelScale && j == c.at));
  }
  if (c.kind != Case::kChannelScale) {
    const std::size_t rows = c.kind == Case::kValid ? p.shape.rows : c.row + 1;
    for (std::size_t r = 0; r < rows; ++r) {
      const bool last = c.kind != Case::kValid && r == c.row;
      scale(p.row(r), !(last && c.kind == Case::kRowScale));
      if (last && c.kind == Case::kRowScale) break;
      if (!p.is_odd()) continue;
      const bool padded = !(last && c.kind == Case::kPadding);
      require(variable(p.padding(r), 4), 4, [&](std::uint32_t v) { return (v == 0) == padded; });
    }
  }
  const std::size_t fresh = kLeechDimension * p.blocks() * p.shape.rows;
  for (std::size_t k = 0; k < fresh; ++k) {
    require(kFresh + static_cast<std::uint32_t>(8 * k), 8, [](std::uint32_t value) {
      const int x = static_cast<std::int8_t>(value);
      return -kKaiju1CoordinateLimit <= x && x <= kKaiju1CoordinateLimit;
    });
  }
  g_.set_care(sets);
  cares_[key] = g_.care;
}

const CodeText& Kaiju1Proof::Work::text(std::size_t r, std::size_t b) {
  if (const auto it = texts_.find({r, b}); it != texts_.end()) return it->second;
  std::vector<Term> bytes;
  for (std::size_t k = 0; k < kLeechCodeBytes; ++k) {
    bytes.push_back(terms_.byte(places_->code(r, b) + k));
  }
  return texts_.emplace(std::pair{r, b}, text_of_code(bytes)).first->second;
}

// The first variable of the code that has all of these, or kNoCode.
std::uint32_t Kaiju1Proof::Work::only_code(const std::set<std::uint32_t>& variables) const {
  if (variables.empty()) return kNoCode;
  for (std::size_t r = 0; r < places_->shape.rows; ++r) {
    for (std::size_t b = 0; b < places_->blocks(); ++b) {
      const std::uint32_t first = variable(places_->code(r, b), 0);
      if (first <= *variables.begin() && *variables.rbegin() < first + 8 * kLeechCodeBytes) {
        return first;
      }
    }
  }
  return kNoCode;
}

// What is assumed of the parts of the tensor that have any of the variables.
z3::expr Kaiju1Proof::Work::assumption(const std::set<std::uint32_t>& variables, const Case& c) {
  const Places& p = *places_;
  const auto has = [&](std::size_t byte, std::size_t bytes) {
    const auto it = variables.lower_bound(variable(byte, 0));
    return it != variables.end() && *it < variable(byte + bytes, 0);
  };
  std::vector<z3::expr> facts;
  const auto scale = [&](std::size_t byte, bool want) {
    if (!has(byte, 2)) return;
    const z3::expr finite = terms_.byte(byte + 1).extract(6, 2) != session_.value(31, 5);
    facts.push_back(want ? finite : !finite);
  };
  for (std::size_t j = 0; j < p.shape.side_band.size(); ++j) {
    if (c.kind == Case::kChannelScale && j > c.at) break;
    scale(p.channel(j), !(c.kind == Case::kChannelScale && j == c.at));
  }
  if (c.kind == Case::kChannelScale) return session_.all(facts);
  const std::size_t rows = c.kind == Case::kValid ? p.shape.rows : c.row + 1;
  for (std::size_t r = 0; r < rows; ++r) {
    const bool last = c.kind != Case::kValid && r == c.row;
    scale(p.row(r), !(last && c.kind == Case::kRowScale));
    if (last && c.kind == Case::kRowScale) break;
    if (p.is_odd() && has(p.padding(r), 1)) {
      const z3::expr zero = terms_.byte(p.padding(r)).extract(7, 4) == session_.value(0, 4);
      facts.push_back(last && c.kind == Case::kPadding ? !zero : zero);
    }
    if (last && c.kind == Case::kPadding) break;
    for (std::size_t b = 0; b < p.blocks(); ++b) {
      if (last && b > c.at) break;
      if (!has(p.code(r, b), kLeechCodeBytes)) continue;
      const CodeText& t = text(r, b);
      if (!last || b < c.at) {
        facts.insert(facts.end(), t.in_range.begin(), t.in_range.end());
        facts.push_back(t.fix_is_right);
        continue;
      }
      const std::size_t groups = c.kind == Case::kTrits ? c.group : kTritGroups;
      facts.insert(facts.end(), t.in_range.begin(),
                   t.in_range.begin() + static_cast<std::ptrdiff_t>(groups));
      if (c.kind == Case::kTrits) facts.push_back(!t.in_range[c.group]);
      const z3::expr fix = terms_.byte(p.code(r, b) + 6).extract(7, 3);
      const z3::expr named = z3::ult(fix, session_.value(kLeechDimension, 5));
      if (c.kind == Case::kFixRange) facts.push_back(!named && fix != session_.value(kNoFix, 5));
      if (c.kind == Case::kFixZero) facts.push_back(named && !t.fix_is_right);
    }
  }
  return session_.all(facts);
}

// A tensor of the case. Its bytes are random where they are free.
std::vector<std::uint8_t> Kaiju1Proof::Work::sample(const Case& c, std::mt19937_64& random) {
  const Places& p = *places_;
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(p.layout.size));
  const auto u32 = [&](std::size_t at, std::uint32_t value) {
    for (unsigned k = 0; k < 4; ++k) bytes[at + k] = static_cast<std::uint8_t>(value >> (8 * k));
  };
  const std::array<std::uint32_t, 7> header = {
      kKaiju1Magic,       p.header.rows,     p.header.cols,    p.header.hi_count,
      p.header.bulk_cols, p.header.step_num, p.header.step_den};
  for (std::size_t k = 0; k < header.size(); ++k) u32(4 * k, header[k]);
  for (std::size_t j = 0; j < p.shape.side_band.size(); ++j) {
    u32(kKaiju1HeaderBytes + kKaiju1IndexBytes * j, p.shape.side_band[j]);
  }
  for (std::size_t k = p.fixed_bytes(); k < bytes.size(); ++k) {
    bytes[k] = static_cast<std::uint8_t>(random());
  }
  const auto scale = [&](std::size_t at, bool finite) {
    bytes[at + 1] =
        static_cast<std::uint8_t>(finite ? bytes[at + 1] & 0xBFu : bytes[at + 1] | 0x7Cu);
  };
  for (std::size_t j = 0; j < p.shape.side_band.size(); ++j) {
    scale(p.channel(j), !(c.kind == Case::kChannelScale && c.at == j));
  }
  for (std::size_t r = 0; r < p.shape.rows; ++r) {
    const bool here = r == c.row;
    scale(p.row(r), !(here && c.kind == Case::kRowScale));
    if (p.is_odd()) {
      std::uint8_t& last = bytes[p.padding(r)];
      last =
          static_cast<std::uint8_t>((last & 15u) | (here && c.kind == Case::kPadding ? 48u : 0u));
    }
    for (std::size_t b = 0; b < p.blocks(); ++b) {
      LeechCode<std::uint32_t> code;
      for (std::size_t g = 0; g < kTritGroups; ++g) {
        code.trit_group[g] = static_cast<std::uint32_t>(
            random() % ((g + 1 < kTritGroups ? kTritGroupLimit : kLastTritGroupLimit) + 1));
      }
      code.golay_index = static_cast<std::uint32_t>(random() % 4096);
      code.fix = static_cast<std::uint32_t>(random() % kLeechDimension);
      const auto trit = [&] {
        return trit_of(code.trit_group[trit_group_of(code.fix)], trit_place_of(code.fix));
      };
      const bool wrong = here && b == c.at;
      if (wrong && c.kind == Case::kFixZero) {
        while (trit() != 0)
          code.fix = static_cast<std::uint32_t>(random() % kLeechDimension),
          ++code.trit_group[0] %= 243;
      } else if (trit() == 0) {
        code.fix = kNoFix;
      }
      if (wrong && c.kind == Case::kTrits) code.trit_group[c.group] = c.group < 4 ? 243 : 81;
      if (wrong && c.kind == Case::kFixRange)
        code.fix = 24 + static_cast<std::uint32_t>(random() % 7);
      pack_leech_code(code, &bytes[p.code(r, b)]);
    }
  }
  return bytes;
}

std::vector<std::uint8_t> Kaiju1Proof::Work::tensor_of(const z3::model& model) {
  std::vector<std::uint8_t> bytes = samples_.front();
  for (std::size_t k = places_->fixed_bytes(); k < bytes.size(); ++k) {
    const z3::expr value = model.eval(terms_.byte(k), false);
    if (value.is_numeral()) bytes[k] = static_cast<std::uint8_t>(value.get_numeral_uint64());
  }
  return bytes;
}

// A condition that has the same value for all tensors of the case that take the path.
std::optional<bool> Kaiju1Proof::Work::decide(const Executor& x, Bit condition) {
  const auto key = std::pair{condition, x.path};
  if (const auto it = decided_.find(key); it != decided_.end()) return it->second;
  auto& result = decided_[key];
  Bits all = x.path;
  all.push_back(condition);
  std::optional<bool> seen;
  for (const auto& bytes : samples_) {
    const auto values = evaluate(g_, all, [&](std::uint32_t v) {
      return v / 8 < bytes.size() && ((bytes[v / 8] >> (v % 8)) & 1) != 0;
    });
    if (std::find(values.begin(), values.end() - 1, false) != values.end() - 1) continue;
    if (seen && *seen != values.back()) return std::nullopt;
    seen = values.back();
  }
  // Of a lane that is like a lane of before: KAIJU1-KERNEL-1 has the same step.
  const auto below = variables_below(g_, all);
  const auto first = case_.kind == Case::kValid && x.path.empty() ? only_code(below) : kNoCode;
  if (seen && first != kNoCode) {
    for (const Proved& proved : lanes_) {
      if (SameShape(g_, first - proved.first)(Bits{condition ^ (*seen ? 0u : 1u)}, proved.bits)) {
        summary.same_shape += 1;
        return result = *seen;
      }
    }
  }
  const z3::expr given = assumption(below, case_);
  std::vector<z3::expr> path = {given};
  for (const Bit bit : x.path) path.push_back(terms_.term(bit));
  for (const bool value : {seen.value_or(false), !seen.value_or(false)}) {
    if (seen && value != *seen) break;
    std::string why;
    const auto answer = o_.question(
        session_, fmt::format("branch_{}", queries_), Obligation::Logic::kBitVectors,
        z3::implies(session_.all(path), terms_.term(condition) == session_.z3.bool_val(value)),
        [&](const z3::model& model) { samples_.push_back(tensor_of(model)); }, &why);
    if (answer == Obligation::Answer::kUnknown) throw Refusal("a condition: " + why);
    if (answer != Obligation::Answer::kProved) continue;
    ++queries_;
    if (first != kNoCode) lanes_.push_back({{condition ^ (value ? 0u : 1u)}, first});
    return result = value;
  }
  return std::nullopt;
}

// ------------------------------------------------------------------------------------- the cuts

// A sign-extended byte that depends on the input alone: fresh variables in its place.
std::optional<Bits> Kaiju1Proof::Work::cut(const Bits& operand) {
  const Bits byte = slice(operand, 0, 8);
  if (operand != sign_extended(byte, operand.size())) return std::nullopt;
  auto it = cuts_.find(byte);
  if (it == cuts_.end()) {
    for (const std::uint32_t v : variables_below(g_, byte)) {
      if (v >= variable(static_cast<std::size_t>(places_->layout.size), 0)) return std::nullopt;
    }
    if (cuts_.size() == kLeechDimension * places_->blocks() * places_->shape.rows) {
      throw Refusal("more numbers become floats than the tensor has coordinates");
    }
    it = cuts_.emplace(byte, kFresh + static_cast<std::uint32_t>(8 * cuts_.size())).first;
  }
  Bits fresh;
  for (std::uint32_t j = 0; j < 8; ++j) fresh.push_back(g_.variable(it->second + j));
  return sign_extended(fresh, operand.size());
}

// That each number that was replaced is the coordinate that the weights took it for.
std::optional<Counterexample> Kaiju1Proof::Work::check_points() {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::pair<std::size_t, Bits>>> open;
  for (const auto& [byte, fresh] : cuts_) {
    const auto it = coordinates_.find(fresh);
    if (it == coordinates_.end()) throw Refusal("a number that is no coordinate becomes a float");
    const auto& [r, b, i] = it->second;
    const std::uint32_t first = variable(places_->code(r, b), 0);
    const auto& proved = points_[i];
    const bool same = std::any_of(proved.begin(), proved.end(), [&](const Proved& before) {
      return SameShape(g_, first - before.first)(byte, before.bits);
    });
    summary.same_shape += same ? 1 : 0;
    if (!same) open[{r, b}].emplace_back(i, byte);
  }
  for (const auto& [place, list] : open) {
    const auto& [r, b] = place;
    // A code like one that is to be proved before it needs no query of its own.
    std::vector<std::pair<std::size_t, Bits>> rest;
    const std::uint32_t first = variable(places_->code(r, b), 0);
    for (const auto& [i, byte] : list) {
      const auto& proved = points_[i];
      const bool same = std::any_of(proved.begin(), proved.end(), [&](const Proved& before) {
        return SameShape(g_, first - before.first)(byte, before.bits);
      });
      summary.same_shape += same ? 1 : 0;
      if (!same) rest.emplace_back(i, byte);
    }
    for (const auto& [i, byte] : rest) {
      std::set<std::uint32_t> below = variables_below(g_, byte);
      for (std::size_t k = 0; k < kLeechCodeBytes; ++k) {
        below.insert(variable(places_->code(r, b) + k, 0));
      }
      std::optional<Counterexample> found;
      std::string why;
      const auto answer = o_.question(
          session_, fmt::format("point_{}", queries_), Obligation::Logic::kBitVectors,
          z3::implies(assumption(below, case_), terms_.word(byte) == text(r, b).point[i]),
          [&](const z3::model& model) {
            found = Counterexample{tensor_of(model),
                                   fmt::format("coordinate {} of the code of block {}", i, b)};
          },
          &why);
      if (answer == Obligation::Answer::kUnknown) throw Refusal("a coordinate: " + why);
      if (answer == Obligation::Answer::kRefuted) return found;
      ++queries_;
      if (only_code(variables_below(g_, byte)) == first) points_[i].push_back({byte, first});
    }
  }
  return std::nullopt;
}

// -------------------------------------------------------------------------------- the execution

State Kaiju1Proof::Work::execute(Executor& x, const Case& c,
                                 const std::array<unsigned, 3>& residues) {
  const Places& p = *places_;
  std::mt19937_64 random(20261130);
  const auto example = sample(c, random);
  const auto n_bytes = static_cast<std::size_t>(p.layout.size);
  Region input{"the input", n_bytes, false, {}, true};
  for (std::size_t k = 0; k < n_bytes; ++k) {
    for (unsigned j = 0; j < 8; ++j) {
      input.initial.push_back(k < p.fixed_bytes() ? (example[k] >> j) & 1u
                                                  : g_.variable(variable(k, j)));
    }
  }
  Region output{"the output", sizeof(float) * p.shape.rows * p.shape.cols, true, {}, false};
  while (output_.size() < 8 * output.size) output_.push_back(g_.unknown());
  output.initial = slice(output_, 0, 8 * output.size);
  x.regions = {input, output, {"the stack", kStackBytes, true, stack_, true}};
  x.stack = kStack;
  g_.residues = {residues[0], residues[1], residues[2]};
  g_.residue_used.assign(3, false);
  // Floats lie on multiples of 4. Whether on a multiple of 8 is a case of its own.
  g_.free_residues.assign(3, {});
  g_.free_residues[kOutput] = {kFalse, kFalse, residues[kOutput] == 0 ? kFalse : kTrue};
  for (std::uint32_t j = 3; j < 6; ++j) {
    g_.free_residues[kOutput].push_back(g_.variable(kOutputResidue + j));
  }
  // At the call the stack pointer is a multiple of 16, so here it is 8 more.
  State s = x.start(reinterpret_cast<std::uint64_t>(code_->entry), kReturnAt + 8);
  s.gpr[kRdi] = g_.pointer({kInput, 0});
  s.gpr[kRsi] = word(n_bytes, 64);
  s.gpr[kRdx] = word(0, 64);
  s.gpr[kRcx] = word(p.shape.rows, 64);
  s.gpr[kR8] = g_.pointer({kOutput, 0});
  x.run(s);
  x.check_abi(s);
  return s;
}

bool Kaiju1Proof::Work::prove_case(const Case& c, const std::array<unsigned, 3>& residues,
                                   std::array<bool, 3>* used) {
  case_ = c;
  set_care(c);
  // Scales that are not finite make garbage on the way to their status, and garbage need not be
  // exact.
  Floats garbage(g_);
  const bool finite = c.kind != Case::kChannelScale && c.kind != Case::kRowScale;
  Floats& floats = finite ? floats_ : garbage;
  Executor x(g_, floats, process_);
  x.unknown_data = true;
  x.oracle = [&](Bit condition) { return decide(x, condition); };
  floats.cut = [&](const Bits& operand) { return cut(operand); };
  floats.allow_unknown = true;
  floats.allow_rounding = true;
  std::optional<Counterexample> found;
  std::string refusal;
  try {
    std::vector<Graph::Cares> paths = {g_.care};
    while (!paths.empty() && !found) {
      g_.care = paths.back();
      paths.pop_back();
      cuts_.clear();
      coordinates_.clear();
      try {
        const State end = execute(x, c, residues);
        summary.code.executions += 1;
        // Another place of the stack most often leaves the same terms.
        const std::vector<Bits> left = {end.gpr[kRax], end.memory[kOutput]};
        const auto known = std::tuple{g_.care.version, cuts_, left};
        if (known != checked_) {
          found = check(x, end, c);
          if (!found) checked_ = known;
        }
      } catch (const Split& split) {
        const auto care = g_.care;
        for (const Bit side : {split.condition, split.condition ^ 1}) {
          g_.care = care;
          g_.assume(side);
          paths.push_back(g_.care);
        }
      }
      for (std::size_t r = 0; r < 3; ++r) (*used)[r] = (*used)[r] || g_.residue_used[r];
    }
    summary.code.instructions += x.steps;
    summary.code.merges += x.merges;
    summary.code.table_loads += x.table_loads;
    summary.code.all_exact = summary.code.all_exact && floats_.all_exact();
    summary.code.mnemonics.insert(x.mnemonics.begin(), x.mnemonics.end());
  } catch (const Fault& fault) {
    found = Counterexample{std::nullopt, fault.what()};
  } catch (const Refusal& why) {
    refusal = why.what();
  }
  if (!found && refusal.empty()) return true;
  report(c, found, refusal);
  return false;
}

void Kaiju1Proof::Work::report(const Case& c, const std::optional<Counterexample>& found,
                               const std::string& refusal) {
  const std::string where =
      fmt::format("{}, {}, {}", code_->name, describe(places_->shape), name_of(c));
  const std::string what = found ? found->what : refusal;
  std::string shown;
  if (found && found->tensor) shown = replay(*code_, *found->tensor, places_->shape);
  std::mt19937_64 random(2);
  for (int k = 0; shown.empty() && k < 64; ++k) {
    shown = replay(*code_, sample(c, random), places_->shape);
  }
  if (!shown.empty()) {
    o_.fail(fmt::format("{}: {}; {}", where, what, shown));
  } else if (found && !code_->runs_here) {
    o_.fail(fmt::format("{}: {}; this CPU cannot run it, so it was not replayed", where, what));
  } else if (found) {
    o_.refuse(fmt::format("{}: {}; but the CPU does not show it", where, what));
  } else {
    o_.refuse(fmt::format("{}: {}", where, what));
  }
}

// -------------------------------------------------------------------------------- the statement

std::optional<Counterexample> Kaiju1Proof::Work::check(Executor& x, const State& end,
                                                       const Case& c) {
  const Places& p = *places_;
  std::uint32_t status = 0;
  for (unsigned j = 0; j < 32; ++j) {
    const auto bit = x.decide(end.gpr[kRax][j]);
    if (!bit) throw Refusal("the status depends on data");
    status |= std::uint32_t{*bit} << j;
  }
  if (status != static_cast<std::uint32_t>(status_of(c.kind))) {
    return Counterexample{samples_.front(), fmt::format("the status is {}", status)};
  }
  const std::size_t written = c.kind == Case::kValid          ? p.shape.rows
                              : c.kind == Case::kChannelScale ? 0
                                                              : c.row;
  const Bits& out = end.memory[kOutput];
  for (std::size_t r = 0; r < p.shape.rows; ++r) {
    const auto weight = [&](std::size_t column) {
      return slice(out, 32 * (p.shape.cols * r + column), 32);
    };
    if (r >= written) {
      for (std::size_t column = 0; column < p.shape.cols; ++column) {
        if (weight(column) !=
            slice(x.regions[kOutput].initial, 32 * (p.shape.cols * r + column), 32)) {
          return Counterexample{samples_.front(),
                                fmt::format("column {} of row {} may be written", column, r)};
        }
      }
      continue;
    }
    for (std::size_t n = 0; n < p.bulk.size(); ++n) {
      summary.code.statements += 1;
      if (auto found =
              check_weight(x, weight(p.bulk[n]), r, n / kLeechDimension, n % kLeechDimension)) {
        return found;
      }
    }
    for (std::size_t j = 0; j < p.shape.side_band.size(); ++j) {
      summary.code.statements += 1;
      if (auto found = check_product(weight(p.shape.side_band[j]), p.channel(j), 1, 1.0F,
                                     variable(p.number(j, r), 0),
                                     fmt::format("column {}", p.shape.side_band[j]))) {
        return found;
      }
    }
  }
  return check_points();
}

// kaiju1.md 4.3: one of sixteen products, by the multiplier.
std::optional<Counterexample> Kaiju1Proof::Work::check_weight(Executor& x, const Bits& got,
                                                              std::size_t r, std::size_t b,
                                                              std::size_t i) {
  const Places& p = *places_;
  const std::string what = fmt::format("coordinate {} of block {} of row {}", i, b, r);
  const auto* const selection = x.floats.selection(got);
  const Variables nibble = variables_from(variable(p.multiplier(r, b), 4 * (b % 2)), 4);
  if (selection == nullptr || selection->variables != nibble) {
    throw Refusal(what + " is not chosen by its multiplier alone");
  }
  // Which fresh number it is about: the variables of a factor.
  std::optional<std::uint32_t> number;
  const auto factors = x.floats.factors(slice(selection->leaves[1], 0, 31));
  for (const Bits& factor : factors.value_or(std::vector<Bits>{})) {
    const auto variables = g_.support(factor);
    if (variables && !variables->empty() && variables->front() >= kFresh) {
      number = (variables->front() - kFresh) / 8 * 8 + kFresh;
    }
  }
  if (!number) throw Refusal(what + " is no product with a coordinate");
  const auto [it, fresh] = coordinates_.try_emplace(*number, r, b, i);
  if (!fresh && it->second != std::tuple{r, b, i}) {
    return Counterexample{samples_.front(), what + " is another coordinate"};
  }
  const float step = ref::kaiju1_step(p.shape.step_num, p.shape.step_den);
  for (std::uint32_t q = 0; q <= kKaiju1MaxMultiplier; ++q) {
    if (auto found = check_product(selection->leaves[q], p.row(r), q, step, *number, what)) {
      return found;
    }
  }
  return std::nullopt;
}

// Magnitude |scale| multiplier step times the magnitude of the number, rounded once at the most;
// the sign is that of 4.4. The number's eight variables are those from `number` on.
std::optional<Counterexample> Kaiju1Proof::Work::check_product(const Bits& got, std::size_t scale,
                                                               std::uint32_t multiplier, float step,
                                                               std::uint32_t number,
                                                               const std::string& what) {
  const Counterexample wrong{std::nullopt, what};
  const Variables scale_bits = variables_from(variable(scale, 0), 16);
  const Variables number_bits = variables_from(number, 8);
  const auto within = [](const Variables& some, const Variables& all) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
  };
  // Values of words for all assignments that can occur.
  const auto for_all = [&](const std::vector<Bits>& words, const Variables& variables,
                           const auto& visit) {
    Bits all;
    for (const Bits& w : words) all.insert(all.end(), w.begin(), w.end());
    const auto truths = g_.tabulate(all.data(), all.size(), variables);
    const Truth& possible = g_.possible(variables);
    std::vector<std::uint32_t> values(words.size());
    for (std::size_t at = 0; at < (std::size_t{1} << variables.size()); ++at) {
      if (((possible[at >> 6] >> (at & 63)) & 1) == 0) continue;
      std::size_t j = 0;
      for (std::size_t w = 0; w < words.size(); ++w) {
        values[w] = 0;
        for (std::size_t k = 0; k < words[w].size(); ++k, ++j) {
          values[w] |= static_cast<std::uint32_t>((truths[j][at >> 6] >> (at & 63)) & 1) << k;
        }
      }
      if (!visit(at, values)) return false;
    }
    return true;
  };
  // 4.4
  const Bit want_sign = g_.lxor(g_.variable(scale_bits[15]), g_.variable(number_bits[7]));
  if (got[31] != want_sign) {
    const std::array<Bit, 2> both = {got[31], want_sign};
    const auto variables = g_.support(both.data(), 2);
    if (!variables) throw Refusal("the sign of " + what + " depends on more than 16 bits");
    if (!for_all({{got[31]}, {want_sign}}, *variables,
                 [](std::size_t, const std::vector<std::uint32_t>& v) { return v[0] == v[1]; })) {
      return Counterexample{std::nullopt, "the sign of " + what};
    }
  }
  const Bits magnitude = slice(got, 0, 31);
  if (multiplier == 0) {
    return g_.constant(magnitude) == 0 ? std::nullopt : std::optional(wrong);
  }
  const auto factors = floats_.factors(magnitude);
  if (!factors) throw Refusal(what + " is not a product of small factors");
  std::vector<Bits> of_scale;
  std::vector<Bits> of_number;
  Magnitude constant{1, 0};
  for (const Bits& factor : *factors) {
    const auto variables = g_.support(factor);
    if (!variables) throw Refusal("a factor of " + what + " depends on more than 16 bits");
    if (variables->empty()) {
      const Magnitude m = magnitude_of(static_cast<std::uint32_t>(*g_.constant(factor)));
      constant = {constant.significand * m.significand, constant.exponent + m.exponent};
    } else if (within(*variables, number_bits)) {
      of_number.push_back(factor);
    } else if (within(*variables, scale_bits)) {
      of_scale.push_back(factor);
    } else {
      return Counterexample{std::nullopt, what + " depends on other bits"};
    }
  }
  const auto odd = [](Magnitude m) -> Magnitude {
    if (m.significand == 0) return {};
    const int shift = std::countr_zero(m.significand);
    return {m.significand >> shift, m.exponent + shift};
  };
  const auto equal = [&](const Magnitude& a, const Magnitude& b) {
    const Magnitude x = odd(a);
    const Magnitude y = odd(b);
    return x.significand == y.significand && (x.significand == 0 || x.exponent == y.exponent);
  };
  // Factors of one field fit 24 bits together, and so do constants: see Floats::product.
  const auto product = [](const std::vector<std::uint32_t>& values, Magnitude start) {
    for (const std::uint32_t value : values) {
      const Magnitude m = magnitude_of(value);
      start = {start.significand * m.significand, start.exponent + m.exponent};
    }
    return start;
  };
  const Magnitude step_magnitude = magnitude_of(std::bit_cast<std::uint32_t>(step));
  std::vector<Bits> key = of_scale;
  key.push_back(word(constant.significand, 64));
  key.push_back(word(static_cast<std::uint32_t>(constant.exponent), 32));
  const bool scale_known = scales_.contains(
      {key, scale, multiplier, std::bit_cast<std::uint32_t>(step), g_.care.version});
  if (!scale_known) {
    const bool right =
        for_all(of_scale, scale_bits, [&](std::size_t at, const std::vector<std::uint32_t>& v) {
          ref::Scale d;
          ref::read_scale(QP_PROFILE_STRICT, static_cast<std::uint16_t>(at), &d);
          return equal(product(v, constant), {static_cast<std::uint64_t>(d.significand) *
                                                  multiplier * step_magnitude.significand,
                                              d.exponent + step_magnitude.exponent});
        });
    if (!right) return Counterexample{std::nullopt, "the scale of " + what};
    scales_.insert({key, scale, multiplier, std::bit_cast<std::uint32_t>(step), g_.care.version});
  }
  if (!numbers_.insert({of_number, number, g_.care.version}).second) return std::nullopt;
  const bool right =
      for_all(of_number, number_bits, [&](std::size_t at, const std::vector<std::uint32_t>& v) {
        const int x = static_cast<std::int8_t>(at);
        return equal(product(v, {1, 0}), {static_cast<std::uint64_t>(x < 0 ? -x : x), 0});
      });
  if (!right) return wrong;
  return std::nullopt;
}

bool Kaiju1Proof::Work::prove(const Kaiju1Code& code, const Kaiju1Shape& shape, Kaiju1Part part) {
  const Places places(shape);
  code_ = &code;
  places_ = &places;
  texts_.clear();
  process_.overrides = code.overrides;
  // One call on the CPU, on whichever level is in use: addresses of called functions are then in
  // their slots.
  std::mt19937_64 random(3);
  const auto tensor = sample({}, random);
  Kaiju1Code here = code;
  here.runs_here = true;
  if (const std::string wrong = replay(here, tensor, shape); !wrong.empty()) {
    o_.fail(fmt::format("{}, {}: {}", code.name, describe(shape), wrong));
    return false;
  }
  std::vector<float> out(std::size_t{shape.rows} * shape.cols);
  function_of(code)(tensor.data(), tensor.size(), 0, shape.rows, out.data());
  std::vector<Case> cases;
  if (part == Kaiju1Part::kValid) {
    cases.emplace_back();
  } else {
    for (std::size_t j = 0; j < shape.side_band.size(); ++j) {
      cases.push_back({Case::kChannelScale, 0, j, 0});
    }
    for (std::size_t r = 0; r < shape.rows; ++r) {
      cases.push_back({Case::kRowScale, r, 0, 0});
      if (places.is_odd()) cases.push_back({Case::kPadding, r, 0, 0});
      for (std::size_t b = 0; b < places.blocks(); ++b) {
        for (std::size_t g = 0; g < kTritGroups; ++g) cases.push_back({Case::kTrits, r, b, g});
        cases.push_back({Case::kFixRange, r, b, 0});
        cases.push_back({Case::kFixZero, r, b, 0});
      }
    }
  }
  for (const Case& c : cases) {
    checked_ = {};
    decided_.clear();
    samples_.clear();
    for (int k = 0; k < 8; ++k) samples_.push_back(sample(c, random));
    // Input bytes lie anywhere.
    std::array<bool, 3> used{};
    for (const unsigned stack : {0u, 16u, 32u, 48u}) {
      if (stack != 0 && !used[kStack]) break;
      for (const unsigned output : {0u, 4u}) {
        if (output != 0 && !used[kOutput]) break;
        if (o_.remaining_milliseconds() == 0) {
          o_.refuse(code.name + ": the time budget is used up");
          return false;
        }
        if (!prove_case(c, {0, output, stack}, &used)) return false;
      }
      if (used[kInput]) {
        o_.refuse(code.name + ": looks at the low bits of the input's address");
        return false;
      }
    }
  }
  for (const std::uint64_t at : process_.writable_reads) {
    const std::string name = process_.name_of(at);
    if (code.overrides.contains(at) || name.starts_with("libc.so")) continue;
    o_.refuse(fmt::format("{}: reads writable data at {}", code.name, name));
    return false;
  }
  summary.queries = queries_;
  return true;
}

Kaiju1Proof::Kaiju1Proof(Obligation& o) : work_(std::make_unique<Work>(o)) {}
Kaiju1Proof::~Kaiju1Proof() = default;
bool Kaiju1Proof::prove(const Kaiju1Code& code, const Kaiju1Shape& shape, Kaiju1Part part) {
  return work_->prove(code, shape, part);
}
const Kaiju1Summary& Kaiju1Proof::summary() const { return work_->summary; }

}  // namespace quantproof::proofs::machine_code
