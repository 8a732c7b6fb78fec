// SPDX-License-Identifier: Apache-2.0
#include "tools/quantize/plan.h"

#include <algorithm>
#include <array>
#include <regex>
#include <string_view>

#include "fmt/format.h"

#include "tools/certify/decoder.h"
#include "tools/certify/sha256.h"
#include "tools/containers/container_error.h"
#include "tools/containers/knot.h"
#include "tools/containers/mapped_file.h"
#include "tools/containers/quoted.h"
#include "tools/containers/safetensors.h"

namespace quantproof::quantize {

namespace {

using certify::UsageError;
using containers::in_quotes;
using containers::type_name;

struct TypeName {
  const char* name;  // on the command line
  TensorType type;
  std::uint32_t file_type;  // general.file_type of llama.cpp
};
constexpr std::array<TypeName, 7> kTypeNames = {{{"iq3_xxs", TensorType::kIq3Xxs, 23},
                                                 {"e8_iq3", TensorType::kE8Iq3, 0},
                                                 {"kaiju1", TensorType::kKaiju1, 0},
                                                 {"q8_0", TensorType::kQ8_0, 7},
                                                 {"f16", TensorType::kF16, 1},
                                                 {"bf16", TensorType::kBf16, 32},
                                                 {"f32", TensorType::kF32, 0}}};
constexpr const char* kKeep = "keep";

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

const TypeName* find_type(const std::string& name) {
  const auto* found =
      std::find_if(kTypeNames.begin(), kTypeNames.end(),
                   [&](const TypeName& entry) { return lower(name) == entry.name; });
  return found == kTypeNames.end() ? nullptr : found;
}

TensorType parse_type(const std::string& name, const std::string& option) {
  if (const TypeName* type = find_type(name)) return type->type;
  constexpr std::array<const char*, 11> kMixes = {"iq2_m",  "iq3_m",  "iq3_xs", "q2_k_s",
                                                  "q3_k_s", "q3_k_m", "q3_k_l", "q4_k_s",
                                                  "q4_k_m", "q5_k_s", "q5_k_m"};
  std::string names;
  for (const TypeName& type : kTypeNames)
    names += std::string(names.empty() ? "" : ", ") + type.name;
  const bool mix = std::find(kMixes.begin(), kMixes.end(), lower(name)) != kMixes.end();
  const std::string upper = [&] {
    std::string text = name;
    for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return text;
  }();
  throw UsageError(fmt::format("{} {} {}; tensor types are {}", option, in_quotes(name),
                               mix ? "is a file mix of llama.cpp, no tensor type"
                               : containers::ggml_type_id(upper)
                                   ? "is a type of ggml that is not written here"
                                   : "is no tensor type",
                               names));
}

struct Override {
  std::string text;
  std::regex regex;
  std::optional<TensorType> type;  // nothing: keep
  bool used = false;
};

std::vector<Override> parse_overrides(const std::vector<std::string>& texts) {
  std::vector<Override> overrides;
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError(fmt::format("--tensor-type {} is not REGEX=TYPE", in_quotes(text)));
    }
    Override entry;
    entry.text = text;
    const std::string type = text.substr(equals + 1);
    if (lower(type) != kKeep) entry.type = parse_type(type, "--tensor-type");
    try {
      entry.regex.assign(text.substr(0, equals), std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error&) {
      throw UsageError(fmt::format("--tensor-type {}: no regular expression",
                                   in_quotes(text.substr(0, equals))));
    }
    overrides.push_back(std::move(entry));
  }
  return overrides;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// quantize.md 3.1: why a tensor is never quantized; nothing where it may be.
std::string never(const ModelTensor& tensor) {
  constexpr std::array<const char*, 17> kParts = {"ffn_gate_inp.weight",
                                                  "mlp.gate.weight",
                                                  "router.weight",
                                                  "altup",
                                                  "laurel",
                                                  "per_layer_model_proj",
                                                  "ssm_conv1d",
                                                  "shortconv.conv.weight",
                                                  "time_mix_first.weight",
                                                  "time_mix_w0.weight",
                                                  "time_mix_w1.weight",
                                                  "time_mix_w2.weight",
                                                  "time_mix_lerp_fused.weight",
                                                  "attn_rel_b.weight",
                                                  "position_embd",
                                                  "token_types",
                                                  "pos_embd"};
  const std::string_view name = tensor.name;
  if (tensor.shape.size() < 2)
    return fmt::format("{} dimension{}", tensor.shape.size(), tensor.shape.size() == 1 ? "" : "s");
  if (!name.ends_with("weight")) return "no weight";
  if (name.ends_with("norm.weight")) return "norm";
  for (const char* part : kParts) {
    if (contains(name, part)) return "small and sensitive";
  }
  return {};
}

// 3.2: kept unless an option says otherwise.
bool is_embedding_or_output(std::string_view name) {
  constexpr std::array<const char*, 6> kNames = {"token_embd.weight", "per_layer_token_embd.weight",
                                                 "output.weight",     "model.embed_tokens.weight",
                                                 "lm_head.weight",    "embed_tokens.weight"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// Why a tensor cannot be of this type; nothing where it can.
std::string misfit(const ModelTensor& tensor, TensorType type) {
  if (type == TensorType::kKaiju1) {
    if (tensor.shape.size() != 2) return "kaiju1 holds matrices of 2 dimensions";
    if (tensor.shape[0] >> 32 != 0 || tensor.shape[1] >> 32 != 0) return "2^32 rows or columns";
    return {};
  }
  if (!containers::fits(type, tensor.row())) {
    return fmt::format("rows of {} weights are not whole blocks of {}", tensor.row(),
                       type == TensorType::kQ8_0 ? 32 : 256);
  }
  return {};
}

bool holds(Container container, TensorType type) {
  switch (container) {
    case Container::kGguf:
      return type != TensorType::kE8Iq3 && type != TensorType::kKaiju1;
    case Container::kSafetensors:
      return type != TensorType::kIq3Xxs && type != TensorType::kKaiju1 &&
             type != TensorType::kQ8_0;
    default:
      return true;
  }
}

// Whether bytes of this type can be kept as they are.
bool holds_raw(Container container, const ModelTensor& tensor) {
  if (tensor.type) return holds(container, *tensor.type);
  if (container == Container::kGguf) return containers::ggml_type_id(tensor.type_name).has_value();
  if (container == Container::kKnot) return true;
  constexpr std::array<const char*, 8> kShared = {"I8",  "I16", "I32",  "I64",
                                                  "F64", "U8",  "BOOL", "U16"};
  return std::find(kShared.begin(), kShared.end(), tensor.type_name) != kShared.end();
}

Container container_of(const std::string& out, TensorType type) {
  const std::string path = lower(out);
  if (path.ends_with(".gguf")) return Container::kGguf;
  if (path.ends_with(".safetensors")) return Container::kSafetensors;
  if (path.ends_with(".knot")) return Container::kKnot;
  return type == TensorType::kKaiju1  ? Container::kKnot
         : type == TensorType::kE8Iq3 ? Container::kSafetensors
                                      : Container::kGguf;
}

std::uint64_t encoded_size(const Options& options, const ModelTensor& tensor, TensorType type) {
  const std::string what = in_quotes(tensor.name);
  if (type == TensorType::kKaiju1) {
    const std::size_t size = qp_kaiju1_size(tensor.rows(), tensor.row(), options.hi_frac);
    if (size == 0) throw UnsupportedError(fmt::format("tensor {} is too large", what));
    return size;
  }
  const auto size = containers::tensor_size(type, tensor.rows(), tensor.row());
  if (!size) throw UnsupportedError(fmt::format("tensor {} is too large", what));
  return *size;
}

// 4: the types of all tensors.
void choose_types(Plan& plan, const ModelFile& model) {
  std::vector<Override> overrides = parse_overrides(plan.options.tensor_types);
  std::optional<TensorType> fallback;
  if (!plan.options.fallback.empty()) fallback = parse_type(plan.options.fallback, "--fallback");
  std::string misfits;
  const auto complain = [&](const ModelTensor& tensor, const std::string& why) {
    misfits += fmt::format("\n  {}: {}", in_quotes(tensor.name), why);
  };
  for (const ModelTensor& tensor : model.tensors) {
    PlannedTensor planned;
    planned.source = &tensor;
    planned.reason = never(tensor);
    if (planned.reason.empty()) {
      planned.to = plan.type;
      if (is_embedding_or_output(tensor.name)) {
        planned.to.reset();
        planned.reason = "embedding or output";
      }
      for (Override& entry : overrides) {
        if (!std::regex_search(tensor.name, entry.regex)) continue;
        entry.used = true;
        planned.to = entry.type;
        planned.reason = "--tensor-type";
        break;
      }
    }
    const bool other_basis = tensor.type == TensorType::kE8Iq3 && !tensor.rotated;
    if (planned.to && tensor.type == planned.to && !other_basis) {
      planned.to.reset();
      planned.reason = "is of this type";
    }
    if (!planned.to && other_basis && tensor.shape.size() >= 2) {
      planned.to = TensorType::kE8Iq3;  // what is written is always rotated
      planned.reason = "to be rotated";
    }
    if (planned.to) {
      const std::string why = misfit(tensor, *planned.to);
      if (!why.empty()) {
        if (fallback && misfit(tensor, *fallback).empty()) {
          planned.to = fallback;
          planned.reason = "fallback: " + why;
          planned.substituted = true;
        } else {
          complain(tensor, why);
        }
      }
      if (planned.to && !holds(plan.container, *planned.to)) {
        complain(tensor, fmt::format("{} does not go into {}", type_name(*planned.to),
                                     container_name(plan.container)));
      }
    } else if (!holds_raw(plan.container, tensor)) {
      if (tensor.type) {
        planned.to = TensorType::kF32;
        planned.reason +=
            fmt::format("; {} has no {}", container_name(plan.container), tensor.type_name);
      } else {
        complain(tensor, fmt::format("{} does not go into {}", tensor.type_name,
                                     container_name(plan.container)));
      }
    }
    if (planned.to && !tensor.type) {
      complain(tensor, fmt::format("{} is known, but not decoded here", tensor.type_name));
    }
    if (planned.to && tensor.rotated && tensor.shape.size() < 2) {
      complain(tensor, "its width is not in the file, and its rotation not to be undone");
    }
    planned.to_name = planned.to ? type_name(*planned.to) : tensor.type_name;
    if (misfits.empty()) {
      planned.size =
          planned.to ? encoded_size(plan.options, tensor, *planned.to) : tensor.bytes.size();
    }
    plan.tensors.push_back(std::move(planned));
  }
  if (!misfits.empty()) {
    throw UnsupportedError(
        "these tensors cannot be done; --fallback TYPE or --tensor-type REGEX=TYPE "
        "puts others in another type:" +
        misfits);
  }
  for (const Override& entry : overrides) {
    if (!entry.used) {
      throw UsageError(fmt::format("--tensor-type {} matches no tensor that may be quantized",
                                   in_quotes(entry.text)));
    }
  }
}

// 5: importances.
void find_importances(Plan& plan) {
  std::string misfits;
  for (PlannedTensor& planned : plan.tensors) {
    if (planned.to != TensorType::kIq3Xxs && planned.to != TensorType::kKaiju1) continue;
    planned.lacks_importance = true;
    if (!plan.imatrix) continue;
    const auto found = plan.imatrix->entries.find(planned.source->name);
    if (found == plan.imatrix->entries.end()) continue;
    const ModelTensor& tensor = *planned.source;
    const std::uint64_t experts = tensor.shape.size() == 3 ? tensor.shape[0] : 1;
    const containers::ImatrixEntry& entry = found->second;
    if (tensor.row() == 0 || entry.sums.size() % tensor.row() != 0 ||
        entry.sums.size() / tensor.row() != experts ||
        (entry.counts.size() != 1 && entry.counts.size() != experts)) {
      misfits += fmt::format("\n  {}: {} importances for {} experts of {} columns",
                             in_quotes(tensor.name), entry.sums.size(), experts, tensor.row());
      continue;
    }
    planned.experts_without_data =
        static_cast<std::uint64_t>(std::count(entry.counts.begin(), entry.counts.end(), 0.0f));
    planned.lacks_importance = planned.experts_without_data == entry.counts.size();
    planned.weighted = !planned.lacks_importance;
  }
  if (!misfits.empty()) {
    throw containers::ContainerError(plan.options.imatrix +
                                     ": these entries do not fit their tensors:" + misfits);
  }
  std::string without;
  std::size_t n = 0;
  std::uint64_t iq3 = 0;
  for (const PlannedTensor& planned : plan.tensors) {
    iq3 += planned.to == TensorType::kIq3Xxs ? 1 : 0;
    if (!planned.lacks_importance) {
      if (planned.experts_without_data != 0) {
        plan.warnings.push_back(
            fmt::format("tensor {}: {} of its experts have no data in the imatrix; their columns "
                        "count alike",
                        in_quotes(planned.source->name), planned.experts_without_data));
      }
      continue;
    }
    if (++n <= 10) without += (without.empty() ? "" : ", ") + in_quotes(planned.source->name);
  }
  if (!plan.imatrix && iq3 != 0) {
    plan.warnings.emplace_back(
        "iq3_xxs without --imatrix: all columns count alike, and the model will be worse for it");
  } else if (plan.imatrix && n != 0) {
    plan.warnings.push_back(fmt::format("{} tensors have no importances in the imatrix: {}{}", n,
                                        without, n > 10 ? ", ..." : ""));
  }
}

void set_entry(containers::GgufMetadata& metadata, containers::GgufEntry entry) {
  std::erase_if(metadata, [&](const auto& other) { return other.key == entry.key; });
  metadata.push_back(std::move(entry));
}

// 6.2: what llama.cpp writes.
containers::GgufMetadata quantized_metadata(const Plan& plan, const ModelFile& model) {
  using containers::make_entry;
  containers::GgufMetadata metadata = model.metadata;
  set_entry(metadata, make_entry("general.quantization_version", 2));
  set_entry(metadata, make_entry("general.file_type", find_type(plan.options.type)->file_type));
  if (plan.imatrix) {
    set_entry(metadata, make_entry("quantize.imatrix.file", plan.options.imatrix_name));
    if (!plan.imatrix->datasets.empty()) {
      set_entry(metadata, make_entry("quantize.imatrix.dataset", plan.imatrix->datasets[0]));
    }
    set_entry(metadata, make_entry("quantize.imatrix.entries_count",
                                   static_cast<std::uint32_t>(plan.imatrix->entries.size())));
    set_entry(metadata, make_entry("quantize.imatrix.chunks_count", plan.imatrix->chunk_count));
  }
  return metadata;
}

void lay_out_gguf(Plan& plan, const ModelFile& model) {
  std::vector<containers::GgufTensor> tensors;
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    const PlannedTensor& planned = plan.tensors[i];
    const auto& shape = planned.source->shape;
    tensors.push_back({planned.source->name,
                       {shape.rbegin(), shape.rend()},
                       *containers::ggml_type_id(planned.to_name),
                       0,
                       0});
    plan.pieces.push_back({i, {}});
  }
  plan.layout = gguf_layout(quantized_metadata(plan, model), tensors, plan.options.out);
  if (find_entry(model.metadata, "general.architecture") == nullptr) {
    plan.warnings.emplace_back(
        "the input has no general.architecture: llama.cpp will not run the output");
  }
}

void lay_out_knot(Plan& plan, const ModelFile& model) {
  std::vector<containers::KnotTensor> tensors;
  if (!model.metadata.empty()) {
    std::vector<containers::GgufTensor> none;
    const auto layout = containers::gguf_layout(model.metadata, none, plan.options.out);
    std::string bytes(layout.head.begin(), layout.head.end());
    bytes.resize(layout.size);
    tensors.push_back(
        {"gguf.metadata", containers::kGgufMetadataType, {bytes.size()}, 0, bytes.size()});
    plan.pieces.push_back({std::nullopt, std::move(bytes)});
  }
  auto texts = model.texts;
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    const PlannedTensor& planned = plan.tensors[i];
    if (planned.to == TensorType::kE8Iq3 || (!planned.to && planned.source->rotated)) {
      texts[containers::kRotatedKey] = "rotation.md";
    }
    tensors.push_back(
        {planned.source->name, planned.to_name, planned.source->shape, 0, planned.size});
    plan.pieces.push_back({i, {}});
  }
  plan.layout = knot_layout(tensors, texts, plan.options.out);
}

// 6.3: tensors of wide elements first, as the format's own writer sorts them, so that all are
// aligned.
void lay_out_safetensors(Plan& plan, const ModelFile& model) {
  constexpr std::string_view kTag("\x00\x00\xC0\x40", 4);  // 6.0
  struct Entry {
    containers::SafetensorsTensor tensor;
    Piece piece;
    int width;
  };
  std::vector<Entry> entries;
  std::map<std::string, std::vector<std::uint64_t>> shapes;
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    const PlannedTensor& planned = plan.tensors[i];
    const std::string& name = planned.source->name;
    if (planned.to_name == type_name(TensorType::kE8Iq3)) {
      entries.push_back({{name, "U8", {planned.size}, 0, 0}, {i, {}}, 1});
      entries.push_back({{name + ".qs", "F32", {1}, 0, 0}, {std::nullopt, std::string(kTag)}, 4});
      if (planned.source->shape.size() >= 2) shapes[name] = planned.source->shape;
      continue;
    }
    const std::string& dtype = planned.to_name;
    const int width = dtype.ends_with("64")   ? 8
                      : dtype.ends_with("32") ? 4
                      : dtype.ends_with("16") ? 2
                                              : 1;
    entries.push_back({{name, dtype, planned.source->shape, 0, 0}, {i, {}}, width});
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.width > b.width; });
  std::vector<containers::SafetensorsTensor> tensors;
  for (Entry& entry : entries) {
    tensors.push_back(std::move(entry.tensor));
    plan.pieces.push_back(std::move(entry.piece));
  }
  auto texts = model.texts;
  for (const auto& [key, value] : containers::write_shapes(shapes)) texts[key] = value;
  plan.layout = safetensors_layout(tensors, texts, plan.options.out);
  if (!model.metadata.empty()) {
    plan.warnings.emplace_back("safetensors has no place for the GGUF metadata of the input");
  }
}

}  // namespace

