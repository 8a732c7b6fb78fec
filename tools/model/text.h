// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_MODEL_TEXT_H_
#define QUANTPROOF_TOOLS_MODEL_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/model/tokenizer.h"

namespace quantproof::model {

// A text as tokens, cut into chunks of one context each: evaluation.md 2.6.
class Text {
 public:
  // Reads the file. Throws FileError, and UnsupportedError where there is not one whole chunk.
  Text(const std::string& path, const Tokenizer& tokenizer, std::size_t context);
  // The same of bytes that are there; `name` stands in the message.
  Text(std::string_view bytes, const std::string& name, const Tokenizer& tokenizer,
       std::size_t context);

  [[nodiscard]] std::size_t tokens() const { return tokens_.size(); }
  [[nodiscard]] std::size_t context() const { return context_; }
  [[nodiscard]] std::size_t chunks() const { return tokens_.size() / context_; }
  [[nodiscard]] std::vector<Token> chunk(std::size_t number) const;

 private:
  std::vector<Token> tokens_;
  std::size_t context_;
  std::optional<Token> first_;
};

}  // namespace quantproof::model

#endif
