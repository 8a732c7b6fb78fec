// SPDX-License-Identifier: Apache-2.0
//
// The part of MACHINE-COSIM-1 that one instruction alone cannot show: jumps, calls, the stack and
// string operations, in small functions that run on the CPU and in the executor.
#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <set>

#include "fmt/format.h"

#include "proofs/machine_code/cosim.h"
#include "proofs/machine_code/machine.h"
#include "proofs/obligation.h"

// Arguments: rdi: 256 bytes; rsi, rdx: numbers; rcx: a number below 10. The result is in rax and in
// the bytes.
// clang-format off
asm(R"(
    .pushsection .text
    .intel_syntax noprefix
    # rax doubles, and one more if the condition holds. No flag changes.
    .macro qp_taken condition
    lea rax, [rax+rax]
    j\condition 77f
    jmp 78f
77: lea rax, [rax+1]
78:
    .endm
    # The same with a target that is far enough for 32 bits.
    .macro qp_taken_far condition
    lea rax, [rax+rax]
    j\condition 77f
    jmp 78f
    .skip 200, 0x90
77: lea rax, [rax+1]
78:
    .endm
qp_function_conditions:
    xor eax, eax
    cmp rsi, rdx
    .irp c, o,no,b,ae,e,ne,be,a,s,ns,p,np,l,ge,le,g
    qp_taken \c
    .endr
    cmp sil, dl
    .irp c, o,no,b,ae,e,ne,be,a,s,ns,p,np,l,ge,le,g
    qp_taken_far \c
    .endr
    add esi, edx
    .irp c, o,no,b,ae,e,ne,be,a,s,ns,p,np,l,ge,le,g
    qp_taken \c
    .endr
    ret
qp_function_loop:
    xor eax, eax
1:  add rax, rsi
    rol rax, 3
    dec ecx
    jns 1b
    test rdx, rdx
    jmp 3f
2:  not rax
    ret
3:  js 2b
    ret
qp_function_stack:
    push rbp
    mov rbp, rsp
    push rsi
    push -5
    push 0x12345678
    push -0x12345678
    push qword ptr [rdi+8]
    pop rax
    pop r8
    add rax, r8
    pop qword ptr [rdi+16]
    pop r9
    xor rax, r9
    pop r10
    sub rax, r10
    mov [rdi+24], r10
    sub rsp, 64
    mov [rsp+8], rdx
    mov [rsp+16], esi
    mov [rbp-40], rsi
    add rax, [rbp-56]
    leave
    ret
qp_function_saved:
    push rbx
    push r12
    push r13
    push r14
    push r15
    mov rbx, rsi
    mov r12, rdx
    lea r13, [rbx+r12]
    lea r14, [r13*4+1]
    mov r15, [rdi]
    lea rax, [r14+r15]
    pop r15
    pop r14
    pop r13
    pop r12
    pop rbx
    mov [rsp-8], rax
    mov [rsp-128], rsi
    add rax, [rsp-128]
    sub rax, [rsp-8]
    ret
qp_function_calls:
    push rbx
    mov rbx, rdi
    call qp_function_callee
    lea r8, [rip+qp_function_callee]
    call r8
    mov [rsp-16], r8
    call [rsp-16]
    mov [rbx], rax
    lea r8, [rip+1f]
    jmp r8
    ud2
1:  lea r8, [rip+qp_function_callee]
    mov [rsp-16], r8
    pop rbx
    jmp [rsp-24]
qp_function_callee:
    endbr64
    add rsi, rdx
    imul rsi, rsi, 3
    mov rax, rsi
    rep ret
    # Copies and fillings: what they write, and where the registers end.
    .macro qp_string width:vararg
    mov r8, rdi
    lea rsi, [rdi+128]
    \width
    sub rdi, r8
    sub rsi, r8
    lea rax, [rdi+rsi*4]
    lea rax, [rax+rcx]
    ret
    .endm
qp_function_movsb: qp_string movsb
qp_function_movsw: qp_string movsw
qp_function_movsd: qp_string movsd
qp_function_movsq: qp_string movsq
qp_function_rep_movsb: qp_string rep movsb
qp_function_rep_movsw: qp_string rep movsw
qp_function_rep_movsd: qp_string rep movsd
qp_function_rep_movsq: qp_string rep movsq
    .macro qp_fill width:vararg
    mov rax, rsi
    mov r8, rdi
    \width
    sub rdi, r8
    lea rax, [rax+rdi*8]
    lea rax, [rax+rcx]
    ret
    .endm
qp_function_stosb: qp_fill stosb
qp_function_stosw: qp_fill stosw
qp_function_stosd: qp_fill stosd
qp_function_stosq: qp_fill stosq
qp_function_rep_stosb: qp_fill rep stosb
qp_function_rep_stosw: qp_fill rep stosw
qp_function_rep_stosd: qp_fill rep stosd
qp_function_rep_stosq: qp_fill rep stosq
    # Each byte becomes the one before it: one at a time, upwards.
qp_function_overlap:
    lea rsi, [rdi]
    lea rdi, [rdi+1]
    rep movsb
    mov eax, ecx
    ret

    # Not modelled: the executor must refuse them.
qp_refused_ret_pops: ret 8
qp_refused_push_word: push ax; pop rax; ret
qp_refused_pop_word: pop ax; push rax; ret
qp_refused_repne: .byte 0xF2, 0xA4; ret
qp_refused_short_addresses: addr32 stosb; ret
qp_refused_short_load: mov eax, [edi]; ret
qp_refused_thread: mov rax, fs:[0]; ret
qp_refused_count: jrcxz qp_refused_count; ret
qp_refused_locked: lock inc dword ptr [rdi]; ret
qp_refused_direction: std; cld; ret
qp_refused_masked_scalar: vpxor xmm2, xmm2, xmm2; vpxor xmm3, xmm3, xmm3; vaddss xmm1{k1}, xmm2, xmm3; ret
qp_refused_masked_move: vmovss xmm1{k1}, xmm2, xmm3; ret
qp_refused_masked_store: vmovdqu32 [rdi]{k1}, zmm0; ret
qp_refused_rounding: vpxor xmm1, xmm1, xmm1; vpxor xmm2, xmm2, xmm2; vaddps zmm0, zmm1, zmm2, {rz-sae}; ret
    .att_syntax prefix
    .popsection
)");
// clang-format on

