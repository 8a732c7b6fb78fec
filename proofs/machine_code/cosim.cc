// SPDX-License-Identifier: Apache-2.0
//
// MACHINE-COSIM-1: the executor against the CPU, one instruction at a time: those below, which the
// assembler encodes, and every other form that Zydis knows. Each is executed as terms, and run on
// the CPU, from the same registers, flags and memory.
#include "proofs/machine_code/cosim.h"

#include <algorithm>
#include <array>
#include <cpuid.h>
#include <csignal>
#include <cstring>
#include <random>
#include <sys/mman.h>
#include <ucontext.h>

#include "fmt/format.h"

#include "proofs/machine_code.h"
#include "proofs/machine_code/instruction_forms.h"
#include "proofs/machine_code/machine.h"
#include "proofs/machine_code/x86.h"
#include "proofs/obligation.h"

// Memory operands are at rbx, indices in r8 and xmm2. Nothing here touches the stack.
// clang-format off
asm(R"(
    .pushsection .text
    .intel_syntax noprefix
qp_cosim_begin:
    mov rax, rcx; mov eax, ecx; mov ax, cx; mov al, ch; mov rax, [rbx+8]; mov [rbx+16], ecx
    mov byte ptr [rbx+r8*4+3], 7; movabs rdx, 0x123456789ABCDEF0
    movzx eax, cl; movzx eax, ch; movzx rax, cx; movzx eax, word ptr [rbx+r8*2]
    movsx eax, cl; movsx rax, cx; movsxd rax, ecx; movsx rax, byte ptr [rbx+5]
    cdqe; cwde; cdq; cqo; lea rax, [rcx+rdx*4+12]; lea eax, [rcx+rcx*8-5]
    add rax, rcx; add eax, 0x7F; add cl, dl; add word ptr [rbx], cx; adc rax, rcx; adc ecx, edx
    sub rax, rcx; sub eax, 0x12345; sub cl, ah; sub [rbx+8], rcx; sbb rax, rcx; sbb cl, dl
    cmp rax, rcx; cmp al, 5; cmp dword ptr [rbx], -1; neg rax; neg cl; neg dword ptr [rbx]
    inc rax; inc cl; inc word ptr [rbx]; dec rax; dec ecx; not rax; not cl
    and rax, rcx; and eax, 0x3FF; and cl, dl; or rax, rcx; or ecx, 0x4000; or [rbx], al
    xor rax, rcx; xor eax, eax; xor cl, 0x80; test rax, rcx; test al, 1; test byte ptr [rbx], 16
    andn rax, rcx, rdx; andn eax, ecx, [rbx]
    shl rax, 1; shl eax, 5; shl cx, 3; shl rax, cl; shl edx, cl
    shr rax, 1; shr eax, 28; shr dl, 2; shr rax, cl; shr edx, cl
    sar rax, 1; sar eax, 8; sar dx, 3; sar rax, cl; sar dword ptr [rbx], 31
    shlx rax, rcx, rdx; shlx eax, ecx, edx; shrx rax, [rbx], rdx; shrx eax, ecx, edx
    sarx rax, rcx, rdx; sarx eax, [rbx], edx
    rol rax, 7; rol ecx, 31; ror rax, 9; ror cx, 5; rorx rax, rcx, 11; rorx eax, [rbx], 3
    imul rax, rcx; imul eax, ecx, 98; imul rax, [rbx], 0x62; imul cx, dx
    mul rcx; mul ecx; mul qword ptr [rbx]; mul cx
    popcnt rax, rcx; popcnt eax, [rbx]; tzcnt rax, rcx; tzcnt eax, ecx; lzcnt rax, rcx
    lzcnt eax, ecx; bsf rax, r8; bsr rax, r8; bsf ecx, r8d; bsr ecx, r8d; bswap rax; bswap ecx
    bt rax, 5; bt eax, ecx; bt rcx, rdx; xchg rax, rcx; xchg cl, dl
    seto al; setno al; setb al; setae al; sete al; setne al; setbe al; seta al
    sets al; setns al; setp al; setnp al; setl al; setge al; setle al; setg byte ptr [rbx]
    cmovo rax, rcx; cmovno eax, ecx; cmovb rax, rcx; cmovae eax, ecx; cmove rax, [rbx]
    cmovne eax, ecx; cmovbe rax, rcx; cmova eax, ecx; cmovs rax, rcx; cmovns eax, ecx
    cmovp rax, rcx; cmovnp eax, ecx; cmovl rax, rcx; cmovge eax, ecx; cmovle rax, rcx
    cmovg ax, cx
    nop; endbr64; nop dword ptr [rax]; prefetcht0 [rbx]

    movaps xmm1, xmm3; movups xmm1, [rbx+1]; movapd xmm1, [rbx]; movupd [rbx+3], xmm4
    movdqa xmm1, [rbx+16]; movdqu xmm1, [rbx+7]; movdqu [rbx+9], xmm3; lddqu xmm1, [rbx+5]
    movntps [rbx], xmm1; movntdq [rbx+16], xmm1; vmovntpd [rbx], ymm1
    vmovaps ymm1, ymm3; vmovups ymm1, [rbx+1]; vmovdqa ymm1, [rbx]; vmovdqu [rbx+5], ymm3
    vmovdqu xmm1, [rbx+2]; vmovaps xmm1, xmm4; vmovups [rbx+4], xmm3
    movss xmm1, xmm3; movss xmm1, [rbx+4]; movss [rbx+8], xmm3; vmovss xmm1, xmm3, xmm4
    vmovss xmm1, [rbx]; vmovss [rbx], xmm3; movsd xmm1, xmm3; movsd xmm1, [rbx]; movsd [rbx], xmm1
    vmovsd xmm1, xmm3, xmm4; movd xmm1, ecx; movd ecx, xmm1; movd xmm1, [rbx]; vmovd xmm1, ecx
    vmovd ecx, xmm3; movq xmm1, rcx; movq rcx, xmm1; movq xmm1, xmm3; movq [rbx], xmm3
    vmovq xmm1, rcx; vmovq xmm1, [rbx]; vmovq rcx, xmm3
    movlps xmm1, [rbx]; movhps xmm1, [rbx]; movlpd [rbx], xmm1; movhpd [rbx], xmm1
    vmovlps xmm1, xmm3, [rbx]; vmovhps xmm1, xmm3, [rbx]; movlhps xmm1, xmm3; movhlps xmm1, xmm3
    vmovlhps xmm1, xmm3, xmm4; vmovhlps xmm1, xmm3, xmm4
    movmskps eax, xmm3; vmovmskps eax, ymm3; movmskpd eax, xmm3; vmovmskpd eax, ymm3
    pmovmskb eax, xmm3; vpmovmskb eax, ymm3; vzeroupper
    movshdup xmm1, xmm3; movsldup xmm1, xmm3; vmovshdup ymm1, ymm3; vmovsldup ymm1, [rbx+1]

    pand xmm1, xmm3; vpand ymm1, ymm3, ymm4; andps xmm1, [rbx]; vandps ymm1, ymm3, [rbx+1]
    andpd xmm1, xmm3; pandn xmm1, xmm3; vpandn ymm1, ymm3, ymm4; andnps xmm1, xmm3
    vandnpd ymm1, ymm3, ymm4; por xmm1, xmm3; vpor ymm1, ymm3, ymm4; orps xmm1, xmm3
    vorps xmm1, xmm3, xmm4; orpd xmm1, xmm3; pxor xmm1, xmm1; pxor xmm1, xmm3
    vpxor ymm1, ymm3, ymm4; xorps xmm1, [rbx+16]; vxorps ymm1, ymm3, ymm4; xorpd xmm1, xmm3
    paddb xmm1, xmm3; paddw xmm1, xmm3; paddd xmm1, xmm3; paddq xmm1, xmm3
    vpaddb ymm1, ymm3, ymm4; vpaddw ymm1, ymm3, ymm4; vpaddd ymm1, ymm3, [rbx+1]
    vpaddq ymm1, ymm3, ymm4; psubb xmm1, xmm3; psubw xmm1, xmm3; psubd xmm1, xmm3
    psubq xmm1, xmm3; vpsubb ymm1, ymm3, ymm4; vpsubd xmm1, xmm3, xmm4; vpsubq ymm1, ymm3, ymm4
    pcmpeqb xmm1, xmm3; pcmpeqw xmm1, xmm3; pcmpeqd xmm1, xmm1; pcmpeqd xmm1, xmm3
    pcmpeqq xmm1, xmm3; vpcmpeqb ymm1, ymm3, ymm4; vpcmpeqd ymm1, ymm3, ymm3
    pcmpgtb xmm1, xmm3; pcmpgtw xmm1, xmm3; pcmpgtd xmm1, xmm3; pcmpgtq xmm1, xmm3
    vpcmpgtb ymm1, ymm3, ymm4; vpcmpgtd ymm1, ymm3, ymm4
    psignb xmm1, xmm3; psignw xmm1, xmm3; psignd xmm1, xmm3; vpsignb ymm1, ymm3, ymm4
    pabsb xmm1, xmm3; pabsw xmm1, xmm3; pabsd xmm1, xmm3; vpabsb ymm1, ymm3
    pminsb xmm1, xmm3; pminsw xmm1, xmm3; pminsd xmm1, xmm3; pmaxsb xmm1, xmm3; pmaxsw xmm1, xmm3
    pmaxsd xmm1, xmm3; pminub xmm1, xmm3; pminuw xmm1, xmm3; pminud xmm1, xmm3; pmaxub xmm1, xmm3
    pmaxuw xmm1, xmm3; pmaxud xmm1, xmm3; vpminub ymm1, ymm3, ymm4; vpmaxsd ymm1, ymm3, ymm4
    psllw xmm1, 3; pslld xmm1, 1; psllq xmm1, 63; psllw xmm1, 16; vpsllw ymm1, ymm3, 5
    vpslld ymm1, ymm3, 7; vpsllq ymm1, ymm3, 33; pslld xmm1, [rbx+32]
    psrlw xmm1, 4; psrld xmm1, 27; psrlq xmm1, 40; vpsrlw ymm1, ymm3, 2; vpsrld ymm1, ymm3, 28
    vpsrlq ymm1, ymm3, 64; psraw xmm1, 15; psrad xmm1, 31; vpsraw ymm1, ymm3, 40
    vpsrad ymm1, ymm3, 5; psrld xmm1, xmm5; vpslld ymm1, ymm3, xmm5; psrad xmm1, xmm5
    vpsllvd ymm1, ymm3, ymm5; vpsllvd xmm1, xmm3, xmm4; vpsllvq ymm1, ymm3, ymm5
    vpsrlvd ymm1, ymm3, ymm5; vpsrlvq ymm1, ymm3, ymm4; vpsravd ymm1, ymm3, ymm5
    pmullw xmm1, xmm3; pmulld xmm1, xmm3; vpmullw ymm1, ymm3, ymm4; vpmulld xmm1, xmm3, xmm4
    pmuludq xmm1, xmm3; pmuldq xmm1, xmm3; vpmuludq ymm1, ymm3, ymm4; pmaddwd xmm1, xmm3
    vpmaddwd ymm1, ymm3, ymm4
    pinsrb xmm1, ecx, 5; pinsrw xmm1, ecx, 3; pinsrd xmm1, ecx, 2; pinsrq xmm1, rcx, 1
    vpinsrd xmm1, xmm3, [rbx], 3; vpinsrb xmm1, xmm3, ecx, 15; vpinsrq xmm1, xmm3, rcx, 0
    vpinsrw xmm1, xmm3, [rbx+1], 7; pextrb eax, xmm3, 7; pextrw eax, xmm3, 5; pextrd eax, xmm3, 2
    pextrq rax, xmm3, 1; pextrb [rbx], xmm3, 3; vpextrd eax, xmm3, 1; vpextrq rax, xmm3, 0
    extractps eax, xmm3, 2; insertps xmm1, xmm3, 0x94; vinsertps xmm1, xmm3, [rbx], 0x21
    vpbroadcastb ymm1, xmm3; vpbroadcastw ymm1, xmm3; vpbroadcastd ymm1, xmm3
    vpbroadcastq ymm1, xmm3; vpbroadcastd ymm1, [rbx+4]; vbroadcastss ymm1, xmm3
    vbroadcastss xmm1, [rbx]; vbroadcastsd ymm1, xmm3; vbroadcastf128 ymm1, [rbx]
    vbroadcasti128 ymm1, [rbx+16]
    pslldq xmm1, 5; psrldq xmm1, 8; vpslldq ymm1, ymm3, 3; vpsrldq ymm1, ymm3, 12
    pmovzxbw xmm1, xmm3; pmovzxbd xmm1, xmm3; pmovzxbq xmm1, xmm3; pmovzxwd xmm1, xmm3
    pmovzxwq xmm1, xmm3; pmovzxdq xmm1, xmm3; vpmovzxbd ymm1, [rbx+3]; vpmovzxbw ymm1, xmm3
    pmovsxbw xmm1, xmm3; pmovsxbd xmm1, [rbx]; pmovsxbq xmm1, xmm3; pmovsxwd xmm1, xmm3
    pmovsxwq xmm1, xmm3; pmovsxdq xmm1, xmm3; vpmovsxbd ymm1, xmm3; vpmovsxwd ymm1, xmm3
    packsswb xmm1, xmm3; packssdw xmm1, xmm3; packuswb xmm1, xmm3; packusdw xmm1, xmm3
    vpacksswb ymm1, ymm3, ymm4; vpackusdw ymm1, ymm3, ymm4; ptest xmm1, xmm3; vptest ymm1, ymm3

    pshufd xmm1, xmm3, 0x1B; vpshufd ymm1, ymm3, 0xE4; pshuflw xmm1, xmm3, 0x2D
    pshufhw xmm1, xmm3, 0xB1; vpshuflw ymm1, ymm3, 0x1B; vpermq ymm1, ymm3, 0xD8
    vpermpd ymm1, ymm3, 0x4E; vpermilps ymm1, ymm3, 0x39; shufps xmm1, xmm3, 0x93
    vshufps ymm1, ymm3, ymm4, 0x4E; shufpd xmm1, xmm3, 1; vshufpd ymm1, ymm3, ymm4, 6
    punpcklbw xmm1, xmm3; punpckhbw xmm1, xmm3; punpcklwd xmm1, xmm3; punpckhwd xmm1, xmm3
    punpckldq xmm1, xmm3; punpckhdq xmm1, xmm3; punpcklqdq xmm1, xmm3; punpckhqdq xmm1, xmm3
    vpunpcklbw ymm1, ymm3, ymm4; vpunpckhdq ymm1, ymm3, ymm4; unpcklps xmm1, xmm3
    unpckhps xmm1, xmm3; unpcklpd xmm1, xmm3; unpckhpd xmm1, xmm3; vunpcklps ymm1, ymm3, ymm4
    pshufb xmm1, xmm3; vpshufb ymm1, ymm3, ymm4; vpermd ymm1, ymm3, ymm4
    vpermps ymm1, ymm3, ymm4; palignr xmm1, xmm3, 5; palignr xmm1, xmm3, 20
    vpalignr ymm1, ymm3, ymm4, 9; pblendw xmm1, xmm3, 0x5A; vpblendw ymm1, ymm3, ymm4, 0xC3
    blendps xmm1, xmm3, 6; vblendps ymm1, ymm3, ymm4, 0xA5; vpblendd ymm1, ymm3, ymm4, 0x3C
    blendpd xmm1, xmm3, 1; vblendpd ymm1, ymm3, ymm4, 10; pblendvb xmm1, xmm3, xmm0
    blendvps xmm1, xmm3, xmm0; blendvpd xmm1, xmm3, xmm0; vpblendvb ymm1, ymm3, ymm4, ymm5
    vblendvps ymm1, ymm3, ymm4, ymm5; vperm2f128 ymm1, ymm3, ymm4, 0x21
    vperm2i128 ymm1, ymm3, ymm4, 0x83; vinsertf128 ymm1, ymm3, xmm4, 1
    vinserti128 ymm1, ymm3, [rbx], 0; vextractf128 xmm1, ymm3, 1; vextracti128 [rbx], ymm3, 0
    vpgatherdd ymm1, [rbx+ymm2*4], ymm5; vgatherdps xmm1, [rbx+xmm2*4+4], xmm5

    mulss xmm1, xmm3; vmulss xmm1, xmm3, [rbx]; mulps xmm1, xmm3; vmulps ymm1, ymm3, ymm4
    addss xmm1, xmm3; vaddss xmm1, xmm3, xmm4; addps xmm1, xmm3; vaddps ymm1, ymm3, ymm4
    subss xmm1, xmm3; vsubss xmm1, xmm3, xmm4; subps xmm1, xmm3; vsubps ymm1, ymm3, ymm4
    divss xmm1, xmm3; divps xmm1, xmm3; minss xmm1, xmm3; maxss xmm1, xmm3; minps xmm1, xmm3
    vmaxps ymm1, ymm3, ymm4; cvtdq2ps xmm1, xmm3; vcvtdq2ps ymm1, ymm3; cvtps2dq xmm1, xmm3
    cvttps2dq xmm1, xmm3; vcvttps2dq ymm1, ymm3; cvtsi2ss xmm1, ecx; cvtsi2ss xmm1, rcx
    vcvtsi2ss xmm1, xmm3, ecx; cvtsi2ss xmm1, dword ptr [rbx]; ucomiss xmm1, xmm3
    comiss xmm1, [rbx]; vcvtph2ps xmm1, xmm3; vcvtph2ps ymm1, [rbx]
qp_cosim_end:

# rdi: registers and flags; rsi: the instruction, followed by a jump to qp_cosim_leave.
qp_cosim_enter:
    push rbx; push rbp; push r12; push r13; push r14; push r15
    mov [rip+qp_cosim_state], rdi
    mov [rip+qp_cosim_code], rsi
    vmovdqu ymm0, [rdi+128]; vmovdqu ymm1, [rdi+160]; vmovdqu ymm2, [rdi+192]
    vmovdqu ymm3, [rdi+224]; vmovdqu ymm4, [rdi+256]; vmovdqu ymm5, [rdi+288]
    push qword ptr [rdi+640]
    popfq
    mov rax, [rdi]; mov rcx, [rdi+8]; mov rdx, [rdi+16]; mov rbx, [rdi+24]; mov rbp, [rdi+40]
    mov rsi, [rdi+48]; mov r8, [rdi+64]; mov r9, [rdi+72]; mov rdi, [rdi+56]
    jmp [rip+qp_cosim_code]
qp_cosim_leave:
    mov [rip+qp_cosim_code], rdi
    mov rdi, [rip+qp_cosim_state]
    mov [rdi], rax
    pushfq
    pop rax
    mov [rdi+640], rax
    mov [rdi+8], rcx; mov [rdi+16], rdx; mov [rdi+24], rbx; mov [rdi+40], rbp; mov [rdi+48], rsi
    mov [rdi+64], r8; mov [rdi+72], r9
    mov rax, [rip+qp_cosim_code]
    mov [rdi+56], rax
    vmovdqu [rdi+128], ymm0; vmovdqu [rdi+160], ymm1; vmovdqu [rdi+192], ymm2
    vmovdqu [rdi+224], ymm3; vmovdqu [rdi+256], ymm4; vmovdqu [rdi+288], ymm5
    vzeroupper
    pop r15; pop r14; pop r13; pop r12; pop rbp; pop rbx
    ret

# The same with every vector and opmask.
qp_cosim_enter_wide:
    push rbx; push rbp; push r12; push r13; push r14; push r15
    mov [rip+qp_cosim_state], rdi
    mov [rip+qp_cosim_code], rsi
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    vmovdqu64 zmm\n, [rdi+128+64*\n]
    .endr
    .irp n, 0,1,2,3,4,5,6,7
    kmovq k\n, [rdi+2176+8*\n]
    .endr
    push qword ptr [rdi+2240]
    popfq
    mov rax, [rdi]; mov rcx, [rdi+8]; mov rdx, [rdi+16]; mov rbx, [rdi+24]; mov rbp, [rdi+40]
    mov rsi, [rdi+48]; mov r8, [rdi+64]; mov r9, [rdi+72]; mov rdi, [rdi+56]
    jmp [rip+qp_cosim_code]
qp_cosim_leave_wide:
    mov [rip+qp_cosim_code], rdi
    mov rdi, [rip+qp_cosim_state]
    mov [rdi], rax
    pushfq
    pop rax
    mov [rdi+2240], rax
    mov [rdi+8], rcx; mov [rdi+16], rdx; mov [rdi+24], rbx; mov [rdi+40], rbp; mov [rdi+48], rsi
    mov [rdi+64], r8; mov [rdi+72], r9
    mov rax, [rip+qp_cosim_code]
    mov [rdi+56], rax
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    vmovdqu64 [rdi+128+64*\n], zmm\n
    .endr
    .irp n, 0,1,2,3,4,5,6,7
    kmovq [rdi+2176+8*\n], k\n
    .endr
    vzeroupper
    pop r15; pop r14; pop r13; pop r12; pop rbp; pop rbx
    ret
    .popsection
    .pushsection .bss
    .balign 8
qp_cosim_state: .skip 8
qp_cosim_code: .skip 8
    .att_syntax prefix
    .popsection
)");
// clang-format on

