// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_MODEL_TOKENIZER_H_
#define QUANTPROOF_TOOLS_MODEL_TOKENIZER_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tools/containers/gguf.h"

namespace quantproof::model {

using Token = std::uint32_t;

// The tokenizer of LLaMA models as llama.cpp runs it, evaluation.md 2.
class Tokenizer {
 public:
  // From the keys tokenizer.ggml.*. `name` stands in the messages. Throws ContainerError where they
  // are damaged, UnsupportedError where they are of another tokenizer.
  Tokenizer(const containers::GgufMetadata& metadata, const std::string& name);

  // Any bytes; what comes before the text when the model asks for it is there already.
  [[nodiscard]] std::vector<Token> tokens(std::string_view text) const;

  [[nodiscard]] std::size_t size() const { return pieces_.size(); }
  // The token at the start of every context, where the model asks for one.
  [[nodiscard]] std::optional<Token> first() const { return first_; }

 private:
  void append_bytes(std::string_view piece, std::vector<Token>& tokens) const;

  std::vector<std::string> pieces_;
  std::vector<double> scores_;
  std::unordered_map<std::string_view, Token> by_piece_;
  std::array<Token, 256> bytes_{};
  std::optional<Token> first_;
  bool space_in_front_ = true;
};

}  // namespace quantproof::model

#endif
