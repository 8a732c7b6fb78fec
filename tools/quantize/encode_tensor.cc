// SPDX-License-Identifier: Apache-2.0
#include "tools/quantize/encode_tensor.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "fmt/format.h"

#include "tools/certify/sha256.h"
#include "tools/containers/container_error.h"
#include "tools/containers/mapped_file.h"
#include "tools/containers/quoted.h"
#include "tools/quantize/interrupt.h"

namespace quantproof::quantize {

namespace {

using containers::ContainerError;
using containers::in_quotes;
using containers::MappedFile;

constexpr std::uint64_t kChunkWeights = 16384;
constexpr std::uint64_t kBatchWeights = std::uint64_t{1} << 22;
constexpr std::uint64_t kBlockBytes = 98;
constexpr std::size_t kCopyBytes = std::size_t{1} << 22;

// Memory to work in that is not cleared first.
using Floats = std::unique_ptr<float[]>;
Floats floats(std::uint64_t n) { return Floats(new float[n]); }

[[noreturn]] void fail(const ModelTensor& tensor, std::uint64_t weight, const std::string& why) {
  throw ContainerError(fmt::format("tensor {}: row {}, column {}: {}", in_quotes(tensor.name),
                                   weight / tensor.row(), weight % tensor.row(), why));
}

qp_effort effort_of(const std::string& name) {
  return name == "fast" ? QP_EFFORT_FAST : name == "best" ? QP_EFFORT_BEST : QP_EFFORT_DEFAULT;
}

// Sums of rows in double, weight after weight.
void add_errors(const float* x, const float* y, std::uint64_t rows, std::uint64_t row,
                const float* importance, TensorResult& result) {
  for (std::uint64_t r = 0; r < rows; ++r) {
    double error = 0;
    double energy = 0;
    for (std::uint64_t c = 0; c < row; ++c) {
      const double weight = importance == nullptr ? 1.0 : importance[c];
      const double value = x[r * row + c];
      const double difference = value - y[r * row + c];
      error += weight * (difference * difference);
      energy += weight * (value * value);
    }
    result.error += error;
    result.energy += energy;
  }
}

// Blocks of weights that are not all 0, but whose bytes are.
void count_blocks(const float* x, std::uint64_t rows, std::uint64_t row, const std::uint8_t* bytes,
                  TensorResult& result) {
  const auto is_zero = [](auto value) { return value == 0; };
  for (std::uint64_t r = 0; r < rows; ++r) {
    for (std::uint64_t first = 0; first < row; first += 256) {
      const std::uint64_t end = std::min<std::uint64_t>(first + 256, row);
      const std::uint8_t* block = bytes + kBlockBytes * result.blocks++;
      if (std::all_of(block, block + kBlockBytes, is_zero) &&
          !std::all_of(x + r * row + first, x + r * row + end, is_zero)) {
        ++result.blocks_zeroed;
      }
    }
  }
}

class Encoder {
 public:
  Encoder(const Plan& plan, const PlannedTensor& planned)
      : tensor_(*planned.source),
        to_(*planned.to),
        importance_(importance_of(plan, planned)),
        rows_per_expert_(tensor_.shape.size() == 3 ? tensor_.shape[1] : tensor_.rows()) {
    options_.struct_size = sizeof options_;
    options_.effort = effort_of(plan.options.effort);
  }

  // Rows of one expert.
  [[nodiscard]] std::uint64_t end_of_expert(std::uint64_t row) const {
    return (row / rows_per_expert_ + 1) * rows_per_expert_;
  }

  // Rows [first, first + rows) to `bytes`, with `work` for 2 rows * row numbers.
  TensorResult encode(std::uint64_t first, std::uint64_t rows, std::uint8_t* bytes,
                      float* work) const {
    const std::uint64_t row = tensor_.row();
    const std::uint64_t n = rows * row;
    float* const x = work;
    float* const y = work + n;
    decode_rows(tensor_, first, rows, x);
    if (to_ == TensorType::kE8Iq3) qp_rotate(x, rows, row);
    const float* importance =
        importance_.empty()
            ? nullptr
            : importance_.data() + (importance_.size() == row ? 0 : first / rows_per_expert_ * row);
    TensorResult result;
    if (to_ == TensorType::kIq3Xxs || to_ == TensorType::kE8Iq3) {
      const qp_format format = to_ == TensorType::kIq3Xxs ? QP_IQ3_XXS : QP_E8_IQ3;
      qp_location where{};
      const qp_status status = qp_encode_at(format, x, rows, row, importance, bytes,
                                            qp_encoded_size(format, rows, row), &options_, &where);
      if (status != QP_OK) {
        fail(tensor_, first * row + where.offset / sizeof(float),
             fmt::format("{} {}", where.field, qp_status_name(status)));
      }
      count_blocks(x, rows, row, bytes, result);
    } else {
      const std::uint64_t done = containers::encode_plain(to_, x, n, bytes);
      if (done != n) {
        fail(tensor_, first * row + done,
             fmt::format("{} is too large for {}", x[done], containers::type_name(to_)));
      }
    }
    containers::decode_rows(
        to_, {bytes, static_cast<std::size_t>(*containers::tensor_size(to_, rows, row))}, row, 0,
        rows, y);
    add_errors(x, y, rows, row, importance, result);
    return result;
  }