extern "C" {
extern const unsigned char qp_cosim_begin[] __attribute__((visibility("hidden")));
extern const unsigned char qp_cosim_end[] __attribute__((visibility("hidden")));
extern const unsigned char qp_cosim_leave[] __attribute__((visibility("hidden")));
extern const unsigned char qp_cosim_leave_wide[] __attribute__((visibility("hidden")));
void qp_cosim_enter(void* registers, const void* code) __attribute__((visibility("hidden")));
void qp_cosim_enter_wide(void* registers, const void* code) __attribute__((visibility("hidden")));
}

namespace quantproof::proofs {

namespace machine_code {

namespace {

constexpr std::size_t kPageBytes = 4096;

// As qp_cosim_enter and qp_cosim_enter_wide have it.
static_assert(offsetof(Registers, vector) == 128 && offsetof(Registers, flags) == 640);
static_assert(offsetof(WideRegisters, vector) == 128 && offsetof(WideRegisters, mask) == 2176 &&
              offsetof(WideRegisters, flags) == 2240);

// An instruction that this CPU does not have ends as if it had done nothing.
volatile std::sig_atomic_t faulted = 0;
std::uint64_t code_under_test = 0;
std::uint64_t resume = 0;

void leave_fault(int number, siginfo_t*, void* context) {
  auto& at = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
  if (static_cast<std::uint64_t>(at) != code_under_test) {  // not ours: as without a handler
    std::signal(number, SIG_DFL);
    return;
  }
  at = static_cast<greg_t>(resume);
  faulted = 1;
}

}  // namespace

Cpu::Cpu() {
  // Not every compiler's __builtin_cpu_supports knows the last two.
  unsigned unused = 0;
  unsigned first = 0;
  unsigned extended = 0;
  __get_cpuid(1, &unused, &unused, &first, &unused);
  __get_cpuid(0x80000001u, &unused, &unused, &extended, &unused);
  constexpr unsigned kF16c = 1u << 29;
  constexpr unsigned kLzcnt = 1u << 5;
  if (__builtin_cpu_supports("avx2") == 0 || __builtin_cpu_supports("bmi") == 0 ||
      __builtin_cpu_supports("bmi2") == 0 || __builtin_cpu_supports("popcnt") == 0 ||
      (first & kF16c) == 0 || (extended & kLzcnt) == 0) {
    return;
  }
  void* const page = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED) page_ = static_cast<std::uint8_t*>(page);
}

Cpu::~Cpu() {
  if (page_ != nullptr) munmap(page_, kPageBytes);
}

bool Cpu::has_avx512() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
}

