// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <unistd.h>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "quantproof/qp.h"
#include "tools/certify/decoder.h"
#include "tools/cli/command.h"
#include "tools/containers/container_error.h"
#include "tools/containers/knot.h"
#include "tools/containers/mapped_file.h"

namespace quantproof::cli {

namespace {

using containers::Knot;
using containers::KnotTensor;
using nlohmann::ordered_json;
using Bytes = std::span<const std::uint8_t>;

struct InspectOptions {
  std::string path;
  std::string json;
  bool force = false;
};

// What the contents of a tensor are like. Nothing where the type is not known.
struct Contents {
  std::uint64_t faults = 0;  // weights or rows that no decoder should be given
  std::string first;         // the first of them
};

// Infinities and NaNs among little-endian numbers whose exponent is all ones under `mask`.
Contents check_numbers(Bytes bytes, std::size_t width, std::uint32_t mask) {
  Contents contents;
  for (std::size_t i = 0; i < bytes.size() / width; ++i) {
    std::uint32_t bits = 0;
    for (std::size_t b = 0; b < width; ++b) {
      bits |= std::uint32_t{bytes[width * i + b]} << (8 * b);
    }
    if ((bits & mask) != mask) continue;
    if (contents.faults++ == 0) contents.first = fmt::format("weight {} is not finite", i);
  }
  return contents;
}

// Every row of blocks under profile strict.
Contents check_blocks(qp_format format, const KnotTensor& tensor, Bytes bytes) {
  Contents contents;
  const std::uint64_t row = tensor.shape.back();
  const std::size_t row_bytes = qp_row_size(format, row);
  if (row_bytes == 0) return contents;
  std::vector<float> weights(row);
  for (std::uint64_t r = 0; r < tensor.size / row_bytes; ++r) {
    qp_location where{};
    const qp_status status = qp_decode_at(QP_PROFILE_STRICT, format, bytes.data() + r * row_bytes,
                                          row_bytes, weights.data(), row, &where);
    if (status == QP_OK) continue;
    if (contents.faults++ == 0) {
      contents.first = fmt::format("row {}, block {}, {} at {}: {}", r, where.block, where.field,
                                   r * row_bytes + where.offset, qp_status_name(status));
    }
  }
  return contents;
}

// A KAIJU1 tensor: header, columns and channels, then every row.
Contents check_kaiju1(const KnotTensor& tensor, Bytes bytes) {
  constexpr std::uint64_t kRowsAtOnce = 64;
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

std::optional<Contents> check_contents(const KnotTensor& tensor, Bytes bytes) {
  if (tensor.type == "F32") return check_numbers(bytes, 4, 0x7F800000u);
  if (tensor.type == "F16") return check_numbers(bytes, 2, 0x7C00u);
  if (tensor.type == "BF16") return check_numbers(bytes, 2, 0x7F80u);
  if (tensor.type == "IQ3_XXS") return check_blocks(QP_IQ3_XXS, tensor, bytes);
  if (tensor.type == "KAIJU1") return check_kaiju1(tensor, bytes);
  if (tensor.type == "E8_IQ3") return check_blocks(QP_E8_IQ3, tensor, bytes);
  return std::nullopt;
}

std::string verdict_of(const std::optional<Contents>& contents) {
  if (!contents) return "not checked";
  return contents->faults == 0 ? "ok" : "FAULTY";
}

// Control characters and the like must not reach a terminal.
std::string printable(const std::string& text) {
  const std::string quoted =
      ordered_json(text).dump(-1, ' ', true, ordered_json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2);
}

double bits_per_weight(const KnotTensor& tensor) {
  const std::uint64_t weights = tensor.weights();
  return weights == 0 ? 0 : 8.0 * static_cast<double>(tensor.size) / static_cast<double>(weights);
}

int inspect_knot(const InspectOptions& options, Bytes file) {
  const Knot knot = containers::read_knot(file, options.path);
  ordered_json tensors = ordered_json::array();
  std::vector<std::string> lines;
  std::uint64_t weights = 0;
  std::size_t faulty = 0;
  std::size_t unchecked = 0;
  std::size_t width = 4;
  for (const KnotTensor& tensor : knot.tensors) {
    width = std::max(width, printable(tensor.name).size());
  }
  for (const KnotTensor& tensor : knot.tensors) {
    const auto contents = check_contents(tensor, containers::tensor_bytes(knot, tensor, file));
    const std::string verdict = verdict_of(contents);
    unchecked += contents ? 0 : 1;
    faulty += contents && contents->faults != 0 ? 1 : 0;
    weights += tensor.weights();
    ordered_json entry = {{"name", tensor.name},   {"type", tensor.type},
                          {"shape", tensor.shape}, {"offset", knot.body + tensor.offset},
                          {"size", tensor.size},   {"bits_per_weight", bits_per_weight(tensor)},
                          {"verdict", verdict}};
    if (contents && contents->faults != 0) {
      entry["faults"] = contents->faults;
      entry["first_fault"] = contents->first;
    }
    tensors.push_back(std::move(entry));
    lines.push_back(
        fmt::format("{:{}}  {:8} {:>16} {:>14} {:>14} {:>8.4f}  {}", printable(tensor.name), width,
                    tensor.type, fmt::format("{}", fmt::join(tensor.shape, " x ")),
                    knot.body + tensor.offset, tensor.size, bits_per_weight(tensor), verdict));
    if (contents && contents->faults != 0) {
      lines.push_back(fmt::format("{:{}}  faults: {}; the first: {}", "", width, contents->faults,
                                  contents->first));
    }
  }
  const int code = faulty != 0 ? kExitFailed : unchecked != 0 ? kExitNotExercised : kExitPass;
  if (!options.json.empty()) {
    write_json(options.json, {{"file", options.path},
                              {"container", "KNOT"},
                              {"version", 1},
                              {"size", file.size()},
                              {"metadata", knot.metadata},
                              {"tensors", tensors}});
    if (options.json == "-") return code;
  }
  fmt::print("{}: KNOT version 1; bytes: {}; tensors: {}; weights: {}\n", options.path, file.size(),
             knot.tensors.size(), weights);
  for (const auto& [key, value] : knot.metadata) {
    fmt::print("metadata  {} = {}\n", printable(key), printable(value));
  }
  if (!lines.empty()) {
    fmt::print("\n{:{}}  {:8} {:>16} {:>14} {:>14} {:>8}  {}\n", "name", width, "type", "shape",
               "offset", "bytes", "bits/w", "contents");
  }
  for (const std::string& line : lines) fmt::print("{}\n", line);
  fmt::print("\ntensors checked: {}; faulty: {}; of a type that is not checked: {}\n",
             knot.tensors.size() - unchecked, faulty, unchecked);
  return code;
}

int run_inspect(const InspectOptions& options) {
  check_writable(options.json, options.force);
  try {
    const containers::MappedFile file(options.path);
    return inspect_knot(options, file.bytes());
  } catch (const containers::ContainerError& error) {
    throw certify::UnreadableError(error.what());
  } catch (const containers::FileError& error) {
    throw certify::UnreadableError(error.what());
  }
}

}  // namespace

void add_inspect_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command =
      app.add_subcommand("inspect", "List the tensors of a KNOT file, with every block verified");
  command->group("Look inside");
  command->add_option("file", options->path, "The file")->required();
  command->add_option("--json", options->json, "Write to FILE, or to standard output for -");
  command->add_flag("--force", options->force, "Overwrite the report file");
  command->callback(
      [options, &session] { session.run = [options] { return run_inspect(*options); }; });
}

}  // namespace quantproof::cli
