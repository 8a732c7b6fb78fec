// SPDX-License-Identifier: Apache-2.0
//
// Control flow and memory of the executor.
#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <utility>

#include "fmt/format.h"

#include "proofs/machine_code/machine.h"
#include "proofs/machine_code/x86.h"

namespace quantproof::proofs::machine_code {

namespace {

constexpr std::uint64_t kReturnAddress = 0x5EED5EED5EEDu;  // of the function under proof
constexpr std::uint64_t kNowhere = 1;                      // no instruction stands here
constexpr std::size_t kMaxSteps = 3'000'000;
constexpr int kMaxBranches = 200;  // nested branches on data
constexpr std::int64_t kRedZone = 128;
constexpr std::size_t kFar = 16;  // instructions
constexpr std::size_t kMaxIndexBits = 8;
constexpr std::uint64_t kPageBytes = 4096;

bool is_jump(const Decoded& i) { return i.info.meta.category == ZYDIS_CATEGORY_COND_BR; }

// The target of a direct jump or call.
std::optional<std::uint64_t> direct_target(const Decoded& i) {
  if (i.operands.empty() || i.operands[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE) return std::nullopt;
  return i.next + static_cast<std::uint64_t>(i.operands[0].imm.value.s);
}

}  // namespace

Executor::Executor(Graph& graph, Floats& the_floats, Process& the_process)
    : g(graph), floats(the_floats), process(the_process) {}

Executor::~Executor() = default;

State Executor::start(std::uint64_t entry, std::int64_t stack_offset) {
  if (!unknown_) {
    const auto unknown = [&](std::size_t n) {
      Bits bits(n);
      for (Bit& bit : bits) bit = g.unknown();
      return bits;
    };
    unknown_.emplace();
    for (Bits& r : unknown_->gpr) r = unknown(64);
    for (Bits& r : unknown_->vector) r = unknown(512);
    for (Bits& r : unknown_->mask) r = unknown(64);
    unknown_->flags = {g.unknown(), g.unknown(), g.unknown(), g.unknown(), g.unknown()};
  }
  path.clear();
  State s = *unknown_;
  for (const Region& region : regions) s.memory.push_back(region.initial);
  s.gpr[kRsp] = g.pointer({stack, stack_offset});
  const Bits home = word(kReturnAddress, 64);
  std::copy(home.begin(), home.end(), s.memory[stack].begin() + 8 * stack_offset);
  s.ip = entry;
  entry_ = s;
  return s;
}

std::string Executor::place(std::uint64_t ip) {
  return fmt::format("{}: {}", process.name_of(ip), decode(ip).text);
}

void Executor::run(State& state) {
  try {
    run_until(state, kNowhere, 0, 0);
  } catch (const Refusal& refusal) {
    throw Refusal(place(at_) + ": " + refusal.what());
  } catch (const Fault& fault) {
    throw Fault(place(at_) + ": " + fault.what());
  }
  if (state.ip != kReturnAddress) throw Fault("does not return to its caller");
}

void Executor::step(State& state) {
  const Decoded& i = decode(state.ip);
  state.ip = i.next;
  execute(*this, state, i);
}

void Executor::run_until(State& s, std::uint64_t stop, int stop_depth, int branches) {
  std::uint64_t last_page = 0;
  while (s.depth >= stop_depth && !(s.ip == stop && s.depth == stop_depth)) {
    if (process.copies.contains(s.ip)) {
      copy(s);
      continue;
    }
    at_ = s.ip;
    if (++steps > kMaxSteps) throw Refusal("more than 3,000,000 instructions");
    const Decoded& i = decode(s.ip);
    mnemonics.insert(i.mnemonic);
    if (at_ / kPageBytes != last_page) code_pages.insert(last_page = at_ / kPageBytes);
    s.ip = i.next;
    if (i.info.meta.category == ZYDIS_CATEGORY_RET) {
      if (i.info.raw.imm[0].size != 0 || i.info.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR) {
        throw Refusal("this kind of return is not modelled");
      }
      const Bits rsp = s.gpr[kRsp];
      s.ip = concrete(load(s, rsp, 8), "a return address");
      s.gpr[kRsp] = g.pointer({stack, g.as_pointer(rsp)->offset + 8});
      --s.depth;
    } else if (i.name == "jmp" || i.name == "call") {
      const auto direct = direct_target(i);
      std::uint64_t target = 0;
      if (direct) {
        target = *direct;
      } else {
        // Through a register or a slot in memory: the executor reads it as any operand.
        Decoded read = i;
        read.name = "jump target";
        execute(*this, s, read);
        target = s.ip;
      }
      if (i.name == "call") {
        const auto rsp = g.as_pointer(s.gpr[kRsp]);
        if (!rsp) throw Refusal("the stack pointer is not known");
        s.gpr[kRsp] = g.pointer({stack, rsp->offset - 8});
        store(s, s.gpr[kRsp], word(i.next, 64));
        ++s.depth;
      }
      s.ip = target;
    } else if (is_jump(i)) {
      const auto target = direct_target(i);
      if (!target || i.name[0] != 'j') throw Refusal("this kind of jump is not modelled");
      const Bit taken = condition(g, s.flags, i.name.substr(1));
      if (const auto known = decide(taken)) {
        if (*known) s.ip = *target;
        continue;
      }
      if (branches == kMaxBranches) throw Refusal("branches on data nest too deep");
      const std::uint64_t here = at_;
      const auto [join, distance] = join_of(here);
      const auto care = g.care;
      if (branches == 0 && distance > kFar && g.assume(taken)) {
        g.care = care;
        throw Split{taken};
      }
      State other = s;
      other.ip = *target;
      const int depth = s.depth;
      try {
        g.assume(taken);
        path.push_back(taken);
        run_until(other, join, depth, branches + 1);
        g.care = care;
        g.assume(taken ^ 1);
        path.back() = taken ^ 1;
        run_until(s, join, depth, branches + 1);
        path.pop_back();
        g.care = care;
      } catch (const Fault& fault) {  // no input may take this path
        throw Refusal(std::string("on a path that depends on data: ") + fault.what());
      }
      at_ = here;
      if (s.ip != other.ip || s.depth != other.depth) {
        throw Refusal("the paths of a branch on data do not meet again");
      }
      merge(taken, other, s);
      s = std::move(other);
      ++merges;
    } else {
      execute(*this, s, i);
    }
  }
}

// memcpy or memmove by its definition, and back to its caller.
void Executor::copy(State& s) {
  const Bits to = s.gpr[kRdi];
  if (const std::uint64_t n = concrete(s.gpr[kRdx], "the size of a copy"); n != 0) {
    // All of it is read before any of it is written, so memmove is right too; what memcpy does with
    // arrays that overlap is not defined.
    const auto from = g.as_pointer(s.gpr[kRsi]);
    const auto p = g.as_pointer(to);
    if (!from || !p || from->region == p->region) {
      throw Refusal("a copy that is not between two arrays");
    }
    store(s, to, load(s, s.gpr[kRsi], n));
  }
  ++copies;
  const auto forget = [&](Bits& bits) {
    for (Bit& bit : bits) bit = g.unknown();
  };
  for (unsigned r = kRcx; r <= kR11; ++r) {
    if (r <= kRdx || r >= kRsi) forget(s.gpr[r]);  // not rbx, rsp, rbp
  }
  for (Bits& r : s.vector) forget(r);
  for (Bits& r : s.mask) forget(r);
  s.flags = {g.unknown(), g.unknown(), g.unknown(), g.unknown(), g.unknown()};
  s.gpr[kRax] = to;
  const Bits rsp = s.gpr[kRsp];
  s.ip = concrete(load(s, rsp, 8), "a return address");
  s.gpr[kRsp] = g.pointer({stack, g.as_pointer(rsp)->offset + 8});
  --s.depth;
}

void Executor::merge(Bit taken, State& yes, const State& no) {
  const auto join = [&](Bits& y, const Bits& n) {
    if (y == n) return;
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (y[i] == n[i]) continue;
      // An address that differs is of no use; it may be dead.
      const bool address = g.is_of_address(y[i]) || g.is_of_address(n[i]);
      y[i] = address ? g.unknown() : g.mux(taken, y[i], n[i]);
    }
  };
  for (std::size_t i = 0; i < yes.gpr.size(); ++i) {
    if (yes.gpr[i] != no.gpr[i]) join(yes.gpr[i], no.gpr[i]);
  }
  for (std::size_t i = 0; i < yes.vector.size(); ++i) join(yes.vector[i], no.vector[i]);
  for (std::size_t i = 0; i < yes.mask.size(); ++i) join(yes.mask[i], no.mask[i]);
  for (std::size_t i = 0; i < yes.memory.size(); ++i) join(yes.memory[i], no.memory[i]);
  Flags& f = yes.flags;
  f.carry = g.mux(taken, f.carry, no.flags.carry);
  f.zero = g.mux(taken, f.zero, no.flags.zero);
  f.sign = g.mux(taken, f.sign, no.flags.sign);
  f.overflow = g.mux(taken, f.overflow, no.flags.overflow);
  f.parity = g.mux(taken, f.parity, no.flags.parity);
}

// The first instruction that every path from the branch at `ip` comes to: its immediate
// post-dominator. kNowhere if that is the end of the function. A wrong answer could only make a
// proof fail: states are merged where both have arrived.
Executor::Join Executor::join_of(std::uint64_t ip) {
  if (const auto it = joins_.find(ip); it != joins_.end()) return it->second;
  std::map<std::uint64_t, std::vector<std::uint64_t>> next;
  std::vector<std::uint64_t> work = {ip};
  while (!work.empty()) {
    const std::uint64_t at = work.back();
    work.pop_back();
    if (next.contains(at)) continue;
    if (next.size() > 20000) return joins_[ip] = {kNowhere, kFar + 1};
    auto& to = next[at];
    const Decoded& i = decode(at);
    if (i.info.meta.category == ZYDIS_CATEGORY_RET) {
      to = {kNowhere};
    } else if (i.name == "jmp") {
      to = {direct_target(i).value_or(kNowhere)};
    } else if (is_jump(i)) {
      to = {direct_target(i).value_or(kNowhere), i.next};
    } else {
      to = {i.next};
    }
    for (const std::uint64_t t : to) {
      if (t != kNowhere) work.push_back(t);
    }
  }
  // Post-order from the exit over reversed edges, then the usual fixed point.
  std::map<std::uint64_t, std::vector<std::uint64_t>> before;
  for (const auto& [from, to] : next) {
    for (const std::uint64_t t : to) before[t].push_back(from);
  }
  std::map<std::uint64_t, int> number;
  std::vector<std::uint64_t> order;
  std::vector<std::pair<std::uint64_t, std::size_t>> stack_of = {{kNowhere, 0}};
  number[kNowhere] = -1;
  while (!stack_of.empty()) {
    auto& [at, child] = stack_of.back();
    if (child < before[at].size()) {
      const std::uint64_t b = before[at][child++];
      if (number.emplace(b, -1).second) stack_of.emplace_back(b, 0);
    } else {
      number[at] = static_cast<int>(order.size());
      order.push_back(at);
      stack_of.pop_back();
    }
  }
  std::map<std::uint64_t, std::uint64_t> dominator;
  dominator[kNowhere] = kNowhere;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      if (*it == kNowhere) continue;
      std::optional<std::uint64_t> best;
      for (std::uint64_t t : next[*it]) {
        if (!dominator.contains(t)) continue;
        if (!best) {
          best = t;
          continue;
        }
        std::uint64_t u = *best;
        while (t != u) {
          while (number[t] < number[u]) t = dominator[t];
          while (number[u] < number[t]) u = dominator[u];
        }
        best = t;
      }
      if (best && (!dominator.contains(*it) || dominator[*it] != *best)) {
        dominator[*it] = *best;
        changed = true;
      }
    }
  }
  Join join{dominator.contains(ip) ? dominator[ip] : kNowhere, 0};
  std::vector<std::uint64_t> wave = {ip};
  std::set<std::uint64_t> seen = {ip};
  while (!wave.empty() && std::find(wave.begin(), wave.end(), join.ip) == wave.end()) {
    ++join.distance;
    std::vector<std::uint64_t> further;
    for (const std::uint64_t at : wave) {
      for (const std::uint64_t t : next[at]) {
        if (seen.insert(t).second) further.push_back(t);
      }
    }
    wave = further;
  }
  return joins_[ip] = join;
}

