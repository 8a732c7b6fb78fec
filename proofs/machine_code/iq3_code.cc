// SPDX-License-Identifier: Apache-2.0
//
// What is proved of a row: for each weight its sign bit, and that the other bits are the product
// d (2s + 1) G, whatever the factors are called and in whichever order the code multiplies them.
#include "proofs/machine_code/iq3_code.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <optional>
#include <tuple>

#include "fmt/format.h"

#include "proofs/machine_code/floats.h"
#include "proofs/machine_code/iq3_queries.h"
#include "proofs/machine_code/machine.h"
#include "proofs/machine_code/object_file.h"
#include "proofs/machine_code/replay.h"
#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_codebook.h"
#include "quantproof/iq3_xxs.h"
#include "quantproof/qp.h"
#include "quantproof/ref/half.h"

namespace quantproof::proofs::machine_code {

namespace {

constexpr std::size_t kBlockBytes = Iq3Xxs::kBlockBytes;
static_assert(kBlockBytes == E8Iq3::kBlockBytes);
constexpr std::uint32_t kScales = 0x10000;
// The stack: room for a frame, and the arguments that the seventh and later need.
constexpr std::size_t kStackBytes = 8192;
constexpr std::int64_t kReturnAt = 7936;
constexpr std::uint64_t kPageBytes = 4096;

const char* name_of(Scales scales) {
  switch (scales) {
    case Scales::kFinite:
      return "finite";
    case Scales::kInfinite:
      return "infinite";
    case Scales::kNan:
      return "NaN";
    case Scales::kNotFinite:
      return "not finite";
    case Scales::kAny:
      return "any";
  }
  return "";
}

bool holds(Scales scales, std::uint32_t half) {
  const bool finite = (half & 0x7C00u) != 0x7C00u;
  const bool infinite = (half & 0x7FFFu) == 0x7C00u;
  switch (scales) {
    case Scales::kFinite:
      return finite;
    case Scales::kInfinite:
      return infinite;
    case Scales::kNan:
      return !finite && !infinite;
    case Scales::kNotFinite:
      return !finite;
    case Scales::kAny:
      return true;
  }
  return true;
}

struct Layout {
  std::size_t scale;
  std::size_t index;
  std::size_t words;
  int value_shift;
};

Layout layout_of(qp_format format) {
  if (format == QP_IQ3_XXS) {
    return {Iq3Xxs::kScaleOffset, Iq3Xxs::kIndexOffset, Iq3Xxs::kSignScaleOffset,
            Iq3Xxs::kValueShift};
  }
  return {E8Iq3::kScaleOffset, E8Iq3::kIndexOffset, E8Iq3::kSignScaleOffset, E8Iq3::kValueShift};
}

// The values of some input bits; all others are those of `Proof::typical`.
struct Counterexample {
  std::map<std::uint32_t, bool> bits;
  std::string what;
};

class Proof {
 public:
  Proof(Obligation& o, const Code& code, CodeSummary* summary)
      : o_(o),
        code_(code),
        layout_(layout_of(code.format)),
        summary_(summary),
        floats_(g_),
        x_(g_, floats_, process_),
        queries_(o, g_, code.profile, &summary->queries) {
    process_.overrides = code.overrides;
    if (o.exporting()) g_.listener = &queries_;
    for (std::size_t k = 0; k < 8 * kStackBytes; ++k) stack_.push_back(g_.unknown());
    for (std::size_t k = 0; k < 8 * sizeof(qp_location); ++k) place_.push_back(g_.unknown());
  }

  bool run() {
    for (const std::size_t n : code_.rows) {
      const std::size_t blocks = (n + kBlockWeights - 1) / kBlockWeights;
      std::vector<std::vector<Scales>> classes = {std::vector<Scales>(blocks, Scales::kFinite)};
      if (blocks == 0) {
        // No scale, no class.
      } else if (code_.profile == QP_PROFILE_STRICT) {
        for (std::size_t k = 0; k < blocks; ++k) {  // block k is the first that is refused
          std::vector<Scales> c(blocks, Scales::kAny);
          std::fill(c.begin(), c.begin() + static_cast<std::ptrdiff_t>(k), Scales::kFinite);
          c[k] = Scales::kNotFinite;
          classes.push_back(c);
        }
      } else {
        std::vector<Scales> c(blocks, Scales::kFinite);
        c.back() = Scales::kInfinite;
        classes.push_back(c);
        c.back() = Scales::kNan;
        classes.push_back(c);
      }
      for (const auto& c : classes) {
        if (!prove_row(n, c)) return false;
        // Once more with a place: each row that is refused, and one that is not.
        const bool refused = std::find(c.begin(), c.end(), Scales::kNotFinite) != c.end();
        if (code_.convention != Convention::kDecodeAt || !(refused || n == kBlockWeights)) continue;
        std::array<bool, 3> used{};
        with_place_ = true;
        if (!prove_placement(n, c, {0, 0, 0}, &used)) return false;
        with_place_ = false;
      }
    }
    return (code_.convention != Convention::kDecodeAt || prove_refusals()) && stays_at_home();
  }

