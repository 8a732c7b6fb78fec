// SPDX-License-Identifier: Apache-2.0
#include "tools/model/text.h"

#include "fmt/format.h"

#include "tools/containers/mapped_file.h"
#include "tools/quantize/plan.h"

namespace quantproof::model {

namespace {

std::string_view text_of(const containers::MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

}  // namespace

Text::Text(const std::string& path, const Tokenizer& tokenizer, std::size_t context)
    : Text(text_of(containers::MappedFile(path)), path, tokenizer, context) {}

Text::Text(std::string_view bytes, const std::string& name, const Tokenizer& tokenizer,
           std::size_t context)
    : context_(context), first_(tokenizer.first()) {
  if (bytes.ends_with('\n')) bytes.remove_suffix(1);
  tokens_ = tokenizer.tokens(bytes);
  if (chunks() == 0) {
    throw quantize::UnsupportedError(
        fmt::format("{}: nothing to measure: {} tokens do not fill a context of {}", name,
                    tokens_.size(), context));
  }
}

std::vector<Token> Text::chunk(std::size_t number) const {
  const auto begin = tokens_.begin() + static_cast<std::ptrdiff_t>(number * context_);
  std::vector<Token> chunk(begin, begin + static_cast<std::ptrdiff_t>(context_));
  if (first_) chunk[0] = *first_;
  return chunk;
}

}  // namespace quantproof::model
