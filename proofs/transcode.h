// SPDX-License-Identifier: Apache-2.0
//
// TRANSCODE-1: the text of fast/transcode.cc on one symbolic block, path by path.
#ifndef QUANTPROOF_PROOFS_TRANSCODE_H_
#define QUANTPROOF_PROOFS_TRANSCODE_H_

#include "proofs/iq3_block.h"
#include "quantproof/status.h"

namespace quantproof::proofs {

using Transcode = qp_status (*)(const symbolic::Byte*, symbolic::Byte*, std::size_t, qp_location*);

#define QP_TRANSCODE_PART(where)                                    \
  static constexpr Transcode kToE8Iq3 = where::transcode_to_e8_iq3; \
  static constexpr Transcode kToIq3Xxs = where::transcode_to_iq3_xxs;

// half.md 4.1 and 4.2: the patterns that are converted.
z3::expr can_double(symbolic::Session& session, const z3::expr& half);
z3::expr can_halve(symbolic::Session& session, const z3::expr& half);

// `there` accepts exactly the patterns in the domain; it moves every field but the scale unchanged;
// `back` accepts its result and gives the block again; in place gives the same bytes.
template <class From, class To>
void prove_round_trip(Obligation& o, const std::string& query, Transcode there, Transcode back,
                      z3::expr (*domain)(symbolic::Session&, const z3::expr&),
                      const Witness& witness) {
  symbolic::Session session;
  const SymbolicBlock block = SymbolicBlock::any(session);
  auto fields = ref::unpack<From, symbolic::Uint32>(block.data());
  const z3::expr accepted = domain(session, fields.scale.term().extract(15, 0));
  const z3::expr never = session.z3.bool_val(false);
  std::vector<z3::expr> terms;
  session.explore([&] {
    SymbolicBlock moved;
    qp_location where{};
    const qp_status status = there(block.data(), moved.data(), 1, &where);
    if (status != QP_OK) {
      const bool named = where.block == 0 && where.offset == From::kScaleOffset &&
                         std::string(where.field) == "scale";
      terms.push_back(z3::implies(session.path(), named ? !accepted : never));
      return;
    }
    moved.expect_written();
    auto moved_fields = ref::unpack<To, symbolic::Uint32>(moved.data());
    moved_fields.scale = fields.scale;
    SymbolicBlock in_place = block;
    const qp_status place_status = there(in_place.data(), in_place.data(), 1, nullptr);
    in_place.expect_written();
    SymbolicBlock returned;
    const qp_status back_status = back(moved.data(), returned.data(), 1, nullptr);
    if (place_status != QP_OK || back_status != QP_OK) {
      terms.push_back(z3::implies(session.path(), never));
      return;
    }
    returned.expect_written();
    terms.push_back(z3::implies(session.path(), accepted &&
                                                    same_fields(session, fields, moved_fields) &&
                                                    in_place.same_bytes(session, moved) &&
                                                    returned.same_bytes(session, block)));
  });
  o.prove(session, query, Obligation::Logic::kBitVectors, session.all(terms),
          [&](const z3::model& model) { return witness(block.value(model)).text; });
}

template <class Parts>
void prove_transcoding(Obligation& o, const Witness& from_iq3_xxs, const Witness& from_e8_iq3) {
  prove_round_trip<Iq3Xxs, E8Iq3>(o, "iq3_xxs", Parts::kToE8Iq3, Parts::kToIq3Xxs, can_double,
                                  from_iq3_xxs);
  prove_round_trip<E8Iq3, Iq3Xxs>(o, "e8_iq3", Parts::kToIq3Xxs, Parts::kToE8Iq3, can_halve,
                                  from_e8_iq3);
}

}  // namespace quantproof::proofs

#endif
