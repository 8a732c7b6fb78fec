// SPDX-License-Identifier: Apache-2.0
//
// The proof about qp_kaiju1_decode_rows as it is loaded in this process: for stated headers and all
// contents of what follows them, it decodes as kaiju1.md 4 says or gives the status of 6.1, and
// touches nothing else.
#ifndef QUANTPROOF_PROOFS_MACHINE_CODE_KAIJU1_CODE_H_
#define QUANTPROOF_PROOFS_MACHINE_CODE_KAIJU1_CODE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "proofs/machine_code/iq3_code.h"
#include "proofs/obligation.h"

namespace quantproof::proofs::machine_code {

// The header and HiIndex of a tensor: what is not free.
struct Kaiju1Shape {
  std::uint32_t rows = 1;
  std::uint32_t cols = 24;
  std::vector<std::uint32_t> side_band;  // columns
  std::uint32_t step_num = 1;
  std::uint32_t step_den = 1;
};
std::string describe(const Kaiju1Shape& shape);

struct Kaiju1Code {
  const void* entry = nullptr;
  std::map<std::uint64_t, std::uint8_t> overrides;  // bytes of writable data that the proof fixes
  bool runs_here = true;                            // else nothing can be replayed on this CPU
  std::string name;                                 // for messages and queries
};

enum class Kaiju1Part { kValid, kInvalid };

struct Kaiju1Summary {
  CodeSummary code;
  std::size_t queries = 0;
  std::size_t same_shape = 0;  // points of codes that are those of a proved code, by renaming
};

// One graph and one Z3 session for all levels: what one has proved, the others find.
class Kaiju1Proof {
 public:
  explicit Kaiju1Proof(Obligation& o);
  ~Kaiju1Proof();
  // All valid tensors of the shape, or all others. Proves, refutes with a replayed counterexample,
  // or refuses with the reason.
  bool prove(const Kaiju1Code& code, const Kaiju1Shape& shape, Kaiju1Part part);
  [[nodiscard]] const Kaiju1Summary& summary() const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

using Kaiju1Function = qp_status (*)(const void*, std::size_t, std::size_t, std::size_t, float*);
Kaiju1Function function_of(const Kaiju1Code& code);

// Runs the function on one tensor. What is wrong with its answer by the reference, with the
// tensor's bytes; empty if nothing is.
std::string replay(const Kaiju1Code& code, const std::vector<std::uint8_t>& tensor,
                   const Kaiju1Shape& shape);

}  // namespace quantproof::proofs::machine_code

#endif
