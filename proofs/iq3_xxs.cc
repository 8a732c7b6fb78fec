// SPDX-License-Identifier: Apache-2.0
//
// The obligations of IQ3_XXS.
#include "proofs/iq3_block.h"

namespace quantproof::proofs {

using Parts = Shipped<Iq3Xxs>;

void iq3xxs_layout_1(Obligation& o) { prove_pack_of_unpack<Parts>(o, replay<Parts>); }

void iq3xxs_layout_2(Obligation& o) { prove_unpack_of_pack<Parts>(o, replay<Parts>); }

void iq3xxs_kernel_1(Obligation& o) {
  prove_kernel<Parts, 1>(o, Inputs::kAll, replay<Parts>);
  prove_kernel<Parts, 4>(o, Inputs::kAll, replay<Parts>);
  prove_kernel<Parts, 8>(o, Inputs::kAll, replay<Parts>);
  prove_kernel<Parts, 16>(o, Inputs::kAll, replay<Parts>);
  check_codebook<Parts>(o, fast::kCodebookRowsFloat, replay<Parts>);
}

void iq3xxs_nonfinite_1(Obligation& o) {
  prove_non_finite<Parts, 1>(o, Inputs::kAll, replay<Parts>);
  prove_non_finite<Parts, 4>(o, Inputs::kAll, replay<Parts>);
  prove_non_finite<Parts, 8>(o, Inputs::kAll, replay<Parts>);
  prove_non_finite<Parts, 16>(o, Inputs::kAll, replay<Parts>);
  check_non_finite_weights(o, Parts::Layout::kValueShift);
}

}  // namespace quantproof::proofs
