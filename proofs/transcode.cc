// SPDX-License-Identifier: Apache-2.0
#include "proofs/transcode.h"

#include "fast_transcode.inc"

namespace quantproof::proofs {

z3::expr can_double(symbolic::Session& session, const z3::expr& half) {
  return z3::ult(half.extract(14, 10), session.value(30, 5));
}

z3::expr can_halve(symbolic::Session& session, const z3::expr& half) {
  const z3::expr exponent = half.extract(14, 10);
  return z3::ult(exponent, session.value(31, 5)) &&
         (z3::uge(exponent, session.value(2, 5)) || half.extract(0, 0) == session.value(0, 1));
}

namespace {

struct ShippedTranscode {
  QP_TRANSCODE_PART(fast)
};

}  // namespace

void transcode_1(Obligation& o) {
  prove_transcoding<ShippedTranscode>(o, replay<Shipped<Iq3Xxs>>, replay<Shipped<E8Iq3>>);
}

}  // namespace quantproof::proofs
