// SPDX-License-Identifier: Apache-2.0
//
// MACHINE-COSIM-2: what the executor makes of every AVX-512 form, compared with the CPU if it has
// them, and in any case with three other meanings:
//   parts  the CPU's own VEX instruction of that name, on each half of the vectors, and the opmask
//          applied here;
//   simde  SIMDe's portable C, its opmasks included;
//   text   Intel's description, written out here by the authors of the executor.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "proofs/machine_code.h"
#include "proofs/machine_code/cosim.h"
#include "proofs/machine_code/evex_simde.h"
#include "proofs/machine_code/instruction_forms.h"
#include "proofs/machine_code/machine.h"
#include "proofs/machine_code/x86.h"
#include "proofs/obligation.h"

namespace quantproof::proofs {

namespace {

using namespace machine_code;

constexpr std::size_t kScratchBytes = 256;
constexpr std::size_t kPartBytes = 32;
constexpr unsigned kIndexVector = 4;
constexpr unsigned kTrials = 2;
constexpr unsigned kLongTrials = 16;

struct Machine {
  WideRegisters r;
  std::array<std::uint8_t, kScratchBytes> memory{};
};
alignas(64) std::array<std::uint8_t, kScratchBytes> scratch;  // where the CPU has it

const std::string kMoves =
    "movaps movups movapd movupd movdqa32 movdqa64 movdqu8 movdqu16 movdqu32 movdqu64 movntps "
    "movntpd movntdq";
// One amount for all lanes: an immediate, or the low quadword of a vector of 128 bits.
const std::string kShiftsByOne = "psllw pslld psllq psrlw psrld psrlq psraw psrad";

bool is_one_of(const std::string& name, const std::string& names) {
  return (" " + names + " ").find(" " + name + " ") != std::string::npos;
}

// Bits of the lanes that an opmask selects, as Intel's descriptions have it. Not from Zydis, which
// is what the executor asks.
unsigned lane_bits(const std::string& name) {
  static const std::string kBytes =
      "paddb psubb pabsb pmaxsb pmaxub pminsb pminub packsswb packuswb punpcklbw punpckhbw pshufb "
      "palignr pbroadcastb movdqu8 pcmpeqb pcmpgtb pcmpb pcmpub ptestmb ptestnmb pmovm2b pblendmb";
  static const std::string kWords =
      "paddw psubw pabsw pmullw pmaxsw pmaxuw pminsw pminuw packssdw packusdw punpcklwd punpckhwd "
      "psllw psrlw psraw psllvw psrlvw psravw pmovzxbw pmovsxbw pshuflw pshufhw pbroadcastw "
      "movdqu16 pcmpeqw pcmpgtw pcmpw pcmpuw ptestmw ptestnmw pmovm2w pblendmw pmulhuw";
  static const std::string kQuadwords =
      "paddq psubq pmuludq pmuldq pandq pandnq porq pxorq andpd andnpd orpd xorpd pternlogq psllq "
      "psrlq psllvq psrlvq psravq pmovzxbq pmovzxwq pmovzxdq pmovsxbq pmovsxwq pmovsxdq punpcklqdq "
      "punpckhqdq unpcklpd unpckhpd shufpd permq permpd alignq pbroadcastq broadcastsd insertf64x2 "
      "inserti64x2 insertf64x4 inserti64x4 extractf64x2 extracti64x2 extractf64x4 extracti64x4 "
      "movapd movupd movdqa64 movdqu64 pcmpeqq pcmpgtq pcmpq pcmpuq ptestmq ptestnmq pmovm2q "
      "pblendmq shufi64x2 shuff64x2";
  return is_one_of(name, kBytes)       ? 8
         : is_one_of(name, kWords)     ? 16
         : is_one_of(name, kQuadwords) ? 64
                                       : 32;
}

// vpcmpX and vpcmpuX, whose immediate says how to compare.
bool is_predicated(const std::string& name) {
  return is_one_of(name, "pcmpb pcmpw pcmpd pcmpq pcmpub pcmpuw pcmpud pcmpuq");
}

// How many times wider a result is than what it is made of.
unsigned widening(const std::string& name) {
  if (!name.starts_with("pmov") && name != "cvtph2ps") return 1;
  if (name.ends_with("bq")) return 8;
  if (name.ends_with("bd") || name.ends_with("wq")) return 4;
  return 2;
}

class Comparison {
 public:
  Comparison(Obligation& o, unsigned trials) : o_(o), trials_(trials) {}
  [[nodiscard]] bool usable() const { return cpu_.usable(); }
  // If the executor has a meaning for the form, it must be that of all others.
  void compare(InstructionForm form, std::mt19937_64& random);
  [[nodiscard]] std::string summary() const;