#define QP_FUNCTIONS(x)                                                                       \
  x(conditions) x(loop) x(stack) x(saved) x(calls) x(movsb) x(movsw) x(movsd) x(movsq)        \
      x(rep_movsb) x(rep_movsw) x(rep_movsd) x(rep_movsq) x(stosb) x(stosw) x(stosd) x(stosq) \
          x(rep_stosb) x(rep_stosw) x(rep_stosd) x(rep_stosq) x(overlap)
// Why: another refusal would hide that this one is missing.
#define QP_REFUSED(x)                                                                     \
  x(ret_pops, "return") x(push_word, "16 bits") x(pop_word, "16 bits") x(repne, "repne")  \
      x(short_addresses, "32 bits") x(short_load, "32 bits") x(thread, "thread-local")    \
          x(count, "condition") x(locked, "locked") x(direction, "not modelled")          \
              x(masked_scalar, "opmask on a scalar") x(masked_move, "opmask on a scalar") \
                  x(masked_store, "opmask on memory") x(rounding, "rounding mode")

extern "C" {
#define QP_DECLARE(name)                                                                       \
  std::uint64_t qp_function_##name(std::uint8_t*, std::uint64_t, std::uint64_t, std::uint64_t) \
      __attribute__((visibility("hidden")));
QP_FUNCTIONS(QP_DECLARE)
#undef QP_DECLARE
#define QP_DECLARE(name, why) \
  extern const unsigned char qp_refused_##name[] __attribute__((visibility("hidden")));
QP_REFUSED(QP_DECLARE)
#undef QP_DECLARE
}

