// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "quantproof/qp.h"
#include "tools/cli/command.h"
#include "tools/containers/imatrix.h"
#include "tools/containers/mapped_file.h"
#include "tools/containers/model_file.h"
#include "tools/containers/quoted.h"

namespace quantproof::cli {

namespace {

using containers::Container;
using containers::GgufEntry;
using containers::ModelFile;
using containers::ModelTensor;
using containers::TensorType;
using nlohmann::ordered_json;
using Bytes = std::span<const std::uint8_t>;

struct InspectOptions {
  std::string path;
  std::string json;
  bool force = false;
};

// What the contents of a tensor are like. Nothing where the type is not known.
struct Contents {
  std::uint64_t faults = 0;       // weights or rows that no decoder should be given
  std::string first;              // the first of them
  std::uint64_t zero_blocks = 0;  // of IQ3_XXS and E8/IQ3: with a scale of 0
};

Contents check_numbers(TensorType type, Bytes bytes) {
  const auto found = containers::not_finite(type, bytes);
  Contents contents;
  contents.faults = found.count;
  if (found.count != 0) contents.first = fmt::format("weight {} is not finite", found.first);
  return contents;
}

// Every row of blocks under profile strict.
Contents check_blocks(qp_format format, const ModelTensor& tensor) {
  constexpr std::uint64_t kWeightsAtOnce = 1 << 16;
  constexpr std::size_t kBlockBytes = 98;
  Contents contents;
  const std::size_t scale = format == QP_IQ3_XXS ? 0 : kBlockBytes - 2;
  for (std::size_t at = scale; at < tensor.bytes.size(); at += kBlockBytes) {
    if (tensor.bytes[at] == 0 && (tensor.bytes[at + 1] & 0x7F) == 0) ++contents.zero_blocks;
  }
  // A row may be as long as the file: as pieces of whole blocks.
  const std::uint64_t row = tensor.row();
  const std::size_t row_bytes = qp_row_size(format, row);
  if (row_bytes == 0) return contents;
  std::vector<float> weights(std::min(row, kWeightsAtOnce));
  for (std::uint64_t r = 0; r < tensor.bytes.size() / row_bytes; ++r) {
    for (std::uint64_t first = 0; first < row; first += kWeightsAtOnce) {
      const std::uint64_t n = std::min(row - first, kWeightsAtOnce);
      const std::uint64_t offset = r * row_bytes + first / 256 * kBlockBytes;
      qp_location where{};
      const qp_status status = qp_decode_at(QP_PROFILE_STRICT, format, tensor.bytes.data() + offset,
                                            qp_row_size(format, n), weights.data(), n, &where);
      if (status == QP_OK) continue;
      if (contents.faults++ == 0) {
        contents.first = fmt::format("row {}, block {}, {} at {}: {}", r, first / 256 + where.block,
                                     where.field, offset + where.offset, qp_status_name(status));
      }
      break;  // the next row
    }
  }
  return contents;
}

// A KAIJU1 tensor: header, columns and channels, then every row.
Contents check_kaiju1(const ModelTensor& tensor) {
  constexpr std::uint64_t kRowsAtOnce = 64;
  const Bytes bytes = tensor.bytes;
  Contents contents;
  qp_location where{};
  const auto record = [&](qp_status status) {
    if (contents.faults++ == 0) {
      contents.first = fmt::format("{} {} at {}: {}", where.field, where.block, where.offset,
                                   qp_status_name(status));
    }
  };
  const qp_status whole =
      qp_kaiju1_decode_rows_at(bytes.data(), bytes.size(), 0, 0, nullptr, &where);
  if (whole != QP_OK) {
    record(whole);
    return contents;
  }
  const std::uint64_t rows = tensor.shape[0];
  const std::uint64_t at_once = std::min(rows, kRowsAtOnce);
  std::vector<float> weights(at_once * tensor.shape[1]);
  for (std::uint64_t first = 0; first < rows;) {
    const std::uint64_t count = std::min(at_once, rows - first);
    const qp_status status =
        qp_kaiju1_decode_rows_at(bytes.data(), bytes.size(), first, count, weights.data(), &where);
    if (status == QP_OK) {
      first += count;
    } else {
      record(status);
      first = where.block + 1;
    }
  }
  return contents;
}

std::optional<Contents> check_contents(const ModelTensor& tensor) {
  if (!tensor.type) return std::nullopt;
  switch (*tensor.type) {
    case TensorType::kIq3Xxs:
      return check_blocks(QP_IQ3_XXS, tensor);
    case TensorType::kE8Iq3:
      return check_blocks(QP_E8_IQ3, tensor);
    case TensorType::kKaiju1:
      return check_kaiju1(tensor);
    default:
      return check_numbers(*tensor.type, tensor.bytes);
  }
}

std::string verdict_of(const std::optional<Contents>& contents) {
  if (!contents) return "not checked";
  return contents->faults == 0 ? "ok" : "FAULTY";
}

// Control characters and the like must not reach a terminal.
std::string printable(const std::string& text) {
  const std::string quoted = containers::in_quotes(text);
  return quoted.substr(1, quoted.size() - 2);
}

double bits_per_weight(const ModelTensor& tensor) {
  const std::uint64_t weights = tensor.weights();
  return weights == 0
             ? 0
             : 8.0 * static_cast<double>(tensor.bytes.size()) / static_cast<double>(weights);
}

// An entry of GGUF metadata; of an array, which may be long, its length.
ordered_json value_of(const GgufEntry& entry) {
  if (const auto text = containers::string_of(&entry)) return *text;
  if (const auto integer = containers::integer_of(&entry)) {
    if (entry.type == containers::GgufType::kBool) return *integer != 0;
    return *integer;
  }
  if (const auto number = containers::number_of(&entry)) return *number;
  if (const auto texts = containers::strings_of(&entry)) return {{"strings", texts->size()}};
  return {{"numbers", containers::numbers_of(&entry)->size()}};
}

ordered_json metadata_of(const ModelFile& model) {
  ordered_json metadata = ordered_json::object();
  for (const GgufEntry& entry : model.metadata) metadata[entry.key] = value_of(entry);
  for (const auto& [key, value] : model.texts) metadata[key] = value;
  return metadata;
}

int inspect_model(const InspectOptions& options) {
  const ModelFile model(options.path);
  ordered_json tensors = ordered_json::array();
  std::vector<std::string> lines;
  std::uint64_t weights = 0;
  std::size_t faulty = 0;
  std::size_t unchecked = 0;
  std::uint64_t zero_blocks = 0;
  std::size_t width = 4;
  for (const ModelTensor& tensor : model.tensors) {
    width = std::max(width, printable(tensor.name).size());
  }
  for (const ModelTensor& tensor : model.tensors) {
    const auto contents = check_contents(tensor);
    const std::string verdict = verdict_of(contents);
    unchecked += contents ? 0 : 1;
    faulty += contents && contents->faults != 0 ? 1 : 0;
    weights += tensor.weights();
    ordered_json entry = {
        {"name", tensor.name},         {"type", tensor.type_name},
        {"shape", tensor.shape},       {"offset", tensor.offset},
        {"size", tensor.bytes.size()}, {"bits_per_weight", bits_per_weight(tensor)},
        {"verdict", verdict}};
    if (model.paths.size() > 1) entry["file"] = model.paths[tensor.file];
    std::string line =
        fmt::format("{:{}}  {:8} {:>16} {:>14} {:>14} {:>8.4f}  {}", printable(tensor.name), width,
                    tensor.type_name, fmt::format("{}", fmt::join(tensor.shape, " x ")),
                    tensor.offset, tensor.bytes.size(), bits_per_weight(tensor), verdict);
    if (contents && contents->zero_blocks != 0) {
      zero_blocks += contents->zero_blocks;
      entry["zero_blocks"] = contents->zero_blocks;
      line += fmt::format("; zero blocks: {}", contents->zero_blocks);
    }
    lines.push_back(std::move(line));
    if (contents && contents->faults != 0) {
      entry["faults"] = contents->faults;
      entry["first_fault"] = contents->first;
      lines.push_back(fmt::format("{:{}}  faults: {}; the first: {}", "", width, contents->faults,
                                  contents->first));
    }
    tensors.push_back(std::move(entry));
    containers::MappedFile::release(tensor.bytes);
  }
  const int code = faulty != 0 ? kExitFailed : unchecked != 0 ? kExitNotExercised : kExitPass;
  const ordered_json metadata = metadata_of(model);
  std::uint64_t size = 0;
  for (const std::string& path : model.paths) size += std::filesystem::file_size(path);
  if (!options.json.empty()) {
    ordered_json json = {{"file", options.path}, {"container", container_name(model.container)}};
    if (model.version != 0) json["version"] = model.version;
    json["files"] = model.paths;
    json["size"] = size;
    json["metadata"] = metadata;
    json["zero_blocks"] = zero_blocks;
    json["tensors"] = tensors;
    write_json(options.json, json);
    if (options.json == "-") return code;
  }
  fmt::print("{}: {}{}; bytes: {}; tensors: {}; weights: {}\n", options.path,
             container_name(model.container),
             model.version != 0 ? fmt::format(" version {}", model.version) : "", size,
             model.tensors.size(), weights);
  for (std::size_t i = 1; i < model.paths.size(); ++i) fmt::print("file  {}\n", model.paths[i]);
  for (const auto& [key, value] : metadata.items()) {
    fmt::print("metadata  {} = {}\n", printable(key),
               value.is_string() ? printable(value.get<std::string>())
               : value.is_object()
                   ? fmt::format("{} {}", value.begin().value().dump(), value.begin().key())
                   : value.dump());
  }
  if (!lines.empty()) {
    fmt::print("\n{:{}}  {:8} {:>16} {:>14} {:>14} {:>8}  {}\n", "name", width, "type", "shape",
               "offset", "bytes", "bits/w", "contents");
  }
  for (const std::string& line : lines) fmt::print("{}\n", line);
  fmt::print("\ntensors checked: {}; faulty: {}; of a type that is not checked: {}\n",
             model.tensors.size() - unchecked, faulty, unchecked);
  return code;
}

// Reading an imatrix is checking it.
int inspect_imatrix(const InspectOptions& options, Bytes file) {
  const auto imatrix = containers::read_imatrix(file, options.path);
  const char* form = imatrix.legacy ? "legacy" : "GGUF";
  if (!options.json.empty()) {
    write_json(options.json, {{"file", options.path},
                              {"container", "imatrix"},
                              {"form", form},
                              {"size", file.size()},
                              {"entries", imatrix.entries.size()},
                              {"chunks", imatrix.chunk_count},
                              {"datasets", imatrix.datasets}});
    if (options.json == "-") return kExitPass;
  }
  fmt::print("{}: imatrix in the {} form; bytes: {}; entries: {}; chunks: {}; all values ok\n",
             options.path, form, file.size(), imatrix.entries.size(), imatrix.chunk_count);
  return kExitPass;
}

int run_inspect(const InspectOptions& options) {
  check_writable(options.json, options.force);
  const containers::MappedFile file(options.path);
  const Container container = containers::sniff(file.bytes());
  bool imatrix = container == Container::kImatrix;
  if (container == Container::kGguf) {
    const auto gguf = containers::read_gguf(file.bytes(), options.path);
    imatrix = containers::string_of(find_entry(gguf.metadata, "general.type")) == "imatrix";
  }
  return imatrix ? inspect_imatrix(options, file.bytes()) : inspect_model(options);
}

}  // namespace

void add_inspect_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand(
      "inspect", "List and verify a GGUF, safetensors, KNOT or imatrix file, block by block");
  command->group("Look inside");
  command
      ->add_option("file", options->path,
                   "The file; of a split GGUF the first, of safetensors one file or the index")
      ->required();
  command->add_option("--json", options->json, "Write to FILE, or to standard output for -");
  command->add_flag("--force", options->force, "Overwrite the report file");
  command->callback(
      [options, &session] { session.run = [options] { return run_inspect(*options); }; });
}

}  // namespace quantproof::cli