bool Cpu::run(const std::uint8_t* code, std::size_t length, void (*enter)(void*, const void*),
              const void* home, void* registers) {
  static constexpr std::array<std::uint8_t, 6> kJump = {0xFF, 0x25, 0, 0, 0, 0};
  std::memcpy(page_, code, length);
  std::memcpy(page_ + length, kJump.data(), kJump.size());
  std::memcpy(page_ + length + kJump.size(), &home, sizeof home);
  faulted = 0;
  code_under_test = reinterpret_cast<std::uint64_t>(page_);
  resume = reinterpret_cast<std::uint64_t>(home);
  struct sigaction action {};
  action.sa_sigaction = leave_fault;
  action.sa_flags = SA_SIGINFO;
  struct sigaction illegal {};
  struct sigaction memory {};
  sigaction(SIGILL, &action, &illegal);
  sigaction(SIGSEGV, &action, &memory);
  enter(registers, page_);
  sigaction(SIGILL, &illegal, nullptr);
  sigaction(SIGSEGV, &memory, nullptr);
  return faulted == 0;
}

bool Cpu::run(const std::uint8_t* code, std::size_t length, Registers& registers) {
  return run(code, length, qp_cosim_enter, qp_cosim_leave, &registers);
}

bool Cpu::run(const std::uint8_t* code, std::size_t length, WideRegisters& registers) {
  return run(code, length, qp_cosim_enter_wide, qp_cosim_leave_wide, &registers);
}

