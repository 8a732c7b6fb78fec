// SPDX-License-Identifier: Apache-2.0
#include "tools/model/llama.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "tools/containers/container_error.h"
#include "tools/containers/quoted.h"
#include "tools/model/matmul.h"
#include "tools/model/reference_rows.h"
#include "tools/quantize/encode_tensor.h"
#include "tools/quantize/plan.h"

namespace quantproof::model {

namespace {

using containers::ContainerError;
using containers::find_entry;
using containers::in_quotes;
using quantize::UnsupportedError;

// The keys llama.* that are read, and those that change nothing here.
constexpr std::array kKeys = {
    "context_length",       "embedding_length",       "block_count",
    "feed_forward_length",  "attention.head_count",   "attention.head_count_kv",
    "attention.key_length", "attention.value_length", "attention.layer_norm_rms_epsilon",
    "rope.dimension_count", "rope.freq_base",         "vocab_size"};

std::size_t padded(std::size_t positions) { return (positions + kLanes - 1) / kLanes * kLanes; }

// 4.2: each column x of `in`, divided by the root of its mean square, times w.
void normalize(const std::vector<float>& in, const std::vector<float>& w, std::size_t stride,
               double epsilon, std::vector<float>& out) {
  const std::size_t width = w.size();
  std::vector<double> squares(stride);
  for (std::size_t i = 0; i < width; ++i) {
    const float* const x = &in[i * stride];
    for (std::size_t t = 0; t < stride; ++t) squares[t] += double{x[t]} * double{x[t]};
  }
  std::vector<float> factors(stride);
  for (std::size_t t = 0; t < stride; ++t) {
    factors[t] =
        static_cast<float>(1.0 / std::sqrt(squares[t] / static_cast<double>(width) + epsilon));
  }
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t t = 0; t < stride; ++t) {
      out[i * stride + t] = in[i * stride + t] * factors[t] * w[i];
    }
  }
}

void add(const std::vector<float>& x, std::vector<float>& sum) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += x[i];
}

// 4.4: softmax over the keys s <= t of column t; zeros after them.
void causal_softmax(float* scores, std::size_t stride, float factor) {
  std::vector<float> most(stride, -INFINITY);
  std::vector<double> sums(stride);
  for (std::size_t s = 0; s < stride; ++s) {
    float* const row = scores + s * stride;
    for (std::size_t t = s; t < stride; ++t) {
      row[t] *= factor;
      most[t] = std::max(most[t], row[t]);
    }
  }
  for (std::size_t s = 0; s < stride; ++s) {
    float* const row = scores + s * stride;
    std::fill_n(row, s, 0.0f);
    for (std::size_t t = s; t < stride; ++t) {
      row[t] = static_cast<float>(std::exp(double{row[t]} - double{most[t]}));
      sums[t] += double{row[t]};
    }
  }
  std::vector<float> inverses(stride);
  for (std::size_t t = 0; t < stride; ++t) inverses[t] = static_cast<float>(1.0 / sums[t]);
  for (std::size_t s = 0; s < stride; ++s) {
    for (std::size_t t = s; t < stride; ++t) scores[s * stride + t] *= inverses[t];
  }
}

}  // namespace

