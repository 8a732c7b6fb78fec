// SPDX-License-Identifier: Apache-2.0
//
// A LLaMA that is evaluated for its figures, not for speed: spec/formats/evaluation.md.
#ifndef QUANTPROOF_TOOLS_MODEL_LLAMA_H_
#define QUANTPROOF_TOOLS_MODEL_LLAMA_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tools/containers/gguf.h"
#include "tools/containers/model_file.h"
#include "tools/model/tokenizer.h"

namespace quantproof::model {

// evaluation.md 3.1
struct Parameters {
  std::size_t layers = 0;
  std::size_t width = 0;
  std::size_t hidden = 0;
  std::size_t heads = 0;
  std::size_t kv_heads = 0;
  std::size_t head = 0;     // numbers of a head
  std::size_t rotated = 0;  // of them, those that positions rotate
  std::size_t context = 0;
  double epsilon = 0;
  double frequency_base = 0;
};

// Throws ContainerError where keys are missing or senseless, UnsupportedError where the model is of
// another kind. `name` stands in the messages.
Parameters read_parameters(const containers::GgufMetadata& metadata, const std::string& name);

// How packed weights become binary32; both ways give the same bits.
enum class Decoding { kFast, kReference };

// Finds tensors by name; null where there is none.
using TensorSource = std::function<const containers::ModelTensor*(const std::string&)>;

// Called before each matrix product with its input: the tensor's name and `inputs`, columns x
// stride, of which `positions` are filled.
struct Product {
  const std::string& tensor;
  std::size_t columns;
  std::size_t stride;
  std::size_t positions;
  const float* inputs;
};
using Observer = std::function<void(const Product&)>;

class Llama {
 public:
  // Decodes all weights, in `threads` threads. Throws ContainerError where a tensor is missing, of
  // another shape or not finite; UnsupportedError where its type is not decoded here.
  Llama(const Parameters& parameters, std::size_t vocabulary, const TensorSource& source,
        Decoding decoding, std::size_t threads, const std::string& name);

  // The logits of positions [first, tokens.size()), position after position, `vocabulary()` each.
  // Deterministic, and safe to call from any number of threads. `observer` may be empty.
  [[nodiscard]] std::vector<float> logits(std::span<const Token> tokens, std::size_t first,
                                          const Observer& observer = {}) const;

  [[nodiscard]] const Parameters& parameters() const { return parameters_; }
  [[nodiscard]] std::size_t vocabulary() const { return vocabulary_; }

  // The names of all tensors that a model of this shape may have.
  static std::vector<std::string> tensor_names(const Parameters& parameters);

  struct Matrix {
    std::string name;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<float> weights;
  };
  // What is multiplied with activations, but an embedding that serves as output; the order is that
  // of the layers.
  [[nodiscard]] std::vector<const Matrix*> matrices() const;

 private:
  struct Layer {
    Matrix attention_norm, query, key, value, attention_output;
    Matrix feed_norm, gate, up, down;
  };
  struct Activations;

  void attend(const Layer& layer, Activations& work, const Observer& observer) const;
  void feed_forward(const Layer& layer, Activations& work, const Observer& observer) const;

  Parameters parameters_;
  std::size_t vocabulary_;
  Matrix embedding_;
  std::vector<Layer> layers_;
  Matrix output_norm_;
  Matrix output_;  // without weights where the embedding serves as it
};

}  // namespace quantproof::model

#endif
