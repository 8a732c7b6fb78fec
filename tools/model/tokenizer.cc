// SPDX-License-Identifier: Apache-2.0
#include "tools/model/tokenizer.h"

#include <queue>

#include "fmt/format.h"

#include "tools/containers/container_error.h"
#include "tools/containers/quoted.h"
#include "tools/quantize/plan.h"

namespace quantproof::model {

namespace {

using containers::ContainerError;
using containers::find_entry;
using quantize::UnsupportedError;

constexpr std::string_view kSpace = "\xE2\x96\x81";  // U+2581, which stands for a space
constexpr double kUserDefined = 4;

// 2.3: the length of the character that begins with this byte, as the byte says it.
std::size_t character_length(char first) {
  constexpr std::array<std::size_t, 16> kLengths = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4};
  return kLengths[static_cast<unsigned char>(first) >> 4];
}

// A part of the text that may still grow; parts without bytes were joined to one before.
struct Part {
  std::string_view piece;
  std::ptrdiff_t before;
  std::ptrdiff_t after;
};

// Two neighbours that are a token together.
struct Pair {
  double score;
  std::ptrdiff_t left;
  std::ptrdiff_t right;
  std::size_t length;
};

// 2.4: the highest score, then the leftmost.
struct ComesLater {
  bool operator()(const Pair& a, const Pair& b) const {
    return a.score < b.score || (a.score == b.score && a.left > b.left);
  }
};

}  // namespace

Tokenizer::Tokenizer(const containers::GgufMetadata& metadata, const std::string& name) {
  const auto entry = [&](const char* key) {
    return find_entry(metadata, std::string("tokenizer.ggml.") + key);
  };
  const auto missing = [&](const char* key) {
    return ContainerError(
        fmt::format("{}: tokenizer.ggml.{} is missing or no array of the size "
                    "that the vocabulary has",
                    name, key));
  };
  const auto kind = string_of(entry("model"));
  if (!kind) throw ContainerError(name + ": tokenizer.ggml.model is missing");
  if (*kind != "llama") {
    throw UnsupportedError(fmt::format("{}: tokenizer {} is not supported; llama is", name,
                                       containers::in_quotes(*kind)));
  }
  const auto pieces = strings_of(entry("tokens"));
  if (!pieces || pieces->empty()) throw missing("tokens");
  pieces_ = *pieces;
  const auto scores = numbers_of(entry("scores"));
  if (!scores || scores->size() != pieces_.size()) throw missing("scores");
  scores_ = *scores;
  const auto kinds = numbers_of(entry("token_type"));
  if (!kinds || kinds->size() != pieces_.size()) throw missing("token_type");
  for (std::size_t id = 0; id < pieces_.size(); ++id) {
    if ((*kinds)[id] == kUserDefined) {
      throw UnsupportedError(fmt::format("{}: token {} is user-defined, which is not supported",
                                         name, containers::in_quotes(pieces_[id])));
    }
    by_piece_[pieces_[id]] = static_cast<Token>(id);  // of equal pieces the last
  }
  // 2.5: the token of a byte.
  for (std::size_t byte = 0; byte < bytes_.size(); ++byte) {
    auto found = by_piece_.find(fmt::format("<0x{:02X}>", byte));
    if (found == by_piece_.end()) found = by_piece_.find(std::string(1, static_cast<char>(byte)));
    if (found == by_piece_.end() && byte == ' ') found = by_piece_.find(kSpace);
    if (found == by_piece_.end()) {
      throw ContainerError(fmt::format("{}: the vocabulary has no token for byte {}", name, byte));
    }
    bytes_[byte] = found->second;
  }
  // 2.2
  space_in_front_ = number_of(entry("add_space_prefix")).value_or(1) != 0;
  if (number_of(entry("add_eos_token")).value_or(0) != 0) {
    throw UnsupportedError(name + ": tokenizer.ggml.add_eos_token is not supported");
  }
  if (number_of(entry("add_bos_token")).value_or(1) != 0) {
    const std::uint64_t first = integer_of(entry("bos_token_id")).value_or(1);
    if (first >= pieces_.size()) {
      throw ContainerError(fmt::format("{}: tokenizer.ggml.bos_token_id is {}, beyond {} tokens",
                                       name, first, pieces_.size()));
    }
    first_ = static_cast<Token>(first);
  }
}

void Tokenizer::append_bytes(std::string_view piece, std::vector<Token>& tokens) const {
  for (const char byte : piece) tokens.push_back(bytes_[static_cast<unsigned char>(byte)]);
}

std::vector<Token> Tokenizer::tokens(std::string_view text) const {
  std::vector<Token> tokens;
  if (first_) tokens.push_back(*first_);
  if (text.empty()) return tokens;
  // 2.2
  std::string escaped;
  if (space_in_front_) escaped += kSpace;
  for (const char byte : text) {
    if (byte == ' ') {
      escaped += kSpace;
    } else {
      escaped += byte;
    }
  }
  // 2.3
  std::vector<Part> parts;
  for (std::size_t at = 0; at < escaped.size();) {
    const std::size_t length = std::min(character_length(escaped[at]), escaped.size() - at);
    const auto number = static_cast<std::ptrdiff_t>(parts.size());
    parts.push_back({std::string_view(escaped).substr(at, length), number - 1, number + 1});
    at += length;
  }
  parts.back().after = -1;
  // 2.4
  const auto part = [&](std::ptrdiff_t number) -> Part& {
    return parts[static_cast<std::size_t>(number)];
  };
  std::priority_queue<Pair, std::vector<Pair>, ComesLater> pairs;
  const auto add_pair = [&](std::ptrdiff_t left, std::ptrdiff_t right) {
    if (left < 0 || right < 0) return;
    const std::size_t length = part(left).piece.size() + part(right).piece.size();
    const auto found = by_piece_.find(std::string_view(part(left).piece.data(), length));
    if (found != by_piece_.end()) pairs.push({scores_[found->second], left, right, length});
  };
  for (std::size_t i = 1; i < parts.size(); ++i) {
    add_pair(static_cast<std::ptrdiff_t>(i) - 1, static_cast<std::ptrdiff_t>(i));
  }
  while (!pairs.empty()) {
    const Pair pair = pairs.top();
    pairs.pop();
    Part& left = part(pair.left);
    Part& right = part(pair.right);
    // One of them has grown or gone since.
    if (left.piece.empty() || right.piece.empty() ||
        left.piece.size() + right.piece.size() != pair.length) {
      continue;
    }
    left.piece = {left.piece.data(), pair.length};
    left.after = right.after;
    right.piece = {};
    if (left.after >= 0) part(left.after).before = pair.left;
    add_pair(left.before, pair.left);
    add_pair(pair.left, left.after);
  }
  // 2.5
  for (std::ptrdiff_t i = 0; i >= 0; i = part(i).after) {
    const std::string_view piece = part(i).piece;
    const auto found = by_piece_.find(piece);
    if (found != by_piece_.end()) {
      tokens.push_back(found->second);
    } else {
      append_bytes(piece, tokens);
    }
  }
  return tokens;
}

}  // namespace quantproof::model
