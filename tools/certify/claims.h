// SPDX-License-Identifier: Apache-2.0
//
// spec/claims.json: what the project says about itself, and what each statement rests on.
#ifndef QUANTPROOF_TOOLS_CERTIFY_CLAIMS_H_
#define QUANTPROOF_TOOLS_CERTIFY_CLAIMS_H_

#include <string>
#include <vector>

namespace quantproof::certify {

struct Claim {
  std::string id;
  std::string format;  // "half", "iq3", "iq3_xxs", "e8_iq3", "transcode" or "proofs"
  std::string statement;
  std::string method;   // smt, exhaustive, property, vectors, machine_code or measurement
  std::string domain;   // what is covered
  std::string clause;   // where the specification says it
  std::string command;  // what discharges it
  std::vector<std::string> kernels;  // functions the claim speaks of
};

// In the order of the file.
const std::vector<Claim>& claims();

// Null where there is none.
const Claim* find_claim(const std::string& id);

}  // namespace quantproof::certify

#endif
