// SPDX-License-Identifier: Apache-2.0
#include "tools/model/ladder.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "fmt/format.h"

#include "tools/certify/decoder.h"
#include "tools/containers/container_error.h"
#include "tools/containers/mapped_file.h"
#include "tools/containers/quoted.h"
#include "tools/quantize/encode_tensor.h"
#include "tools/quantize/plan.h"

namespace quantproof::model {

namespace {

using containers::ModelTensor;
using containers::TensorType;

// 8.3: rates closer than this are alike, and so many standard errors are no accident.
constexpr double kHigherRate = 1.05;
constexpr double kSigmas = 3;

// "kaiju1:0.05" as type and millionths.
std::pair<std::string, std::uint32_t> parse_rung(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string type = text.substr(0, colon);
  if (colon == std::string::npos) return {type, quantize::Options{}.hi_frac};
  const std::string number = text.substr(colon + 1);
  std::size_t used = 0;
  double part = -1;
  try {
    part = std::stod(number, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (type != "kaiju1" || used == 0 || used != number.size() || !(part >= 0) || !(part <= 1)) {
    throw certify::UsageError(
        fmt::format("--types {}: kaiju1:X has X from 0 to 1, and other types have none",
                    containers::in_quotes(text)));
  }
  return {type, static_cast<std::uint32_t>(std::lround(part * 1e6))};
}

// Encodes as quantize does, into memory, and decodes that.
Llama encode(const Model& model, const LadderOptions& options, const std::string& text,
             std::size_t threads, Rung& rung, std::vector<std::string>& warnings) {
  quantize::Options its;
  its.in = model.path();
  its.out = "ladder.knot";  // KNOT has a place for all types; nothing is written
  std::tie(its.type, its.hi_frac) = parse_rung(text);
  its.imatrix = options.imatrix;
  its.tensor_types = options.tensor_types;
  its.tensor_types.push_back("^output\\.weight$=" + its.type);
  its.fallback = options.fallback;
  its.effort = options.effort;
  const quantize::Plan plan = quantize::make_plan(its, model.file());
  for (const std::string& warning : plan.warnings) {
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) {
      warnings.push_back(warning);
    }
  }
  std::vector<std::vector<std::uint8_t>> bytes;
  std::map<std::string, ModelTensor> tensors;
  Rate rate;
  for (const quantize::PlannedTensor& planned : plan.tensors) {
    ModelTensor tensor = *planned.source;
    if (planned.to) {
      std::vector<std::uint8_t>& its_bytes = bytes.emplace_back();
      its_bytes.reserve(planned.size);
      quantize::encode_tensor(
          plan, planned, threads,
          [&](std::span<const std::uint8_t> part) {
            its_bytes.insert(its_bytes.end(), part.begin(), part.end());
          },
          [](std::uint64_t) {});
      tensor.type = planned.to;
      tensor.type_name = planned.to_name;
      tensor.rotated = planned.to == TensorType::kE8Iq3;
      tensor.bytes = its_bytes;
    }
    if (counts_in_rate(tensor)) rate.add(tensor.bytes.size(), tensor.weights());
    std::string name = tensor.name;
    tensors.emplace(std::move(name), std::move(tensor));
  }
  rung.bits_per_weight = rate.bits_per_weight();
  return model.decode(
      [&](const std::string& name) {
        const auto found = tensors.find(name);
        return found == tensors.end() ? nullptr : &found->second;
      },
      threads);
}

// 8.2
double weighted_error(const Llama& model, const Llama& rung,
                      const std::optional<containers::Imatrix>& imatrix, std::size_t threads) {
  const auto matrices = model.matrices();
  const auto coded = rung.matrices();
  std::vector<double> errors(matrices.size());
  quantize::in_parallel(matrices.size(), threads, [&](std::size_t m) {
    const Llama::Matrix& matrix = *matrices[m];
    std::vector<float> importance(matrix.columns, 1.0f);
    if (imatrix) {
      const auto found = imatrix->entries.find(matrix.name);
      if (found != imatrix->entries.end()) importance = found->second.importance();
      if (importance.size() != matrix.columns) {
        throw containers::ContainerError(
            fmt::format("imatrix: {} importances of {} for {} columns", importance.size(),
                        containers::in_quotes(matrix.name), matrix.columns));
      }
    }
    double error = 0;
    double energy = 0;
    for (std::size_t i = 0; i < matrix.weights.size(); ++i) {
      const double w = importance[i % matrix.columns];
      const double x = matrix.weights[i];
      const double difference = x - double{coded[m]->weights[i]};
      error += w * (difference * difference);
      energy += w * (x * x);
    }
    errors[m] = energy > 0 ? error / energy : 0;
  });
  return mean_of(errors).mean;
}

}  // namespace

std::vector<Inversion> find_inversions(const std::vector<Rung>& rungs) {
  std::vector<Inversion> inversions;
  for (std::size_t low = 0; low < rungs.size(); ++low) {
    for (std::size_t high = 0; high < rungs.size(); ++high) {
      if (rungs[high].bits_per_weight < kHigherRate * rungs[low].bits_per_weight) continue;
      const Mean excess = mean_difference(rungs[high].divergences, rungs[low].divergences);
      if (excess.mean > kSigmas * excess.error) inversions.push_back({low, high, excess});
    }
  }
  return inversions;
}

Ladder climb(const Model& model, const Text& text, const LadderOptions& options,
             std::size_t threads, const Advance& advance) {
  Ladder ladder;
  std::optional<containers::Imatrix> imatrix;
  if (!options.imatrix.empty()) {
    const containers::MappedFile file(options.imatrix);
    imatrix = containers::read_imatrix(file.bytes(), options.imatrix);
  }
  for (const std::string& type : options.types) parse_rung(type);
  std::vector<Llama> decoded;
  decoded.push_back(model.decode(Decoding::kFast, threads));
  for (const std::string& file : options.files) {
    Rung& rung = ladder.rungs.emplace_back();
    rung.name = std::filesystem::path(file).filename().string();
    rung.is_file = true;
    const Model its(file, &model);
    if (its.tokenizer().size() != model.tokenizer().size()) {
      throw containers::ContainerError(file + " has another vocabulary than " + model.path());
    }
    rung.bits_per_weight = rate_of(its.file()).bits_per_weight();
    decoded.push_back(its.decode(Decoding::kFast, threads));
  }
  for (const std::string& type : options.types) {
    Rung& rung = ladder.rungs.emplace_back();
    rung.name = type;
    decoded.push_back(encode(model, options, type, threads, rung, ladder.warnings));
  }
  for (std::size_t r = 0; r < ladder.rungs.size(); ++r) {
    ladder.rungs[r].weighted_error = weighted_error(decoded[0], decoded[r + 1], imatrix, threads);
  }
  std::vector<const Llama*> models;
  for (const Llama& one : decoded) models.push_back(&one);
  std::vector<Scores> scores = evaluate(models, text, threads, advance);
  ladder.perplexity = std::exp(mean_of(scores[0].surprise).mean);
  for (std::size_t r = 0; r < ladder.rungs.size(); ++r) {
    Rung& rung = ladder.rungs[r];
    Scores& its = scores[r + 1];
    rung.perplexity = std::exp(mean_of(its.surprise).mean);
    rung.change = mean_difference(its.surprise, scores[0].surprise);
    rung.divergence = mean_of(its.divergence);
    rung.same_top = static_cast<double>(its.same_top) / static_cast<double>(its.divergence.size());
    rung.divergences = std::move(its.divergence);
  }
  std::stable_sort(ladder.rungs.begin(), ladder.rungs.end(), [](const Rung& a, const Rung& b) {
    return a.bits_per_weight < b.bits_per_weight;
  });
  ladder.inversions = find_inversions(ladder.rungs);
  return ladder;
}

}  // namespace quantproof::model
