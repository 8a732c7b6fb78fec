// SPDX-License-Identifier: Apache-2.0
//
// One obligation at work: asks Z3, keeps the time budget, exports what was proved.
#ifndef QUANTPROOF_PROOFS_OBLIGATION_H_
#define QUANTPROOF_PROOFS_OBLIGATION_H_

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "z3++.h"

#include "proofs/prover.h"
#include "proofs/symbolic.h"

namespace quantproof::proofs {

class Obligation {
 public:
  enum class Logic { kBitVectors, kFloats, kLinearReals, kReals, kIntegers };
  // Turns a model that refutes a query into text, with a replay on the CPU. Called at once: the
  // model must not outlive the session.
  using Explain = std::function<std::string(const z3::model&)>;

  Obligation(std::string claim, Options options);

  // Proves that `statement` holds for all values of its variables, given the session's
  // assumptions, and first the side conditions of everything executed in the session since the
  // last call. `query` names it in exports. Returns whether the statement was proved.
  bool prove(symbolic::Session& session, const std::string& query, Logic logic,
             const z3::expr& statement, const Explain& explain);

  // As `prove` without side conditions, for a statement that may be false: says so instead of
  // failing. `refuted` sees the model.
  enum class Answer { kProved, kRefuted, kUnknown };
  Answer question(symbolic::Session& session, const std::string& query, Logic logic,
                  const z3::expr& statement, const std::function<void(const z3::model&)>& refuted,
                  std::string* why_unknown);

  // A concrete check that is part of the obligation.
  bool check(bool holds, const std::string& what_failed);
  void fail(const std::string& why);
  void refuse(const std::string& why);
  void note(const std::string& text);  // for the detail of a pass
  void write_export(const std::string& name, const std::string& text) const;

  [[nodiscard]] bool exporting() const { return !options_.export_directory.empty(); }
  [[nodiscard]] bool failed() const { return !failures_.empty(); }
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] unsigned remaining_milliseconds() const;
  [[nodiscard]] Result result() const;

 private:
  bool ask(symbolic::Session& session, const std::string& query, Logic logic,
           const z3::expr& statement, const Explain& explain);

  std::string claim_;
  Options options_;
  std::chrono::steady_clock::time_point start_;
  double processor_start_;
  std::size_t checks_ = 0;
  std::size_t queries_ = 0;
  std::vector<std::string> failures_;
  std::vector<std::string> refusals_;
  std::vector<std::string> notes_;
};

// The rooms. Each discharges one claim.
void half_widen_2(Obligation& o);
void iq3_sign_1(Obligation& o);
void iq3_sign_2(Obligation& o);
void iq3xxs_layout_1(Obligation& o);
void iq3xxs_layout_2(Obligation& o);
void iq3xxs_kernel_1(Obligation& o);
void iq3xxs_nonfinite_1(Obligation& o);
void e8iq3_layout_1(Obligation& o);
void e8iq3_layout_2(Obligation& o);
void e8iq3_kernel_1(Obligation& o);
void e8iq3_nonfinite_1(Obligation& o);
void transcode_1(Obligation& o);
void golay_basis_1(Obligation& o);
void golay_code_1(Obligation& o);
void golay_hexacode_1(Obligation& o);
void iq3enc_flip_1(Obligation& o);
void iq3enc_line_1(Obligation& o);
void iq3enc_parity_1(Obligation& o);
void iq3enc_range_1(Obligation& o);
void iq3enc_refit_1(Obligation& o);
void iq3enc_split_1(Obligation& o);
void iq3enc_zero_1(Obligation& o);
void kaiju1_code_1(Obligation& o);
void kaiju1_code_2(Obligation& o);
void kaiju1_fit_1(Obligation& o);
void kaiju1_kernel_1(Obligation& o);
void kaiju1_kernel_2(Obligation& o);
void kaiju1_layout_1(Obligation& o);
void kaiju1_mutants_1(Obligation& o);
void kaiju1_parity_1(Obligation& o);
void kaiju1_trit_1(Obligation& o);
void kaiju1_value_1(Obligation& o);
void leech_cosets_1(Obligation& o);
void leech_cost_1(Obligation& o);
void leech_dn_1(Obligation& o);
void leech_dn_2(Obligation& o);
void leech_emit_1(Obligation& o);
void leech_facets_1(Obligation& o);
void leech_filter_1(Obligation& o);
void leech_lattice_1(Obligation& o);
void leech_mutants_1(Obligation& o);
void leech_shells_1(Obligation& o);
void leech_tie_1(Obligation& o);
void leech_word_1(Obligation& o);
void leech_word_2(Obligation& o);
void iq3_exact_1(Obligation& o);
void ops_conform_1(Obligation& o);
void proof_mutants_1(Obligation& o);

}  // namespace quantproof::proofs

#endif