// ------------------------------------------------------------------------------------- memory

std::uint64_t Executor::concrete(const Bits& address, const char* what) {
  const auto value = g.constant(address);
  if (!value) throw Refusal(std::string(what) + " depends on data");
  return *value;
}

std::int64_t Executor::offset_in(const State& s, const Pointer& p, std::size_t bytes,
                                 bool write) const {
  const Region& region = regions[p.region];
  const auto fault = [&](const std::string& why) {
    throw Fault(fmt::format("{} {} bytes at {}{:+}: {}", write ? "writes" : "reads", bytes,
                            region.name, p.offset, why));
  };
  if (p.offset < 0 ||
      p.offset + static_cast<std::int64_t>(bytes) > static_cast<std::int64_t>(region.size)) {
    fault(fmt::format("outside its {} bytes", region.size));
  }
  if (write && !region.writable) fault("not for writing");
  if (p.region == stack) {
    const auto rsp = g.as_pointer(s.gpr[kRsp]);
    if (!rsp || rsp->region != stack) fault("the stack pointer is not known");
    if (p.offset < rsp->offset - kRedZone) fault("below the red zone");
    const auto home = g.as_pointer(entry_.gpr[kRsp]);
    if (write && home && p.offset + static_cast<std::int64_t>(bytes) > home->offset)
      fault("in the caller's frame");
  }
  return p.offset;
}

