// SPDX-License-Identifier: Apache-2.0
//
// The meaning of the instructions: general-purpose, SSE, AVX2 and the part of AVX-512 that
// compiled decoders use. MACHINE-COSIM-1 compares each with the CPU, MACHINE-COSIM-2 those of
// AVX-512 with other meanings as well. What is not here is refused.
#include "proofs/machine_code/x86.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <unordered_map>

#include "fmt/format.h"

namespace quantproof::proofs::machine_code {

namespace {

constexpr std::uint64_t kCanaryOffset = 0x28;  // of the stack protector, in the fs segment

bool is_vector(ZydisRegister r) {
  const auto c = ZydisRegisterGetClass(r);
  return c == ZYDIS_REGCLASS_XMM || c == ZYDIS_REGCLASS_YMM || c == ZYDIS_REGCLASS_ZMM;
}

std::size_t bits_of(ZydisRegister r) {
  return ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, r);
}

// One instruction at work: its operands as terms.
class Step {
 public:
  Step(Executor& executor, State& state, const Decoded& decoded)
      : x(executor), s(state), i(decoded), g(executor.g) {}

  Executor& x;
  State& s;
  const Decoded& i;
  Graph& g;

  [[nodiscard]] std::size_t count() const { return i.operands.size(); }
  [[nodiscard]] bool is_register(std::size_t k) const {
    return i.operands[k].type == ZYDIS_OPERAND_TYPE_REGISTER;
  }
  [[nodiscard]] bool is_memory(std::size_t k) const {
    return i.operands[k].type == ZYDIS_OPERAND_TYPE_MEMORY;
  }
  [[nodiscard]] bool is_vector_register(std::size_t k) const {
    return is_register(k) && is_vector(i.operands[k].reg.value);
  }
  [[nodiscard]] std::size_t size(std::size_t k) const {
    return is_register(k) ? bits_of(i.operands[k].reg.value) : i.operands[k].size;
  }

  Bits read(ZydisRegister r) const {
    const auto id = static_cast<std::size_t>(ZydisRegisterGetId(r));
    switch (ZydisRegisterGetClass(r)) {
      case ZYDIS_REGCLASS_GPR64:
      case ZYDIS_REGCLASS_GPR32:
      case ZYDIS_REGCLASS_GPR16:
        return slice(s.gpr[id], 0, bits_of(r));
      case ZYDIS_REGCLASS_GPR8: {
        const bool high = r >= ZYDIS_REGISTER_AH && r <= ZYDIS_REGISTER_BH;
        return slice(s.gpr[whole(r)], high ? 8 : 0, 8);
      }
      case ZYDIS_REGCLASS_XMM:
      case ZYDIS_REGCLASS_YMM:
      case ZYDIS_REGCLASS_ZMM:
        return slice(s.vector[id], 0, bits_of(r));
      case ZYDIS_REGCLASS_MASK:
        return s.mask[id];
      default:
        throw Refusal("a register of a kind that is not modelled");
    }
  }

  void write(ZydisRegister r, const Bits& value) {
    const auto id = static_cast<std::size_t>(ZydisRegisterGetId(r));
    switch (ZydisRegisterGetClass(r)) {
      case ZYDIS_REGCLASS_GPR64:
        s.gpr[id] = value;
        return;
      case ZYDIS_REGCLASS_GPR32:
        s.gpr[id] = zero_extended(value, 64);
        return;
      case ZYDIS_REGCLASS_GPR16:
        std::copy(value.begin(), value.end(), s.gpr[id].begin());
        return;
      case ZYDIS_REGCLASS_GPR8: {
        const bool high = r >= ZYDIS_REGISTER_AH && r <= ZYDIS_REGISTER_BH;
        std::copy(value.begin(), value.end(), s.gpr[whole(r)].begin() + (high ? 8 : 0));
        return;
      }
      case ZYDIS_REGCLASS_XMM:
      case ZYDIS_REGCLASS_YMM:
      case ZYDIS_REGCLASS_ZMM:
        if (i.wide) {
          s.vector[id] = zero_extended(value, 512);
        } else {
          std::copy(value.begin(), value.end(), s.vector[id].begin());
        }
        return;
      case ZYDIS_REGCLASS_MASK:
        if (value.size() > 64) throw Refusal("a vector into an opmask");
        s.mask[id] = zero_extended(value, 64);
        return;
      default:
        throw Refusal("a register of a kind that is not modelled");
    }
  }

  Bits address(const ZydisDecodedOperand& o) {
    const auto& m = o.mem;
    if (i.info.address_width != 64) throw Refusal("an address of 32 bits");
    Bits at = word(static_cast<std::uint64_t>(m.disp.has_displacement ? m.disp.value : 0), 64);
    if (m.base == ZYDIS_REGISTER_RIP) {
      at = plus(word(i.next, 64), at);
    } else if (m.base != ZYDIS_REGISTER_NONE) {
      if (ZydisRegisterGetClass(m.base) != ZYDIS_REGCLASS_GPR64) {
        throw Refusal("an address of 32 bits");
      }
      at = plus(read(m.base), at);
    }
    if (m.index != ZYDIS_REGISTER_NONE) {
      if (ZydisRegisterGetClass(m.index) != ZYDIS_REGCLASS_GPR64) {
        throw Refusal("an index register of a kind that is not modelled");
      }
      std::size_t shift = 0;
      while ((1u << shift) < m.scale) ++shift;
      at = plus(at, shift == 0 ? read(m.index) : shifted_left(read(m.index), shift));
    }
    return at;
  }

  // Sums of addresses and known numbers stay addresses.
  Bits plus(const Bits& a, const Bits& b) {
    if (a.size() == 64) {
      for (const auto& [p, n] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
        const auto indexed = g.as_indexed(*p);
        if (!indexed) continue;
        if (const auto number = g.constant(*n)) {
          return g.indexed(
              {indexed->base.region, indexed->base.offset + static_cast<std::int64_t>(*number)},
              indexed->offset);
        }
        return g.indexed(indexed->base, add(g, indexed->offset, *n, kFalse).value);
      }
      for (const auto& [p, n] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
        const auto pointer = g.as_pointer(*p);
        if (!pointer) continue;
        const auto number = g.constant(*n);
        if (!number) return g.indexed(*pointer, *n);
        return g.pointer({pointer->region, pointer->offset + static_cast<std::int64_t>(*number)});
      }
    }
    return add(g, a, b, kFalse).value;
  }

  Bits load(std::size_t k, std::size_t bits) {
    const auto& o = i.operands[k];
    if (o.mem.segment == ZYDIS_REGISTER_FS || o.mem.segment == ZYDIS_REGISTER_GS) {
      if (o.mem.segment == ZYDIS_REGISTER_FS && o.mem.base == ZYDIS_REGISTER_NONE &&
          o.mem.index == ZYDIS_REGISTER_NONE && o.mem.disp.value == kCanaryOffset && bits == 64) {
        Bits canary;  // unknown, and the same each time
        for (std::uint32_t j = 0; j < 64; ++j) canary.push_back(g.variable((1u << 23) + j));
        return canary;
      }
      throw Refusal("an access to thread-local memory");
    }
    const Bits at = address(o);
    if (needs_alignment(bits)) x.require_aligned(at, bits / 8);
    return x.load(s, at, bits / 8);
  }

