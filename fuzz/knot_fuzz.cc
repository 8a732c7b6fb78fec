// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <span>

#include "tools/containers/container_error.h"
#include "tools/containers/knot.h"

// Any bytes as a KNOT file: a verdict, and tensors that lie inside the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span file(data, size);
  try {
    const auto knot = quantproof::containers::read_knot(file, "input");
    std::size_t sum = 0;
    for (const auto& tensor : knot.tensors) {
      for (const std::uint8_t byte : quantproof::containers::tensor_bytes(knot, tensor, file)) {
        sum += byte;
      }
      sum += tensor.weights();
    }
    if (sum == SIZE_MAX) std::abort();  // the bytes are read
  } catch (const quantproof::containers::ContainerError&) {
  }
  return 0;
}