double bits_per_weight(std::uint64_t bytes, std::uint64_t weights) {
  return weights == 0 ? 0 : 8.0 * static_cast<double>(bytes) / static_cast<double>(weights);
}

Plan make_plan(const Options& options, const ModelFile& model) {
  Plan plan;
  plan.options = options;
  plan.type = parse_type(options.type, "--type");
  plan.container = container_of(options.out, plan.type);
  if (!holds(plan.container, plan.type)) {
    throw UsageError(fmt::format("--type {} does not go into {}, which the name of OUT asks for",
                                 find_type(options.type)->name, container_name(plan.container)));
  }
  const auto kind = containers::string_of(find_entry(model.metadata, "general.type"));
  if (kind == "imatrix") {
    throw containers::ContainerError(options.in + ": an imatrix, not a model");
  }
  if (!options.imatrix.empty()) {
    const containers::MappedFile file(options.imatrix);
    plan.imatrix = containers::read_imatrix(file.bytes(), options.imatrix);
    plan.imatrix_digest =
        certify::sha256({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()});
  }
  choose_types(plan, model);
  find_importances(plan);
  try {
    switch (plan.container) {
      case Container::kSafetensors:
        lay_out_safetensors(plan, model);
        break;
      case Container::kKnot:
        lay_out_knot(plan, model);
        break;
      default:
        lay_out_gguf(plan, model);
    }
  } catch (const containers::ContainerError& error) {
    throw UnsupportedError(error.what());
  }
  return plan;
}

std::vector<float> importance_of(const Plan& plan, const PlannedTensor& tensor) {
  if (!tensor.weighted) return {};
  const auto& entry = plan.imatrix->entries.at(tensor.source->name);
  return entry.importance();
}

}  // namespace quantproof::quantize
