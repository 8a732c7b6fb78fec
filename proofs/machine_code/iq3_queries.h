// SPDX-License-Identifier: Apache-2.0
//
// What a proof of compiled code enumerates, written down for other solvers in QF_BV: each table,
// each bit that is constant, each range of a factor, and what the text says of a weight. All of it
// before this program's own verdict: what is wrong is satisfiable.
#ifndef QUANTPROOF_PROOFS_MACHINE_CODE_IQ3_QUERIES_H_
#define QUANTPROOF_PROOFS_MACHINE_CODE_IQ3_QUERIES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "proofs/machine_code/bits.h"
#include "proofs/machine_code/floats.h"
#include "proofs/machine_code/smt_script.h"
#include "proofs/obligation.h"
#include "quantproof/status.h"

namespace quantproof::proofs::machine_code {

// The scales of a block in one execution.
enum class Scales : char { kFinite, kInfinite, kNan, kNotFinite, kAny };

// The quotient of two magnitudes: significands are odd.
struct Ratio {
  std::uint64_t numerator = 1;
  std::uint64_t denominator = 1;
  int exponent = 0;
};

// Queries that were written, by kind, each once, whichever level or profile met it first.
using WrittenQueries = std::map<std::string, std::map<std::string, std::string>>;

class Iq3Queries final : public Graph::Listener {
 public:
  Iq3Queries(Obligation& o, Graph& graph, qp_profile profile, WrittenQueries* written)
      : o_(o), g_(graph), profile_(profile), written_(written) {}

  // The execution at work: 16 bits of each block's scale, what is assumed of it, and words for a
  // comment.
  void set_row(std::vector<std::pair<Variables, Scales>> blocks, std::string where) {
    blocks_ = std::move(blocks);
    where_ = std::move(where);
  }

  void constant(Bit bit, bool value) override;
  void function(const std::vector<Bits>& operands, std::vector<Point> points,
                const Bits& result) override;
  void range(const Bits& magnitude, const MagnitudeRange& range) override;

  // Pairs of bits that must be equal.
  void equal(const std::string& kind, const std::vector<std::pair<Bit, Bit>>& pairs);
  // Factors whose product must be that of some fields (0: the scale, 1: 2s + 1, 2: number `element`
  // of a codebook row), times a ratio. `exponents`: the least and the greatest exponent field of
  // each factor that is not zero.
  void product(const std::vector<Bits>& factors,
               const std::vector<std::pair<unsigned, unsigned>>& exponents,
               const std::vector<std::pair<int, Variables>>& fields, std::size_t element,
               const Ratio& ratio);
  // The ratios of a weight's groups: together 2^-shift.
  void ratios(const std::vector<Ratio>& all, int shift);

 private:
  // Writes the query that what the script says is so: `violated` has no solution.
  void write(const std::string& kind, SmtScript* script, const std::string& violated);
  SmtScript::Term scales(SmtScript* script, const Variables& scale, Scales scales);

  Obligation& o_;
  Graph& g_;
  qp_profile profile_;
  WrittenQueries* written_;
  std::vector<std::pair<Variables, Scales>> blocks_;
  std::string where_;
  std::map<std::size_t, std::string> codebook_;  // by element: one choice by the row
};

}  // namespace quantproof::proofs::machine_code

#endif
