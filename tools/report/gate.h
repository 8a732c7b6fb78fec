// SPDX-License-Identifier: Apache-2.0
//
// What got worse between two certificates. Schema of the result: spec/gate.schema.json.
#ifndef QUANTPROOF_TOOLS_REPORT_GATE_H_
#define QUANTPROOF_TOOLS_REPORT_GATE_H_

#include <string>

#include "nlohmann/json_fwd.hpp"

namespace quantproof::report {

// Compares two certificates that read_certificate would accept. `speed_loss`: the share, in per
// cent, that a measured ratio may lose. Throws UsageError where the two cannot be compared: another
// kind of target, profile or seed.
nlohmann::ordered_json compare_certificates(const nlohmann::ordered_json& baseline,
                                            const nlohmann::ordered_json& current,
                                            double speed_loss);

// 0: nothing got worse; 1: something did; 4: nothing did, but something of the baseline did not
// run, or there was nothing to compare.
int gate_exit_code(const nlohmann::ordered_json& gate);

// What changed, for people.
std::string gate_to_text(const nlohmann::ordered_json& gate, bool colour);

}  // namespace quantproof::report

#endif
