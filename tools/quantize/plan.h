// SPDX-License-Identifier: Apache-2.0
//
// What quantizing a model will do, decided before any work (spec/formats/quantize.md).
#ifndef QUANTPROOF_TOOLS_QUANTIZE_PLAN_H_
#define QUANTPROOF_TOOLS_QUANTIZE_PLAN_H_

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "quantproof/qp.h"
#include "tools/containers/file_writer.h"
#include "tools/containers/imatrix.h"
#include "tools/containers/model_file.h"

namespace quantproof::quantize {

using containers::Container;
using containers::ModelFile;
using containers::ModelTensor;
using containers::TensorType;

// The options that decide the bytes of the output.
struct Options {
  std::string in;
  std::string out;
  std::string type;
  std::string imatrix;                    // a path, or nothing
  std::string imatrix_name;               // that path as the metadata shows it
  std::vector<std::string> tensor_types;  // REGEX=TYPE
  std::string fallback;                   // a type, or nothing
  std::string effort = "default";
  std::uint32_t hi_frac = 100000;  // millionths
};

// What cannot be done with this input; the message lists every tensor that is in the way.
class UnsupportedError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct PlannedTensor {
  const ModelTensor* source = nullptr;
  std::optional<TensorType> to;  // nothing: the bytes are kept as they are
  std::string to_name;
  std::string reason;  // why it is kept or in another type; may be empty
  std::uint64_t size = 0;
  bool weighted = false;          // it has importances, and the type uses them
  bool lacks_importance = false;  // the type would use importances, but there are none
  std::uint64_t experts_without_data = 0;
  bool substituted = false;
};

// A part of the output: the bytes of a planned tensor, or bytes that are known already.
struct Piece {
  std::optional<std::size_t> tensor;
  std::string bytes;
};

struct Plan {
  Options options;
  TensorType type = TensorType::kIq3Xxs;
  Container container = Container::kGguf;
  std::vector<PlannedTensor> tensors;  // in the order of the source
  std::vector<Piece> pieces;           // in the order of the output
  containers::FileLayout layout;       // of the pieces
  std::optional<containers::Imatrix> imatrix;
  std::string imatrix_digest;
  std::vector<std::string> warnings;
};

// Throws UsageError, ContainerError, FileError and UnsupportedError. `model` must outlive the plan.
Plan make_plan(const Options& options, const ModelFile& model);

// The importances that a tensor is encoded with: as many as a row has weights, expert after expert;
// none where the encoder takes none.
std::vector<float> importance_of(const Plan& plan, const PlannedTensor& tensor);

double bits_per_weight(std::uint64_t bytes, std::uint64_t weights);

}  // namespace quantproof::quantize

#endif
