// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_QUANTIZE_ENCODE_TENSOR_H_
#define QUANTPROOF_TOOLS_QUANTIZE_ENCODE_TENSOR_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "tools/quantize/plan.h"

namespace quantproof::quantize {

// What became of a tensor.
struct TensorResult {
  std::string digest;               // SHA-256 of its bytes in the output
  double error = 0;                 // sum of w (x - y)^2 ...
  double energy = 0;                // ... and of w x^2: w the importance of the column, or 1
  std::uint64_t blocks = 0;         // of 256 weights, of IQ3_XXS and E8/IQ3
  std::uint64_t blocks_zeroed = 0;  // of them: with weights that are not 0, but written as zeros
};

// 0 where there is no energy.
double relative_error(const TensorResult& result);

using Sink = std::function<void(std::span<const std::uint8_t>)>;
using Advance = std::function<void(std::uint64_t weights)>;

// Encodes a planned tensor, or copies it, to `sink` in order. The bytes and the result do not
// depend on `threads`. `advance` is called as weights are done. Throws ContainerError where weights
// cannot be decoded or encoded: with tensor, row and column; Interrupted; and what `sink` throws.
TensorResult encode_tensor(const Plan& plan, const PlannedTensor& tensor, std::size_t threads,
                           const Sink& sink, const Advance& advance);

// SHA-256 of the source's bytes; if it is to be encoded, its weights are all finite. Throws
// ContainerError, with tensor, row and column.
std::string check_source(const PlannedTensor& tensor);

// Calls `work(i)` for i < n from several threads; rethrows the exception of the least i.
void in_parallel(std::size_t n, std::size_t threads, const std::function<void(std::size_t)>& work);

}  // namespace quantproof::quantize

#endif