 private:
  const ModelTensor& tensor_;
  TensorType to_;
  std::vector<float> importance_;
  std::uint64_t rows_per_expert_;
  qp_encode_options options_{};
};

void add(TensorResult& sum, const TensorResult& part) {
  sum.error += part.error;
  sum.energy += part.energy;
  sum.blocks += part.blocks;
  sum.blocks_zeroed += part.blocks_zeroed;
}

TensorResult encode_rows(const Plan& plan, const PlannedTensor& planned, std::size_t threads,
                         const Sink& sink, const Advance& advance) {
  struct Chunk {
    std::uint64_t first;
    std::uint64_t rows;
    std::uint64_t offset;  // in the batch
  };
  const ModelTensor& tensor = *planned.source;
  const std::uint64_t row = tensor.row();
  const std::uint64_t rows = row == 0 ? 0 : tensor.rows();
  const Encoder encoder(plan, planned);
  const std::uint64_t row_bytes = row == 0 ? 0 : *containers::tensor_size(*planned.to, 1, row);
  const std::uint64_t source_row_bytes = rows == 0 ? 0 : tensor.bytes.size() / rows;
  const std::uint64_t chunk_rows = row == 0 ? 1 : std::max<std::uint64_t>(1, kChunkWeights / row);
  TensorResult result;
  std::vector<std::uint8_t> bytes;
  std::vector<Floats> work(threads);
  for (Floats& part : work) part = floats(2 * chunk_rows * row);
  for (std::uint64_t next = 0; next < rows;) {
    std::vector<Chunk> chunks;
    const std::uint64_t batch = next;
    while (next < rows && (chunks.empty() || (next - batch) * row < kBatchWeights)) {
      const std::uint64_t end = std::min({next + chunk_rows, rows, encoder.end_of_expert(next)});
      chunks.push_back({next, end - next, (next - batch) * row_bytes});
      next = end;
    }
    bytes.resize((next - batch) * row_bytes);
    std::vector<TensorResult> parts(chunks.size());
    const std::size_t used = std::min(threads, chunks.size());
    std::atomic<std::size_t> number = 0;
    in_parallel(used, used, [&](std::size_t worker) {
      for (std::size_t i = number++; i < chunks.size(); i = number++) {
        if (interrupted()) return;
        const Chunk& chunk = chunks[i];
        parts[i] = encoder.encode(chunk.first, chunk.rows, bytes.data() + chunk.offset,
                                  work[worker].get());
      }
    });
    if (interrupted()) throw Interrupted("interrupted");
    for (const TensorResult& part : parts) add(result, part);
    sink(bytes);
    MappedFile::release(
        tensor.bytes.subspan(batch * source_row_bytes, (next - batch) * source_row_bytes));
    advance((next - batch) * row);
  }
  return result;
}

TensorResult encode_kaiju1(const Plan& plan, const PlannedTensor& planned, std::size_t threads,
                           const Sink& sink, const Advance& advance) {
  constexpr std::uint64_t kRowsAtOnce = 64;
  const ModelTensor& tensor = *planned.source;
  const std::uint64_t row = tensor.row();
  const std::uint64_t rows = tensor.rows();
  const std::vector<float> importance = importance_of(plan, planned);
  const Floats weights = floats(rows * row);
  const std::uint64_t parts = (rows + kRowsAtOnce - 1) / kRowsAtOnce;
  const auto rows_of = [&](std::size_t part) {
    return std::min<std::uint64_t>(kRowsAtOnce, rows - part * kRowsAtOnce);
  };
  in_parallel(parts, threads, [&](std::size_t part) {
    const std::uint64_t first = part * kRowsAtOnce;
    decode_rows(tensor, first, rows_of(part), weights.get() + first * row);
  });
  MappedFile::release(tensor.bytes);
  std::vector<std::uint8_t> bytes(planned.size);
  qp_location where{};
  const qp_status status = qp_kaiju1_encode_at(
      weights.get(), rows, row, importance.empty() ? nullptr : importance.data(),
      plan.options.hi_frac, threads, bytes.data(), bytes.size(), &where);
  if (status != QP_OK) {
    fail(tensor, where.offset / sizeof(float),
         fmt::format("{} {}", where.field, qp_status_name(status)));
  }
  if (interrupted()) throw Interrupted("interrupted");
  std::vector<TensorResult> results(parts);
  in_parallel(parts, threads, [&](std::size_t part) {
    const std::uint64_t first = part * kRowsAtOnce;
    const Floats decoded = floats(rows_of(part) * row);
    containers::decode_rows(TensorType::kKaiju1, bytes, row, first, rows_of(part), decoded.get());
    add_errors(weights.get() + first * row, decoded.get(), rows_of(part), row,
               importance.empty() ? nullptr : importance.data(), results[part]);
  });
  TensorResult result;
  for (const TensorResult& part : results) add(result, part);
  sink(bytes);
  advance(rows * row);
  return result;
}

TensorResult copy(const ModelTensor& tensor, const Sink& sink, const Advance& advance) {
  for (std::size_t first = 0; first < tensor.bytes.size(); first += kCopyBytes) {
    if (interrupted()) throw Interrupted("interrupted");
    const auto part =
        tensor.bytes.subspan(first, std::min(kCopyBytes, tensor.bytes.size() - first));
    sink(part);
    MappedFile::release(part);
  }
  advance(tensor.weights());
  return {};
}

}  // namespace

double relative_error(const TensorResult& result) {
  return result.energy > 0 ? result.error / result.energy : 0;
}

void in_parallel(std::size_t n, std::size_t threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr error;
  std::size_t error_at = n;
  const auto run = [&] {
    for (std::size_t i = next++; i < n; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i < error_at) {
          error_at = i;
          error = std::current_exception();
        }
      }
    }
  };
  std::vector<std::thread> others;
  for (std::size_t t = 1; t < std::min(threads, n); ++t) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
  if (error) std::rethrow_exception(error);
}