 private:
  // Which other files' code ran. A second build of this library must not call the one that is
  // already loaded: neither of the two would be proved.
  bool stays_at_home() {
    const std::uintptr_t home = base_of(code_.entry);
    const std::uintptr_t ours =
        base_of(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(&qp_decode_at)));
    for (const std::uint64_t page : x_.code_pages) {
      const auto* const address = reinterpret_cast<const void*>(page * kPageBytes);
      const std::uintptr_t base = base_of(address);
      if (base == home) continue;
      if (base == ours) {
        o_.refuse(code_.name + ": calls functions of the library that this command uses itself");
        return false;
      }
      summary_->also_runs.insert(object_of(address));
    }
    return true;
  }

  // All placements that the code can tell apart.
  bool prove_row(std::size_t n, const std::vector<Scales>& classes) {
    std::array<bool, 3> used{};
    if (!prove_placement(n, classes, {0, 0, 0}, &used)) return false;
    const auto choices = [&](std::size_t region, unsigned step) {
      std::vector<unsigned> residues = {0};
      for (unsigned r = step; used[region] && r < 64; r += step) residues.push_back(r);
      return residues;
    };
    // Input bytes lie anywhere, floats on multiples of 4, stacks on multiples of 16.
    for (bool again = true; again;) {
      const auto before = used;
      for (const unsigned in : choices(0, 1)) {
        for (const unsigned out : choices(1, 4)) {
          for (const unsigned stack : choices(2, 16)) {
            if (in + out + stack == 0) continue;
            if (o_.remaining_milliseconds() == 0) {
              o_.refuse(code_.name + ": the time budget is used up");
              return false;
            }
            if (!prove_placement(n, classes, {in, out, stack}, &used)) return false;
          }
        }
      }
      again = before != used;
    }
    return true;
  }

  bool prove_placement(std::size_t n, const std::vector<Scales>& classes,
                       const std::array<unsigned, 3>& residues, std::array<bool, 3>* used);
  bool prove_refusals();
  Bits place() { return with_place_ ? g_.pointer({3, 0}) : word(0, 64); }
  bool right_place(const State& s, std::size_t block, std::size_t offset, const char* field);
  void set_regions(Executor& x, std::size_t n_bytes, std::size_t n);
  State execute(Executor& x, std::size_t n, const std::array<unsigned, 3>& residues);
  void set_classes(Graph& g, const std::vector<Scales>& classes);
  std::optional<Counterexample> check_row(Executor& x, const State& end, std::size_t n,
                                          const std::vector<Scales>& classes);
  std::optional<Counterexample> check_weight(Executor& x, const Bits& got, std::size_t i,
                                             Scales scales);
  std::optional<Counterexample> check_bit(Graph& g, Bit got, Bit want, const std::string& what);
  std::optional<Counterexample> check_product(Executor& x, const Bits& magnitude, std::size_t i);

  [[nodiscard]] std::uint32_t variable(std::size_t byte, unsigned bit) const {
    return static_cast<std::uint32_t>(8 * byte + bit);
  }
  [[nodiscard]] Variables byte_variables(std::size_t byte, unsigned from, unsigned n) const {
    Variables v;
    for (unsigned j = 0; j < n; ++j) v.push_back(variable(byte, from + j));
    return v;
  }

