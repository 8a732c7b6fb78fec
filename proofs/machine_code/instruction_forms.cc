// SPDX-License-Identifier: Apache-2.0
#include "proofs/machine_code/instruction_forms.h"

#include <algorithm>
#include <map>
#include <set>

namespace quantproof::proofs::machine_code {

namespace {

constexpr unsigned kMaps[] = {1, 2, 3, 5, 6};  // 0F, 0F38, 0F3A and those of AVX512-FP16
constexpr unsigned kVexMaps = 3;
constexpr std::uint8_t kImmediate = 0x5B;

// Numbers of the registers that a form names.
struct Choice {
  unsigned reg = 1;
  unsigned vvvv = 3;
  unsigned rm = 5;
};
// Low ones, high ones, and all the same.
constexpr Choice kChoices[] = {{1, 3, 5}, {17, 19, 29}, {2, 2, 2}};
constexpr Choice kNoSource[] = {{1, 0, 5}, {17, 0, 29}, {2, 0, 2}};

enum class Mask { kNone, kMerging, kZeroing };

// ModRM of these holds a part of the opcode.
bool is_group(unsigned map, unsigned opcode) {
  return map == 1 && opcode >= 0x71 && opcode <= 0x73;
}

std::uint8_t inverted(unsigned number, unsigned bit) {
  return static_cast<std::uint8_t>((~number >> bit) & 1);
}

class Encoder {
 public:
  std::array<std::uint8_t, 16> code{};
  std::size_t length = 0;
  void add(unsigned byte) { code[length++] = static_cast<std::uint8_t>(byte); }
  // A register, or [rbx + displacement] with vector 4 as index where there is one.
  void operands(unsigned reg, unsigned rm, bool memory, unsigned displacement) {
    add((memory ? 0x44u : 0xC0u | (rm & 7)) | (reg & 7) << 3);
    if (memory) {
      add(0xA3);
      add(displacement);
    }
    add(kImmediate);  // ignored where there is none
  }
};

bool reachable(const Decoded& d) {
  for (const auto& o : d.operands) {
    if (o.type != ZYDIS_OPERAND_TYPE_REGISTER) continue;
    const auto c = ZydisRegisterGetClass(o.reg.value);
    const bool general = c == ZYDIS_REGCLASS_GPR8 || c == ZYDIS_REGCLASS_GPR16 ||
                         c == ZYDIS_REGCLASS_GPR32 || c == ZYDIS_REGCLASS_GPR64;
    if (general && (ZydisRegisterGetId(o.reg.value) > 5 || ZydisRegisterGetId(o.reg.value) == 4)) {
      return false;
    }
  }
  return true;
}

bool names_opmask(const Decoded& d) {
  return std::any_of(d.operands.begin(), d.operands.end(), [](const auto& o) {
    return o.type == ZYDIS_OPERAND_TYPE_REGISTER &&
           ZydisRegisterGetClass(o.reg.value) == ZYDIS_REGCLASS_MASK;
  });
}

}  // namespace

std::vector<InstructionForm> evex_forms(const std::vector<std::string>& names) {
  const std::set<std::string> wanted(names.begin(), names.end());
  std::vector<InstructionForm> forms;
  std::set<std::string> seen;  // what differs only in ignored bits is one form
  unsigned count = 0;
  const auto keep = [&](const Encoder& e, InstructionForm form) {
    auto d = decode_bytes(e.code.data(), e.length, 0);
    if (!d || !wanted.contains(d->name) || !reachable(*d)) return d.has_value();
    if (!seen.insert(d->text).second) return true;
    form.code = e.code;
    form.length = d->info.length;
    form.decoded = std::move(*d);
    forms.push_back(std::move(form));
    return true;
  };
  for (unsigned bits = 0; bits < 5u * 4 * 2 * 256 * 3 * 2; ++bits) {
    unsigned rest = bits;
    const auto take = [&](unsigned n) {
      const unsigned value = rest % n;
      rest /= n;
      return value;
    };
    const bool memory = take(2) != 0;
    const unsigned width = take(3);
    InstructionForm form;
    form.opcode = take(256);
    form.w = take(2);
    form.prefix = take(4);
    form.map = kMaps[take(5)];
    const bool group = is_group(form.map, form.opcode);
    for (unsigned extension = 0; extension < (group ? 8u : 1u); ++extension) {
      for (unsigned b = 0; b < 2; ++b) {
        for (const Mask mask : {Mask::kNone, Mask::kMerging, Mask::kZeroing}) {
          for (unsigned choice = 0; choice < 3; ++choice) {
            const unsigned k = mask == Mask::kNone ? 0 : 1 + count++ % 7;
            // Some have no first source: then its field must be zero.
            for (const Choice& c : {kChoices[choice], kNoSource[choice]}) {
              const unsigned reg = group ? extension : c.reg;
              Encoder e;
              e.add(0x62);
              e.add(inverted(reg, 3) << 7 | inverted(memory ? 0 : c.rm, 4) << 6 |
                    inverted(memory ? 0 : c.rm, 3) << 5 | inverted(reg, 4) << 4 | form.map);
              e.add(form.w << 7 | (~c.vvvv & 15) << 3 | 4 | form.prefix);
              e.add((mask == Mask::kZeroing ? 0x80 : 0) | width << 5 | b << 4 |
                    inverted(c.vvvv, 4) << 3 | k);
              e.add(form.opcode);
              e.operands(reg, c.rm, memory, 1);
              if (keep(e, form)) break;
            }
          }
        }
      }
    }
  }
  // Instructions on opmasks are VEX.
  for (unsigned bits = 0; bits < 3u * 4 * 2 * 256 * 2 * 2; ++bits) {
    const bool memory = (bits & 1) != 0;
    InstructionForm form;
    form.opcode = bits >> 2 & 255;
    form.w = bits >> 10 & 1;
    form.prefix = bits >> 11 & 3;
    form.map = 1 + (bits >> 13);
    for (const unsigned vvvv : {3u, 0u}) {
      Encoder e;
      e.add(0xC4);
      e.add(0xE0 | form.map);
      e.add(form.w << 7 | (~vvvv & 15) << 3 | (bits >> 1 & 1) << 2 | form.prefix);
      e.add(form.opcode);
      e.operands(1, 5, memory, 8);
      const auto d = decode_bytes(e.code.data(), e.length, 0);
      if (d && names_opmask(*d) && keep(e, form)) break;
    }
  }
  return forms;
}

void InstructionForm::set_immediate(std::uint64_t value) {
  const auto& raw = decoded.info.raw.imm[0];
  for (unsigned j = 0; j < raw.size / 8; ++j) {
    code[raw.offset + j] = static_cast<std::uint8_t>(value >> (8 * j));
  }
  decoded = *decode_bytes(code.data(), length, 0);
}

namespace {

// ModRM of these holds a part of the opcode.
bool is_older_group(unsigned map, unsigned opcode) {
  static const std::set<unsigned> kOneByte = {0x80, 0x81, 0x83, 0xC0, 0xC1, 0xC6, 0xC7, 0xD0,
                                              0xD1, 0xD2, 0xD3, 0xF6, 0xF7, 0xFE, 0xFF};
  static const std::set<unsigned> kTwoBytes = {0x18, 0x71, 0x72, 0x73, 0xBA};
  return map == 0 ? kOneByte.contains(opcode) : map == 1 && kTwoBytes.contains(opcode);
}

// Prefixes, REX and the escapes to the other encodings are no opcodes of one byte.
bool is_one_byte_opcode(unsigned opcode) {
  return (opcode & 0xF0) != 0x40 && (opcode & 0xFC) != 0x64 && opcode != 0x62 && opcode != 0xC4 &&
         opcode != 0xC5 && opcode != 0xF0 && opcode != 0xF2 && opcode != 0xF3 && opcode != 0x0F &&
         opcode != 0x26 && opcode != 0x2E && opcode != 0x36 && opcode != 0x3E;
}

// What the comparison can run: no stack, no string, and of the general registers those that it
// sets.
bool comparable(const Decoded& d) {
  static const std::set<unsigned> kGeneral = {0, 1, 2, 5, 6, 8, 9};
  const auto category = d.info.meta.category;
  if (category == ZYDIS_CATEGORY_PUSH || category == ZYDIS_CATEGORY_POP || d.name == "leave" ||
      d.name == "lea" || category == ZYDIS_CATEGORY_STRINGOP || names_opmask(d)) {
    return false;
  }
  for (const auto& o : d.operands) {
    if (o.type == ZYDIS_OPERAND_TYPE_MEMORY && o.mem.base != ZYDIS_REGISTER_RBX) return false;
    if (o.type != ZYDIS_OPERAND_TYPE_REGISTER) continue;
    const auto whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, o.reg.value);
    const auto number = static_cast<unsigned>(ZydisRegisterGetId(whole));
    if (ZydisRegisterGetClass(whole) == ZYDIS_REGCLASS_GPR64 && !kGeneral.contains(number)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<InstructionForm> older_forms(const std::vector<std::string>& names) {
  constexpr unsigned kDisplacement = 32;
  constexpr unsigned kPrefixes[] = {0, 0x66, 0xF3, 0xF2};
  constexpr unsigned kRex[] = {0, 0x40, 0x48};
  const std::set<std::string> wanted(names.begin(), names.end());
  std::vector<InstructionForm> forms;
  std::set<std::string> seen;
  const auto keep = [&](const Encoder& e) {
    auto d = decode_bytes(e.code.data(), e.code.size(), 0);
    if (!d || !wanted.contains(d->name) || !comparable(*d)) return d.has_value();
    if (!seen.insert(d->text).second) return true;
    InstructionForm form;
    form.code = e.code;
    form.length = d->info.length;
    form.decoded = std::move(*d);
    forms.push_back(std::move(form));
    return true;
  };
  // Registers 1 and 5, or 1 twice.
  for (const unsigned rm : {5u, 1u}) {
    for (const bool memory : {false, true}) {
      for (unsigned opcode = 0; opcode < 256; ++opcode) {
        for (unsigned map = 0; map < 4; ++map) {
          const bool group = is_older_group(map, opcode);
          for (unsigned reg = group ? 0 : 1; reg < (group ? 8u : 2u); ++reg) {
            for (const unsigned prefix : kPrefixes) {
              for (const unsigned rex : kRex) {
                if (map == 0 && !is_one_byte_opcode(opcode)) continue;
                Encoder e;
                if (prefix != 0) e.add(prefix);
                if (rex != 0) e.add(rex);
                if (map != 0) e.add(0x0F);
                if (map > 1) e.add(map == 2 ? 0x38 : 0x3A);
                e.add(opcode);
                e.operands(reg, rm, memory, kDisplacement);
                keep(e);
              }
            }
          }
          if (map == 0) continue;
          const bool vex_group = is_group(map, opcode) || (map == 2 && opcode == 0xF3);
          for (unsigned reg = vex_group ? 0 : 1; reg < (vex_group ? 8u : 2u); ++reg) {
            for (unsigned bits = 0; bits < 16; ++bits) {  // W, L, prefix
              for (const unsigned vvvv : {rm == 1 ? 1u : 3u, 2u, 0u}) {
                Encoder e;
                e.add(0xC4);
                e.add(0xE0 | map);
                e.add((bits & 1) << 7 | (~vvvv & 15) << 3 | (bits >> 1 & 1) << 2 | bits >> 2);
                e.add(opcode);
                e.operands(reg, rm, memory, kDisplacement);
                keep(e);
              }
            }
          }
        }
      }
    }
  }
  return forms;
}

std::optional<VexTwin> vex_twin(const InstructionForm& form, bool with_memory) {
  // Names that VEX does not tell apart.
  static const std::map<std::string, std::string> kNames = {{"pandd", "pand"},
                                                            {"pandq", "pand"},
                                                            {"pandnd", "pandn"},
                                                            {"pandnq", "pandn"},
                                                            {"pord", "por"},
                                                            {"porq", "por"},
                                                            {"pxord", "pxor"},
                                                            {"pxorq", "pxor"},
                                                            {"movdqa32", "movdqa"},
                                                            {"movdqa64", "movdqa"},
                                                            {"movdqu32", "movdqu"},
                                                            {"movdqu64", "movdqu"},
                                                            {"inserti32x4", "inserti128"},
                                                            {"inserti64x2", "inserti128"},
                                                            {"insertf32x4", "insertf128"},
                                                            {"insertf64x2", "insertf128"},
                                                            {"extracti32x4", "extracti128"},
                                                            {"extracti64x2", "extracti128"},
                                                            {"extractf32x4", "extractf128"},
                                                            {"extractf64x2", "extractf128"}};
  const auto& info = form.decoded.info;
  if (form.map > kVexMaps || info.encoding != ZYDIS_INSTRUCTION_ENCODING_EVEX) return std::nullopt;
  const auto renamed = kNames.find(form.decoded.name);
  const std::string& name = renamed == kNames.end() ? form.decoded.name : renamed->second;
  const unsigned reg = info.raw.modrm.reg;
  const bool group = is_group(form.map, form.opcode);
  const bool memory = with_memory && info.raw.modrm.mod != 3;
  std::int64_t displacement = 0;
  for (const auto& o : form.decoded.operands) {
    if (o.type == ZYDIS_OPERAND_TYPE_MEMORY) displacement = o.mem.disp.value;
  }
  const unsigned l = info.avx.vector_length >= 256 ? 1 : 0;
  for (const unsigned w : {form.w, 0u}) {
    for (const unsigned vvvv : {group ? 1u : 3u, 0u}) {
      VexTwin twin;
      Encoder e;
      e.add(0xC4);
      e.add(0xE0 | form.map);
      e.add(w << 7 | (~vvvv & 15) << 3 | l << 2 | form.prefix);
      e.add(form.opcode);
      e.operands(group ? reg : 1, 5, memory, static_cast<unsigned>(displacement));
      auto d = decode_bytes(e.code.data(), e.length, 0);
      if (!d || d->name != name || d->operands.size() != form.decoded.operands.size()) continue;
      e.code[d->info.length - 1] =
          form.has_immediate() ? form.code[form.length - 1] : e.code[d->info.length - 1];
      d = decode_bytes(e.code.data(), e.length, 0);
      twin.code = e.code;
      twin.length = d->info.length;
      twin.decoded = std::move(*d);
      return twin;
    }
  }
  return std::nullopt;
}

}  // namespace quantproof::proofs::machine_code
