// SPDX-License-Identifier: Apache-2.0
//
// What a model makes of a text: evaluation.md 5 and 6.
#ifndef QUANTPROOF_TOOLS_MODEL_EVALUATE_H_
#define QUANTPROOF_TOOLS_MODEL_EVALUATE_H_

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tools/containers/imatrix.h"
#include "tools/model/llama.h"
#include "tools/model/text.h"

namespace quantproof::model {

// Of each scored token, in the order of the text.
struct Scores {
  std::vector<double> surprise;    // minus the logarithm of the token's probability
  std::vector<double> divergence;  // Kullback-Leibler, from the base; empty for the base itself
  std::size_t same_top = 0;        // how often the likeliest token is that of the base
};

// A mean and its standard error.
struct Mean {
  double mean = 0;
  double error = 0;
};
Mean mean_of(std::span<const double> values);
// Of the differences a[i] - b[i].
Mean mean_difference(std::span<const double> a, std::span<const double> b);

// Called when a chunk of the text is done, from any thread.
using Advance = std::function<void()>;

// Scores of all models on the same chunks; the first is the base of the others. All have the
// vocabulary of the text's tokenizer. The result does not depend on `threads`. Throws Interrupted,
// and ContainerError where logits are not finite.
std::vector<Scores> evaluate(std::span<const Llama* const> models, const Text& text,
                             std::size_t threads, const Advance& advance);

// The sums of squared inputs of every matrix; the same for any `threads`. Throws Interrupted.
containers::Imatrix capture_imatrix(const Llama& model, const Text& text,
                                    const std::string& dataset, std::size_t threads,
                                    const Advance& advance);

}  // namespace quantproof::model

#endif