std::uint64_t interesting(std::mt19937_64& random) {
  static constexpr std::array<std::uint64_t, 16> kEdges = {0,
                                                           ~std::uint64_t{0},
                                                           0x8000000080000000u,
                                                           0x8080808080808080u,
                                                           0x7F7F7F7F7F7F7F7Fu,
                                                           0x8000800080008000u,
                                                           0x7FFF7FFF7FFF7FFFu,
                                                           0x8000000000000000u,
                                                           0x7FFFFFFFFFFFFFFFu,
                                                           1,
                                                           0x0000000100000001u,
                                                           0x3F8000003F800000u,
                                                           0x7F8000017FC00000u,
                                                           0xFF80000000000001u,
                                                           0x7C007E0100018001u,
                                                           0x000000010000001Fu};
  const std::uint64_t any = random();
  return any % 3 == 0 ? kEdges[random() % kEdges.size()] : random();
}

}  // namespace machine_code

namespace {

using namespace machine_code;

constexpr std::size_t kScratchBytes = 256;
constexpr unsigned kTrials = 16;
constexpr unsigned kFormTrials = 6;

class Comparison {
 public:
  explicit Comparison(Obligation& o) : o_(o) {}

  bool usable() const { return cpu_.usable(); }
  // Any number of times, each with another immediate if it has one.
  bool compare(InstructionForm form, unsigned trials, std::mt19937_64& random);
  std::set<std::string> names;
  std::size_t forms = 0;
  std::size_t refused = 0;
  std::size_t runs = 0;

