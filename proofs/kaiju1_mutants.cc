// SPDX-License-Identifier: Apache-2.0
//
// KAIJU1-MUTANTS-1: would the proofs of the KAIJU1 kernel notice? derive.cmake makes one copy of
// fast/kaiju1-inl.h in which each mutation of kaiju1_mutants.json can be switched on. The part of
// the proofs that it names must refute it, and the CPU must show a difference.
#include <iterator>
#include <string>

#include "proofs/kaiju1_kernel.h"

namespace quantproof::proofs {

// Whether mutant i is the one that is switched on.
bool kaiju1_mutant(int i);

}  // namespace quantproof::proofs

#include "kaiju1_mutants.inc"

namespace quantproof::proofs {

namespace {

int g_mutant = -1;

QP_KAIJU1_KERNEL(MutatedKaiju1, fast::mutated)

// Parts of the proofs by the names that kaiju1_mutants.json uses. Each returns what the CPU shows.
std::string POINTS(Obligation& o) {
  std::string shown;
  const CodeReplay replay = replay_code<MutatedKaiju1>;
  PointsProof<MutatedKaiju1> proof(o, [&](const CodeBytes& code) {
    const std::string difference = replay(code);
    if (!difference.empty()) shown = "code " + code_text(code) + ", " + difference;
    return difference;
  });
  proof.prove<16>();
  return shown.empty() ? search_code(replay) : shown;
}

std::string WEIGHTS(Obligation& o) {
  try {
    prove_scale_run<MutatedKaiju1, 8>(o, 29);
  } catch (const symbolic::Violation& violation) {
    o.fail(violation.what());
  }
  return replay_run<MutatedKaiju1>();
}

struct Kaiju1Mutant {
  int number;
  const char* name;
  const char* part_name;
  std::string (*part)(Obligation&);
};

#define QP_KAIJU1_MUTANT(number, name, part) Kaiju1Mutant{number, #name, #part, part},
const Kaiju1Mutant kMutants[] = {
#include "kaiju1_mutants.inc"
};
#undef QP_KAIJU1_MUTANT

}  // namespace

bool kaiju1_mutant(int i) { return i == g_mutant; }

void kaiju1_mutants_1(Obligation& o) {
  // With no mutant switched on the copy is the kernel.
  for (const CodeBytes& code : {kLeechCodeOrigin, CodeBytes{0x7a, 0x28, 0x76, 0x79, 0, 0x81, 2},
                                CodeBytes{243, 0, 0, 0, 0, 0, 0xF8}}) {
    const std::string difference = replay_code<MutatedKaiju1>(code) + replay_run<MutatedKaiju1>();
    o.check(difference.empty(), "the copy without a mutant: " + difference);
  }
  std::size_t killed = 0;
  std::string report;
  for (const Kaiju1Mutant& mutant : kMutants) {
    Options options;
    options.budget_seconds = static_cast<double>(o.remaining_milliseconds()) / 1000;
    Obligation attempt(mutant.name, options);
    g_mutant = mutant.number;
    const std::string shown = mutant.part(attempt);
    g_mutant = -1;
    const Result result = attempt.result();
    const std::string name = mutant.name;
    if (result.verdict != Verdict::kFail) {
      o.fail(name + " survives " + mutant.part_name + ": " + verdict_name(result.verdict) + ", " +
             result.detail);
    } else if (shown.empty()) {
      o.fail(name + " is refuted but the CPU shows no difference: " + result.detail);
    } else {
      ++killed;
      report += "; " + name + ": killed by " + mutant.part_name + ", " + shown;
    }
  }
  o.check(killed > 0, "there are no mutants");
  o.note("killed " + std::to_string(killed) + " of " + std::to_string(std::size(kMutants)) +
         report);
}

}  // namespace quantproof::proofs
