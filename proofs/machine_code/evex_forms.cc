// SPDX-License-Identifier: Apache-2.0
#include "proofs/machine_code/evex_forms.h"

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

std::vector<EvexForm> evex_forms(const std::vector<std::string>& names) {
  const std::set<std::string> wanted(names.begin(), names.end());
  std::vector<EvexForm> forms;
  std::set<std::string> seen;  // what differs only in ignored bits is one form
  unsigned count = 0;
  const auto keep = [&](const Encoder& e, EvexForm form) {
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
    EvexForm form;
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
    EvexForm form;
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

std::optional<VexTwin> vex_twin(const EvexForm& form, bool with_memory) {
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