  Obligation& o_;
  const Code& code_;
  Layout layout_;
  CodeSummary* summary_;
  // One graph for all executions: what one has tabulated, the others find.
  Graph g_;
  Floats floats_;
  Process process_;
  Executor x_;
  Iq3Queries queries_;
  Bits stack_;  // what the stack and the output hold at the start
  Bits output_;
  Bits place_;
  bool with_place_ = false;  // whether qp_decode_at is given a place for an error
  std::map<std::vector<Scales>, Graph::Cares> class_care_;
  // Weights that were proved: their bits, number and version of care.
  std::set<std::tuple<Bits, std::size_t, std::uint64_t>> proved_;
  // Factors, input bits, the fields and which element of a codebook row; version of care.
  using GroupKey =
      std::tuple<std::vector<Bits>, Variables, std::vector<Variables>, std::size_t, std::uint64_t>;
  std::map<GroupKey, std::pair<std::optional<Ratio>, Counterexample>> groups_;
};

void Proof::set_classes(Graph& g, const std::vector<Scales>& classes) {
  if (const auto it = class_care_.find(classes); it != class_care_.end()) {
    g.care = it->second;
    return;
  }
  std::vector<Graph::Care> sets;
  for (std::size_t b = 0; b < classes.size(); ++b) {
    Graph::Care care;
    care.variables = byte_variables(kBlockBytes * b + layout_.scale, 0, 16);
    care.possible.resize(kScales / 64);
    for (std::uint32_t half = 0; half < kScales; ++half) {
      if (holds(classes[b], half)) care.possible[half / 64] |= std::uint64_t{1} << (half % 64);
    }
    sets.push_back(care);
  }
  g.set_care(sets);
  class_care_[classes] = g.care;
}

// The numbers among the arguments.
struct Numbers {
  std::uint32_t profile;
  std::uint32_t format;
  std::size_t n_bytes;
  std::size_t n;
};

// The state at the call: arguments in their registers, the regions of `x` set up.
State start(Executor& x, const Code& code, const Numbers& numbers, const Bits& in, const Bits& out,
            const Bits& where) {
  Graph& g = x.g;
  // At the call the stack pointer is a multiple of 16, so here it is 8 more.
  const std::int64_t home = kReturnAt + 8;
  if (x.regions.empty()) {
    Bits stack;
    for (std::size_t k = 0; k < 8 * kStackBytes; ++k) stack.push_back(g.unknown());
    x.regions = {{"the input", 0, false, {}, true},
                 {"the output", 0, true, {}, false},
                 {"the stack", kStackBytes, true, stack, true}};
    g.residues = {0, 0, 0};
    g.residue_used.assign(3, false);
  }
  x.stack = 2;
  if (code.convention == Convention::kDecodeAt) {  // the seventh argument
    std::copy(where.begin(), where.end(), x.regions[2].initial.begin() + 8 * (home + 8));
  }
  State s = x.start(reinterpret_cast<std::uint64_t>(code.entry), home);
  const Bits width = word(numbers.n, 64);
  switch (code.convention) {
    case Convention::kBlocks:
      s.gpr[kRdi] = in;
      s.gpr[kRsi] = out;
      s.gpr[kRdx] = width;
      break;
    case Convention::kStatus:
      s.gpr[kRdi] = in;
      s.gpr[kRsi] = word(numbers.n_bytes, 64);
      s.gpr[kRdx] = out;
      s.gpr[kRcx] = width;
      break;
    case Convention::kDecodeAt: {
      // The upper halves of registers that hold an int are anything.
      const auto int_argument = [&](std::uint64_t value) {
        Bits bits = word(value, 32);
        while (bits.size() < 64) bits.push_back(g.unknown());
        return bits;
      };
      s.gpr[kRdi] = int_argument(numbers.profile);
      s.gpr[kRsi] = int_argument(numbers.format);
      s.gpr[kRdx] = in;
      s.gpr[kRcx] = word(numbers.n_bytes, 64);
      s.gpr[kR8] = out;
      s.gpr[kR9] = width;
      break;
    }
  }
  return s;
}

void Proof::set_regions(Executor& x, std::size_t n_bytes, std::size_t n) {
  Graph& g = x.g;
  Region input{"the input", n_bytes, false, {}, true};
  for (std::size_t k = 0; k < n_bytes; ++k) {
    for (unsigned j = 0; j < 8; ++j) input.initial.push_back(g.variable(variable(k, j)));
  }
  Region output{"the output", n * sizeof(float), true, {}, false};
  while (output_.size() < 8 * output.size) output_.push_back(g.unknown());
  output.initial = slice(output_, 0, 8 * output.size);
  x.regions = {input,
               output,
               {"the stack", kStackBytes, true, stack_, true},
               {"the place", sizeof(qp_location), true, place_, false}};
  g.residue_used.assign(4, false);
}

State Proof::execute(Executor& x, std::size_t n, const std::array<unsigned, 3>& residues) {
  Graph& g = x.g;
  const std::size_t n_bytes = (n + kBlockWeights - 1) / kBlockWeights * kBlockBytes;
  set_regions(x, n_bytes, n);
  g.residues = {residues[0], residues[1], residues[2], 0};
  State s = start(x, code_, {code_.profile, code_.format, n_bytes, n}, g.pointer({0, 0}),
                  g.pointer({1, 0}), place());
  x.run(s);
  x.check_abi(s);
  if (g.residue_used[3]) throw Refusal("the address of the place is looked at");
  return s;
}

// The location that was written: as 6.1 has it, or nothing where there is no error or no place.
bool Proof::right_place(const State& s, std::size_t block, std::size_t offset, const char* field) {
  const Bits& place = s.memory[3];
  if (!with_place_ || field == nullptr) return place == place_;
  if (g_.constant(slice(place, 0, 64)) != block || g_.constant(slice(place, 64, 64)) != offset) {
    return false;
  }
  const auto name = g_.constant(slice(place, 128, 64));
  for (std::size_t k = 0; name; ++k) {
    if (process_.read(*name + k) != static_cast<std::uint8_t>(field[k])) return false;
    if (field[k] == 0) return true;
  }
  return false;
}

// 6.1 and README.md 5.2: arguments that are wrong have the status of the first that is, and nothing
// is written. Their values are samples; what the arrays hold is not.
bool Proof::prove_refusals() {
  struct Wrong {
    Numbers numbers;
    bool bytes;  // not null
    bool out;
    qp_status status;
    const char* field;
  };
  const std::uint32_t p = code_.profile;
  const std::uint32_t f = code_.format;
  constexpr std::size_t kMost = ~std::size_t{0};
  std::vector<Wrong> all;
  for (const std::uint32_t none : {3u, 0x80000000u, 0xFFFFFFFFu}) {
    all.push_back({{none, 7, 97, 255}, false, false, QP_BAD_ARGUMENT, "profile"});
    all.push_back({{none, f, 98, 256}, true, true, QP_BAD_ARGUMENT, "profile"});
  }
  for (const std::uint32_t none : {0u, 3u, 0x80000001u, 0xFFFFFFFFu}) {
    all.push_back({{p, none, 97, 255}, false, false, QP_BAD_ARGUMENT, "format"});
    all.push_back({{p, none, 98, 256}, true, true, QP_BAD_ARGUMENT, "format"});
  }
  all.push_back({{p, f, 98, 256}, false, true, QP_BAD_ARGUMENT, "bytes"});
  all.push_back({{p, f, 98, 256}, true, false, QP_BAD_ARGUMENT, "out"});
  all.push_back({{p, f, 97, 255}, true, false, QP_BAD_ARGUMENT, "out"});
  all.push_back({{p, f, 1, 0}, false, false, QP_BAD_ARGUMENT, "bytes"});
  all.push_back({{p, f, 0, 1}, false, false, QP_BAD_ARGUMENT, "out"});
  if (code_.format == QP_IQ3_XXS) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{255}, std::size_t{257}, kMost}) {
      all.push_back({{p, f, 98, n}, true, true, QP_BAD_WIDTH, "n_values"});
    }
  }
  for (const std::size_t n_bytes :
       {std::size_t{0}, std::size_t{97}, std::size_t{99}, std::size_t{196}, kMost}) {
    all.push_back({{p, f, n_bytes, 256}, true, true, QP_BAD_SIZE, "n_bytes"});
  }
  all.push_back({{p, f, 98, 512}, true, true, QP_BAD_SIZE, "n_bytes"});
  all.push_back({{p, f, 98, kMost - 255}, true, true, QP_BAD_SIZE, "n_bytes"});
  for (std::size_t k = 0; k < 2 * all.size(); ++k) {  // without a place, and with one
    const Wrong& wrong = all[k / 2];
    with_place_ = k % 2 != 0;
    const auto& [profile, format, n_bytes, n] = wrong.numbers;
    const std::string what = fmt::format(
        "{}: profile {}, format {}, {}{} bytes, {}{} weights", code_.name, profile, format,
        wrong.bytes ? "" : "null for ", n_bytes, wrong.out ? "" : "null for ", n);
    g_.set_care({});
    set_regions(x_, kBlockBytes, kBlockWeights);
    g_.residues = {0, 0, 0, 0};
    queries_.set_row({}, what);
    try {
      State s = start(x_, code_, wrong.numbers, wrong.bytes ? g_.pointer({0, 0}) : word(0, 64),
                      wrong.out ? g_.pointer({1, 0}) : word(0, 64), place());
      x_.run(s);
      x_.check_abi(s);
      const auto status = g_.constant(slice(s.gpr[0], 0, 32));
      if (status != wrong.status) {
        o_.fail(status ? fmt::format("{}: status {}, want {}", what, *status,
                                     static_cast<int>(wrong.status))
                       : what + ": the status depends on data");
        return false;
      }
      if (s.memory[1] != x_.regions[1].initial) {
        o_.fail(what + ": the output may be written");
        return false;
      }
      if (!right_place(s, 0, 0, wrong.field)) {
        o_.fail(what + ": the place is not that of the text");
        return false;
      }
    } catch (const Fault& fault) {
      o_.fail(what + ": " + fault.what());
      return false;
    } catch (const Refusal& why) {
      o_.refuse(what + ": " + why.what());
      return false;
    } catch (const Split&) {
      o_.refuse(what + ": takes a branch on a scale");
      return false;
    }
    summary_->refusals += k % 2;
  }
  with_place_ = false;
  return true;
}