 private:
  Obligation& o_;
  Process process_;
  Cpu cpu_;
};

bool Comparison::compare(InstructionForm form, unsigned trials, std::mt19937_64& random) {
  alignas(64) static std::array<std::uint8_t, kScratchBytes> memory;
  Graph g;
  Floats floats(g);
  Executor x(g, floats, process_);
  const Decoded& decoded = form.decoded;
  const bool gathers = decoded.name.find("gather") != std::string::npos;
  State blank;
  for (Bits& r : blank.gpr) r = word(0, 64);
  for (Bits& r : blank.vector) r = word(0, 512);
  for (Bits& r : blank.mask) r = word(0, 64);
  bool ran = false;
  for (unsigned trial = 0; trial < trials; ++trial) {
    if (trial != 0 && form.has_immediate()) form.set_immediate(random());
    Registers before;
    for (auto& r : before.gpr) r = interesting(random);
    for (auto& v : before.vector) {
      for (auto& lane : v) lane = interesting(random);
    }
    before.gpr[kR8] = 1 + random() % 7;
    before.gpr[kRbx] = reinterpret_cast<std::uint64_t>(memory.data());
    if (trial % 2 == 0) {  // amounts and masks that are in range
      before.vector[5] = {random() % 40, random() % 40 | (random() % 40) << 32, random() % 64, 7};
    }
    if (gathers) {
      for (const unsigned v : {2u, 4u}) {
        for (auto& lane : before.vector[v]) lane = random() % 16 | (random() % 16) << 32;
      }
    }
    before.flags = kNoFlags;
    for (const unsigned bit : kFlagBits) before.flags |= (random() & 1) << bit;
    for (auto& byte : memory) byte = static_cast<std::uint8_t>(interesting(random));
    if (trial % 2 == 0)
      memory[32] = static_cast<std::uint8_t>(random() % 40), std::fill_n(&memory[33], 7, 0);
    if (decoded.name == "div") {  // no quotient that is too large, and no division by zero
      before.gpr[kRdx] = 0;
      before.gpr[kRcx] |= 1;
      memory[0] |= 1;
    }
    const auto memory_before = memory;

    // As terms.
    Region scratch{"the scratch memory", kScratchBytes, true, {}, true};
    for (const std::uint8_t byte : memory) {
      for (unsigned j = 0; j < 8; ++j) scratch.initial.push_back((byte >> j) & 1);
    }
    x.regions = {scratch, {"the stack", 64, true, Bits(512, kFalse), true}};
    x.stack = 1;
    g.residues = {0, 0};
    g.residue_used.assign(2, false);
    State s = blank;
    s.memory = {x.regions[0].initial, x.regions[1].initial};
    for (const unsigned r : kCosimRegisters) s.gpr[r] = word(before.gpr[r], 64);
    s.gpr[kRbx] = g.pointer({0, 0});
    for (unsigned v = 0; v < kCosimVectors; ++v) {
      Bits bits;
      for (const std::uint64_t lane : before.vector[v]) {
        const Bits one = word(lane, 64);
        bits.insert(bits.end(), one.begin(), one.end());
      }
      s.vector[v] = zero_extended(bits, 512);
    }
    const auto flag = [](std::uint64_t flags, unsigned bit) -> Bit { return (flags >> bit) & 1; };
    s.flags = {flag(before.flags, 0), flag(before.flags, 6), flag(before.flags, 7),
               flag(before.flags, 11), flag(before.flags, 2)};
    try {
      execute(x, s, decoded);
    } catch (const Refusal&) {
      if (trial + 1 < trials || ran) continue;  // perhaps of these operands alone
      ++refused;
      return true;
    } catch (const std::exception& error) {
      return o_.check(false, decoded.text + ": " + error.what());
    }

    // On the CPU.
    Registers after = before;
    if (!cpu_.run(form.code.data(), form.length, after)) {
      return o_.check(false, decoded.text + ": faults on this CPU");
    }
    ran = true;
    ++runs;

    const auto same = [&](const Bits& bits, std::uint64_t value, const std::string& where) {
      for (std::size_t j = 0; j < bits.size(); ++j) {
        if (bits[j] != ((value >> j) & 1)) {
          return o_.check(false,
                          fmt::format("{}: {}: the CPU gives 0x{:x}", decoded.text, where, value));
        }
      }
      return true;
    };
    for (const unsigned r : kCosimRegisters) {
      if (r == kRbx) continue;
      if (!same(s.gpr[r], after.gpr[r], fmt::format("register {}", r))) return false;
    }
    for (unsigned v = 0; v < kCosimVectors; ++v) {
      for (unsigned lane = 0; lane < 4; ++lane) {
        if (!same(slice(s.vector[v], 64 * lane, 64), after.vector[v][lane],
                  fmt::format("vector {}, quadword {}", v, lane))) {
          return false;
        }
      }
    }
    const auto same_flag = [&](Bit bit, unsigned at, const char* name) {
      return bit > kTrue || same({bit}, (after.flags >> at) & 1, name);  // some are undefined
    };
    if (!same_flag(s.flags.carry, 0, "carry") || !same_flag(s.flags.parity, 2, "parity") ||
        !same_flag(s.flags.zero, 6, "zero") || !same_flag(s.flags.sign, 7, "sign") ||
        !same_flag(s.flags.overflow, 11, "overflow")) {
      return false;
    }
    for (std::size_t k = 0; k < kScratchBytes; ++k) {
      if (!same(slice(s.memory[0], 8 * k, 8), memory[k], fmt::format("memory byte {}", k))) {
        return false;
      }
    }
    memory = memory_before;
    names.insert(decoded.name.starts_with("cmov")  ? "cmov"
                 : decoded.name.starts_with("set") ? "set"
                                                   : decoded.name);
  }
  ++forms;
  return true;
}

}  // namespace

