// SPDX-License-Identifier: Apache-2.0
//
// Proofs about one compiled decoder of IQ3_XXS or E8/IQ3, ours or anyone's, as it is loaded in this
// process: for all inputs it decodes as the text says, and touches nothing else.
#ifndef QUANTPROOF_PROOFS_MACHINE_CODE_IQ3_CODE_H_
#define QUANTPROOF_PROOFS_MACHINE_CODE_IQ3_CODE_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "proofs/machine_code/iq3_queries.h"
#include "proofs/machine_code/machine.h"
#include "proofs/obligation.h"
#include "quantproof/status.h"

namespace quantproof::proofs::machine_code {

// How the function is called.
enum class Convention {
  kBlocks,   // void f(const void *blocks, float *out, int64_t n)
  kStatus,   // int f(const uint8_t *bytes, size_t n_bytes, float *out, size_t n); 0 = decoded
  kDecodeAt  // qp_decode_at, without a place
};

struct Code {
  const void* entry = nullptr;
  Convention convention = Convention::kBlocks;
  qp_format format = QP_IQ3_XXS;
  qp_profile profile = QP_PROFILE_GGML;
  std::vector<std::size_t> rows;                    // widths to prove, in weights
  std::map<std::uint64_t, std::uint8_t> overrides;  // bytes of writable data that the proof fixes
  bool runs_here = true;                            // else nothing can be replayed on this CPU
  std::string name;                                 // for messages and queries
};

// What a proof was about, for the detail of a pass.
struct CodeSummary {
  std::size_t executions = 0;
  std::size_t instructions = 0;
  std::size_t merges = 0;
  std::size_t table_loads = 0;
  std::size_t copies = 0;
  std::size_t refusals = 0;
  std::size_t statements = 0;
  bool all_exact = true;
  std::set<std::string> mnemonics;
  std::set<std::string> also_runs;  // files other than the function's own whose code it runs
  WrittenQueries queries;
};

// Proves, refutes with a replayed counterexample, or refuses with the reason.
void prove_iq3_code(Obligation& o, const Code& code, CodeSummary* summary);

// Runs the function on a row of no weights, for what it reads on the way.
void trace_empty_row(const Code& code, Graph& graph, Floats& floats, Process& process);

std::string describe(const CodeSummary& summary);
const char* profile_name(qp_profile profile);

}  // namespace quantproof::proofs::machine_code

#endif