bool Proof::prove_placement(std::size_t n, const std::vector<Scales>& classes,
                            const std::array<unsigned, 3>& residues, std::array<bool, 3>* used) {
  std::string where = fmt::format("{}, row of {} weights, scales", code_.name, n);
  for (const Scales c : classes) where += fmt::format(" {}", name_of(c));
  Graph& g = g_;
  set_classes(g, classes);
  std::vector<std::pair<Variables, Scales>> scales;
  for (std::size_t b = 0; b < classes.size(); ++b) {
    scales.emplace_back(byte_variables(kBlockBytes * b + layout_.scale, 0, 16), classes[b]);
  }
  queries_.set_row(scales, where);
  Executor& x = x_;
  x.steps = x.merges = x.table_loads = x.copies = 0;
  const std::size_t blocks = classes.size();
  // A block that decodes to 256 different-looking weights, with the class's own scale.
  std::vector<std::uint8_t> typical(kBlockBytes * blocks);
  for (std::size_t b = 0; b < blocks; ++b) {
    std::uint8_t* block = typical.data() + kBlockBytes * b;
    for (std::size_t k = 0; k < kIndices; ++k) {
      block[layout_.index + k] = static_cast<std::uint8_t>(3 * k + 1);
    }
    const std::uint32_t half = classes[b] == Scales::kInfinite ? 0x7C00u
                               : classes[b] == Scales::kNan || classes[b] == Scales::kNotFinite
                                   ? 0x7E01u
                                   : 0x3C00u;
    block[layout_.scale] = static_cast<std::uint8_t>(half);
    block[layout_.scale + 1] = static_cast<std::uint8_t>(half >> 8);
  }
  std::optional<Counterexample> found;
  std::string refusal;
  try {
    std::vector<Graph::Cares> paths = {g.care};
    while (!paths.empty() && !found) {
      g.care = paths.back();
      paths.pop_back();
      try {
        const State end = execute(x, n, residues);
        summary_->executions += 1;
        found = check_row(x, end, n, classes);
      } catch (const Split& split) {
        const auto care = g.care;
        for (const Bit side : {split.condition, split.condition ^ 1}) {
          g.care = care;
          g.assume(side);
          paths.push_back(g.care);
        }
      }
      for (std::size_t r = 0; r < 3; ++r) (*used)[r] = (*used)[r] || g.residue_used[r];
    }
    summary_->instructions += x.steps;
    summary_->merges += x.merges;
    summary_->table_loads += x.table_loads;
    summary_->copies += x.copies;
    summary_->all_exact = summary_->all_exact && floats_.all_exact();
    summary_->mnemonics.insert(x.mnemonics.begin(), x.mnemonics.end());
  } catch (const Fault& fault) {
    found = Counterexample{{}, fault.what()};
  } catch (const Refusal& why) {
    refusal = why.what();
  }
  if (!found && refusal.empty()) return true;
  std::string shown;
  if (found) {
    for (const auto& [v, value] : found->bits) {
      std::uint8_t& byte = typical[v / 8];
      const auto mask = static_cast<std::uint8_t>(1u << (v % 8));
      byte = static_cast<std::uint8_t>(value ? byte | mask : byte & ~mask);
    }
    shown = replay(code_, typical, n, with_place_);
  }
  if (shown.empty()) shown = search(code_, 64);
  const std::string what = found ? found->what : refusal;
  if (!shown.empty()) {
    o_.fail(fmt::format("{}: {}; {}", where, what, shown));
  } else if (found && !code_.runs_here) {
    o_.fail(fmt::format("{}: {}; this CPU cannot run it, so it was not replayed", where, what));
  } else if (found) {
    o_.refuse(fmt::format("{}: {}; but the CPU does not show it", where, what));
  } else {
    o_.refuse(fmt::format("{}: {}", where, what));
  }
  return false;
}

