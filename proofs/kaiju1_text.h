// SPDX-License-Identifier: Apache-2.0
//
// The text's side of the proofs about LeechCodes.
#ifndef QUANTPROOF_PROOFS_KAIJU1_TEXT_H_
#define QUANTPROOF_PROOFS_KAIJU1_TEXT_H_

#include <vector>

#include "proofs/symbolic.h"

namespace quantproof::proofs {

using Term = z3::expr;

// kaiju1.md 3.2 to 3.5, as terms of the seven bytes. m is written as the parity of the groups,
// which prove_residual_parity shows to be that of the residuals.
struct CodeText {
  std::vector<Term> in_range;  // of the five groups
  Term fix_is_right;
  std::vector<Term> point;  // 24 signed bytes
};
CodeText text_of_code(const std::vector<Term>& bytes);

}  // namespace quantproof::proofs

#endif