Parameters read_parameters(const containers::GgufMetadata& metadata, const std::string& name) {
  const auto architecture = string_of(find_entry(metadata, "general.architecture"));
  if (!architecture) {
    throw ContainerError(name +
                         ": general.architecture is missing; a file without GGUF metadata "
                         "takes those of --base");
  }
  if (*architecture != "llama") {
    throw UnsupportedError(fmt::format("{}: architecture {} is not supported; llama is", name,
                                       in_quotes(*architecture)));
  }
  for (const containers::GgufEntry& entry : metadata) {
    const std::string_view key = entry.key;
    if (key.starts_with("llama.") &&
        std::find(kKeys.begin(), kKeys.end(), key.substr(6)) == kKeys.end()) {
      throw UnsupportedError(
          fmt::format("{}: a model with {} is not supported", name, in_quotes(entry.key)));
    }
  }
  const auto size = [&](const char* key, std::optional<std::uint64_t> otherwise = {}) {
    const auto* entry = find_entry(metadata, std::string("llama.") + key);
    const auto value = entry == nullptr ? otherwise : integer_of(entry);
    if (!value || *value == 0 || *value >> 31 != 0) {
      throw ContainerError(fmt::format("{}: llama.{} is {}", name, key,
                                       value ? std::to_string(*value) : "missing or no integer"));
    }
    return static_cast<std::size_t>(*value);
  };
  const auto number = [&](const char* key, std::optional<double> otherwise = {}) {
    const auto* entry = find_entry(metadata, std::string("llama.") + key);
    const auto value = entry == nullptr ? otherwise : number_of(entry);
    if (!value || !std::isfinite(*value) || *value <= 0) {
      throw ContainerError(fmt::format("{}: llama.{} is {}", name, key,
                                       value ? fmt::format("{}", *value) : "missing or no number"));
    }
    return *value;
  };
  Parameters p;
  p.layers = size("block_count");
  p.width = size("embedding_length");
  p.hidden = size("feed_forward_length");
  p.heads = size("attention.head_count");
  p.kv_heads = size("attention.head_count_kv", p.heads);
  p.context = size("context_length");
  p.epsilon = number("attention.layer_norm_rms_epsilon");
  p.frequency_base = number("rope.freq_base", 10000.0);
  if (p.width % p.heads != 0 || p.heads % p.kv_heads != 0) {
    throw ContainerError(fmt::format("{}: {} numbers are not {} heads, or these not groups of {}",
                                     name, p.width, p.heads, p.kv_heads));
  }
  p.head = p.width / p.heads;
  p.rotated = size("rope.dimension_count", p.head);
  if (p.rotated > p.head || p.rotated % 2 != 0) {
    throw ContainerError(fmt::format("{}: llama.rope.dimension_count is {}, of heads of {}", name,
                                     p.rotated, p.head));
  }
  for (const char* key : {"attention.key_length", "attention.value_length"}) {
    if (size(key, p.head) != p.head) {
      throw UnsupportedError(
          fmt::format("{}: llama.{} is not {}, the embedding over the heads", name, key, p.head));
    }
  }
  return p;
}

std::vector<std::string> Llama::tensor_names(const Parameters& parameters) {
  std::vector<std::string> names = {"token_embd.weight", "output_norm.weight", "output.weight"};
  for (std::size_t i = 0; i < parameters.layers; ++i) {
    for (const char* part : {"attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm",
                             "ffn_gate", "ffn_up", "ffn_down"}) {
      names.push_back(fmt::format("blk.{}.{}.weight", i, part));
    }
  }
  return names;
}

