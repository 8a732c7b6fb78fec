// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/encoder.h"

#include <cstdlib>
#include <dlfcn.h>

#include "fmt/format.h"

namespace quantproof::certify {

namespace {

constexpr int kGgmlTypeIq3Xxs = 18;

class BuiltinEncoder final : public Encoder {
 public:
  using Encoder::Encoder;
  bool has_status() const override { return true; }
  qp_weighting weighting() const override { return QP_WEIGHTING_IMPORTANCE; }

  Answer encode(const float* x, std::size_t rows, std::size_t cols, const float* importance,
                std::uint8_t* bytes, std::size_t n_bytes) const override {
    return qp_encode(format(), x, rows, cols, importance, bytes, n_bytes, nullptr) == QP_OK
               ? Answer::kEncoded
               : Answer::kRefused;
  }
};

class GgmlEncoder final : public Encoder {
 public:
  using Function = std::size_t (*)(const float*, void*, std::int64_t, std::int64_t, const float*);

  GgmlEncoder(qp_format format, void* function)
      : Encoder(format), function_(reinterpret_cast<Function>(function)) {}
  bool has_status() const override { return false; }
  qp_weighting weighting() const override { return QP_WEIGHTING_GGML; }

  Answer encode(const float* x, std::size_t rows, std::size_t cols, const float* importance,
                std::uint8_t* bytes, std::size_t n_bytes) const override {
    const std::size_t written = function_(x, bytes, static_cast<std::int64_t>(rows),
                                          static_cast<std::int64_t>(cols), importance);
    return written == n_bytes ? Answer::kEncoded : Answer::kWrongSize;
  }

 private:
  Function function_;
};

class QpEncoder final : public Encoder {
 public:
  using Function = int (*)(const float*, std::size_t, std::size_t, const float*, std::uint8_t*,
                           std::size_t);

  QpEncoder(qp_format format, void* function)
      : Encoder(format), function_(reinterpret_cast<Function>(function)) {}
  bool has_status() const override { return true; }
  qp_weighting weighting() const override { return QP_WEIGHTING_IMPORTANCE; }

  Answer encode(const float* x, std::size_t rows, std::size_t cols, const float* importance,
                std::uint8_t* bytes, std::size_t n_bytes) const override {
    return function_(x, rows, cols, importance, bytes, n_bytes) == 0 ? Answer::kEncoded
                                                                     : Answer::kRefused;
  }

 private:
  Function function_;
};

}  // namespace

std::shared_ptr<Encoder> builtin_encoder(qp_format format) {
  return std::make_shared<BuiltinEncoder>(format);
}

std::string encoder_symbol(const TargetSpec& spec, qp_format format) {
  if (spec.preset == Preset::kColibri) {
    throw UsageError("preset colibri names a decoder; wrap an encoder for preset qp");
  }
  if (!spec.symbol.empty()) return spec.symbol;
  return (spec.preset == Preset::kQp ? "encode_" : "quantize_") + format_name(format);
}

std::shared_ptr<Encoder> library_encoder(const TargetSpec& spec, qp_format format) {
  // ggml's abort would start a debugger on us.
  setenv("GGML_NO_BACKTRACE", "1", 1);  // NOLINT(concurrency-mt-unsafe): one thread
  void* library = dlopen(library_path(spec.path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw UnreadableError(fmt::format("cannot load {}: {}", spec.path, dlerror()));
  }
  void* function = dlsym(library, encoder_symbol(spec, format).c_str());
  if (function == nullptr) return nullptr;
  if (spec.preset == Preset::kQp) return std::make_shared<QpEncoder>(format, function);
  if (void* init = dlsym(library, "ggml_quantize_init"); init != nullptr) {
    reinterpret_cast<void (*)(int)>(init)(kGgmlTypeIq3Xxs);
  }
  return std::make_shared<GgmlEncoder>(format, function);
}

}  // namespace quantproof::certify