namespace quantproof::proofs::machine_code {

namespace {

constexpr std::size_t kMemoryBytes = 256;
constexpr std::size_t kStackBytes = 1024;
constexpr std::int64_t kEntry = 512;  // of the stack pointer; what lies above is the caller's
constexpr unsigned kTrials = 40;

using Function = std::uint64_t (*)(std::uint8_t*, std::uint64_t, std::uint64_t, std::uint64_t);
using Memory = std::array<std::uint8_t, kMemoryBytes>;

// The executor, for any number of functions: its unknown registers and its stack stay the same.
class Terms {
 public:
  Terms() : floats_(g_), x_(g_, floats_, process_) {
    Bits stack(8 * kStackBytes);
    for (Bit& bit : stack) bit = g_.unknown();
    x_.regions = {{"the memory", kMemoryBytes, true, {}, true},
                  {"the stack", kStackBytes, true, stack, true}};
    x_.stack = 1;
    g_.residues = {0, 8};
    g_.residue_used.assign(2, false);
  }
  State run(std::uint64_t entry, const Memory& memory, std::uint64_t a, std::uint64_t b,
            std::uint64_t c) {
    x_.regions[0].initial = bits_of(memory);
    State s = x_.start(entry, kEntry);
    s.gpr[kRdi] = g_.pointer({0, 0});
    s.gpr[kRsi] = word(a, 64);
    s.gpr[kRdx] = word(b, 64);
    s.gpr[kRcx] = word(c, 64);
    x_.run(s);
    x_.check_abi(s);
    return s;
  }
  static Bits bits_of(const Memory& memory) {
    Bits bits;
    for (const std::uint8_t byte : memory) {
      for (unsigned j = 0; j < 8; ++j) bits.push_back((byte >> j) & 1);
    }
    return bits;
  }
  [[nodiscard]] const std::set<std::string>& mnemonics() const { return x_.mnemonics; }

 private:
  Graph g_;
  Floats floats_;
  Process process_;
  Executor x_;
};

bool compare_function(Obligation& o, Terms& terms, const char* name, Function function,
                      std::mt19937_64& random) {
  for (unsigned trial = 0; trial < kTrials; ++trial) {
    alignas(64) Memory memory{};
    for (auto& byte : memory) byte = static_cast<std::uint8_t>(random());
    const std::uint64_t a = interesting(random);
    const std::uint64_t b = trial % 4 == 0 ? a : interesting(random);
    const std::uint64_t c = random() % 10;
    State s;
    try {
      s = terms.run(reinterpret_cast<std::uint64_t>(function), memory, a, b, c);
    } catch (const std::exception& error) {
      return o.check(false, fmt::format("{}: {}", name, error.what()));
    }
    const std::uint64_t result = function(memory.data(), a, b, c);
    if (!o.check(s.gpr[kRax] == word(result, 64),
                 fmt::format("{}: the CPU returns 0x{:x}", name, result)) ||
        !o.check(s.memory[0] == Terms::bits_of(memory), fmt::format("{}: memory differs", name))) {
      return false;
    }
  }
  return true;
}

bool refused(Terms& terms, const unsigned char* entry, const std::string& why) {
  try {
    terms.run(reinterpret_cast<std::uint64_t>(entry), Memory{}, 0, 0, 1);
  } catch (const Refusal& refusal) {
    return std::string(refusal.what()).find(why) != std::string::npos;
  } catch (const std::exception&) {
    return false;
  }
  return false;
}

}  // namespace

FunctionComparison compare_functions(Obligation& o) {
  FunctionComparison result;
  Terms terms;
  std::mt19937_64 random(2);
#define QP_COMPARE(name)                                         \
  compare_function(o, terms, #name, qp_function_##name, random); \
  ++result.functions;
  QP_FUNCTIONS(QP_COMPARE)
#undef QP_COMPARE
  result.mnemonics = terms.mnemonics();  // of the functions that ran
#define QP_REFUSE(name, why)                                                                      \
  o.check(refused(terms, qp_refused_##name, why), "the executor must refuse " #name " as: " why); \
  ++result.refused;
  QP_REFUSED(QP_REFUSE)
#undef QP_REFUSE
  return result;
}

}  // namespace quantproof::proofs::machine_code