std::optional<Counterexample> Proof::check_row(Executor& x, const State& end, std::size_t n,
                                               const std::vector<Scales>& classes) {
  Graph& g = x.g;
  std::size_t decoded = classes.size();
  if (code_.profile == QP_PROFILE_STRICT) {
    decoded = static_cast<std::size_t>(
        std::find(classes.begin(), classes.end(), Scales::kNotFinite) - classes.begin());
  }
  const bool refused = decoded != classes.size();
  if (code_.convention != Convention::kBlocks) {
    const auto status = g.constant(slice(end.gpr[0], 0, 32));
    const bool right = code_.convention == Convention::kDecodeAt
                           ? status == (refused ? QP_SCALE_NOT_FINITE : QP_OK)
                           : status.has_value() && (*status != 0) == refused;
    if (!right) {
      return Counterexample{
          {}, status ? fmt::format("the status is {}", *status) : "the status depends on data"};
    }
  }
  if (!right_place(end, decoded, kBlockBytes * decoded + layout_.scale,
                   refused ? "scale" : nullptr)) {
    return Counterexample{{}, "the place is not that of the text"};
  }
  const Bits& out = end.memory[1];
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t b = i / kBlockWeights;
    const Bits got = slice(out, 32 * i, 32);
    if (b >= decoded) {
      if (got != slice(x.regions[1].initial, 32 * i, 32)) {
        return Counterexample{{}, fmt::format("weight {} of a refused block may be written", i)};
      }
      continue;
    }
    summary_->statements += 1;
    const auto key = std::tuple{got, i, g.care.version};
    if (proved_.contains(key)) continue;  // in another placement
    if (auto found = check_weight(x, got, i, classes[b])) return found;
    proved_.insert(key);
  }
  return std::nullopt;
}

