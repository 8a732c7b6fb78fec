// SPDX-License-Identifier: Apache-2.0
#include "tools/model/evaluate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tools/containers/container_error.h"
#include "tools/quantize/encode_tensor.h"
#include "tools/quantize/interrupt.h"

namespace quantproof::model {

namespace {

using quantize::interrupted;
using quantize::Interrupted;

// 5.2: the logarithms of the probabilities that these logits give.
void log_softmax(std::span<const float> logits, std::vector<double>& logs) {
  const double most = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - most);
  const double log_sum = std::log(sum);
  if (!std::isfinite(log_sum)) {
    throw containers::ContainerError("the model is broken: a logit is infinite or NaN");
  }
  logs.resize(logits.size());
  for (std::size_t v = 0; v < logits.size(); ++v) logs[v] = (logits[v] - most) - log_sum;
}

// 6.2
std::size_t likeliest(std::span<const float> logits) {
  return static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

// 6.1
double divergence_of(const std::vector<double>& base, const std::vector<double>& model) {
  double sum = 0;
  for (std::size_t v = 0; v < base.size(); ++v) sum += std::exp(base[v]) * (base[v] - model[v]);
  return sum;
}

// 5.1: the positions whose next tokens are scored.
std::size_t first_scored(std::size_t context) { return context / 2; }

void add_chunk(std::span<const Llama* const> models, const std::vector<Token>& chunk,
               std::vector<Scores>& scores) {
  const std::size_t first = first_scored(chunk.size());
  const std::size_t vocabulary = models[0]->vocabulary();
  std::vector<std::vector<double>> base;
  std::vector<std::size_t> tops;
  std::vector<double> logs;
  for (std::size_t m = 0; m < models.size(); ++m) {
    // The last position has no next token.
    const std::vector<float> logits =
        models[m]->logits(std::span(chunk).first(chunk.size() - 1), first);
    for (std::size_t t = first; t + 1 < chunk.size(); ++t) {
      const auto its_logits = std::span(logits).subspan((t - first) * vocabulary, vocabulary);
      log_softmax(its_logits, logs);
      scores[m].surprise.push_back(-logs[chunk[t + 1]]);
      if (m == 0) {
        if (models.size() == 1) continue;
        base.push_back(logs);
        tops.push_back(likeliest(its_logits));
      } else {
        scores[m].divergence.push_back(divergence_of(base[t - first], logs));
        scores[m].same_top += likeliest(its_logits) == tops[t - first] ? 1 : 0;
      }
    }
  }
}

// The squared inputs of one chunk, product after product.
struct Sums {
  std::vector<std::string> tensors;
  std::vector<std::vector<double>> sums;
};

// 7.1
Sums sums_of_chunk(const Llama& model, const std::vector<Token>& chunk) {
  Sums result;
  static_cast<void>(model.logits(chunk, 0, [&](const Product& product) {
    std::vector<double>& sums = result.sums.emplace_back(product.columns);
    result.tensors.push_back(product.tensor);
    for (std::size_t c = 0; c < product.columns; ++c) {
      for (std::size_t t = 0; t < product.positions; ++t) {
        const double x = product.inputs[c * product.stride + t];
        sums[c] += x * x;
      }
    }
  }));
  return result;
}

}  // namespace

Mean mean_of(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  Mean result;
  for (const double value : values) result.mean += value;
  result.mean /= n;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  if (n > 1) result.error = std::sqrt(squares / (n * (n - 1)));
  return result;
}

Mean mean_difference(std::span<const double> a, std::span<const double> b) {
  std::vector<double> differences(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) differences[i] = a[i] - b[i];
  return mean_of(differences);
}

std::vector<Scores> evaluate(std::span<const Llama* const> models, const Text& text,
                             std::size_t threads, const Advance& advance) {
  std::vector<std::vector<Scores>> chunks(text.chunks(), std::vector<Scores>(models.size()));
  quantize::in_parallel(chunks.size(), threads, [&](std::size_t i) {
    if (interrupted()) return;
    add_chunk(models, text.chunk(i), chunks[i]);
    advance();
  });
  if (interrupted()) throw Interrupted("interrupted");
  std::vector<Scores> scores(models.size());
  for (const std::vector<Scores>& chunk : chunks) {
    for (std::size_t m = 0; m < models.size(); ++m) {
      const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
        to.insert(to.end(), from.begin(), from.end());
      };
      append(scores[m].surprise, chunk[m].surprise);
      append(scores[m].divergence, chunk[m].divergence);
      scores[m].same_top += chunk[m].same_top;
    }
  }
  return scores;
}

containers::Imatrix capture_imatrix(const Llama& model, const Text& text,
                                    const std::string& dataset, std::size_t threads,
                                    const Advance& advance) {
  Sums total;
  // As many chunks at a time as there are threads, added in the order of the text.
  for (std::size_t first = 0; first < text.chunks(); first += threads) {
    std::vector<Sums> parts(std::min(threads, text.chunks() - first));
    quantize::in_parallel(parts.size(), threads, [&](std::size_t i) {
      if (interrupted()) return;
      parts[i] = sums_of_chunk(model, text.chunk(first + i));
      advance();
    });
    if (interrupted()) throw Interrupted("interrupted");
    for (const Sums& part : parts) {
      if (total.sums.empty()) {
        total = part;
        continue;
      }
      for (std::size_t p = 0; p < part.sums.size(); ++p) {
        for (std::size_t c = 0; c < part.sums[p].size(); ++c) total.sums[p][c] += part.sums[p][c];
      }
    }
  }
  containers::Imatrix imatrix;
  imatrix.datasets = {dataset};
  imatrix.chunk_count = static_cast<std::uint32_t>(text.chunks());
  imatrix.chunk_size = static_cast<std::uint32_t>(text.context());
  for (std::size_t p = 0; p < total.sums.size(); ++p) {
    containers::ImatrixEntry& entry = imatrix.entries[total.tensors[p]];
    for (const double sum : total.sums[p]) {
      entry.sums.push_back(static_cast<float>(sum));
      if (!std::isfinite(entry.sums.back())) {
        throw containers::ContainerError("the model is broken: an activation is infinite or NaN");
      }
    }
    entry.counts = {static_cast<float>(text.chunks() * text.context())};
  }
  return imatrix;
}

}  // namespace quantproof::model