Bits Executor::load(const State& s, const Bits& address, std::size_t bytes) {
  if (const auto p = g.as_pointer(address)) {
    const auto at = static_cast<std::size_t>(offset_in(s, *p, bytes, false));
    Bits value = slice(s.memory[p->region], 8 * at, 8 * bytes);
    const Region& region = regions[p->region];
    if (!region.readable_before_written) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (value[i] == region.initial[8 * at + i]) {
          throw Fault(fmt::format("reads {}{:+} before it is written", region.name, p->offset));
        }
      }
    }
    return value;
  }
  if (const auto indexed = g.as_indexed(address)) return load_indexed(s, *indexed, bytes);
  if (unknown_data) {
    const auto at = g.constant(address);
    if (at && process.varies(*at)) {
      Bits value(8 * bytes);
      for (Bit& bit : value) bit = g.unknown();
      for (std::size_t k = 0; k < bytes; ++k) process.writable_reads.insert(*at + k);
      return value;
    }
  }
  const auto [cached, fresh] =
      loads_.try_emplace(std::tuple{address, bytes, g.care_version({address})});
  auto& [value, varies] = cached->second;
  if (fresh) {
    try {
      value = load_table(address, bytes, &varies);
    } catch (...) {
      loads_.erase(cached);
      throw;
    }
  }
  table_loads += varies ? 1 : 0;
  return value;
}

