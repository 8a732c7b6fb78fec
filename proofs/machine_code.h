// SPDX-License-Identifier: Apache-2.0
//
// Proofs about compiled decoders, ours and other people's. Needs Z3 and Zydis to link, not to
// include.
#ifndef QUANTPROOF_PROOFS_MACHINE_CODE_H_
#define QUANTPROOF_PROOFS_MACHINE_CODE_H_

#include <string>
#include <vector>

#include "proofs/prover.h"
#include "quantproof/status.h"

namespace quantproof::proofs {

// A compiled decoder of IQ3_XXS or E8/IQ3 that this process has loaded.
struct ObjectCode {
  const void* entry = nullptr;
  // f(bytes, n_bytes, out, n), 0 = decoded; else f(blocks, out, n).
  bool has_status = false;
  // What dlopen gave for a build of libquantproof whose qp_decode_at `entry` is: proved on each
  // level that was compiled into it. Null for all other functions.
  void* library = nullptr;
  qp_format format = QP_IQ3_XXS;
  qp_profile profile = QP_PROFILE_GGML;
  std::string name;
};

// Proves its machine code, refutes it with a counterexample that the CPU has confirmed, or refuses
// with the instruction or the reason that stands in the way.
Result prove_object(const ObjectCode& object, const Options& options);

// What "for all" ranges over there. Reads neither `entry` nor `library`, but for null.
std::string object_domain(const ObjectCode& object);

// The rooms. Each discharges one claim.
class Obligation;
void iq3xxs_code_1(Obligation& o);
void iq3xxs_code_2(Obligation& o);
void e8iq3_code_1(Obligation& o);
void e8iq3_code_2(Obligation& o);
void kaiju1_machine_1(Obligation& o);
void kaiju1_machine_2(Obligation& o);
void machine_cosim_1(Obligation& o);
void machine_cosim_2(Obligation& o);

}  // namespace quantproof::proofs

#endif