std::optional<Counterexample> Proof::check_bit(Graph& g, Bit got, Bit want,
                                               const std::string& what) {
  if (got == want) return std::nullopt;
  const std::array<Bit, 2> both = {got, want};
  const auto variables = g.support(both.data(), 2);
  if (!variables) throw Refusal(what + " depends on more than 16 bits");
  const auto truths = g.tabulate(both.data(), 2, *variables);
  const Truth& possible = g.possible(*variables);
  for (std::size_t w = 0; w < possible.size(); ++w) {
    const std::uint64_t differ = (truths[0][w] ^ truths[1][w]) & possible[w];
    if (differ == 0) continue;
    const std::size_t at = 64 * w + static_cast<std::size_t>(std::countr_zero(differ));
    Counterexample found;
    found.what = what;
    for (std::size_t k = 0; k < variables->size(); ++k) {
      if ((*variables)[k] < (1u << 23)) found.bits[(*variables)[k]] = ((at >> k) & 1) != 0;
    }
    return found;
  }
  return std::nullopt;
}

std::optional<Counterexample> Proof::check_weight(Executor& x, const Bits& got, std::size_t i,
                                                  Scales scales) {
  Graph& g = x.g;
  const std::size_t block = kBlockBytes * (i / kBlockWeights);
  const std::size_t in_block = i % kBlockWeights;
  const std::size_t sign_at = 7 * (in_block % kSubblockWeights / kGroupWeights);
  const std::size_t word_at = block + layout_.words + 4 * (in_block / kSubblockWeights);
  const auto input = [&](std::size_t byte, std::size_t bit) {
    return g.variable(variable(byte + bit / 8, static_cast<unsigned>(bit % 8)));
  };
  // 4.2 and 4.5: the sign of the scale, and that of the weight.
  Bit sign = input(block + layout_.scale, 15);
  const std::size_t j = in_block % kGroupWeights;
  for (std::size_t k = 0; k < kSignFieldBits; ++k) {
    if (j == k || j == kSignFieldBits) sign = g.lxor(sign, input(word_at, sign_at + k));
  }
  std::vector<std::pair<Bit, Bit>> pairs = {{got[31], sign}};
  // 4.5: infinities, and NaNs as half.md 2.5 widens them.
  for (std::size_t bit = 0; bit < 31 && scales != Scales::kFinite; ++bit) {
    Bit want = bit >= 23 ? kTrue : kFalse;
    if (scales == Scales::kNan && bit == 22) want = kTrue;
    if (scales == Scales::kNan && bit >= 13 && bit < 22) {
      want = input(block + layout_.scale, bit - 13);
    }
    pairs.emplace_back(got[bit], want);
  }
  if (o_.exporting()) queries_.equal(scales == Scales::kFinite ? "sign" : "weight", pairs);
  if (auto found = check_bit(g, got[31], sign, fmt::format("the sign of weight {}", i))) {
    return found;
  }
  if (scales == Scales::kFinite) return check_product(x, slice(got, 0, 31), i);
  for (std::size_t bit = 0; bit < 31; ++bit) {
    const auto [have, want] = pairs[bit + 1];
    if (auto found = check_bit(g, have, want, fmt::format("bit {} of weight {}", bit, i))) {
      return found;
    }
  }
  return std::nullopt;
}

