// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "tools/containers/container_error.h"
#include "tools/containers/imatrix.h"

// Any bytes as an imatrix: a verdict, and importances that an encoder takes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quantproof::containers;
  try {
    const Imatrix imatrix = read_imatrix({data, size}, "input");
    for (const auto& [name, entry] : imatrix.entries) {
      for (const float importance : entry.importance()) {
        if (!std::isfinite(importance) || importance < 0) std::abort();
      }
    }
    if (imatrix.legacy) {
      imatrix_as_gguf(with_chunk_size(imatrix, 512), "input");
    } else {
      imatrix_as_legacy(imatrix, "input");
      imatrix_as_gguf(imatrix, "input");
    }
  } catch (const ContainerError&) {
  }
  return 0;
}