  // SSE operands of 16 bytes, and the moves that say so.
  [[nodiscard]] bool needs_alignment(std::size_t bits) const {
    static const std::vector<std::string> kUnaligned = {"movups", "movupd", "movdqu", "lddqu"};
    static const std::vector<std::string> kAligned = {"movaps",   "movapd",   "movdqa",
                                                      "movdqa32", "movdqa64", "movntps",
                                                      "movntpd",  "movntdq",  "movntdqa"};
    const auto in = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), i.name) != names.end();
    };
    if (bits < 128 || in(kUnaligned)) return false;
    if (i.wide) return in(kAligned);
    return i.info.meta.category != ZYDIS_CATEGORY_PUSH;
  }

  Bits get(std::size_t k) {
    const auto& o = i.operands[k];
    switch (o.type) {
      case ZYDIS_OPERAND_TYPE_REGISTER:
        return read(o.reg.value);
      case ZYDIS_OPERAND_TYPE_IMMEDIATE:
        return word(o.imm.value.u, 64);
      case ZYDIS_OPERAND_TYPE_MEMORY: {
        if (i.info.avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID) {
          const Bits one = load(k, o.element_size);
          return repeated(one, i.info.avx.vector_length / one.size());
        }
        return load(k, o.size);
      }
      default:
        throw Refusal("an operand of a kind that is not modelled");
    }
  }

  // A source whose memory form is narrower than its register form.
  Bits low(std::size_t k, std::size_t bits) {
    if (is_memory(k)) return load(k, bits);
    return slice(get(k), 0, bits);
  }

  static Bits repeated(const Bits& one, std::size_t times) {
    Bits all;
    for (std::size_t t = 0; t < times; ++t) all.insert(all.end(), one.begin(), one.end());
    return all;
  }

  [[nodiscard]] bool masked() const {
    const auto& mask = i.info.avx.mask;
    return i.info.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX && mask.reg != ZYDIS_REGISTER_NONE &&
           mask.reg != ZYDIS_REGISTER_K0;
  }
  // A scalar's opmask is one bit, and does not select the lanes that come from its first source.
  void require_unmasked() const {
    if (masked()) throw Refusal("an opmask on a scalar");
  }

  void put(std::size_t k, Bits value) {
    const auto& o = i.operands[k];
    const auto& mask = i.info.avx.mask;
    if (masked()) {
      if (!is_vector_register(k)) throw Refusal("an opmask on memory or on an opmask");
      const std::size_t lane = o.element_size;
      if (lane < 8 || value.size() % lane != 0)
        throw Refusal("an opmask on lanes of unknown width");
      const Bits old = slice(read(o.reg.value), 0, value.size());
      const Bits& chosen = s.mask[static_cast<std::size_t>(ZydisRegisterGetId(mask.reg))];
      const bool zeroing = mask.mode == ZYDIS_MASK_MODE_ZEROING;
      for (std::size_t b = 0; b < value.size(); ++b) {
        value[b] = g.mux(chosen[b / lane], value[b], zeroing ? kFalse : old[b]);
      }
    }
    if (o.type == ZYDIS_OPERAND_TYPE_REGISTER) {
      write(o.reg.value, value);
    } else if (o.type == ZYDIS_OPERAND_TYPE_MEMORY) {
      if (o.mem.segment == ZYDIS_REGISTER_FS || o.mem.segment == ZYDIS_REGISTER_GS) {
        throw Refusal("an access to thread-local memory");
      }
      const Bits at = address(o);
      if (needs_alignment(value.size())) x.require_aligned(at, value.size() / 8);
      x.store(s, at, value);
    } else {
      throw Refusal("a result that is neither register nor memory");
    }
  }

  // The two sources of "op d, a, b" (VEX) or "op d, b" with d = a (SSE).
  [[nodiscard]] bool three() const { return i.wide && count() >= 3; }
  Bits a() { return get(three() ? 1 : 0); }
  Bits b() { return get(three() ? 2 : 1); }
  [[nodiscard]] std::size_t b_index() const { return three() ? 2 : 1; }
  [[nodiscard]] std::uint64_t immediate() const {
    const auto& last = i.operands.back();
    if (last.type != ZYDIS_OPERAND_TYPE_IMMEDIATE) throw Refusal("a missing immediate");
    return last.imm.value.u & 0xFF;
  }

  void set_result_flags(const Bits& r) {
    s.flags.zero = g.as_pointer(r) ? kFalse : is_zero(g, r);
    s.flags.sign = r.back();
    Bit odd = kFalse;
    for (std::size_t j = 0; j < 8; ++j) odd = g.lxor(odd, r[j]);
    s.flags.parity = odd ^ 1;
  }
  void set_logic_flags(const Bits& r) {
    s.flags.carry = s.flags.overflow = kFalse;
    if (g.as_pointer(r)) {  // no array lies at address 0
      s.flags.zero = kFalse;
      s.flags.sign = kFalse;
      s.flags.parity = g.unknown();
      return;
    }
    set_result_flags(r);
  }
  void unknown_flags() {
    s.flags = {g.unknown(), g.unknown(), g.unknown(), g.unknown(), g.unknown()};
  }

  static std::size_t whole(ZydisRegister r) {
    return static_cast<std::size_t>(
        ZydisRegisterGetId(ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r)));
  }
};

using Handler = std::function<void(Step&)>;
using LaneFunction = std::function<Bits(Step&, const Bits&, const Bits&)>;

// -------------------------------------------------------------------------- general purpose

Bits fit(const Bits& value, std::size_t n) {
  return value.size() > n ? slice(value, 0, n) : zero_extended(value, n);
}

void add_like(Step& t, bool with_carry) {
  const std::size_t n = t.size(0);
  const Bits a = t.get(0);
  const Bits b = fit(t.get(1), n);
  const auto is_address = [&](const Bits& bits) {
    return t.g.as_pointer(bits) || t.g.as_indexed(bits);
  };
  if (n == 64 && (is_address(a) || is_address(b)) && !with_carry) {
    const Bits r = t.plus(a, b);
    t.unknown_flags();
    t.s.flags.zero = kFalse;  // no array ends at the end of the address space
    t.put(0, r);
    return;
  }
  const Sum sum = add(t.g, a, b, with_carry ? t.s.flags.carry : kFalse);
  t.s.flags.carry = sum.carry;
  t.s.flags.overflow = sum.overflow;
  t.set_result_flags(sum.value);
  t.put(0, sum.value);
}

// a - b and its flags; addresses compare within their array.
Bits difference(Step& t, const Bits& a, const Bits& b, Bit borrow) {
  Graph& g = t.g;
  if (a.size() == 64 && borrow == kFalse) {
    const auto p = g.as_pointer(a);
    const auto q = g.as_pointer(b);
    if (p && q && p->region == q->region) {
      const std::int64_t d = p->offset - q->offset;
      const Bits r = word(static_cast<std::uint64_t>(d), 64);
      t.set_result_flags(r);
      t.s.flags.carry = d < 0 ? kTrue : kFalse;
      t.s.flags.overflow = kFalse;
      return r;
    }
    if (p || q) {
      t.unknown_flags();
      const auto number = p ? g.constant(b) : std::nullopt;
      if (number) {
        // An address is not null; how it compares with other numbers is not known.
        if (*number == 0) t.s.flags = {kFalse, kFalse, kFalse, kFalse, g.unknown()};
        return g.pointer({p->region, p->offset - static_cast<std::int64_t>(*number)});
      }
      Bits unknown(64);
      for (Bit& bit : unknown) bit = g.unknown();
      return unknown;
    }
  }
  const Sum sum = add(g, a, bitwise_not(b), borrow ^ 1);
  t.s.flags.carry = sum.carry ^ 1;
  t.s.flags.overflow = sum.overflow;
  t.set_result_flags(sum.value);
  return sum.value;
}

void logic(Step& t, const std::function<Bit(Bit, Bit)>& f, bool keep) {
  const std::size_t n = t.size(0);
  const Bits a = t.get(0);
  const Bits b = fit(t.get(1), n);
  const bool itself = t.is_register(1) && t.i.operands[0].type == t.i.operands[1].type &&
                      t.i.operands[0].reg.value == t.i.operands[1].reg.value && t.i.name == "xor";
  const Bits r = itself ? word(0, static_cast<unsigned>(n)) : map2(a, b, f);
  t.set_logic_flags(r);
  if (keep) t.put(0, r);
}

void shift(Step& t, const std::function<Bits(const Bits&, std::size_t)>& step, bool left) {
  const Bits a = t.get(0);
  const std::size_t n = a.size();
  Bits amount = fit(t.count() > 1 ? t.get(1) : word(1, 8), 8);
  amount.resize(n == 64 ? 6 : 5);
  const auto known = t.g.constant(amount);
  const Bits r = shifted_by(t.g, a, amount, step);
  if (!known) {
    t.unknown_flags();
  } else if (*known != 0) {
    t.set_result_flags(r);
    const std::size_t k = *known;
    if (k < n) {
      t.s.flags.carry = left ? a[n - k] : a[k - 1];
    } else {
      t.s.flags.carry = t.i.name == "sar" ? a.back() : t.g.unknown();
    }
    t.s.flags.overflow = k != 1              ? t.g.unknown()
                         : left              ? t.g.lxor(r.back(), t.s.flags.carry)
                         : t.i.name == "sar" ? kFalse
                                             : a.back();
  }
  t.put(0, r);
}

void rotate(Step& t, bool left) {
  const Bits a = t.get(0);
  const std::size_t n = a.size();
  Bits amount = fit(t.count() > 1 ? t.get(1) : word(1, 8), 8);
  amount.resize(n == 64 ? 6 : 5);
  const auto known = t.g.constant(amount);
  if (!known) throw Refusal("a rotation by an amount that depends on data");
  if (*known == 0) return t.put(0, a);
  const std::size_t k = *known % n;
  Bits r(n);
  for (std::size_t j = 0; j < n; ++j) r[left ? (j + k) % n : j] = a[left ? j : (j + k) % n];
  t.s.flags.carry = left ? r[0] : r.back();
  t.s.flags.overflow = t.g.unknown();
  t.put(0, r);
}

void signed_multiply(Step& t) {
  if (t.count() == 1) throw Refusal("imul with one operand");
  const std::size_t n = t.size(0);
  const Bits a = t.get(t.count() == 3 ? 1 : 0);
  const Bits b = t.count() == 3 ? fit(t.get(2), n) : t.get(1);
  const Bits wide = multiply(t.g, sign_extended(a, 2 * n), sign_extended(b, 2 * n));
  const Bits r = slice(wide, 0, n);
  t.unknown_flags();
  t.s.flags.carry = t.s.flags.overflow = equal(t.g, wide, sign_extended(r, 2 * n)) ^ 1;
  t.put(0, r);
}

// Unsigned, where the upper half of the dividend is zero: then no quotient is too large.
void divide(Step& t) {
  Graph& g = t.g;
  const Bits b = t.get(0);
  const std::size_t n = b.size();
  if (n < 32) throw Refusal("div of bytes or words");
  const Bits a = slice(t.s.gpr[kRax], 0, n);
  if (g.constant(slice(t.s.gpr[kRdx], 0, n)) != 0) {
    throw Refusal("div of a dividend of which the upper half may not be zero");
  }
  if (g.constant(is_zero(g, b)) != false) throw Refusal("div by what may be zero");
  Bits quotient(n, kFalse);
  Bits rest(n + 1, kFalse);
  const Bits divisor = zero_extended(b, n + 1);
  for (std::size_t k = n; k-- > 0;) {
    rest = shifted_left(rest, 1);
    rest[0] = a[k];
    const Bit less = less_unsigned(g, rest, divisor);
    quotient[k] = less ^ 1;
    rest = select(g, less, rest, subtract(g, rest, divisor));
  }
  t.unknown_flags();
  t.s.gpr[kRax] = zero_extended(quotient, 64);
  t.s.gpr[kRdx] = zero_extended(slice(rest, 0, n), 64);
}

