// SPDX-License-Identifier: Apache-2.0
//
// Options that commands share which run a model.
#ifndef QUANTPROOF_TOOLS_CLI_MODEL_OPTIONS_H_
#define QUANTPROOF_TOOLS_CLI_MODEL_OPTIONS_H_

#include <algorithm>
#include <cstddef>
#include <thread>

#include "fmt/format.h"

#include "tools/certify/decoder.h"
#include "tools/model/llama.h"

namespace quantproof::cli {

// --threads; 0: one for each CPU.
inline std::size_t thread_count(std::size_t option) {
  return option != 0 ? option : std::max(1U, std::thread::hardware_concurrency());
}

// --context; 0: what the model has, up to 512. A context of 3 is the least of which a token is
// scored. Throws UsageError.
inline std::size_t context_of(std::size_t option, const model::Parameters& parameters) {
  constexpr std::size_t kUsual = 512;
  constexpr std::size_t kLeast = 3;
  const std::size_t context = option == 0 ? std::min(parameters.context, kUsual) : option;
  if (context < kLeast || context > parameters.context) {
    throw certify::UsageError(fmt::format("--context {}: the model has contexts of {} to {}",
                                          context, kLeast, parameters.context));
  }
  return context;
}

}  // namespace quantproof::cli

#endif