Llama::Llama(const Parameters& parameters, std::size_t vocabulary, const TensorSource& source,
             Decoding decoding, std::size_t threads, const std::string& name)
    : parameters_(parameters), vocabulary_(vocabulary) {
  const Parameters& p = parameters_;
  std::vector<std::pair<Matrix*, const containers::ModelTensor*>> found;
  const auto expect = [&](Matrix& matrix, std::string tensor_name, std::size_t rows,
                          std::size_t columns) {
    const containers::ModelTensor* tensor = source(tensor_name);
    if (tensor == nullptr) {
      throw ContainerError(fmt::format("{}: tensor {} is missing", name, in_quotes(tensor_name)));
    }
    const bool is_vector = rows == 1;
    const std::vector<std::uint64_t> shape =
        is_vector ? std::vector<std::uint64_t>{columns} : std::vector<std::uint64_t>{rows, columns};
    if (tensor->shape != shape) {
      throw ContainerError(fmt::format("{}: tensor {}: its shape is {}, not {}", name,
                                       in_quotes(tensor_name), fmt::join(tensor->shape, " x "),
                                       fmt::join(shape, " x ")));
    }
    if (!tensor->type) {
      throw UnsupportedError(fmt::format("{}: tensor {}: {} is known, but not decoded here", name,
                                         in_quotes(tensor_name), tensor->type_name));
    }
    matrix.name = std::move(tensor_name);
    matrix.rows = rows;
    matrix.columns = columns;
    found.emplace_back(&matrix, tensor);
  };
  const std::size_t kv_width = p.kv_heads * p.head;
  expect(embedding_, "token_embd.weight", vocabulary, p.width);
  expect(output_norm_, "output_norm.weight", 1, p.width);
  if (source("output.weight") != nullptr) expect(output_, "output.weight", vocabulary, p.width);
  const auto name_of = [](std::size_t i, const char* part) {
    return fmt::format("blk.{}.{}.weight", i, part);
  };
  // Before any of them is pointed at, and not more than the file has.
  while (layers_.size() < p.layers) {
    const std::string norm = name_of(layers_.size(), "attn_norm");
    if (source(norm) == nullptr) {
      throw ContainerError(fmt::format("{}: tensor {} is missing", name, in_quotes(norm)));
    }
    layers_.emplace_back();
  }
  for (std::size_t i = 0; i < p.layers; ++i) {
    Layer& layer = layers_[i];
    expect(layer.attention_norm, name_of(i, "attn_norm"), 1, p.width);
    expect(layer.query, name_of(i, "attn_q"), p.width, p.width);
    expect(layer.key, name_of(i, "attn_k"), kv_width, p.width);
    expect(layer.value, name_of(i, "attn_v"), kv_width, p.width);
    expect(layer.attention_output, name_of(i, "attn_output"), p.width, p.width);
    expect(layer.feed_norm, name_of(i, "ffn_norm"), 1, p.width);
    expect(layer.gate, name_of(i, "ffn_gate"), p.hidden, p.width);
    expect(layer.up, name_of(i, "ffn_up"), p.hidden, p.width);
    expect(layer.down, name_of(i, "ffn_down"), p.width, p.hidden);
  }
  quantize::in_parallel(found.size(), threads, [&](std::size_t i) {
    const auto& [matrix, tensor] = found[i];
    matrix->weights.resize(matrix->rows * matrix->columns);
    if (decoding == Decoding::kReference) {
      decode_by_reference(*tensor, matrix->weights.data());
    } else {
      decode_rows(*tensor, 0, tensor->rows(), matrix->weights.data());
    }
    const auto bad = std::find_if(matrix->weights.begin(), matrix->weights.end(),
                                  [](float w) { return !std::isfinite(w); });
    if (bad != matrix->weights.end()) {
      const auto at = static_cast<std::size_t>(bad - matrix->weights.begin());
      throw ContainerError(
          fmt::format("{}: tensor {}: row {}, column {}: the weight is infinite "
                      "or NaN",
                      name, in_quotes(matrix->name), at / matrix->columns, at % matrix->columns));
    }
  });
}

std::vector<const Llama::Matrix*> Llama::matrices() const {
  std::vector<const Matrix*> result;
  for (const Layer& layer : layers_) {
    for (const Matrix* matrix : {&layer.query, &layer.key, &layer.value, &layer.attention_output,
                                 &layer.gate, &layer.up, &layer.down}) {
      result.push_back(matrix);
    }
  }
  if (!output_.weights.empty()) result.push_back(&output_);
  return result;
}

// What a pass works on: of each number, all positions side by side.
struct Llama::Activations {
  std::size_t positions;
  std::size_t stride;
  std::vector<float> residual, normed, query, key, value, mixed, change, gate, up;
  std::vector<float> keys, scores;    // of one head
  std::vector<float> cosines, sines;  // of each pair of a head

  Activations(const Parameters& p, std::size_t n)
      : positions(n),
        stride(padded(n)),
        residual(p.width * stride),
        normed(p.width * stride),
        query(p.width * stride),
        key(p.kv_heads * p.head * stride),
        value(key.size()),
        mixed(p.width * stride),
        change(p.width * stride),
        gate(p.hidden * stride),
        up(p.hidden * stride),
        keys(stride * p.head),
        scores(stride * stride) {
    // 4.3
    for (std::size_t pair = 0; pair < p.rotated / 2; ++pair) {
      const double frequency = std::pow(
          p.frequency_base, -2.0 * static_cast<double>(pair) / static_cast<double>(p.rotated));
      for (std::size_t t = 0; t < stride; ++t) {
        const double angle = static_cast<double>(t) * frequency;
        cosines.push_back(static_cast<float>(std::cos(angle)));
        sines.push_back(static_cast<float>(std::sin(angle)));
      }
    }
  }

  void multiply(const Matrix& matrix, const std::vector<float>& in, std::vector<float>& out,
                const Observer& observer) const {
    if (observer) observer({matrix.name, matrix.columns, stride, positions, in.data()});
    matmul(matrix.weights.data(), matrix.rows, matrix.columns, in.data(), stride, out.data());
  }

