// SPDX-License-Identifier: Apache-2.0
#include "tools/model/model.h"

#include <set>

#include "fmt/format.h"

#include "tools/containers/container_error.h"
#include "tools/containers/quoted.h"
#include "tools/quantize/plan.h"

namespace quantproof::model {

using containers::in_quotes;

Model::Model(const std::string& path, const Model* like)
    : path_(path),
      file_(std::make_unique<containers::ModelFile>(path)),
      metadata_(file_->metadata) {
  if (metadata_.empty() && like != nullptr) metadata_ = like->metadata_;
  parameters_ = read_parameters(metadata_, path);
  tokenizer_ = std::make_unique<Tokenizer>(metadata_, path);
  std::set<std::string> known;
  // No more names than the file could have.
  Parameters bounded = parameters_;
  bounded.layers = std::min(bounded.layers, file_->tensors.size());
  for (std::string& name : Llama::tensor_names(bounded)) known.insert(std::move(name));
  for (const containers::ModelTensor& tensor : file_->tensors) {
    if (!known.contains(tensor.name)) {
      throw quantize::UnsupportedError(
          fmt::format("{}: tensor {} is none of a LLaMA as it is evaluated here", path,
                      in_quotes(tensor.name)));
    }
  }
}

Llama Model::decode(Decoding decoding, std::size_t threads) const {
  return {parameters_,
          tokenizer_->size(),
          [this](const std::string& name) { return file_->find(name); },
          decoding,
          threads,
          path_};
}

Llama Model::decode(const TensorSource& source, std::size_t threads) const {
  return {parameters_, tokenizer_->size(), source, Decoding::kFast, threads, path_};
}

bool counts_in_rate(const containers::ModelTensor& tensor) {
  return tensor.shape.size() == 2 && tensor.name != "token_embd.weight";
}

void Rate::add(std::uint64_t its_bytes, std::uint64_t its_weights) {
  bytes += its_bytes;
  weights += its_weights;
}

double Rate::bits_per_weight() const {
  return weights == 0 ? 0 : 8.0 * static_cast<double>(bytes) / static_cast<double>(weights);
}

Rate rate_of(const containers::ModelFile& file) {
  Rate rate;
  for (const containers::ModelTensor& tensor : file.tensors) {
    if (counts_in_rate(tensor)) rate.add(tensor.bytes.size(), tensor.weights());
  }
  return rate;
}

}  // namespace quantproof::model
