// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <span>

#include "tools/containers/container_error.h"
#include "tools/containers/gguf.h"

// Any bytes as a GGUF file: a verdict, tensors that lie inside the file, entries that can be read,
// and a head that a writer writes the same again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quantproof::containers;
  const std::span file(data, size);
  try {
    Gguf gguf = read_gguf(file, "input");
    std::size_t sum = 0;
    for (const GgufTensor& tensor : gguf.tensors) {
      for (const std::uint8_t byte : tensor_bytes(gguf, tensor, file)) sum += byte;
    }
    for (const GgufEntry& entry : gguf.metadata) {
      sum += string_of(&entry).value_or("").size();
      sum += integer_of(&entry).value_or(0);
      sum += strings_of(&entry).value_or(std::vector<std::string>{}).size();
      sum += numbers_of(&entry).value_or(std::vector<double>{}).size();
      sum += number_of(&entry).has_value() ? 1 : 0;
    }
    if (sum == SIZE_MAX) std::abort();  // the bytes are read
    const FileLayout layout = gguf_layout(gguf.metadata, gguf.tensors, "input");
    if (layout.head.size() > size) std::abort();
    for (std::size_t i = 0; i < layout.head.size(); ++i) {
      if (layout.head[i] != data[i] && (i < 4 || i >= 8)) std::abort();  // the version may differ
    }
  } catch (const ContainerError&) {
  }
  return 0;
}
