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

// --context; 0: what the model has, up to 512. Throws UsageError.
inline std::size_t context_of(std::size_t option, const model::Parameters& parameters) {
  constexpr std::size_t kUsual = 512;
  if (option == 0) return std::min(parameters.context, kUsual);
  if (option < 2 || option > parameters.context) {
    throw certify::UsageError(
        fmt::format("--context {}: the model has contexts of 2 to {}", option, parameters.context));
  }
  return option;
}

}  // namespace quantproof::cli

#endif
