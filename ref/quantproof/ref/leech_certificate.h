// SPDX-License-Identifier: Apache-2.0
//
// Decides whether a lattice point is a nearest one to y, without decoding: y - x is held against
// every facet of the Voronoi cell, spec/formats/leech.md 4.6. Shares no code with the decoders,
// and builds the Golay code its own way.
#ifndef QUANTPROOF_REF_LEECH_CERTIFICATE_H_
#define QUANTPROOF_REF_LEECH_CERTIFICATE_H_

#include <array>
#include <cstdint>
#include <vector>

namespace quantproof::ref {

struct LeechCertificate {
  bool in_lattice = false;  // x is a lattice point; if not, the rest is left at its start value
  bool nearest = false;     // in_lattice, and no lattice point is nearer to y than x
  // The facet vector v of greatest excess 2 <r, v> - 8192 <v, v>, r = y - 8192 x in units of 2^-13.
  // x + v is nearer to y than x iff the excess is positive, as far as x iff it is zero.
  std::array<std::int32_t, 24> facet{};
  std::int64_t excess = 0;
  int norm = 0;  // 4 or 6: <v, v> / 8
};

// `y`: 24 coordinates in units of 2^-13. `x`: 24 coordinates in lattice units. Any values.
LeechCertificate check_nearest_leech_point(const std::int32_t* y, const std::int32_t* x);

// leech.md 2.1 by this file's own code words. `x`: 24 coordinates in lattice units.
bool certificate_accepts_leech_point(const std::int32_t* x);

// The Golay words as this checker builds them, in no particular order.
std::vector<std::uint32_t> certificate_golay_words();

}  // namespace quantproof::ref

#endif
