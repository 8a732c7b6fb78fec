// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <span>

#include "tools/containers/container_error.h"
#include "tools/containers/safetensors.h"

// Any bytes as a safetensors file and as an index: a verdict, and tensors that lie inside the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quantproof::containers;
  const std::span file(data, size);
  try {
    Safetensors safetensors = read_safetensors(file, "input");
    std::size_t sum = 0;
    for (const SafetensorsTensor& tensor : safetensors.tensors) {
      for (const std::uint8_t byte : tensor_bytes(safetensors, tensor, file)) sum += byte;
    }
    if (sum == SIZE_MAX) std::abort();  // the bytes are read
    const auto tensors = safetensors.tensors;
    safetensors_layout(safetensors.tensors, safetensors.metadata, "input");
    if (safetensors.tensors != tensors) std::abort();
    read_shapes(safetensors, "input");
  } catch (const ContainerError&) {
  }
  try {
    read_safetensors_index(file, "input");
  } catch (const ContainerError&) {
  }
  return 0;
}