void machine_cosim_1(Obligation& o) {
  Comparison comparison(o);
  if (!comparison.usable()) {
    o.refuse("this CPU lacks AVX2, BMI or F16C, or gives no memory that can be executed");
    return;
  }
  std::mt19937_64 random(1);
  const auto end = reinterpret_cast<std::uint64_t>(qp_cosim_end);
  for (std::uint64_t ip = reinterpret_cast<std::uint64_t>(qp_cosim_begin); ip < end;) {
    const auto* const code = reinterpret_cast<const std::uint8_t*>(ip);
    InstructionForm form;
    form.decoded = *decode_bytes(code, end - ip, ip);
    form.length = form.decoded.info.length;
    std::copy_n(code, form.length, form.code.begin());
    ip += form.length;
    if (!comparison.compare(form, kTrials, random)) return;
    if (!o.check(comparison.refused == 0, form.decoded.text + " is refused")) return;
  }
  for (const InstructionForm& form : older_forms(modelled_instructions())) {
    comparison.compare(form, kFormTrials, random);
  }
  const FunctionComparison functions = compare_functions(o);
  // A name that nothing here runs must be one that only AVX-512 has.
  std::set<std::string> with_avx512;
  for (const InstructionForm& form : evex_forms(modelled_instructions())) {
    with_avx512.insert(form.decoded.name);
  }
  std::string missing;
  std::size_t left = 0;
  for (const std::string& name : modelled_instructions()) {
    const std::string mnemonic = name == "movsd string" ? "movsd" : name;
    if (comparison.names.contains(name) || functions.mnemonics.contains(mnemonic)) continue;
    if (with_avx512.contains(name)) {
      ++left;
    } else if (name != "jump target") {  // how the executor names the operand of jmp and call
      missing += " " + name;
    }
  }
  o.check(comparison.forms != 0, "no instruction was compared");
  o.check(missing.empty(), "not compared with anything:" + missing);
  o.note(
      fmt::format("{} instructions in {} forms, {} runs; {} forms refused; {} functions of jumps, "
                  "calls, stack and "
                  "string operations; {} refused as they must be; {} instructions that only "
                  "AVX-512 has are left to MACHINE-COSIM-2",
                  comparison.names.size(), comparison.forms, comparison.runs, comparison.refused,
                  functions.functions, functions.refused, left));
}

}  // namespace quantproof::proofs