Bits count_trailing_zeros(Graph& g, const Bits& a) {
  const auto n = static_cast<unsigned>(a.size());
  Bits r = word(n, n);
  for (unsigned j = n; j-- > 0;) r = select(g, a[j], word(j, n), r);
  return r;
}

Bits count_leading_zeros(Graph& g, const Bits& a) {
  const auto n = static_cast<unsigned>(a.size());
  Bits r = word(n, n);
  for (unsigned j = 0; j < n; ++j) r = select(g, a[j], word(n - 1 - j, n), r);
  return r;
}

void string_operation(Step& t, bool move) {
  const auto& info = t.i.info;
  const std::size_t bytes = t.i.operands.empty() ? 0 : t.i.operands[0].size / 8;
  if (bytes == 0) throw Refusal("a string operation of unknown width");
  if (info.address_width != 64) throw Refusal("an address of 32 bits");
  if ((info.attributes & ZYDIS_ATTRIB_HAS_SEGMENT) != 0) throw Refusal("a segment");
  for (std::size_t k = 0; k < info.raw.prefix_count; ++k) {
    if (info.raw.prefixes[k].value == 0xF2) throw Refusal("a string operation with repne");
  }
  std::uint64_t times = 1;
  const bool rep = (info.attributes & ZYDIS_ATTRIB_HAS_REP) != 0;
  if (rep) {
    const auto known = t.g.constant(t.s.gpr[kRcx]);
    if (!known || *known > 1'000'000) throw Refusal("a repetition whose count is not known");
    times = *known;
  }
  const Bits width = word(bytes, 64);
  for (std::uint64_t k = 0; k < times; ++k) {
    const Bits value =
        move ? t.x.load(t.s, t.s.gpr[kRsi], bytes) : slice(t.s.gpr[kRax], 0, 8 * bytes);
    t.x.store(t.s, t.s.gpr[kRdi], value);
    if (move) t.s.gpr[kRsi] = t.plus(t.s.gpr[kRsi], width);
    t.s.gpr[kRdi] = t.plus(t.s.gpr[kRdi], width);
  }
  if (rep) t.s.gpr[kRcx] = word(0, 64);
}

void require_whole_words(Step& t) {
  if (t.i.info.operand_width != 64) throw Refusal("16 bits on the stack");
}

void push(Step& t) {
  require_whole_words(t);
  const Bits value = sign_extended(fit(t.get(0), 64), 64);
  t.s.gpr[kRsp] = t.plus(t.s.gpr[kRsp], word(~std::uint64_t{7}, 64));
  t.x.store(t.s, t.s.gpr[kRsp], value);
}

void pop(Step& t) {
  require_whole_words(t);
  const Bits value = t.x.load(t.s, t.s.gpr[kRsp], 8);
  t.s.gpr[kRsp] = t.plus(t.s.gpr[kRsp], word(8, 64));
  t.put(0, value);
}

// ------------------------------------------------------------------------------------ vectors

// `f` on each pair of lanes of two sources.
Handler lanes(std::size_t width, LaneFunction f) {
  return [width, f = std::move(f)](Step& t) {
    const Bits a = t.a();
    const Bits b = t.b();
    Bits r;
    for (std::size_t at = 0; at < a.size(); at += width) {
      const Bits lane = f(t, slice(a, at, width), slice(b, at, width));
      r.insert(r.end(), lane.begin(), lane.end());
    }
    t.put(0, r);
  };
}

// A comparison of lanes: all ones or zero, and with AVX-512 a bit of an opmask each.
Handler compare_lanes(std::size_t width,
                      const std::function<Bit(Step&, const Bits&, const Bits&)>& holds) {
  return [width, holds, whole = lanes(width, [holds](Step& t, const Bits& a, const Bits& b) {
                          return Bits(a.size(), holds(t, a, b));
                        })](Step& t) {
    const ZydisRegister to = t.i.operands[0].reg.value;
    if (ZydisRegisterGetClass(to) != ZYDIS_REGCLASS_MASK) return whole(t);
    const Bits a = t.get(1);
    const Bits b = t.get(2);
    Bits r;
    for (std::size_t at = 0; at < a.size(); at += width) {
      r.push_back(holds(t, slice(a, at, width), slice(b, at, width)));
    }
    if (t.masked()) {
      const Bits& mask =
          t.s.mask[static_cast<std::size_t>(ZydisRegisterGetId(t.i.info.avx.mask.reg))];
      for (std::size_t k = 0; k < r.size(); ++k) r[k] = t.g.land(r[k], mask[k]);
    }
    t.write(to, r);
  };
}

// `f` on each lane of one source: "op d, a".
Handler each(std::size_t from, const std::function<Bits(Step&, const Bits&)>& f) {
  return [from, f](Step& t) {
    const Bits a = t.get(1);
    Bits r;
    for (std::size_t at = 0; at < a.size(); at += from) {
      const Bits lane = f(t, slice(a, at, from));
      r.insert(r.end(), lane.begin(), lane.end());
    }
    t.put(0, r);
  };
}

// Widening: as many lanes as fit the destination.
Handler widen(std::size_t from, std::size_t to, bool is_signed) {
  return [=](Step& t) {
    const std::size_t n = t.size(0) / to;
    const Bits a = t.low(1, n * from);
    Bits r;
    for (std::size_t k = 0; k < n; ++k) {
      const Bits lane = slice(a, k * from, from);
      const Bits wide = is_signed ? sign_extended(lane, to) : zero_extended(lane, to);
      r.insert(r.end(), wide.begin(), wide.end());
    }
    t.put(0, r);
  };
}

Handler bitwise(const std::function<Bit(Graph&, Bit, Bit)>& f) {
  return [f](Step& t) {
    const Bits a = t.a();
    const Bits b = t.b();
    t.put(0, map2(a, b, [&](Bit p, Bit q) { return f(t.g, p, q); }));
  };
}

// vpcmpX, vpcmpuX: the predicate is the immediate.
Handler compare_by_predicate(std::size_t width, bool is_signed) {
  return compare_lanes(width, [=](Step& t, const Bits& a, const Bits& b) -> Bit {
    const auto less = [&](const Bits& x, const Bits& y) {
      return is_signed ? less_signed(t.g, x, y) : less_unsigned(t.g, x, y);
    };
    const std::uint64_t predicate = t.immediate() & 7;
    const Bit inverted = (predicate & 4) != 0 ? 1 : 0;
    switch (predicate & 3) {
      case 0:
        return equal(t.g, a, b) ^ inverted;
      case 1:
        return less(a, b) ^ inverted;
      case 2:
        return less(b, a) ^ 1 ^ inverted;
      default:
        return kFalse ^ inverted;
    }
  });
}

// Shifts of lanes by one amount: an immediate, or the low 64 bits of a register.
Handler shift_lanes(std::size_t width, const std::function<Bits(const Bits&, std::size_t)>& step,
                    bool arithmetic) {
  return [=](Step& t) {
    const std::size_t source = t.three() ? 1 : 0;
    const std::size_t by = t.three() ? 2 : 1;
    const Bits a = t.get(source);
    Bits amount;
    if (t.is_register(by) || t.is_memory(by)) {
      amount = slice(t.get(by), 0, 64);
    } else {
      amount = word(t.immediate(), 64);
    }
    const auto known = t.g.constant(amount);
    if (!known) throw Refusal("a shift of all lanes by an amount that depends on data");
    const std::size_t n = std::min<std::uint64_t>(*known, arithmetic ? width - 1 : width);
    Bits r;
    for (std::size_t at = 0; at < a.size(); at += width) {
      const Bits lane = step(slice(a, at, width), n);
      r.insert(r.end(), lane.begin(), lane.end());
    }
    t.put(0, r);
  };
}

LaneFunction shift_each(const std::function<Bits(const Bits&, std::size_t)>& step,
                        bool arithmetic) {
  return [=](Step& t, const Bits& a, const Bits& b) {
    const auto known = t.g.constant(b);
    const std::size_t most = arithmetic ? a.size() - 1 : a.size();
    if (known) return step(a, std::min<std::uint64_t>(*known, most));
    Bits amount = slice(b, 0, a.size() == 64 ? 6 : a.size() == 32 ? 5 : 4);
    const Bits small = shifted_by(t.g, a, amount, step);
    const Bit large = is_zero(t.g, slice(b, amount.size(), b.size() - amount.size())) ^ 1;
    return select(t.g, large, step(a, most), small);
  };
}

LaneFunction minimum(bool is_signed, bool max) {
  return [=](Step& t, const Bits& a, const Bits& b) {
    const Bit less = is_signed ? less_signed(t.g, a, b) : less_unsigned(t.g, a, b);
    return max ? select(t.g, less, b, a) : select(t.g, less, a, b);
  };
}

