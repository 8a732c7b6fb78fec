// SPDX-License-Identifier: Apache-2.0
#include "proofs/prover.h"

#include <algorithm>
#include <array>
#include <exception>
#include <stdexcept>

#include "proofs/machine_code.h"
#include "proofs/obligation.h"

namespace quantproof::proofs {

namespace {

struct Entry {
  const char* claim;
  const char* domain;
  void (*discharge)(Obligation&);
};

// Sorted by id. A name in namespace proofs for each: a claim whose room is missing does not link.
constexpr std::array kEntries = {
    Entry{"E8IQ3-CODE-1",
          "all contents of rows of 0, 1, 256, 257, 512 and 768 weights, at every address, and 26 "
          "calls with wrong arguments; each compiled level",
          e8iq3_code_1},
    Entry{"E8IQ3-CODE-2",
          "all contents of a row of one block, at every address; each compiled level",
          e8iq3_code_2},
    Entry{"E8IQ3-KERNEL-1",
          "all 2^784 blocks, every codebook, every multiplication; 1, 4, 8 and 16 lanes",
          e8iq3_kernel_1},
    Entry{"E8IQ3-LAYOUT-1", "all 2^784 blocks", e8iq3_layout_1},
    Entry{"E8IQ3-LAYOUT-2", "all 2^784 choices of the fields", e8iq3_layout_2},
    Entry{"E8IQ3-NONFINITE-1",
          "all 2^784 blocks with any widened scale, 1, 4, 8 and 16 lanes; 2,048 infinite and NaN "
          "scales x 16 scale codes x 8 levels x 2 signs by enumeration",
          e8iq3_nonfinite_1},
    Entry{"GOLAY-BASIS-1", "12 basis words, 4,096 indices", golay_basis_1},
    Entry{"GOLAY-CODE-1", "4,096 words, 16,777,216 pairs, 16,777,216 words of 24 bits",
          golay_code_1},
    Entry{"GOLAY-HEXACODE-1", "64 hexacode words and their sums, 16,777,216 words of 24 bits",
          golay_hexacode_1},
    Entry{"HALF-WIDEN-2", "all 2^16 patterns by proof; 65,536 patterns x 3 profiles by enumeration",
          half_widen_2},
    Entry{"IQ3-EXACT-1",
          "63,488 finite scales x 16 scale codes x 8 levels x 2 signs = 16,252,928, both formats, "
          "four rounding modes, with and without flush-to-zero",
          iq3_exact_1},
    Entry{"IQ3-SIGN-1", "all 2^32 words", iq3_sign_1},
    Entry{"IQ3-SIGN-2", "all 128 sign fields, all pairs of them, all 2^32 words", iq3_sign_2},
    Entry{"IQ3ENC-FLIP-1",
          "all real weights, importances, magnitudes and scales; all 16 sets of flips",
          iq3enc_flip_1},
    Entry{"IQ3ENC-LINE-1", "all real lines of two probes, for both halves of a group",
          iq3enc_line_1},
    Entry{"IQ3ENC-PARITY-1", "256 signs x 2 parities x 16 places of flips", iq3enc_parity_1},
    Entry{"IQ3ENC-RANGE-1", "the ends of the ranges, 3 efforts", iq3enc_range_1},
    Entry{"IQ3ENC-REFIT-1", "all real sums and scales", iq3enc_refit_1},
    Entry{"IQ3ENC-SPLIT-1", "all real values of both halves", iq3enc_split_1},
    Entry{"IQ3ENC-ZERO-1", "all real weights; both formats", iq3enc_zero_1},
    Entry{"IQ3XXS-CODE-1",
          "all contents of rows of 0, 256, 512 and 768 weights, at every address, and 30 calls "
          "with wrong arguments; each compiled level",
          iq3xxs_code_1},
    Entry{"IQ3XXS-CODE-2",
          "all contents of a row of one block, at every address; each compiled level",
          iq3xxs_code_2},
    Entry{"IQ3XXS-KERNEL-1",
          "all 2^784 blocks, every codebook, every multiplication; 1, 4, 8 and 16 lanes",
          iq3xxs_kernel_1},
    Entry{"IQ3XXS-LAYOUT-1", "all 2^784 blocks", iq3xxs_layout_1},
    Entry{"IQ3XXS-LAYOUT-2", "all 2^784 choices of the fields", iq3xxs_layout_2},
    Entry{"IQ3XXS-NONFINITE-1",
          "all 2^784 blocks with any widened scale, 1, 4, 8 and 16 lanes; 2,048 infinite and NaN "
          "scales x 16 scale codes x 8 levels x 2 signs by enumeration",
          iq3xxs_nonfinite_1},
    Entry{"KAIJU1-CODE-1", "all 2^56 codes and all choices of the fields", kaiju1_code_1},
    Entry{"KAIJU1-CODE-2",
          "all values of one coordinate; all residuals of 24 coordinates; 200,000 random codes by "
          "the reference",
          kaiju1_code_2},
    Entry{"KAIJU1-FIT-1", "integer arithmetic", kaiju1_fit_1},
    Entry{"KAIJU1-KERNEL-1", "all 2^56 codes in each lane, vectors of 16, 32 and 64 codes",
          kaiju1_kernel_1},
    Entry{"KAIJU1-KERNEL-2",
          "any coordinates, any multiplication and conversion; runs of 16, 17, 24, 31, 32, 40 and "
          "48 weights in 1, 4, 8 and 16 lanes",
          kaiju1_kernel_2},
    Entry{"KAIJU1-LAYOUT-1",
          "all rows, hi_count and bulk_cols of 32 bits; the shipped function on 202,197 headers "
          "against 128-bit integers",
          kaiju1_layout_1},
    Entry{"KAIJU1-MACHINE-1",
          "all contents of HiBand and BulkRows of valid tensors of three shapes, at every address; "
          "each compiled level",
          kaiju1_machine_1},
    Entry{"KAIJU1-MACHINE-2",
          "all contents of HiBand and BulkRows of invalid tensors of one shape, at every address; "
          "each compiled level",
          kaiju1_machine_2},
    Entry{"KAIJU1-MUTANTS-1", "every mutant in proofs/kaiju1_mutants.json", kaiju1_mutants_1},
    Entry{"KAIJU1-PARITY-1", "the offsets of 8,192 cosets; all residuals", kaiju1_parity_1},
    Entry{"KAIJU1-TRIT-1", "256 bytes", kaiju1_trit_1},
    Entry{"KAIJU1-VALUE-1",
          "63,488 finite scales x 16 multipliers x 21 coordinates; 63,488 scales x 256 numbers of "
          "the side-band; 1,000,000 random weights and steps against the reference",
          kaiju1_value_1},
    Entry{"LEECH-COSETS-1", "16 residues of a coordinate; 8,192 offsets, each with 25 choices of z",
          leech_cosets_1},
    Entry{
        "LEECH-COST-1",
        "all y in range and all four offsets; the reference on 262,144 values of y, 4 offsets each",
        leech_cost_1},
    Entry{"LEECH-DN-1", "all real residuals within half a step, all numbers of steps", leech_dn_1},
    Entry{"LEECH-DN-2", "all costs that LEECH-DN-1 allows, all 2^24 sets of odd moves", leech_dn_2},
    Entry{"LEECH-EMIT-1",
          "all 24 coordinates modulo 8, all words and choices, all y in range; 8, 16 and 32 lanes, "
          "rows with 8 and 16",
          leech_emit_1},
    Entry{"LEECH-FACETS-1", "16,969,680 vectors", leech_facets_1},
    Entry{"LEECH-FILTER-1",
          "all 24 coordinates modulo 8, all 256 words; 65,536 values of a coordinate, both m, both "
          "golay bits against the reference",
          leech_filter_1},
    Entry{"LEECH-LATTICE-1",
          "24 basis vectors, 276 inner products, 8,192 cosets each plus and minus 24 basis vectors",
          leech_lattice_1},
    Entry{"LEECH-MUTANTS-1", "every mutant in proofs/leech_mutants.json", leech_mutants_1},
    Entry{"LEECH-SHELLS-1", "the theta series of 8,192 cosets up to squared length 64",
          leech_shells_1},
    Entry{"LEECH-TIE-1",
          "256 words, 32 choices of top rows each, all pairs of these; all real costs of six "
          "flips, all 2^6 sets of them",
          leech_tie_1},
    Entry{"LEECH-WORD-1",
          "all 24 coordinates modulo 8, all words; 8, 16 and 32 lanes; the masks of 256 words and "
          "65,536 values of a coordinate by enumeration",
          leech_word_1},
    Entry{"LEECH-WORD-2", "all 24 coordinates modulo 8, all words; 8, 16 and 32 lanes",
          leech_word_2},
    Entry{
        "MACHINE-COSIM-1",
        "each form up to AVX2 and BMI that the executor does not refuse, and small functions; edge "
        "and seeded random operands",
        machine_cosim_1},
    Entry{"MACHINE-COSIM-2",
          "each AVX-512 form that the executor does not refuse, with and without opmask; edge and "
          "seeded random operands",
          machine_cosim_2},
    Entry{"OPS-CONFORM-1",
          "bitwise operations: all 65,536 byte pairs; shifts by 0 to 31; edge and seeded random "
          "lanes; all 256 indices; whole kernels on random blocks",
          ops_conform_1},
    Entry{"PROOF-MUTANTS-1", "every mutant in proofs/mutants.json", proof_mutants_1},
    Entry{"TRANSCODE-1", "all 2^784 blocks, both directions, separate and same buffer",
          transcode_1},
};

}  // namespace

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kFail:
      return "fail";
    case Verdict::kRefused:
      return "refused";
    case Verdict::kNotExercised:
      return "not_exercised";
  }
  throw std::invalid_argument("unknown verdict");
}

std::vector<std::string> obligations() {
  std::vector<std::string> ids;
  for (const Entry& entry : kEntries) ids.emplace_back(entry.claim);
  return ids;
}

Result prove(std::string_view claim, const Options& options) {
  const auto* const entry = std::find_if(kEntries.begin(), kEntries.end(),
                                         [&](const Entry& e) { return e.claim == claim; });
  if (entry == kEntries.end()) {
    throw std::invalid_argument("no obligation for claim " + std::string(claim));
  }
  Obligation obligation(entry->claim, options);
  try {
    entry->discharge(obligation);
  } catch (const symbolic::Violation& violation) {
    obligation.fail(violation.what());
  } catch (const z3::exception& error) {
    obligation.refuse(std::string("Z3: ") + error.msg());
  }
  Result result = obligation.result();
  result.domain = entry->domain;
  return result;
}

}  // namespace quantproof::proofs
