// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_MODEL_MODEL_H_
#define QUANTPROOF_TOOLS_MODEL_MODEL_H_

#include <memory>
#include <string>

#include "tools/containers/model_file.h"
#include "tools/model/llama.h"
#include "tools/model/tokenizer.h"

namespace quantproof::model {

// A model file with all that is needed to run it but its decoded weights.
class Model {
 public:
  // `like`, where it is not null, gives the metadata to a file that carries none: safetensors.
  // Throws ContainerError, FileError and UnsupportedError.
  explicit Model(const std::string& path, const Model* like = nullptr);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const containers::ModelFile& file() const { return *file_; }
  [[nodiscard]] const Parameters& parameters() const { return parameters_; }
  [[nodiscard]] const Tokenizer& tokenizer() const { return *tokenizer_; }

  // Decodes the weights; or, with `source`, those of other tensors of the same names.
  [[nodiscard]] Llama decode(Decoding decoding, std::size_t threads) const;
  [[nodiscard]] Llama decode(const TensorSource& source, std::size_t threads) const;

 private:
  std::string path_;
  std::unique_ptr<containers::ModelFile> file_;
  containers::GgufMetadata metadata_;
  Parameters parameters_;
  std::unique_ptr<Tokenizer> tokenizer_;
};

// evaluation.md 6.4: whether a tensor counts in the rate; and bits per weight of those that do.
bool counts_in_rate(const containers::ModelTensor& tensor);
struct Rate {
  std::uint64_t bytes = 0;
  std::uint64_t weights = 0;

  void add(std::uint64_t its_bytes, std::uint64_t its_weights);
  [[nodiscard]] double bits_per_weight() const;
};
Rate rate_of(const containers::ModelFile& file);

}  // namespace quantproof::model

#endif