Bits negated(Graph& g, const Bits& a) {
  return subtract(g, word(0, static_cast<unsigned>(a.size())), a);
}

Bits sign_applied(Step& t, const Bits& a, const Bits& b) {
  Bits r = select(t.g, b.back(), negated(t.g, a), a);
  const Bit zero = is_zero(t.g, b);
  for (Bit& bit : r) bit = t.g.land(bit, zero ^ 1);
  return r;
}

// Lanes of each 128-bit part in an order that `from` gives: lane k of a part is lane from(part, k)
// of the concatenation of both sources' parts.
Handler shuffle(std::size_t width,
                const std::function<std::size_t(Step&, std::size_t, std::size_t)>& from) {
  return [=](Step& t) {
    const Bits a = t.a();
    const Bits b = t.b();
    Bits r(a.size());
    const std::size_t n = 128 / width;
    for (std::size_t part = 0; part < a.size() / 128; ++part) {
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t f = from(t, part, k);
        const Bits& source = f < n ? a : b;
        for (std::size_t j = 0; j < width; ++j) {
          r[128 * part + width * k + j] = source[128 * part + width * (f % n) + j];
        }
      }
    }
    t.put(0, r);
  };
}

Handler unpack(std::size_t width, bool high) {
  const std::size_t n = 128 / width;
  return shuffle(width, [=](Step&, std::size_t, std::size_t k) {
    return (high ? n / 2 : 0) + k / 2 + (k % 2 != 0 ? n : 0);
  });
}

// One source and an immediate, within 128-bit parts.
Handler permute(std::size_t width,
                const std::function<std::size_t(std::uint64_t, std::size_t)>& from) {
  return [=](Step& t) {
    const Bits a = t.get(1);
    const std::uint64_t immediate = t.immediate();
    Bits r(a.size());
    for (std::size_t k = 0; k < a.size() / width; ++k) {
      const std::size_t f = from(immediate, k);
      for (std::size_t j = 0; j < width; ++j) r[width * k + j] = a[width * f + j];
    }
    t.put(0, r);
  };
}

Bits chosen(Graph& g, const Bits& index, const Bits& from, std::size_t width) {
  if (const auto known = g.constant(index)) return slice(from, width * *known, width);
  Bits r = slice(from, 0, width);
  for (std::size_t k = 1; k < from.size() / width; ++k) {
    const Bit here = equal(g, index, word(k, static_cast<unsigned>(index.size())));
    r = select(g, here, slice(from, width * k, width), r);
  }
  return r;
}

void shuffle_bytes(Step& t) {
  const Bits a = t.a();
  const Bits b = t.b();
  Bits r(a.size());
  for (std::size_t k = 0; k < a.size() / 8; ++k) {
    const Bits control = slice(b, 8 * k, 8);
    const std::size_t part = k / 16 * 128;
    Bits byte = control[7] == kTrue ? word(0, 8)
                                    : chosen(t.g, slice(control, 0, 4), slice(a, part, 128), 8);
    for (std::size_t j = 0; j < 8; ++j) r[8 * k + j] = t.g.land(byte[j], control[7] ^ 1);
  }
  t.put(0, r);
}

// vpermd, vpermps: any lane of the second source, by the first.
void permute_across(Step& t) {
  const Bits index = t.get(1);
  const Bits from = t.get(2);
  const std::size_t n = from.size() / 32;
  const std::size_t bits = n == 8 ? 3 : 4;
  Bits r;
  for (std::size_t k = 0; k < n; ++k) {
    const Bits lane = chosen(t.g, slice(index, 32 * k, bits), from, 32);
    r.insert(r.end(), lane.begin(), lane.end());
  }
  t.put(0, r);
}

Handler blend(std::size_t width) {
  return [=](Step& t) {
    Bits r = t.a();
    const Bits b = t.b();
    const std::uint64_t immediate = t.immediate();
    for (std::size_t j = 0; j < r.size(); ++j) {
      const std::size_t lane = j / width;
      if ((immediate >> (lane % 8) & 1) != 0) r[j] = b[j];
    }
    t.put(0, r);
  };
}

// blendvps and its like: the top bit of each lane of the mask, xmm0 where it is not named.
Handler blend_variable(std::size_t width) {
  return [=](Step& t) {
    const Bits a = t.a();
    const Bits b = t.b();
    const Bits m = t.i.wide ? t.get(3) : slice(t.s.vector[0], 0, 128);
    Bits r(a.size());
    for (std::size_t j = 0; j < r.size(); ++j) {
      r[j] = t.g.mux(m[j / width * width + width - 1], b[j], a[j]);
    }
    t.put(0, r);
  };
}

// vpblendmX: the second source where the opmask has a bit, else the first or, zeroing, nothing.
Handler blend_by_mask(std::size_t width) {
  return [=](Step& t) {
    const auto& mask = t.i.info.avx.mask;
    if (mask.reg == ZYDIS_REGISTER_NONE || mask.reg == ZYDIS_REGISTER_K0) {
      throw Refusal("a blend without an opmask");
    }
    const Bits a = t.get(1);
    const Bits b = t.get(2);
    const Bits& chosen = t.s.mask[static_cast<std::size_t>(ZydisRegisterGetId(mask.reg))];
    const bool zeroing = mask.mode == ZYDIS_MASK_MODE_ZEROING;
    Bits r(a.size());
    for (std::size_t j = 0; j < r.size(); ++j) {
      r[j] = t.g.mux(chosen[j / width], b[j], zeroing ? kFalse : a[j]);
    }
    t.write(t.i.operands[0].reg.value, r);
  };
}

// vshufi32x4 and its like: 128-bit parts of the first source, then of the second.
void shuffle_parts(Step& t) {
  const Bits a = t.get(1);
  const Bits b = t.get(2);
  const std::size_t n = a.size() / 128;
  std::uint64_t rest = t.immediate();
  Bits r;
  for (std::size_t k = 0; k < n; ++k, rest >>= n / 2) {
    const Bits part = slice(k < n / 2 ? a : b, 128 * (rest & (n - 1)), 128);
    r.insert(r.end(), part.begin(), part.end());
  }
  t.put(0, r);
}

Handler broadcast(std::size_t width) {
  return [=](Step& t) {
    const Bits one =
        t.is_register(1) && !t.is_vector_register(1) ? fit(t.get(1), width) : t.low(1, width);
    t.put(0, Step::repeated(one, t.size(0) / width));
  };
}

Handler insert_part(std::size_t width) {
  return [=](Step& t) {
    Bits r = t.get(1);
    const Bits part = t.low(2, width);
    const std::size_t at = t.immediate() % (r.size() / width) * width;
    std::copy(part.begin(), part.end(), r.begin() + static_cast<std::ptrdiff_t>(at));
    t.put(0, r);
  };
}

Handler extract_part(std::size_t width) {
  return [=](Step& t) {
    const Bits a = t.get(1);
    t.put(0, slice(a, t.immediate() % (a.size() / width) * width, width));
  };
}

// pinsrX: one lane from a general register or memory.
Handler insert_lane(std::size_t width) {
  return [=](Step& t) {
    Bits r = t.a();
    const std::size_t from = t.b_index();
    const Bits lane = t.is_memory(from) ? t.load(from, width) : fit(t.get(from), width);
    const std::size_t at = t.immediate() % (128 / width) * width;
    std::copy(lane.begin(), lane.end(), r.begin() + static_cast<std::ptrdiff_t>(at));
    t.put(0, r);
  };
}

Handler extract_lane(std::size_t width) {
  return [=](Step& t) {
    const Bits lane = slice(t.get(1), t.immediate() % (128 / width) * width, width);
    t.put(0, t.is_memory(0) ? lane : zero_extended(lane, t.size(0)));
  };
}

// Top bits of all lanes into a general register.
Handler move_mask(std::size_t width) {
  return [=](Step& t) {
    const Bits a = t.get(1);
    Bits r;
    for (std::size_t at = width - 1; at < a.size(); at += width) r.push_back(a[at]);
    t.put(0, zero_extended(r, t.size(0)));
  };
}

void move(Step& t) {
  t.put(0,
        t.is_memory(1) ? t.load(1, t.size(0)) : slice(t.get(1), 0, std::min(t.size(0), t.size(1))));
}

// movss, movsd: from memory the rest becomes zero; between registers only the lane moves.
Handler move_scalar(std::size_t width) {
  return [=](Step& t) {
    t.require_unmasked();
    if (t.is_memory(0)) return t.put(0, slice(t.get(1), 0, width));
    if (t.is_memory(1)) return t.put(0, zero_extended(t.load(1, width), 128));
    Bits r = t.a();
    const Bits b = t.b();
    std::copy(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(width), r.begin());
    t.put(0, r);
  };
}

// movd, movq between kinds of registers: the rest becomes zero.
Handler move_low(std::size_t width) {
  return [=](Step& t) {
    const Bits value = t.is_memory(1) ? t.load(1, width) : slice(t.get(1), 0, width);
    t.put(0, t.is_vector_register(0) ? zero_extended(value, 128) : value);
  };
}

void move_high_or_low(Step& t, bool high) {
  if (t.is_memory(0)) return t.put(0, slice(t.get(1), high ? 64 : 0, 64));
  Bits r = t.a();
  const Bits part = t.load(t.b_index(), 64);
  std::copy(part.begin(), part.end(), r.begin() + (high ? 64 : 0));
  t.put(0, r);
}