// The factors of the weight against d, 2s + 1 and G: factors that share input bits with a field of
// the format form a group; each group must be its fields' product times a constant, and all the
// constants together 2^-value_shift.
std::optional<Counterexample> Proof::check_product(Executor& x, const Bits& magnitude,
                                                   std::size_t i) {
  Graph& g = x.g;
  const std::size_t block = kBlockBytes * (i / kBlockWeights);
  const std::size_t in_block = i % kBlockWeights;
  const std::size_t word_at = block + layout_.words + 4 * (in_block / kSubblockWeights);
  struct Group {
    Variables variables;
    std::vector<Bits> factors;
    std::vector<int> fields;  // 0: d, 1: 2s + 1, 2: G
  };
  const std::array<Variables, 3> fields = {
      byte_variables(block + layout_.scale, 0, 16), byte_variables(word_at + 3, 4, 4),
      byte_variables(block + layout_.index + in_block / kRowWeights, 0, 8)};
  std::vector<Group> groups;
  for (int f = 0; f < 3; ++f) groups.push_back({fields[static_cast<std::size_t>(f)], {}, {f}});
  const auto factors = x.floats.factors(magnitude);
  if (!factors) throw Refusal(fmt::format("weight {} is not a product of small factors", i));
  for (const Bits& factor : *factors) {
    Group joined{*g.support(factor), {factor}, {}};
    std::vector<Group> rest;
    for (Group& group : groups) {
      const bool shares =
          std::any_of(group.variables.begin(), group.variables.end(), [&](std::uint32_t v) {
            return std::binary_search(joined.variables.begin(), joined.variables.end(), v);
          });
      if (!shares) {
        rest.push_back(group);
        continue;
      }
      Variables all;
      std::set_union(group.variables.begin(), group.variables.end(), joined.variables.begin(),
                     joined.variables.end(), std::back_inserter(all));
      joined.variables = all;
      joined.factors.insert(joined.factors.end(), group.factors.begin(), group.factors.end());
      joined.fields.insert(joined.fields.end(), group.fields.begin(), group.fields.end());
    }
    rest.push_back(joined);
    groups = rest;
  }
  std::uint64_t numerator = 1;
  std::uint64_t denominator = 1;
  int exponent = layout_.value_shift;
  std::vector<Ratio> ratios;
  Counterexample last;
  for (Group& group : groups) {
    std::sort(group.factors.begin(), group.factors.end());
    std::sort(group.fields.begin(), group.fields.end());
    std::vector<Variables> of_fields(fields.size());
    for (const int f : group.fields) {
      of_fields[static_cast<std::size_t>(f)] = fields[static_cast<std::size_t>(f)];
    }
    const GroupKey key{
        group.factors, group.variables, of_fields,
        group.fields.empty() || group.fields.back() != 2 ? 0 : in_block % kRowWeights,
        g.care_version_over(group.variables)};
    auto cached = groups_.find(key);
    if (cached == groups_.end()) {
      if (group.variables.size() > kMaxVariables) {
        throw Refusal(fmt::format("a factor of weight {} depends on more than 16 bits", i));
      }
      Bits all;
      for (const Bits& factor : group.factors) all.insert(all.end(), factor.begin(), factor.end());
      const auto truths = g.tabulate(all.data(), all.size(), group.variables);
      const Truth& possible = g.possible(group.variables);
      const auto field = [&](int f, std::size_t at) {
        std::uint32_t value = 0;
        const Variables& of = fields[static_cast<std::size_t>(f)];
        for (std::size_t k = 0; k < of.size(); ++k) {
          const auto place = static_cast<std::size_t>(
              std::lower_bound(group.variables.begin(), group.variables.end(), of[k]) -
              group.variables.begin());
          value |= static_cast<std::uint32_t>((at >> place) & 1) << k;
        }
        return value;
      };
      const auto wanted = [&](int f, std::uint32_t value) -> Magnitude {
        const auto odd = [](std::uint64_t m, int e) -> Magnitude {
          if (m == 0) return {};
          const int shift = std::countr_zero(m);
          return {m >> shift, e + shift};
        };
        if (f == 1) return odd(2 * value + 1, 0);
        if (f == 2) return odd(kIq3Codebook[value][in_block % kRowWeights], 0);
        ref::Scale scale;
        ref::read_scale(code_.profile, static_cast<std::uint16_t>(value), &scale);
        return odd(static_cast<std::uint64_t>(scale.significand), scale.exponent);
      };
      std::optional<Ratio> ratio;
      Counterexample at_odds;
      bool differs = false;
      // For the query: all ratios are the first one, exponents lie in a range.
      std::vector<std::pair<unsigned, unsigned>> exponents(group.factors.size(), {255, 0});
      for (std::size_t at = 0; at < (std::size_t{1} << group.variables.size()); ++at) {
        if (((possible[at >> 6] >> (at & 63)) & 1) == 0) continue;
        Magnitude have{1, 0};
        for (std::size_t f = 0; f < group.factors.size(); ++f) {
          std::uint32_t bits = 0;
          for (std::size_t j = 0; j < 31; ++j) {
            bits |= static_cast<std::uint32_t>((truths[31 * f + j][at >> 6] >> (at & 63)) & 1) << j;
          }
          const Magnitude m = magnitude_of(bits);
          if (bits != 0) {
            auto& [least, greatest] = exponents[f];
            least = std::min(least, bits >> 23);
            greatest = std::max(greatest, bits >> 23);
          }
          have.significand *= m.significand;  // together at most 24 bits: see Floats::multiplied
          have.exponent += m.exponent;
        }
        Magnitude want{1, 0};
        for (const int f : group.fields) {
          const Magnitude m = wanted(f, field(f, at));
          want.significand *= m.significand;
          want.exponent += m.exponent;
        }
        bool same = (have.significand == 0) == (want.significand == 0);
        if (same && want.significand != 0) {
          if (!ratio) {
            ratio = Ratio{have.significand, want.significand, have.exponent - want.exponent};
          }
          same = have.significand * ratio->denominator == ratio->numerator * want.significand &&
                 have.exponent - want.exponent == ratio->exponent;
        }
        if (same) continue;
        for (std::size_t k = 0; k < group.variables.size() && !differs; ++k) {
          at_odds.bits[group.variables[k]] = ((at >> k) & 1) != 0;
        }
        differs = true;
        if (!o_.exporting()) break;
      }
      if (o_.exporting()) {
        for (auto& [least, greatest] : exponents) least = std::min(least, greatest);  // all zero
        std::vector<std::pair<int, Variables>> of;
        for (const int f : group.fields) of.emplace_back(f, fields[static_cast<std::size_t>(f)]);
        queries_.product(group.factors, exponents, of, in_block % kRowWeights,
                         ratio.value_or(Ratio{}));
      }
      if (differs) ratio.reset();
      cached = groups_.emplace(key, std::pair{ratio, at_odds}).first;
    }
    const auto& [ratio, at_odds] = cached->second;
    if (!ratio) {
      Counterexample found = at_odds;
      found.what = fmt::format("the magnitude of weight {}", i);
      return found;
    }
    ratios.push_back(*ratio);
    numerator *= ratio->numerator;
    denominator *= ratio->denominator;
    exponent += ratio->exponent;
  }
  if (o_.exporting()) queries_.ratios(ratios, layout_.value_shift);
  if (numerator != denominator || exponent != 0) {
    last.what = fmt::format("weight {} is off by the same factor everywhere", i);
    return last;
  }
  return std::nullopt;
}

}  // namespace