TensorResult encode_tensor(const Plan& plan, const PlannedTensor& tensor, std::size_t threads,
                           const Sink& sink, const Advance& advance) {
  certify::Sha256 digest;
  const Sink digesting = [&](std::span<const std::uint8_t> bytes) {
    digest.update(bytes.data(), bytes.size());
    sink(bytes);
  };
  TensorResult result = !tensor.to ? copy(*tensor.source, digesting, advance)
                        : *tensor.to == TensorType::kKaiju1
                            ? encode_kaiju1(plan, tensor, threads, digesting, advance)
                            : encode_rows(plan, tensor, threads, digesting, advance);
  result.digest = digest.finish();
  return result;
}

std::string check_source(const PlannedTensor& planned) {
  constexpr std::size_t kPiece = kCopyBytes / 34 * 34;  // whole weights of every plain type
  const ModelTensor& tensor = *planned.source;
  const std::uint64_t row = tensor.row();
  const bool plain = tensor.type == TensorType::kF32 || tensor.type == TensorType::kF16 ||
                     tensor.type == TensorType::kBf16 || tensor.type == TensorType::kQ8_0;
  certify::Sha256 digest;
  for (std::size_t first = 0; first < tensor.bytes.size(); first += kPiece) {
    if (interrupted()) throw Interrupted("interrupted");
    const auto part = tensor.bytes.subspan(first, std::min(kPiece, tensor.bytes.size() - first));
    digest.update(part.data(), part.size());
    if (planned.to && plain) {
      const auto found = containers::not_finite(*tensor.type, part);
      if (found.count != 0) {
        const std::uint64_t before = first * tensor.weights() / tensor.bytes.size();
        fail(tensor, before + found.first, "the weight is infinite or NaN");
      }
    }
    MappedFile::release(part);
  }
  if (planned.to && !plain && row != 0) {
    const std::uint64_t at_once = std::max<std::uint64_t>(1, 16 * kChunkWeights / row);
    const std::uint64_t rows = tensor.rows();
    const Floats weights = floats(std::min(at_once, rows) * row);
    for (std::uint64_t first = 0; first < rows; first += at_once) {
      if (interrupted()) throw Interrupted("interrupted");
      decode_rows(tensor, first, std::min(at_once, rows - first), weights.get());
    }
    MappedFile::release(tensor.bytes);
  }
  return digest.finish();
}

}  // namespace quantproof::quantize