void ternary_logic(Step& t) {
  const Bits a = t.get(0);
  const Bits b = t.get(1);
  const Bits c = t.get(2);
  const std::uint64_t table = t.immediate();
  Bits r(a.size());
  for (std::size_t j = 0; j < r.size(); ++j) {
    const auto row = [&](unsigned k) -> Bit { return (table >> k & 1) != 0 ? kTrue : kFalse; };
    const auto pair = [&](unsigned k) { return t.g.mux(c[j], row(k + 1), row(k)); };
    r[j] = t.g.mux(a[j], t.g.mux(b[j], pair(6), pair(4)), t.g.mux(b[j], pair(2), pair(0)));
  }
  t.put(0, r);
}

// valignd, valignq, palignr: lanes or bytes of the concatenation a:b.
void align(Step& t, std::size_t width, bool in_parts) {
  const Bits a = t.a();
  const Bits b = t.b();
  const std::size_t part = in_parts ? 128 : a.size();
  std::size_t by = t.immediate();
  if (!in_parts) by %= a.size() / width;
  Bits r(a.size(), kFalse);
  for (std::size_t j = 0; j < r.size(); ++j) {
    const std::size_t base = j / part * part;
    const std::size_t from = j - base + by * width;
    if (from < part) {
      r[j] = b[base + from];
    } else if (from < 2 * part) {
      r[j] = a[base + from - part];
    }
  }
  t.put(0, r);
}

void shift_bytes(Step& t, bool left) {
  const Bits a = t.get(t.three() ? 1 : 0);
  const std::size_t by = std::min<std::uint64_t>(t.immediate(), 16) * 8;
  Bits r;
  for (std::size_t part = 0; part < a.size(); part += 128) {
    const Bits lane = slice(a, part, 128);
    const Bits moved = left ? shifted_left(lane, by) : shifted_right(lane, by);
    r.insert(r.end(), moved.begin(), moved.end());
  }
  t.put(0, r);
}

void permute_parts(Step& t) {
  const Bits a = t.get(1);
  const Bits b = t.get(2);
  const std::uint64_t immediate = t.immediate();
  Bits r;
  for (unsigned half = 0; half < 2; ++half) {
    const std::uint64_t control = immediate >> (4 * half) & 15;
    Bits part = slice((control & 2) != 0 ? b : a, (control & 1) * 128, 128);
    if ((control & 8) != 0) part = word(0, 128);
    r.insert(r.end(), part.begin(), part.end());
  }
  t.put(0, r);
}

Handler pack(std::size_t from, bool to_unsigned) {
  return [=](Step& t) {
    const Bits a = t.a();
    const Bits b = t.b();
    const std::size_t to = from / 2;
    Bits r;
    for (std::size_t part = 0; part < a.size(); part += 128) {
      for (const Bits* source : {&a, &b}) {
        for (std::size_t at = 0; at < 128; at += from) {
          const Bits lane = slice(*source, part + at, from);
          const auto n = static_cast<unsigned>(from);
          const std::uint64_t top = (std::uint64_t{1} << (to_unsigned ? to : to - 1)) - 1;
          const std::uint64_t bottom = to_unsigned ? 0 : ~top;
          Bits v = select(t.g, less_signed(t.g, word(top, n), lane), word(top, n), lane);
          v = select(t.g, less_signed(t.g, lane, word(bottom, n)), word(bottom, n), v);
          r.insert(r.end(), v.begin(), v.begin() + static_cast<std::ptrdiff_t>(to));
        }
      }
    }
    t.put(0, r);
  };
}

// pmuludq, pmuldq: the low halves of 64-bit lanes.
Handler multiply_wide(bool is_signed) {
  return lanes(64, [=](Step& t, const Bits& a, const Bits& b) {
    const Bits x = slice(a, 0, 32);
    const Bits y = slice(b, 0, 32);
    return is_signed ? multiply(t.g, sign_extended(x, 64), sign_extended(y, 64))
                     : multiply(t.g, zero_extended(x, 64), zero_extended(y, 64));
  });
}

void test_vector(Step& t) {
  const Bits a = t.get(0);
  const Bits b = t.get(1);
  t.s.flags = {};
  t.s.flags.zero = is_zero(t.g, map2(a, b, [&](Bit p, Bit q) { return t.g.land(p, q); }));
  t.s.flags.carry = is_zero(t.g, map2(a, b, [&](Bit p, Bit q) { return t.g.land(p ^ 1, q); }));
}

// -------------------------------------------------------------------------------------- float

Handler float_scalar(const char* name) {
  const auto operation = *float_operation(name);
  const bool product = std::string(name) == "mulss";
  return [=](Step& t) {
    t.require_unmasked();
    Bits r = t.a();
    const Bits a = slice(r, 0, 32);
    const Bits b = t.low(t.b_index(), 32);
    const Bits lane =
        product ? t.x.floats.multiplied(a, b) : t.x.floats.tabulated(operation, {a, b}, 32);
    std::copy(lane.begin(), lane.end(), r.begin());
    t.put(0, slice(r, 0, 128));
  };
}

Handler float_lanes(const char* name) {
  const auto operation = *float_operation(name);
  const bool product = std::string(name) == "mulss";
  return lanes(32, [=](Step& t, const Bits& a, const Bits& b) {
    return product ? t.x.floats.multiplied(a, b) : t.x.floats.tabulated(operation, {a, b}, 32);
  });
}

Handler float_each(const char* name) {
  const auto operation = *float_operation(name);
  const bool integers = std::string(name) == "cvtsi2ss";
  return each(32, [=](Step& t, const Bits& a) {
    return t.x.floats.tabulated(operation, {integers ? sign_extended(a, 64) : a}, 32);
  });
}

void convert_integer(Step& t) {
  const std::size_t from = t.i.wide ? 2 : 1;
  Bits r = slice(t.a(), 0, 128);
  const Bits value = sign_extended(t.get(from), 64);
  const Bits lane = t.x.floats.tabulated(*float_operation("cvtsi2ss"), {value}, 32);
  std::copy(lane.begin(), lane.end(), r.begin());
  t.put(0, r);
}

void compare_floats(Step& t) {
  const Bits f = t.x.floats.tabulated(*float_operation("ucomiss"), {t.low(0, 32), t.low(1, 32)}, 3);
  t.s.flags = {};
  t.s.flags.carry = f[0];
  t.s.flags.zero = f[1];
  t.s.flags.parity = f[2];
}

void convert_halves(Step& t) {
  const std::size_t n = t.size(0) / 32;
  const Bits a = t.low(1, 16 * n);
  Bits r;
  for (std::size_t k = 0; k < n; ++k) {
    const Bits lane =
        t.x.floats.tabulated(*float_operation("cvtph2ps"), {slice(a, 16 * k, 16)}, 32);
    r.insert(r.end(), lane.begin(), lane.end());
  }
  t.put(0, r);
}

// Gathers of 32-bit lanes by 32-bit indices, AVX2 and AVX-512.
void gather(Step& t) {
  const bool evex = t.i.info.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;
  const auto& m = t.i.operands[1].mem;
  const std::size_t n = t.size(0) / 32;
  Bits mask;
  if (evex) {
    const Bits& k = t.s.mask[static_cast<std::size_t>(ZydisRegisterGetId(t.i.info.avx.mask.reg))];
    mask = slice(k, 0, n);
  } else {
    const Bits all = t.get(2);
    for (std::size_t k = 0; k < n; ++k) mask.push_back(all[32 * k + 31]);
  }
  const Bits index = t.read(m.index);
  std::size_t shift = 0;
  while ((1u << shift) < m.scale) ++shift;
  const Bits old = t.get(0);
  Bits r;
  for (std::size_t k = 0; k < n; ++k) {
    const auto wanted = t.g.constant(mask[k]);
    if (!wanted) throw Refusal("a gather whose mask depends on data");
    if (!*wanted) {
      const Bits kept = slice(old, 32 * k, 32);
      r.insert(r.end(), kept.begin(), kept.end());
      continue;
    }
    Bits at = word(static_cast<std::uint64_t>(m.disp.value), 64);
    if (m.base != ZYDIS_REGISTER_NONE) at = t.plus(t.read(m.base), at);
    at = t.plus(at, shifted_left(sign_extended(slice(index, 32 * k, 32), 64), shift));
    const Bits lane = t.x.load(t.s, at, 4);
    r.insert(r.end(), lane.begin(), lane.end());
  }
  t.write(t.i.operands[0].reg.value, r);
  if (evex) {
    t.s.mask[static_cast<std::size_t>(ZydisRegisterGetId(t.i.info.avx.mask.reg))] = word(0, 64);
  } else {
    t.write(t.i.operands[2].reg.value, word(0, static_cast<unsigned>(t.size(2))));
  }
}

Handler mask_move(std::size_t width) {
  return [=](Step& t) {
    const Bits value = t.is_memory(1) ? t.load(1, width) : slice(t.get(1), 0, width);
    if (t.is_memory(0)) return t.put(0, value);
    t.put(0, zero_extended(value, std::max<std::size_t>(t.size(0), 32)));
  };
}

// ---------------------------------------------------------------------------------- the table

using Map = std::unordered_map<std::string, Handler>;