  // 4.3: neighbours 2i and 2i + 1 of each head, by an angle that grows with the position.
  void rotate(const Parameters& p, std::vector<float>& heads) const {
    for (std::size_t first = 0; first < heads.size(); first += p.head * stride) {
      for (std::size_t pair = 0; pair < p.rotated / 2; ++pair) {
        float* const a = &heads[first + 2 * pair * stride];
        float* const b = a + stride;
        for (std::size_t t = 0; t < stride; ++t) {
          const float cosine = cosines[pair * stride + t];
          const float sine = sines[pair * stride + t];
          const float x = a[t];
          const float y = b[t];
          a[t] = x * cosine - y * sine;
          b[t] = x * sine + y * cosine;
        }
      }
    }
  }
};

// 4.4
void Llama::attend(const Layer& layer, Activations& work, const Observer& observer) const {
  const Parameters& p = parameters_;
  const std::size_t stride = work.stride;
  normalize(work.residual, layer.attention_norm.weights, stride, p.epsilon, work.normed);
  work.multiply(layer.query, work.normed, work.query, observer);
  work.multiply(layer.key, work.normed, work.key, observer);
  work.multiply(layer.value, work.normed, work.value, observer);
  work.rotate(p, work.query);
  work.rotate(p, work.key);
  const auto factor = static_cast<float>(1.0 / std::sqrt(static_cast<double>(p.head)));
  for (std::size_t h = 0; h < p.heads; ++h) {
    const std::size_t kv = h / (p.heads / p.kv_heads) * p.head * stride;
    for (std::size_t i = 0; i < p.head; ++i) {
      for (std::size_t s = 0; s < stride; ++s) {
        work.keys[s * p.head + i] = work.key[kv + i * stride + s];
      }
    }
    matmul(work.keys.data(), stride, p.head, &work.query[h * p.head * stride], stride,
           work.scores.data());
    causal_softmax(work.scores.data(), stride, factor);
    matmul(&work.value[kv], p.head, stride, work.scores.data(), stride,
           &work.mixed[h * p.head * stride]);
  }
  work.multiply(layer.attention_output, work.mixed, work.change, observer);
  add(work.change, work.residual);
}

// 4.5
void Llama::feed_forward(const Layer& layer, Activations& work, const Observer& observer) const {
  normalize(work.residual, layer.feed_norm.weights, work.stride, parameters_.epsilon, work.normed);
  work.multiply(layer.gate, work.normed, work.gate, observer);
  work.multiply(layer.up, work.normed, work.up, observer);
  for (std::size_t i = 0; i < work.gate.size(); ++i) {
    const double x = work.gate[i];
    work.gate[i] = static_cast<float>(x / (1.0 + std::exp(-x))) * work.up[i];
  }
  work.multiply(layer.down, work.gate, work.change, observer);
  add(work.change, work.residual);
}

std::vector<float> Llama::logits(std::span<const Token> tokens, std::size_t first,
                                 const Observer& observer) const {
  const std::size_t width = parameters_.width;
  Activations work(parameters_, tokens.size());
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    for (std::size_t i = 0; i < width; ++i) {
      work.residual[i * work.stride + t] = embedding_.weights[tokens[t] * width + i];
    }
  }
  for (const Layer& layer : layers_) {
    attend(layer, work, observer);
    feed_forward(layer, work, observer);
  }
  normalize(work.residual, output_norm_.weights, work.stride, parameters_.epsilon, work.normed);
  // 4.6: of the positions that are asked for.
  const std::size_t n = tokens.size() - first;
  const std::size_t stride = padded(n);
  std::vector<float> in(width * stride);
  for (std::size_t i = 0; i < width; ++i) {
    std::copy_n(&work.normed[i * work.stride + first], n, &in[i * stride]);
  }
  const Matrix& output = output_.weights.empty() ? embedding_ : output_;
  if (observer) observer({output.name, width, stride, n, in.data()});
  std::vector<float> out(vocabulary_ * stride);
  matmul(output.weights.data(), vocabulary_, width, in.data(), stride, out.data());
  std::vector<float> logits(n * vocabulary_);
  for (std::size_t v = 0; v < vocabulary_; ++v) {
    for (std::size_t t = 0; t < n; ++t) logits[t * vocabulary_ + v] = out[v * stride + t];
  }
  return logits;
}

}  // namespace quantproof::model
