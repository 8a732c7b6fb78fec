// SPDX-License-Identifier: Apache-2.0
//
// LEECH-MUTANTS-1: would the proofs of the Leech kernel notice? derive.cmake makes one copy of
// fast/leech-inl.h in which each mutation of leech_mutants.json can be switched on. The part of the
// proofs that it names must refute it, and some point must show a difference on this CPU.
#include <string>
#include <vector>

#include "proofs/leech_kernel.h"

namespace quantproof::proofs {

// Whether mutant i is the one that is switched on.
bool leech_mutant(int i);

}  // namespace quantproof::proofs

#include "leech_mutants.inc"

namespace quantproof::proofs {

namespace {

int g_mutant = -1;

QP_LEECH_KERNEL(MutatedLeech, fast::mutated::HWY_NAMESPACE)

// Parts of the proofs by the names that leech_mutants.json uses.
using Part = void (*)(Obligation&, Witness&);
constexpr Part WEIGHTS = prove_coordinate_weights<MutatedLeech, 8>;
constexpr Part PARITIES = prove_parities<MutatedLeech, 8>;
constexpr Part ROW_BOUNDS = prove_row_bounds<MutatedLeech>;
constexpr Part COLUMN_BOUNDS = prove_column_bounds<MutatedLeech>;
constexpr Part WORD_BOUNDS = prove_word_bounds<MutatedLeech, 8>;
constexpr Part WORD_MASKS = check_word_masks<MutatedLeech>;
constexpr Part COLUMN_ROWS = prove_column_rows<MutatedLeech, true>;
constexpr Part COLUMN_KEYS = prove_column_keys<MutatedLeech>;
constexpr Part JOIN = prove_join<MutatedLeech>;
constexpr Part EVALUATION = prove_evaluation<MutatedLeech>;
constexpr Part FREE_WORDS = prove_free_evaluation<MutatedLeech>;
constexpr Part RESIDUALS = prove_residuals<MutatedLeech>;

struct LeechMutant {
  int number;
  const char* name;
  const char* part_name;
  Part part;
};

#define QP_LEECH_MUTANT(number, name, part) LeechMutant{number, #name, #part, part},
const LeechMutant kMutants[] = {
#include "leech_mutants.inc"
};
#undef QP_LEECH_MUTANT

}  // namespace

bool leech_mutant(int i) { return i == g_mutant; }

void leech_mutants_1(Obligation& o) {
  // With no mutant switched on the copy is the kernel.
  Witness none(replay_point<MutatedLeech>);
  none.search();
  o.check(none.shown().empty(), "the copy without a mutant: " + none.shown());
  std::size_t killed = 0;
  std::string report;
  for (const LeechMutant& mutant : kMutants) {
    Options options;
    options.budget_seconds = static_cast<double>(o.remaining_milliseconds()) / 1000;
    Obligation attempt(mutant.name, options);
    Witness witness(replay_point<MutatedLeech>);
    g_mutant = mutant.number;
    try {
      mutant.part(attempt, witness);
    } catch (const symbolic::Violation& violation) {
      attempt.fail(violation.what());
    }
    if (witness.shown().empty()) witness.search();
    g_mutant = -1;
    const Result result = attempt.result();
    const std::string name = mutant.name;
    if (result.verdict != Verdict::kFail) {
      o.fail(name + " survives " + mutant.part_name + ": " + verdict_name(result.verdict) + ", " +
             result.detail);
    } else if (witness.shown().empty()) {
      o.fail(name + " is refuted but the CPU shows no difference: " + result.detail);
    } else {
      ++killed;
      report += "; " + name + ": killed by " + mutant.part_name + ", " + witness.shown();
    }
  }
  o.check(killed > 0, "there are no mutants");
  o.note("killed " + std::to_string(killed) + " of " + std::to_string(std::size(kMutants)) +
         report);
}

}  // namespace quantproof::proofs