void trace_empty_row(const Code& code, Graph& graph, Floats& floats, Process& process) {
  Executor x(graph, floats, process);
  State s = start(x, code, {code.profile, code.format, 0, 0}, graph.pointer({0, 0}),
                  graph.pointer({1, 0}), word(0, 64));
  x.run(s);
}

std::string describe(const CodeSummary& s) {
  std::string text = fmt::format(
      "{} executions of {} instructions of {} kinds, {} branches on data joined, {} loads from "
      "tables by data, {} weights proved",
      s.executions, s.instructions, s.mnemonics.size(), s.merges, s.table_loads, s.statements);
  if (s.refusals != 0) text += fmt::format(", {} calls with wrong arguments", s.refusals);
  if (s.copies != 0) text += fmt::format(", {} calls of memcpy taken at its word", s.copies);
  std::size_t queries = 0;
  for (const auto& [kind, texts] : s.queries) queries += texts.size();
  if (queries != 0) text += fmt::format(", {} different queries written", queries);
  for (const std::string& file : s.also_runs) text += ", with code of " + file;
  return text;
}

const char* profile_name(qp_profile profile) {
  return profile == QP_PROFILE_STRICT ? "strict" : profile == QP_PROFILE_GGML ? "ggml" : "colibri";
}

void prove_iq3_code(Obligation& o, const Code& code, CodeSummary* summary) {
  if (Proof(o, code, summary).run()) o.check(summary->executions != 0, "nothing was run");
}

}  // namespace quantproof::proofs::machine_code