// The process's memory at an address that depends on data, or on nothing: for each value of it.
Bits Executor::load_table(const Bits& address, std::size_t bytes, bool* varies) {
  const auto variables = g.support(address);
  if (!variables) throw Refusal("the address of a load is not known");
  const auto addresses = g.tabulate(address.data(), address.size(), *variables);
  const Truth& possible = g.possible(*variables);
  std::vector<Truth> truths(8 * bytes, Truth(possible.size()));
  const std::size_t count = std::size_t{1} << variables->size();
  std::vector<std::uint64_t> places(count);  // the address for each assignment
  std::optional<std::uint64_t> first;
  for (std::size_t i = 0; i < count; ++i) {
    if (((possible[i >> 6] >> (i & 63)) & 1) == 0) continue;
    std::uint64_t at = 0;
    for (std::size_t j = 0; j < 64; ++j) at |= ((addresses[j][i >> 6] >> (i & 63)) & 1) << j;
    places[i] = at;
    if (!first) first = at;
    *varies = *varies || at != *first;
    for (std::size_t k = 0; k < bytes; ++k) {
      const std::uint8_t byte = process.read(at + k);
      for (std::size_t j = 0; j < 8; ++j) {
        truths[8 * k + j][i >> 6] |= static_cast<std::uint64_t>((byte >> j) & 1) << (i & 63);
      }
    }
  }
  Bits value(8 * bytes);
  for (std::size_t j = 0; j < value.size(); ++j) {
    for (std::size_t n = variables->size(); n < 6; ++n) {
      truths[j][0] |= truths[j][0] << (std::size_t{1} << n);
    }
    value[j] = g.table(*variables, truths[j]);
  }
  for (std::size_t k = 0; g.listener != nullptr && !variables->empty() && k < bytes; k += 8) {
    const std::size_t n = std::min<std::size_t>(8, bytes - k);
    std::vector<Graph::Listener::Point> points;
    for (std::size_t i = 0; i < count; ++i) {
      if (((possible[i >> 6] >> (i & 63)) & 1) == 0) continue;
      std::uint64_t word = 0;
      for (std::size_t j = 0; j < n; ++j) {
        word |= std::uint64_t{process.read(places[i] + k + j)} << (8 * j);
      }
      points.push_back({{places[i], 0}, word});
    }
    g.listener->function({address}, std::move(points), slice(value, 8 * k, 8 * n));
  }
  return value;
}