void add_general(Map& h) {
  const auto assign = [](Step& t) { t.put(0, fit(t.get(1), t.size(0))); };
  h["mov"] = assign;
  h["movzx"] = assign;
  h["movsx"] = h["movsxd"] = [](Step& t) { t.put(0, sign_extended(t.get(1), t.size(0))); };
  h["cdqe"] = [](Step& t) { t.s.gpr[kRax] = sign_extended(slice(t.s.gpr[kRax], 0, 32), 64); };
  h["cwde"] = [](Step& t) {
    t.s.gpr[kRax] = zero_extended(sign_extended(slice(t.s.gpr[kRax], 0, 16), 32), 64);
  };
  h["cdq"] = [](Step& t) { t.s.gpr[kRdx] = zero_extended(Bits(32, t.s.gpr[kRax][31]), 64); };
  h["cqo"] = [](Step& t) { t.s.gpr[kRdx] = Bits(64, t.s.gpr[kRax][63]); };
  h["lea"] = [](Step& t) { t.put(0, fit(t.address(t.i.operands[1]), t.size(0))); };
  h["add"] = [](Step& t) { add_like(t, false); };
  h["adc"] = [](Step& t) { add_like(t, true); };
  h["sub"] = [](Step& t) { t.put(0, difference(t, t.get(0), fit(t.get(1), t.size(0)), kFalse)); };
  h["sbb"] = [](Step& t) {
    t.put(0, difference(t, t.get(0), fit(t.get(1), t.size(0)), t.s.flags.carry));
  };
  h["cmp"] = [](Step& t) { difference(t, t.get(0), fit(t.get(1), t.size(0)), kFalse); };
  h["neg"] = [](Step& t) {
    t.put(0, difference(t, word(0, static_cast<unsigned>(t.size(0))), t.get(0), kFalse));
  };
  h["inc"] = h["dec"] = [](Step& t) {
    const Bit carry = t.s.flags.carry;
    const Bits a = t.get(0);
    const auto n = static_cast<unsigned>(t.size(0));
    if (t.i.name == "dec") {
      t.put(0, difference(t, a, word(1, n), kFalse));
    } else if (t.g.as_pointer(a)) {
      t.unknown_flags();
      t.put(0, t.plus(a, word(1, 64)));
    } else {
      const Sum sum = add(t.g, a, word(1, n), kFalse);
      t.s.flags.overflow = sum.overflow;
      t.set_result_flags(sum.value);
      t.put(0, sum.value);
    }
    t.s.flags.carry = carry;
  };
  h["not"] = [](Step& t) { t.put(0, bitwise_not(t.get(0))); };
  h["and"] = [](Step& t) {
    logic(
        t, [&](Bit p, Bit q) { return t.g.land(p, q); }, true);
  };
  h["or"] = [](Step& t) {
    logic(
        t, [&](Bit p, Bit q) { return t.g.lor(p, q); }, true);
  };
  h["xor"] = [](Step& t) {
    logic(
        t, [&](Bit p, Bit q) { return t.g.lxor(p, q); }, true);
  };
  h["test"] = [](Step& t) {
    logic(
        t, [&](Bit p, Bit q) { return t.g.land(p, q); }, false);
  };
  h["andn"] = [](Step& t) {
    const Bits r = map2(t.get(1), t.get(2), [&](Bit p, Bit q) { return t.g.land(p ^ 1, q); });
    t.set_logic_flags(r);
    t.s.flags.parity = t.g.unknown();
    t.put(0, r);
  };
  h["shl"] = [](Step& t) { shift(t, shifted_left, true); };
  h["shr"] = [](Step& t) { shift(t, shifted_right, false); };
  h["sar"] = [](Step& t) { shift(t, shifted_right_signed, false); };
  const auto shift_by_register = [](const std::function<Bits(const Bits&, std::size_t)>& f) {
    return [f](Step& t) {
      const Bits a = t.get(1);
      t.put(0, shifted_by(t.g, a, slice(t.get(2), 0, a.size() == 64 ? 6 : 5), f));
    };
  };
  h["shlx"] = shift_by_register(shifted_left);
  h["shrx"] = shift_by_register(shifted_right);
  h["sarx"] = shift_by_register(shifted_right_signed);
  h["rol"] = [](Step& t) { rotate(t, true); };
  h["ror"] = [](Step& t) { rotate(t, false); };
  h["rorx"] = [](Step& t) {
    const Bits a = t.get(1);
    const std::size_t k = t.immediate() % a.size();
    Bits r(a.size());
    for (std::size_t j = 0; j < r.size(); ++j) r[j] = a[(j + k) % r.size()];
    t.put(0, r);
  };
  h["imul"] = signed_multiply;
  h["mul"] = [](Step& t) {
    const Bits b = t.get(0);
    const std::size_t n = b.size();
    if (n == 8) throw Refusal("mul of bytes");
    const Bits a = slice(t.s.gpr[kRax], 0, n);
    const Bits r = multiply(t.g, zero_extended(a, 2 * n), zero_extended(b, 2 * n));
    const Bits high = slice(r, n, n);
    t.unknown_flags();
    t.s.flags.carry = t.s.flags.overflow = is_zero(t.g, high) ^ 1;
    for (const auto& [at, half] : {std::pair{kRax, slice(r, 0, n)}, std::pair{kRdx, high}}) {
      t.s.gpr[at] = n == 32 ? zero_extended(half, 64) : t.s.gpr[at];
      std::copy(half.begin(), half.end(), t.s.gpr[at].begin());
    }
  };
  h["div"] = divide;
  h["popcnt"] = [](Step& t) {
    const Bits a = t.get(1);
    Bits r = word(0, static_cast<unsigned>(a.size()));
    for (const Bit bit : a) r = add(t.g, r, zero_extended({bit}, r.size()), kFalse).value;
    t.s.flags = {};
    t.s.flags.zero = is_zero(t.g, a);
    t.put(0, r);
  };
  h["tzcnt"] = h["lzcnt"] = [](Step& t) {
    const Bits a = t.get(1);
    const Bits r = t.i.name == "tzcnt" ? count_trailing_zeros(t.g, a) : count_leading_zeros(t.g, a);
    t.unknown_flags();
    t.s.flags.carry = is_zero(t.g, a);
    t.s.flags.zero = is_zero(t.g, r);
    t.put(0, r);
  };
  h["bsf"] = h["bsr"] = [](Step& t) {
    const Bits a = t.get(1);
    const Bit zero = is_zero(t.g, a);
    if (t.g.constant(zero) != false) throw Refusal("a bit scan of what may be zero");
    const auto n = static_cast<unsigned>(a.size());
    const Bits r = t.i.name == "bsf" ? count_trailing_zeros(t.g, a)
                                     : subtract(t.g, word(n - 1, n), count_leading_zeros(t.g, a));
    t.unknown_flags();
    t.s.flags.zero = zero;
    t.put(0, r);
  };
  h["bswap"] = [](Step& t) {
    const Bits a = t.get(0);
    if (a.size() == 16) throw Refusal("bswap of 16 bits");
    Bits r(a.size());
    for (std::size_t j = 0; j < a.size(); ++j) r[a.size() - 8 - j / 8 * 8 + j % 8] = a[j];
    t.put(0, r);
  };
  h["bt"] = [](Step& t) {
    if (t.is_memory(0)) throw Refusal("bt on memory");
    const Bits a = t.get(0);
    const Bits at = slice(fit(t.get(1), 64), 0, a.size() == 64 ? 6 : a.size() == 32 ? 5 : 4);
    const Bit carry = shifted_by(t.g, a, at, shifted_right)[0];
    const Bit zero = t.s.flags.zero;
    t.unknown_flags();
    t.s.flags.carry = carry;
    t.s.flags.zero = zero;
  };
  h["xchg"] = [](Step& t) {
    const Bits a = t.get(0);
    const Bits b = t.get(1);
    t.put(0, b);
    t.put(1, a);
  };
  h["push"] = push;
  h["pop"] = pop;
  h["leave"] = [](Step& t) {
    require_whole_words(t);
    t.s.gpr[kRsp] = t.s.gpr[kRbp];
    t.s.gpr[kRbp] = t.x.load(t.s, t.s.gpr[kRsp], 8);
    t.s.gpr[kRsp] = t.plus(t.s.gpr[kRsp], word(8, 64));
  };
  h["movsb"] = h["movsd string"] = h["movsw"] =
      h["movsq"] = [](Step& t) { string_operation(t, true); };
  h["stosb"] = h["stosd"] = h["stosw"] = h["stosq"] = [](Step& t) { string_operation(t, false); };
  h["nop"] = h["endbr64"] = h["prefetcht0"] = [](Step& t) {
    // Some CPUs fault.
    if (t.count() > 1 && t.is_register(0)) throw Refusal("a reserved nop");
  };
  h["jump target"] = [](Step& t) {
    const auto to = t.g.constant(t.get(0));
    if (!to) throw Refusal("the target of a jump depends on data");
    t.s.ip = *to;
  };
}