  std::set<std::string> executed;
  std::set<std::string> uncompared;  // forms

 private:
  using Meaning = std::optional<Machine> (Comparison::*)(const InstructionForm&, const Machine&);
  struct Way {
    const char* name;
    Meaning meaning;
    std::set<std::string> names;
    std::set<std::string> wrong;
    std::size_t forms = 0;
  };

  Machine start(const InstructionForm& form, std::mt19937_64& random) const;
  std::optional<State> execute_as_terms(const InstructionForm& form, const Machine& before);
  bool same(const InstructionForm& form, const char* way, const State& terms, const Machine& other);

  std::optional<Machine> native(const InstructionForm& form, const Machine& before);
  std::optional<Machine> parts(const InstructionForm& form, const Machine& before);
  std::optional<Machine> gather_parts(const InstructionForm& form, const Machine& before);
  std::optional<Machine> whole_twin(const InstructionForm& form, const Machine& before);
  std::optional<Machine> simde(const InstructionForm& form, const Machine& before);
  std::optional<Machine> text(const InstructionForm& form, const Machine& before);

  Obligation& o_;
  unsigned trials_;
  Cpu cpu_;
  Process process_;
  std::size_t runs_ = 0;
  std::size_t forms_ = 0;
  std::size_t refused_ = 0;  // forms
  std::set<std::string> text_only_;
  std::array<Way, 4> ways_ = {Way{"the CPU's AVX-512", &Comparison::native, {}, {}, 0},
                              Way{"VEX instructions in parts", &Comparison::parts, {}, {}, 0},
                              Way{"SIMDe", &Comparison::simde, {}, {}, 0},
                              Way{"the text", &Comparison::text, {}, {}, 0}};
};

// ------------------------------------------------------------------------------ operands

bool is_register_of(const ZydisDecodedOperand& o, std::initializer_list<ZydisRegisterClass> kinds) {
  return o.type == ZYDIS_OPERAND_TYPE_REGISTER &&
         std::find(kinds.begin(), kinds.end(), ZydisRegisterGetClass(o.reg.value)) != kinds.end();
}
bool is_vector(const ZydisDecodedOperand& o) {
  return is_register_of(o, {ZYDIS_REGCLASS_XMM, ZYDIS_REGCLASS_YMM, ZYDIS_REGCLASS_ZMM});
}
bool is_opmask(const ZydisDecodedOperand& o) { return is_register_of(o, {ZYDIS_REGCLASS_MASK}); }
bool is_general(const ZydisDecodedOperand& o) {
  return is_register_of(
      o, {ZYDIS_REGCLASS_GPR8, ZYDIS_REGCLASS_GPR16, ZYDIS_REGCLASS_GPR32, ZYDIS_REGCLASS_GPR64});
}
std::size_t number_of(ZydisRegister r) { return static_cast<std::size_t>(ZydisRegisterGetId(r)); }

template <class T>
VectorBytes bytes_of(const T& value) {
  VectorBytes bytes{};
  static_assert(sizeof value <= sizeof bytes);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::uint64_t low_quadword(const VectorBytes& bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::size_t vector_bytes(const InstructionForm& form) {
  return form.decoded.info.avx.vector_length / 8;
}

bool broadcasts(const InstructionForm& form) {
  const auto& info = form.decoded.info;
  return info.avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID && !info.avx.broadcast.is_static;
}

bool has_opmask(const InstructionForm& form) {
  const auto& info = form.decoded.info;
  return info.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
         info.avx.mask.reg != ZYDIS_REGISTER_NONE && info.avx.mask.reg != ZYDIS_REGISTER_K0;
}

std::uint64_t opmask_of(const InstructionForm& form, const Machine& m) {
  return has_opmask(form) ? m.r.mask[number_of(form.decoded.info.avx.mask.reg)] : ~std::uint64_t{0};
}

// The value of a source; the lanes of a broadcast all there.
VectorBytes value_of(const InstructionForm& form, std::size_t k, const Machine& m) {
  const auto& o = form.decoded.operands[k];
  if (is_vector(o)) return bytes_of(m.r.vector[number_of(o.reg.value)]);
  if (is_opmask(o)) return bytes_of(m.r.mask[number_of(o.reg.value)]);
  if (is_general(o)) return bytes_of(m.r.gpr[number_of(o.reg.value)]);
  if (o.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) return bytes_of(o.imm.value.u);
  VectorBytes value{};
  const auto* at = m.memory.data() + o.mem.disp.value;
  if (broadcasts(form)) {
    const std::size_t n = o.element_size / 8;
    for (std::size_t j = 0; j < vector_bytes(form); j += n) std::memcpy(&value[j], at, n);
  } else {
    std::memcpy(value.data(), at, o.size / 8);
  }
  return value;
}

// Writes a result to the first operand; what is above it in its register becomes zero.
void write_result(const InstructionForm& form, Machine& m, const VectorBytes& value) {
  const auto& o = form.decoded.operands[0];
  if (is_vector(o)) {
    VectorBytes all{};
    std::memcpy(all.data(), value.data(), o.size / 8);
    std::memcpy(m.r.vector[number_of(o.reg.value)].data(), all.data(), all.size());
  } else if (is_opmask(o)) {
    m.r.mask[number_of(o.reg.value)] = low_quadword(value);
  } else if (is_general(o)) {
    const std::uint64_t low = low_quadword(value);
    m.r.gpr[number_of(o.reg.value)] = o.size == 64 ? low : low & 0xFFFFFFFFu;
  } else {
    std::memcpy(m.memory.data() + o.mem.disp.value, value.data(), o.size / 8);
  }
}

// The opmask applied as Intel's descriptions have it.
VectorBytes merged(const InstructionForm& form, const Machine& m, VectorBytes value) {
  if (!has_opmask(form)) return value;
  const std::uint64_t mask = opmask_of(form, m);
  const std::size_t lane = lane_bits(form.decoded.name) / 8;
  const VectorBytes old = value_of(form, 0, m);
  const bool zeroing = form.decoded.info.avx.mask.mode == ZYDIS_MASK_MODE_ZEROING;
  for (std::size_t j = 0; j < value.size(); ++j) {
    if ((mask >> (j / lane) & 1) == 0) value[j] = zeroing ? std::uint8_t{0} : old[j];
  }
  return value;
}

bool is_gather(const InstructionForm& form) {
  return form.decoded.name.find("gather") != std::string::npos;
}

std::uint64_t immediate_of(const InstructionForm& form) {
  return form.has_immediate() ? form.code[form.length - 1] : 0;
}

// ---------------------------------------------------------------------------- other meanings

std::optional<Machine> Comparison::native(const InstructionForm& form, const Machine& before) {
  if (!Cpu::has_avx512()) return std::nullopt;
  Machine after = before;
  scratch = before.memory;
  after.r.gpr[kRbx] = reinterpret_cast<std::uint64_t>(scratch.data());
  if (!cpu_.run(form.code.data(), form.length, after.r)) {
    o_.check(false, form.decoded.text + ": faults on this CPU");
    return std::nullopt;
  }
  after.memory = scratch;
  return after;
}

// Up to 256 bits, without opmask or broadcast: VEX has the same instruction, of other registers.
std::optional<Machine> Comparison::whole_twin(const InstructionForm& form, const Machine& before) {
  const auto& d = form.decoded;
  if (vector_bytes(form) > kPartBytes || has_opmask(form) || broadcasts(form) ||
      is_opmask(d.operands[0])) {
    return std::nullopt;
  }
  const auto twin = vex_twin(form, true);
  if (!twin) return std::nullopt;
  Registers r;
  r.flags = before.r.flags;
  scratch = before.memory;
  for (std::size_t k = 0; k < d.operands.size(); ++k) {
    const auto& o = d.operands[k];
    const auto& t = twin->decoded.operands[k];
    if (o.type != t.type || (!is_vector(o) && o.size != t.size)) return std::nullopt;
    if (is_vector(o)) {
      std::copy_n(before.r.vector[number_of(o.reg.value)].begin(), 4,
                  r.vector[number_of(t.reg.value)].begin());
    } else if (is_general(o)) {
      r.gpr[number_of(t.reg.value)] = before.r.gpr[number_of(o.reg.value)];
    }
  }
  r.gpr[kRbx] = reinterpret_cast<std::uint64_t>(scratch.data());
  if (!cpu_.run(twin->code.data(), twin->length, r)) return std::nullopt;
  Machine after = before;
  after.r.flags = r.flags;
  after.memory = scratch;
  const auto& to = d.operands[0];
  const auto& from = twin->decoded.operands[0];
  if (is_general(to)) after.r.gpr[number_of(to.reg.value)] = r.gpr[number_of(from.reg.value)];
  if (is_vector(to) && (to.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0) {
    auto& all = after.r.vector[number_of(to.reg.value)];
    all = {};
    std::copy_n(r.vector[number_of(from.reg.value)].begin(), 4, all.begin());
  }
  return after;
}

// VEX takes the lanes to read from the sign bits of a vector.
std::optional<Machine> Comparison::gather_parts(const InstructionForm& form,
                                                const Machine& before) {
  const auto& d = form.decoded;
  const std::size_t part_bytes = std::min(vector_bytes(form), kPartBytes);
  const std::uint64_t mask = opmask_of(form, before);
  const auto displacement = static_cast<std::uint8_t>(d.operands[1].mem.disp.value);
  // [rbx+4*vector 4+displacement], of vector 3, to vector 1.
  const std::array<std::uint8_t, 7> code = {
      0xC4,
      0xE2,
      static_cast<std::uint8_t>(part_bytes == 32 ? 0x65 : 0x61),
      static_cast<std::uint8_t>(form.opcode),
      0x4C,
      0xA3,
      displacement};
  const VectorBytes old = value_of(form, 0, before);
  const VectorBytes index = bytes_of(before.r.vector[kIndexVector]);
  VectorBytes result{};
  scratch = before.memory;
  for (std::size_t from = 0; from < vector_bytes(form); from += part_bytes) {
    Registers r;
    r.flags = kNoFlags;
    r.gpr[kRbx] = reinterpret_cast<std::uint64_t>(scratch.data());
    std::array<std::uint32_t, 8> wanted{};
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      wanted[k] = (mask >> (from / 4 + k) & 1) != 0 ? 0x80000000u : 0x7FFFFFFFu;
    }
    std::memcpy(r.vector[1].data(), &old[from], part_bytes);
    std::memcpy(r.vector[3].data(), wanted.data(), part_bytes);
    std::memcpy(r.vector[4].data(), &index[from], part_bytes);
    if (!cpu_.run(code.data(), code.size(), r)) return std::nullopt;
    std::memcpy(&result[from], r.vector[1].data(), part_bytes);
  }
  Machine after = before;
  write_result(form, after, result);
  after.r.mask[number_of(d.info.avx.mask.reg)] = 0;
  return after;
}

std::optional<Machine> Comparison::parts(const InstructionForm& form, const Machine& before) {
  // VEX rounds as MXCSR has it.
  if (form.decoded.info.avx.rounding.mode != ZYDIS_ROUNDING_MODE_INVALID) return std::nullopt;
  if (auto whole = whole_twin(form, before)) return whole;
  const auto& d = form.decoded;
  if (is_gather(form)) return gather_parts(form, before);
  // Lanes that cross halves.
  const bool crosses = is_one_of(d.name, "permd permps") || d.name.starts_with("insert") ||
                       d.name.starts_with("extract");
  if (crosses && vector_bytes(form) > kPartBytes) return std::nullopt;
  if (!is_vector(d.operands[0]) && !is_opmask(d.operands[0])) return std::nullopt;
  const auto twin = vex_twin(form, false);
  if (!twin || !is_vector(twin->decoded.operands[0])) return std::nullopt;
  const std::size_t part_bytes = std::min(vector_bytes(form), kPartBytes);
  const std::size_t lane = lane_bits(d.name);
  VectorBytes result{};
  std::uint64_t compared = 0;
  for (std::size_t part = 0; part * part_bytes < vector_bytes(form); ++part) {
    Registers r;
    r.flags = kNoFlags;
    for (std::size_t k = 1; k < d.operands.size(); ++k) {
      const auto& o = twin->decoded.operands[k];
      if (o.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) continue;
      if (!is_vector(o)) return std::nullopt;
      const VectorBytes value = value_of(form, k, before);
      const bool same_for_all = d.name.find("broadcast") != std::string::npos ||
                                (k == 2 && is_one_of(d.name, kShiftsByOne));
      const std::size_t from = same_for_all ? 0 : part * part_bytes / widening(d.name);
      std::memcpy(r.vector[number_of(o.reg.value)].data(), &value[from], part_bytes);
    }
    auto code = twin->code;
    // Each part of four lanes has its own bits.
    if (d.name == "shufpd") code[twin->length - 1] = immediate_of(form) >> (4 * part) & 15;
    if (!cpu_.run(code.data(), twin->length, r)) return std::nullopt;
    const auto& lanes = r.vector[number_of(twin->decoded.operands[0].reg.value)];
    std::memcpy(&result[part * part_bytes], lanes.data(), part_bytes);
  }
  Machine after = before;
  if (is_opmask(d.operands[0])) {
    for (std::size_t k = 0; k * lane < 8 * vector_bytes(form); ++k) {
      compared |= static_cast<std::uint64_t>(result[(k + 1) * lane / 8 - 1] >> 7) << k;
    }
    write_result(form, after, bytes_of(compared & opmask_of(form, before)));
  } else {
    write_result(form, after, merged(form, before, result));
  }
  return after;
}

std::optional<Machine> Comparison::simde(const InstructionForm& form, const Machine& before) {
  const auto& d = form.decoded;
  std::string name = d.name;
  std::vector<VectorBytes> vectors;
  std::uint64_t scalar = immediate_of(form);
  const bool shift_by_immediate = form.has_immediate() && (is_one_of(d.name, kShiftsByOne));
  for (std::size_t k = name.starts_with("pternlog") ? 0 : 1; k < d.operands.size(); ++k) {
    const auto& o = d.operands[k];
    if (o.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) continue;
    if (is_general(o) || is_opmask(o)) {
      name += " r";
      scalar = low_quadword(value_of(form, k, before));
    } else {
      vectors.push_back(value_of(form, k, before));
    }
  }
  if (shift_by_immediate) name += " i";
  if (name.starts_with("pblendm") && has_opmask(form)) {  // its opmask is all that it does
    Machine after = before;
    write_result(
        form, after,
        simde_masked(lane_bits(d.name), opmask_of(form, before),
                     d.info.avx.mask.mode == ZYDIS_MASK_MODE_ZEROING, vectors[0], vectors[1]));
    return after;
  }
  if (name == "alignd" || name == "alignq") {  // SIMDe has it as a permutation of both sources
    const std::size_t lane = lane_bits(name) / 8;
    VectorBytes index{};
    for (std::size_t k = 0; k * lane < vector_bytes(form); ++k) {
      index[k * lane] = static_cast<std::uint8_t>(k + scalar % (vector_bytes(form) / lane));
    }
    vectors = {vectors[1], index, vectors[0]};
    name = name == "alignd" ? "permt2d" : "permt2q";
  }
  // The bits of the immediate that count: the range that SIMDe is made for.
  if (name.starts_with("insert") || name.starts_with("extract")) {
    scalar &= name.ends_with("x8") || name.ends_with("64x4") ? 1 : 3;
  }
  if (is_general(d.operands[0])) return std::nullopt;
  const std::size_t lanes = 8 * vector_bytes(form) / lane_bits(d.name);
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - lanes);
  // SIMDe has "at most", "at least" and "a one in common" for all widths.
  if (is_predicated(d.name) || name.starts_with("ptestnm")) {
    const bool test = name.starts_with("ptestnm");
    const std::string stem = test ? "ptestm" + name.substr(7) : name;
    const auto first =
        simde_result(test ? stem : stem + " le", 8 * vector_bytes(form), vectors, scalar);
    const auto second =
        simde_result(test ? stem : stem + " ge", 8 * vector_bytes(form), vectors, scalar);
    if (!first || !second) return std::nullopt;
    const std::uint64_t le = low_quadword(*first);
    const std::uint64_t ge = low_quadword(*second);
    const std::uint64_t by_predicate[] = {le & ge, ~ge, le, 0, ~(le & ge), ge, ~le, all};
    const std::uint64_t r = test ? ~le : by_predicate[scalar & 7];
    Machine after = before;
    write_result(form, after, bytes_of(r & all & opmask_of(form, before)));
    return after;
  }
  // A move adds nothing but its opmask.
  const std::optional<VectorBytes> result =
      is_one_of(d.name, kMoves) && has_opmask(form)
          ? vectors[0]
          : simde_result(name, 8 * vector_bytes(form), vectors, scalar);
  if (!result) return std::nullopt;
  Machine after = before;
  if (is_opmask(d.operands[0])) {
    write_result(form, after, bytes_of(low_quadword(*result) & all & opmask_of(form, before)));
  } else if (has_opmask(form)) {
    write_result(form, after,
                 simde_masked(lane_bits(d.name), opmask_of(form, before),
                              d.info.avx.mask.mode == ZYDIS_MASK_MODE_ZEROING,
                              value_of(form, 0, before), *result));
  } else {
    write_result(form, after, *result);
  }
  return after;
}

std::optional<Machine> Comparison::text(const InstructionForm& form, const Machine& before) {
  const auto& d = form.decoded;
  const std::string& name = d.name;
  Machine after = before;
  const auto done = [&](const VectorBytes& value) {
    write_result(form, after, merged(form, before, value));
    return after;
  };
  const std::size_t bytes = vector_bytes(form);
  // DEST <- SRC.
  if (is_one_of(name, kMoves)) {
    return done(value_of(form, 1, before));
  }
  // (SRC1:SRC2 >> lane * imm8)[VL-1:0], imm8 modulo the lanes.
  if (name == "alignd" || name == "alignq") {
    const std::size_t lane = lane_bits(name) / 8;
    const std::size_t by = immediate_of(form) % (bytes / lane) * lane;
    const VectorBytes high = value_of(form, 1, before);
    const VectorBytes low = value_of(form, 2, before);
    VectorBytes r{};
    for (std::size_t j = 0; j < bytes; ++j)
      r[j] = j + by < bytes ? low[j + by] : high[j + by - bytes];
    return done(r);
  }
  // SignExtend(SRC1[lane] >> COUNT), all sign bits from 64 on.
  if (name == "psravq" || name == "psravd") {
    const std::size_t n = lane_bits(name);
    const VectorBytes a = value_of(form, 1, before);
    const VectorBytes b = value_of(form, 2, before);
    VectorBytes r{};
    for (std::size_t at = 0; at < bytes; at += n / 8) {
      std::uint64_t value = 0;
      std::uint64_t by = 0;
      std::memcpy(&value, &a[at], n / 8);
      std::memcpy(&by, &b[at], n / 8);
      std::int64_t s = static_cast<std::int64_t>(value << (64 - n)) >> (64 - n);
      s >>= std::min<std::uint64_t>(by, n - 1);
      std::memcpy(&r[at], &s, n / 8);
    }
    return done(r);
  }
  // A bit for each pair of lanes: EQ, LT, LE, FALSE, NE, NLT, NLE, TRUE; or whether they have a one
  // in common.
  if (is_predicated(name) || name.starts_with("ptest")) {
    const std::size_t n = lane_bits(name);
    const VectorBytes a = value_of(form, 1, before);
    const VectorBytes b = value_of(form, 2, before);
    std::uint64_t r = 0;
    for (std::size_t at = 0; at < bytes; at += n / 8) {
      std::uint64_t x = 0;
      std::uint64_t y = 0;
      std::memcpy(&x, &a[at], n / 8);
      std::memcpy(&y, &b[at], n / 8);
      const auto sx = static_cast<std::int64_t>(x << (64 - n));
      const auto sy = static_cast<std::int64_t>(y << (64 - n));
      const bool less = name.starts_with("pcmpu") ? x < y : sx < sy;
      const bool holds[] = {x == y, less,  less || x == y,  false,
                            x != y, !less, !less && x != y, true};
      const bool bit = name.starts_with("ptestn")  ? (x & y) == 0
                       : name.starts_with("ptest") ? (x & y) != 0
                                                   : holds[immediate_of(form) & 7];
      r |= static_cast<std::uint64_t>(bit) << (8 * at / n);
    }
    write_result(form, after, bytes_of(r & opmask_of(form, before)));
    return after;
  }
  // All ones or zero by a bit of the opmask.
  if (name.starts_with("pmovm2")) {
    const std::uint64_t mask = low_quadword(value_of(form, 1, before));
    VectorBytes r{};
    for (std::size_t j = 0; j < bytes; ++j) {
      r[j] = (mask >> (8 * j / lane_bits(name)) & 1) != 0 ? 0xFF : 0;
    }
    return done(r);
  }
  // The second source where the opmask has a bit, else the first or zero.
  if (name.starts_with("pblendm")) {
    const VectorBytes a = value_of(form, 1, before);
    const VectorBytes b = value_of(form, 2, before);
    const bool zeroing = d.info.avx.mask.mode == ZYDIS_MASK_MODE_ZEROING;
    VectorBytes r{};
    for (std::size_t j = 0; j < bytes; ++j) {
      const bool second = (opmask_of(form, before) >> (8 * j / lane_bits(name)) & 1) != 0;
      r[j] = second ? b[j] : zeroing ? std::uint8_t{0} : a[j];
    }
    write_result(form, after, r);
    return after;
  }
  // Which part: the low bits of imm8.
  if (name.starts_with("extract") && name != "extractps") {
    const std::size_t part = name.ends_with("32x8") || name.ends_with("64x4") ? 32 : 16;
    const VectorBytes a = value_of(form, 1, before);
    VectorBytes r{};
    std::memcpy(r.data(), &a[immediate_of(form) % (bytes / part) * part], part);
    return done(r);
  }
  if (name == "pgatherdd" || name == "gatherdps") {
    const auto& m = d.operands[1].mem;
    VectorBytes r = value_of(form, 0, before);
    for (std::size_t k = 0; 4 * k < bytes; ++k) {
      if ((opmask_of(form, before) >> k & 1) == 0) continue;
      std::int32_t index = 0;
      std::memcpy(&index, bytes_of(before.r.vector[number_of(m.index)]).data() + 4 * k, 4);
      std::memcpy(&r[4 * k], before.memory.data() + index * m.scale + m.disp.value, 4);
    }
    write_result(form, after, r);
    after.r.mask[number_of(d.info.avx.mask.reg)] = 0;
    return after;
  }
  if (name.starts_with("k") && !has_opmask(form)) {
    const std::string stem = name.substr(0, name.size() - 1);
    const unsigned n = name.back() == 'b'   ? 8
                       : name.back() == 'w' ? 16
                       : name.back() == 'd' ? 32
                                            : 64;
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - n);
    if (stem == "kortest") {  // two flags by the result, the others clear
      const std::uint64_t both =
          (low_quadword(value_of(form, 0, before)) | low_quadword(value_of(form, 1, before))) & all;
      for (const unsigned bit : kFlagBits) after.r.flags &= ~(std::uint64_t{1} << bit);
      after.r.flags |=
          (both == all ? std::uint64_t{1} : 0) | (both == 0 ? std::uint64_t{1} << 6 : 0);
      return after;
    }
    const std::uint64_t a = low_quadword(value_of(form, 1, before));
    const std::uint64_t b = d.operands.size() > 2 ? low_quadword(value_of(form, 2, before)) : 0;
    if (stem == "kmov") return done(bytes_of(a & all));
    if (stem == "kand") return done(bytes_of(a & b & all));
    if (stem == "kor") return done(bytes_of((a | b) & all));
    if (stem == "kxor") return done(bytes_of((a ^ b) & all));
    if (stem == "kxnor") return done(bytes_of(~(a ^ b) & all));
  }
  return std::nullopt;
}

// ------------------------------------------------------------------------------- the executor

Machine Comparison::start(const InstructionForm& form, std::mt19937_64& random) const {
  Machine m;
  for (auto& r : m.r.gpr) r = interesting(random);
  for (auto& v : m.r.vector) {
    for (auto& lane : v) lane = interesting(random);
  }
  for (auto& k : m.r.mask) k = random() % 8 == 0 ? ~std::uint64_t{0} : random();
  for (auto& byte : m.memory) byte = static_cast<std::uint8_t>(interesting(random));
  m.r.flags = kNoFlags;
  for (const unsigned bit : kFlagBits) m.r.flags |= (random() & 1) << bit;
  const auto as_bytes = [&](unsigned v) {
    return reinterpret_cast<std::uint8_t*>(m.r.vector[v].data());
  };
  const unsigned kind = random() % 4;
  const std::size_t lane = std::size_t{1} << random() % 4;
  for (const unsigned v : {2u, 5u, 29u}) {
    for (std::size_t at = 0; at < 64; at += lane) {
      if (kind == 0) {  // amounts in range
        std::memset(as_bytes(v) + at, 0, lane);
        as_bytes(v)[at] = static_cast<std::uint8_t>(random() % (8 * lane + 4));
      } else if (kind == 1 && random() % 2 == 0) {  // equal lanes
        std::memcpy(as_bytes(v) + at, as_bytes(v == 29 ? 19 : 3) + at, lane);
      }
    }
  }
  if (kind <= 1) {
    for (const std::size_t at : {16u, 32u, 64u}) {
      std::memcpy(&m.memory[at], as_bytes(5), at);
    }
    if (kind == 0) {  // one amount for all lanes
      for (const unsigned v : {2u, 5u, 29u}) m.r.vector[v][0] = random() % 70;
      m.memory[16] = static_cast<std::uint8_t>(random() % 70);
      std::fill_n(&m.memory[17], 7, std::uint8_t{0});
    }
  }
  if (is_gather(form)) {
    for (auto& two : m.r.vector[kIndexVector]) two = random() % 48 | (random() % 48) << 32;
  }
  return m;
}

std::optional<State> Comparison::execute_as_terms(const InstructionForm& form,
                                                  const Machine& before) {
  Graph g;
  Floats floats(g);
  Executor x(g, floats, process_);
  Region memory{"the scratch memory", kScratchBytes, true, {}, true};
  for (const std::uint8_t byte : before.memory) {
    for (unsigned j = 0; j < 8; ++j) memory.initial.push_back((byte >> j) & 1);
  }
  x.regions = {memory, {"the stack", 64, true, Bits(512, kFalse), true}};
  x.stack = 1;
  g.residues = {0, 0};
  g.residue_used.assign(2, false);
  State s;
  s.memory = {x.regions[0].initial, x.regions[1].initial};
  for (std::size_t r = 0; r < s.gpr.size(); ++r) s.gpr[r] = word(before.r.gpr[r], 64);
  s.gpr[kRbx] = g.pointer({0, 0});
  for (std::size_t v = 0; v < s.vector.size(); ++v) {
    for (const std::uint64_t lane : before.r.vector[v]) {
      const Bits one = word(lane, 64);
      s.vector[v].insert(s.vector[v].end(), one.begin(), one.end());
    }
  }
  for (std::size_t k = 0; k < s.mask.size(); ++k) s.mask[k] = word(before.r.mask[k], 64);
  const auto flag = [&](unsigned bit) -> Bit { return (before.r.flags >> bit) & 1; };
  s.flags = {flag(0), flag(6), flag(7), flag(11), flag(2)};
  try {
    execute(x, s, form.decoded);
  } catch (const Refusal&) {
    return std::nullopt;
  }
  return s;
}

bool Comparison::same(const InstructionForm& form, const char* way, const State& s,
                      const Machine& m) {
  const auto equal = [&](const Bits& bits, std::uint64_t value, const std::string& where) {
    for (std::size_t j = 0; j < bits.size(); ++j) {
      if (bits[j] != ((value >> j) & 1)) {
        return o_.check(false,
                        fmt::format("{}: {}: {} gives 0x{:x}, the executor differs in bit {}",
                                    form.decoded.text, where, way, value, j));
      }
    }
    return true;
  };
  for (const unsigned r : kCosimRegisters) {
    if (r != kRbx && !equal(s.gpr[r], m.r.gpr[r], fmt::format("register {}", r))) return false;
  }
  for (std::size_t v = 0; v < s.vector.size(); ++v) {
    if (s.vector[v].size() != 512) return o_.check(false, form.decoded.text + ": no 512 bits");
    for (std::size_t lane = 0; lane < 8; ++lane) {
      if (!equal(slice(s.vector[v], 64 * lane, 64), m.r.vector[v][lane],
                 fmt::format("vector {}, quadword {}", v, lane))) {
        return false;
      }
    }
  }
  for (std::size_t k = 0; k < s.mask.size(); ++k) {
    if (s.mask[k].size() != 64) return o_.check(false, form.decoded.text + ": no 64 bits");
    if (!equal(s.mask[k], m.r.mask[k], fmt::format("opmask {}", k))) return false;
  }
  const std::pair<Bit, unsigned> flags[] = {{s.flags.carry, 0},
                                            {s.flags.parity, 2},
                                            {s.flags.zero, 6},
                                            {s.flags.sign, 7},
                                            {s.flags.overflow, 11}};
  for (const auto& [bit, at] : flags) {
    if (!equal({bit}, (m.r.flags >> at) & 1, fmt::format("flag {}", at))) return false;
  }
  for (std::size_t k = 0; k < kScratchBytes; ++k) {
    if (!equal(slice(s.memory[0], 8 * k, 8), m.memory[k], fmt::format("memory byte {}", k))) {
      return false;
    }
  }
  return true;
}

void Comparison::compare(InstructionForm form, std::mt19937_64& random) {
  const std::string name = form.decoded.mnemonic;
  std::array<bool, 4> used{};
  for (unsigned trial = 0; trial < trials_; ++trial) {
    if (form.has_immediate()) form.set_immediate(random());
    const Machine before = start(form, random);
    const auto terms = execute_as_terms(form, before);
    if (!terms) {
      ++refused_;
      return;
    }
    for (std::size_t w = 0; w < ways_.size(); ++w) {
      const auto other = (this->*ways_[w].meaning)(form, before);
      if (!other) continue;
      used[w] = true;
      // One disagreement of a mnemonic is enough to read.
      if (ways_[w].wrong.contains(name)) continue;
      if (!same(form, ways_[w].name, *terms, *other)) ways_[w].wrong.insert(name);
    }
    ++runs_;
  }
  ++forms_;
  executed.insert(name);
  const auto meanings = std::count(used.begin(), used.end(), true);
  if (meanings == 0) uncompared.insert(form.decoded.text);
  if (meanings == 1 && used.back()) text_only_.insert(name);
  for (std::size_t w = 0; w < ways_.size(); ++w) {
    if (!used[w]) continue;
    ways_[w].names.insert(name);
    ++ways_[w].forms;
  }
}

std::string Comparison::summary() const {
  std::string all = fmt::format("{} mnemonics in {} forms, {} runs; {} forms refused",
                                executed.size(), forms_, runs_, refused_);
  for (const Way& way : ways_) {
    all += fmt::format("; with {}: {} mnemonics, {} forms", way.name, way.names.size(), way.forms);
  }
  return all + fmt::format("; forms with nothing but the text: {}", fmt::join(text_only_, " "));
}

}  // namespace

void machine_cosim_2(Obligation& o) {
  const char* const tier = std::getenv("QUANTPROOF_LONG");
  const bool is_long = tier != nullptr && std::string(tier) == "1";
  Comparison comparison(o, is_long ? kLongTrials : kTrials);
  if (!comparison.usable()) {
    o.refuse("this CPU lacks AVX2, BMI or F16C, or gives no memory that can be executed");
    return;
  }
  if (!simde_available()) {
    o.refuse("built without SIMDe, which is one of the meanings to compare with (libsimde-dev)");
    return;
  }
  std::mt19937_64 random(1);
  for (const InstructionForm& form : evex_forms(modelled_instructions())) {
    comparison.compare(form, random);
  }
  o.check(!comparison.executed.empty(), "no form was executed");
  std::string uncompared;
  for (const auto& f : comparison.uncompared) uncompared += "; " + f;
  o.check(uncompared.empty(), "with nothing to compare it with: " + uncompared);
  o.note(comparison.summary());
}

}  // namespace quantproof::proofs