// From an array, by an index that depends on data: the value at each index that can occur.
Bits Executor::load_indexed(const State& s, const Graph::Indexed& place, std::size_t bytes) {
  const auto variables = g.support(place.offset);
  if (!variables || variables->size() > kMaxIndexBits) return load_by_bits(s, place, bytes);
  const auto offsets = g.tabulate(place.offset.data(), place.offset.size(), *variables);
  const Truth& possible = g.possible(*variables);
  std::vector<Bits> leaves(std::size_t{1} << variables->size());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (((possible[i >> 6] >> (i & 63)) & 1) == 0) continue;
    std::uint64_t offset = 0;
    for (std::size_t j = 0; j < 64; ++j) offset |= ((offsets[j][i >> 6] >> (i & 63)) & 1) << j;
    try {
      leaves[i] = load(
          s, g.pointer({place.base.region, place.base.offset + static_cast<std::int64_t>(offset)}),
          bytes);
    } catch (const Fault& fault) {  // perhaps no input has this index
      throw Refusal(std::string("by an index that depends on data: ") + fault.what());
    }
  }
  // What no input takes may be anything.
  const auto any =
      std::find_if(leaves.begin(), leaves.end(), [](const Bits& l) { return !l.empty(); });
  if (any == leaves.end()) throw Refusal("a load that no input makes");
  for (Bits& leaf : leaves) {
    if (leaf.empty()) leaf = *any;
  }
  ++table_loads;
  return bytes == 4 ? floats.selected(*variables, leaves) : g.chosen_by(*variables, leaves);
}

// The same where the index has a few bits, which depend on whatever they like.
Bits Executor::load_by_bits(const State& s, const Graph::Indexed& place, std::size_t bytes) {
  std::vector<std::size_t> open;
  std::uint64_t known = 0;
  for (std::size_t j = 0; j < 64; ++j) {
    const Bit bit = place.offset[j];
    if (bit == kTrue) known |= std::uint64_t{1} << j;
    if (bit > kTrue) open.push_back(j);
  }
  if (open.size() > kMaxIndexBits) throw Refusal("the index of a load depends on too many bits");
  std::vector<Bits> rest;
  for (std::size_t i = 0; i < (std::size_t{1} << open.size()); ++i) {
    std::uint64_t offset = known;
    for (std::size_t k = 0; k < open.size(); ++k) {
      if (((i >> k) & 1) != 0) offset |= std::uint64_t{1} << open[k];
    }
    try {
      rest.push_back(load(
          s, g.pointer({place.base.region, place.base.offset + static_cast<std::int64_t>(offset)}),
          bytes));
    } catch (const Fault& fault) {  // perhaps no input has this index
      throw Refusal(std::string("by an index that depends on data: ") + fault.what());
    }
  }
  for (const std::size_t j : open) {
    std::vector<Bits> half;
    for (std::size_t i = 0; i < rest.size(); i += 2) {
      half.push_back(select(g, place.offset[j], rest[i + 1], rest[i]));
    }
    rest = std::move(half);
  }
  ++table_loads;
  return rest[0];
}

void Executor::store(State& s, const Bits& address, const Bits& value) {
  const auto p = g.as_pointer(address);
  if (!p) {
    if (const auto at = g.constant(address)) {
      throw Fault(fmt::format("writes to {}, which is not its output", process.name_of(*at)));
    }
    throw Refusal("the address of a store depends on data");
  }
  const std::int64_t at = offset_in(s, *p, value.size() / 8, true);
  std::copy(value.begin(), value.end(), s.memory[p->region].begin() + 8 * at);
}

void Executor::require_aligned(const Bits& address, std::size_t bytes) {
  for (std::size_t j = 0; (std::size_t{1} << j) < bytes; ++j) {
    const auto bit = g.constant(address[j]);
    if (!bit) throw Refusal("the alignment of an address is not known");
    if (*bit) throw Fault(fmt::format("an access that needs an alignment of {} bytes", bytes));
  }
}

void Executor::check_abi(const State& s) const {
  static constexpr std::array<std::pair<unsigned, const char*>, 6> kSaved = {
      {{3, "rbx"}, {5, "rbp"}, {12, "r12"}, {13, "r13"}, {14, "r14"}, {15, "r15"}}};
  for (const auto& [number, name] : kSaved) {
    if (s.gpr[number] != entry_.gpr[number]) {
      throw Fault(std::string("does not restore ") + name);
    }
  }
  const auto before = g.as_pointer(entry_.gpr[kRsp]);
  const auto after = g.as_pointer(s.gpr[kRsp]);
  if (!before || !after || after->region != stack || after->offset != before->offset + 8) {
    throw Fault("does not restore the stack pointer");
  }
}

}  // namespace quantproof::proofs::machine_code