void add_moves(Map& h) {
  for (const char* name :
       {"movaps", "movups", "movapd", "movupd", "movdqa", "movdqu", "lddqu", "movdqa32", "movdqa64",
        "movdqu8", "movdqu16", "movdqu32", "movdqu64", "movntps", "movntpd", "movntdq"}) {
    h[name] = move;
  }
  h["movss"] = move_scalar(32);
  h["movsd"] = move_scalar(64);
  h["movd"] = move_low(32);
  h["movq"] = move_low(64);
  h["movlps"] = h["movlpd"] = [](Step& t) { move_high_or_low(t, false); };
  h["movhps"] = h["movhpd"] = [](Step& t) { move_high_or_low(t, true); };
  const auto join_halves = [](bool low_from_b) {
    return [=](Step& t) {
      const Bits a = slice(t.a(), 0, 128);
      const Bits b = slice(t.b(), 0, 128);
      Bits r = low_from_b ? slice(b, 64, 64) : slice(a, 0, 64);
      const Bits high = low_from_b ? slice(a, 64, 64) : slice(b, 0, 64);
      r.insert(r.end(), high.begin(), high.end());
      t.put(0, r);
    };
  };
  h["movlhps"] = join_halves(false);
  h["movhlps"] = join_halves(true);
  h["movmskps"] = move_mask(32);
  h["movmskpd"] = move_mask(64);
  h["pmovmskb"] = move_mask(8);
  h["zeroupper"] = [](Step& t) {
    for (std::size_t r = 0; r < 16; ++r) {
      t.s.vector[r] = zero_extended(slice(t.s.vector[r], 0, 128), 512);
    }
  };
  h["movshdup"] = h["movsldup"] = [](Step& t) {
    const Bits a = t.get(1);
    Bits r(a.size());
    const std::size_t odd = t.i.name == "movshdup" ? 32 : 0;
    for (std::size_t j = 0; j < r.size(); ++j) r[j] = a[j / 64 * 64 + odd + j % 32];
    t.put(0, r);
  };
}

void add_integer_vectors(Map& h) {
  for (const char* name : {"pand", "andps", "andpd", "pandd", "pandq"}) {
    h[name] = bitwise([](Graph& g, Bit a, Bit b) { return g.land(a, b); });
  }
  for (const char* name : {"pandn", "andnps", "andnpd", "pandnd", "pandnq"}) {
    h[name] = bitwise([](Graph& g, Bit a, Bit b) { return g.land(a ^ 1, b); });
  }
  for (const char* name : {"por", "orps", "orpd", "pord", "porq"}) {
    h[name] = bitwise([](Graph& g, Bit a, Bit b) { return g.lor(a, b); });
  }
  for (const char* name : {"pxor", "xorps", "xorpd", "pxord", "pxorq"}) {
    h[name] = bitwise([](Graph& g, Bit a, Bit b) { return g.lxor(a, b); });
  }
  const std::vector<std::pair<char, std::size_t>> widths = {
      {'b', 8}, {'w', 16}, {'d', 32}, {'q', 64}};
  for (const auto& [letter, n] : widths) {
    const std::string suffix(1, letter);
    h["padd" + suffix] = lanes(
        n, [](Step& t, const Bits& a, const Bits& b) { return add(t.g, a, b, kFalse).value; });
    h["psub" + suffix] =
        lanes(n, [](Step& t, const Bits& a, const Bits& b) { return subtract(t.g, a, b); });
    h["pcmpeq" + suffix] =
        compare_lanes(n, [](Step& t, const Bits& a, const Bits& b) { return equal(t.g, a, b); });
    h["pcmpgt" + suffix] = compare_lanes(
        n, [](Step& t, const Bits& a, const Bits& b) { return less_signed(t.g, b, a); });
    h["pcmp" + suffix] = compare_by_predicate(n, true);
    h["pcmpu" + suffix] = compare_by_predicate(n, false);
    const auto any_common = [](Step& t, const Bits& a, const Bits& b) {
      return is_zero(t.g, map2(a, b, [&](Bit p, Bit q) { return t.g.land(p, q); })) ^ 1;
    };
    h["ptestm" + suffix] = compare_lanes(n, any_common);
    h["ptestnm" + suffix] = compare_lanes(
        n, [=](Step& t, const Bits& a, const Bits& b) { return any_common(t, a, b) ^ 1; });
    h["pmovm2" + suffix] = [n](Step& t) {
      const Bits mask = t.get(1);
      Bits r(t.size(0));
      for (std::size_t j = 0; j < r.size(); ++j) r[j] = mask[j / n];
      t.put(0, r);
    };
    h["pblendm" + suffix] = blend_by_mask(n);
    if (n != 64) {
      h["psign" + suffix] = lanes(n, sign_applied);
      h["pabs" + suffix] =
          each(n, [](Step& t, const Bits& a) { return select(t.g, a.back(), negated(t.g, a), a); });
      h["pmins" + suffix] = lanes(n, minimum(true, false));
      h["pmaxs" + suffix] = lanes(n, minimum(true, true));
      h["pminu" + suffix] = lanes(n, minimum(false, false));
      h["pmaxu" + suffix] = lanes(n, minimum(false, true));
    }
    if (n != 8) {
      h["psll" + suffix] = shift_lanes(n, shifted_left, false);
      h["psrl" + suffix] = shift_lanes(n, shifted_right, false);
      h["psllv" + suffix] = lanes(n, shift_each(shifted_left, false));
      h["psrlv" + suffix] = lanes(n, shift_each(shifted_right, false));
      h["psrav" + suffix] = lanes(n, shift_each(shifted_right_signed, true));
    }
    if (n == 16 || n == 32) {
      h["psra" + suffix] = shift_lanes(n, shifted_right_signed, true);
      h["pmull" + suffix] =
          lanes(n, [](Step& t, const Bits& a, const Bits& b) { return multiply(t.g, a, b); });
    }
    if (n == 16) {
      h["pmulhu" + suffix] = lanes(n, [](Step& t, const Bits& a, const Bits& b) {
        return slice(multiply(t.g, zero_extended(a, 32), zero_extended(b, 32)), 16, 16);
      });
    }
    h["pinsr" + suffix] = insert_lane(n);
    h["pextr" + suffix] = extract_lane(n);
    h["pbroadcast" + suffix] = broadcast(n);
  }
  h["pslldq"] = [](Step& t) { shift_bytes(t, true); };
  h["psrldq"] = [](Step& t) { shift_bytes(t, false); };
  h["pmuludq"] = multiply_wide(false);
  h["pmuldq"] = multiply_wide(true);
  h["pmaddwd"] = lanes(32, [](Step& t, const Bits& a, const Bits& b) {
    const auto product = [&](std::size_t at) {
      return multiply(t.g, sign_extended(slice(a, at, 16), 32),
                      sign_extended(slice(b, at, 16), 32));
    };
    return add(t.g, product(0), product(16), kFalse).value;
  });
  const std::vector<std::pair<const char*, std::pair<std::size_t, std::size_t>>> widenings = {
      {"bw", {8, 16}},  {"bd", {8, 32}},  {"bq", {8, 64}},
      {"wd", {16, 32}}, {"wq", {16, 64}}, {"dq", {32, 64}}};
  for (const auto& [suffix, n] : widenings) {
    h[std::string("pmovzx") + suffix] = widen(n.first, n.second, false);
    h[std::string("pmovsx") + suffix] = widen(n.first, n.second, true);
  }
  h["packsswb"] = pack(16, false);
  h["packssdw"] = pack(32, false);
  h["packuswb"] = pack(16, true);
  h["packusdw"] = pack(32, true);
  h["ptest"] = test_vector;
  h["pternlogd"] = h["pternlogq"] = ternary_logic;
}

