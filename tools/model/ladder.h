// SPDX-License-Identifier: Apache-2.0
//
// A model in many formats, each measured against the model itself: evaluation.md 8.
#ifndef QUANTPROOF_TOOLS_MODEL_LADDER_H_
#define QUANTPROOF_TOOLS_MODEL_LADDER_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tools/model/evaluate.h"
#include "tools/model/model.h"

namespace quantproof::model {

struct LadderOptions {
  std::vector<std::string> types;  // as quantize takes them; "kaiju1:0.05" with its --hi-frac
  std::vector<std::string> files;  // models that are quantized already
  std::string imatrix;             // a path, or nothing
  std::vector<std::string> tensor_types;
  std::string fallback;
  std::string effort = "default";
};

struct Rung {
  std::string name;
  bool is_file = false;
  double bits_per_weight = 0;
  double weighted_error = 0;  // relative, mean of the matrices
  double perplexity = 0;
  Mean change;  // of nats per token, against the model
  Mean divergence;
  double same_top = 0;
  std::vector<double> divergences;  // of each token
};

// A rung of a higher rate that is worse than one of a lower rate.
struct Inversion {
  std::size_t lower = 0;
  std::size_t higher = 0;
  Mean excess;  // how much more it diverges
};

struct Ladder {
  double perplexity = 0;    // of the model itself
  std::vector<Rung> rungs;  // by rate, ascending
  std::vector<Inversion> inversions;
  std::vector<std::string> warnings;
};

// Encodes and decodes all rungs in memory, then measures. Throws UsageError, ContainerError,
// FileError, UnsupportedError, Interrupted.
Ladder climb(const Model& model, const Text& text, const LadderOptions& options,
             std::size_t threads, const Advance& advance);

// 8.3
std::vector<Inversion> find_inversions(const std::vector<Rung>& rungs);

}  // namespace quantproof::model

#endif