void add_shuffles(Map& h) {
  h["pshufd"] = permute(
      32, [](std::uint64_t i, std::size_t k) { return k / 4 * 4 + (i >> (2 * (k % 4)) & 3); });
  h["pshuflw"] = permute(16, [](std::uint64_t i, std::size_t k) {
    return k % 8 < 4 ? k / 8 * 8 + (i >> (2 * (k % 4)) & 3) : k;
  });
  h["pshufhw"] = permute(16, [](std::uint64_t i, std::size_t k) {
    return k % 8 < 4 ? k : k / 8 * 8 + 4 + (i >> (2 * (k % 4)) & 3);
  });
  h["permq"] = h["permpd"] = [across = permute(64, [](std::uint64_t i, std::size_t k) {
                                return k / 4 * 4 + (i >> (2 * (k % 4)) & 3);
                              })](Step& t) {
    if (t.i.operands.back().type != ZYDIS_OPERAND_TYPE_IMMEDIATE) {
      throw Refusal("a permutation of quadwords by a register");
    }
    across(t);
  };
  h["permilps"] = [by = permute(32, [](std::uint64_t i, std::size_t k) {
                     return k / 4 * 4 + (i >> (2 * (k % 4)) & 3);
                   })](Step& t) {
    if (t.i.operands.back().type != ZYDIS_OPERAND_TYPE_IMMEDIATE) {
      throw Refusal("a permutation by a register");
    }
    by(t);
  };
  h["shufps"] = shuffle(32, [](Step& t, std::size_t, std::size_t k) {
    return (t.immediate() >> (2 * k) & 3) + (k < 2 ? 0 : 4);
  });
  h["shufpd"] = shuffle(64, [](Step& t, std::size_t part, std::size_t k) {
    return (t.immediate() >> (2 * part + k) & 1) + (k == 0 ? 0 : 2);
  });
  h["punpcklbw"] = unpack(8, false);
  h["punpckhbw"] = unpack(8, true);
  h["punpcklwd"] = unpack(16, false);
  h["punpckhwd"] = unpack(16, true);
  h["punpckldq"] = h["unpcklps"] = unpack(32, false);
  h["punpckhdq"] = h["unpckhps"] = unpack(32, true);
  h["punpcklqdq"] = h["unpcklpd"] = unpack(64, false);
  h["punpckhqdq"] = h["unpckhpd"] = unpack(64, true);
  h["pshufb"] = shuffle_bytes;
  h["permd"] = h["permps"] = permute_across;
  h["palignr"] = [](Step& t) { align(t, 8, true); };
  h["alignd"] = [](Step& t) { align(t, 32, false); };
  h["alignq"] = [](Step& t) { align(t, 64, false); };
  h["pblendw"] = blend(16);
  h["blendps"] = h["pblendd"] = blend(32);
  h["blendpd"] = blend(64);
  h["pblendvb"] = blend_variable(8);
  h["blendvps"] = blend_variable(32);
  h["blendvpd"] = blend_variable(64);
  h["shufi32x4"] = h["shuff32x4"] = h["shufi64x2"] = h["shuff64x2"] = shuffle_parts;
  h["perm2f128"] = h["perm2i128"] = permute_parts;
  h["broadcastss"] = broadcast(32);
  h["broadcastsd"] = broadcast(64);
  for (const char* name : {"broadcastf128", "broadcasti128", "broadcastf32x4", "broadcasti32x4"}) {
    h[name] = broadcast(128);
  }
  for (const char* name : {"f128", "i128", "f32x4", "i32x4", "f64x2", "i64x2"}) {
    h[std::string("insert") + name] = insert_part(128);
    h[std::string("extract") + name] = extract_part(128);
  }
  for (const char* name : {"f32x8", "i32x8", "f64x4", "i64x4"}) {
    h[std::string("insert") + name] = insert_part(256);
    h[std::string("extract") + name] = extract_part(256);
  }
  h["extractps"] = extract_lane(32);
  h["insertps"] = [](Step& t) {
    const std::uint64_t m = t.immediate();
    Bits r = t.a();
    const std::size_t from = t.b_index();
    const Bits lane = t.is_memory(from) ? t.load(from, 32) : slice(t.get(from), (m >> 6) * 32, 32);
    std::copy(lane.begin(), lane.end(), r.begin() + static_cast<std::ptrdiff_t>((m >> 4 & 3) * 32));
    for (std::size_t j = 0; j < 128; ++j) {
      if ((m >> (j / 32) & 1) != 0) r[j] = kFalse;
    }
    t.put(0, r);
  };
  h["pgatherdd"] = h["gatherdps"] = gather;
}

void add_floats(Map& h) {
  const std::vector<const char*> binary = {"mulss", "addss", "subss", "divss", "minss", "maxss"};
  for (const char* name : binary) {
    h[name] = float_scalar(name);
    const std::string packed = std::string(name).substr(0, 3) + "ps";
    h[packed] = float_lanes(name);
  }
  h["cvtdq2ps"] = float_each("cvtsi2ss");
  h["cvtps2dq"] = float_each("cvtps2dq");
  h["cvttps2dq"] = float_each("cvttps2dq");
  h["cvtsi2ss"] = convert_integer;
  h["cvtph2ps"] = convert_halves;
  h["ucomiss"] = h["comiss"] = compare_floats;
}

void add_masks(Map& h) {
  const std::vector<std::pair<char, std::size_t>> widths = {
      {'b', 8}, {'w', 16}, {'d', 32}, {'q', 64}};
  const auto logic_of = [](std::size_t n, const std::function<Bit(Graph&, Bit, Bit)>& f) {
    return [=](Step& t) {
      const Bits r = map2(slice(t.get(1), 0, n), slice(t.get(2), 0, n),
                          [&](Bit a, Bit b) { return f(t.g, a, b); });
      t.put(0, zero_extended(r, 64));
    };
  };
  for (const auto& [letter, n] : widths) {
    const std::string suffix(1, letter);
    h["kmov" + suffix] = mask_move(n);
    h["kortest" + suffix] = [n](Step& t) {
      const Bits r = map2(slice(t.get(0), 0, n), slice(t.get(1), 0, n),
                          [&](Bit a, Bit b) { return t.g.lor(a, b); });
      t.s.flags = {};
      t.s.flags.zero = is_zero(t.g, r);
      t.s.flags.carry = is_zero(t.g, bitwise_not(r));
    };
    h["kand" + suffix] = logic_of(n, [](Graph& g, Bit a, Bit b) { return g.land(a, b); });
    h["kor" + suffix] = logic_of(n, [](Graph& g, Bit a, Bit b) { return g.lor(a, b); });
    h["kxor" + suffix] = logic_of(n, [](Graph& g, Bit a, Bit b) { return g.lxor(a, b); });
    h["kxnor" + suffix] = logic_of(n, [](Graph& g, Bit a, Bit b) { return g.lxor(a, b) ^ 1; });
  }
}

const Map& handlers() {
  static const Map kMap = [] {
    Map map;
    add_general(map);
    add_moves(map);
    add_integer_vectors(map);
    add_shuffles(map);
    add_floats(map);
    add_masks(map);
    return map;
  }();
  return kMap;
}

}  // namespace

Bit condition(Graph& g, const Flags& f, const std::string& letters) {
  const auto either = [&](Bit a, Bit b) { return g.lor(a, b); };
  const Bit less = g.lxor(f.sign, f.overflow);
  if (letters == "z") return f.zero;
  if (letters == "nz") return f.zero ^ 1;
  if (letters == "b") return f.carry;
  if (letters == "nb") return f.carry ^ 1;
  if (letters == "be") return either(f.carry, f.zero);
  if (letters == "nbe") return either(f.carry, f.zero) ^ 1;
  if (letters == "s") return f.sign;
  if (letters == "ns") return f.sign ^ 1;
  if (letters == "o") return f.overflow;
  if (letters == "no") return f.overflow ^ 1;
  if (letters == "p") return f.parity;
  if (letters == "np") return f.parity ^ 1;
  if (letters == "l") return less;
  if (letters == "nl") return less ^ 1;
  if (letters == "le") return either(less, f.zero);
  if (letters == "nle") return either(less, f.zero) ^ 1;
  throw Refusal("the condition " + letters + " is not modelled");
}

void execute(Executor& executor, State& state, const Decoded& instruction) {
  Step t(executor, state, instruction);
  if (instruction.info.avx.rounding.mode != ZYDIS_ROUNDING_MODE_INVALID) {
    throw Refusal("a rounding mode of its own");
  }
  const auto it = handlers().find(instruction.name);
  if (it != handlers().end()) {
    it->second(t);
  } else if (instruction.name.starts_with("cmov")) {
    const Bits yes = t.get(1);
    const Bit c = condition(t.g, state.flags, instruction.name.substr(4));
    const auto known = t.g.constant(c);
    const Bits no = t.get(0);
    t.put(0, known ? (*known ? yes : no) : select(t.g, c, yes, no));
  } else if (instruction.name.starts_with("set")) {
    t.put(0, zero_extended({condition(t.g, state.flags, instruction.name.substr(3))}, 8));
  } else {
    throw Refusal("this instruction is not modelled");
  }
}

std::vector<std::string> modelled_instructions() {
  std::vector<std::string> names;
  for (const auto& [name, handler] : handlers()) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

const Decoded& Executor::decode(std::uint64_t ip) {
  auto& entry = decoded_[ip];
  if (entry) return *entry;
  if (!process.executable(ip)) throw Refusal(fmt::format("0x{:x} is not code", ip));
  // Never past the code: an instruction is read byte by byte where the segment may end.
  std::size_t length = 0;
  while (length < ZYDIS_MAX_INSTRUCTION_LENGTH && process.executable(ip + length)) ++length;
  auto d = decode_bytes(reinterpret_cast<const std::uint8_t*>(ip), length, ip);
  if (!d) throw Refusal(fmt::format("no instruction at 0x{:x}", ip));
  entry = std::make_unique<Decoded>(std::move(*d));
  return *entry;
}

std::optional<Decoded> decode_bytes(const std::uint8_t* code, std::size_t length,
                                    std::uint64_t ip) {
  static const ZydisDecoder kDecoder = [] {
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return decoder;
  }();
  static const ZydisFormatter kFormatter = [] {
    ZydisFormatter formatter;
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    return formatter;
  }();
  std::optional<Decoded> d(std::in_place);
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&kDecoder, code, length, &d->info, operands))) {
    return std::nullopt;
  }
  char text[256];
  ZydisFormatterFormatInstruction(&kFormatter, &d->info, operands, d->info.operand_count_visible,
                                  text, sizeof text, ip, nullptr);
  d->text = text;
  d->next = ip + d->info.length;
  d->mnemonic = ZydisMnemonicGetString(d->info.mnemonic);
  d->name = d->mnemonic;
  d->wide = d->info.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX ||
            d->info.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;
  if (d->wide && d->name[0] == 'v') d->name.erase(0, 1);
  const bool is_string = d->info.meta.category == ZYDIS_CATEGORY_STRINGOP;
  if (is_string && d->name == "movsd") d->name = "movsd string";
  if ((d->info.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0) throw Refusal("a locked instruction");
  for (std::size_t k = 0; k < d->info.operand_count; ++k) {
    const auto& o = operands[k];
    const bool shown = o.visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN || is_string;
    if (shown && o.encoding != ZYDIS_OPERAND_ENCODING_MASK) d->operands.push_back(o);
  }
  return d;
}

}  // namespace quantproof::proofs::machine_code
