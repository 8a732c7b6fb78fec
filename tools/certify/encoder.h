// SPDX-License-Identifier: Apache-2.0
//
// An encoder of IQ3_XXS or E8/IQ3 under test: the built-in one, or a function of a foreign library.
#ifndef QUANTPROOF_TOOLS_CERTIFY_ENCODER_H_
#define QUANTPROOF_TOOLS_CERTIFY_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "quantproof/qp.h"
#include "tools/certify/decoder.h"

namespace quantproof::certify {

class Encoder {
 public:
  enum class Answer { kEncoded, kRefused, kWrongSize };

  explicit Encoder(qp_format format) : format_(format) {}
  virtual ~Encoder() = default;

  qp_format format() const { return format_; }
  // Whether it can refuse an input.
  virtual bool has_status() const = 0;
  // Which sum of squared errors it makes small, encoding.md 3.2.
  virtual qp_weighting weighting() const = 0;

  // Encodes `rows` rows of `cols` weights, row by row at `x`, to `n_bytes` bytes. `importance`:
  // cols numbers, or null. kWrongSize: it says that it wrote another number of bytes.
  virtual Answer encode(const float* x, std::size_t rows, std::size_t cols, const float* importance,
                        std::uint8_t* bytes, std::size_t n_bytes) const = 0;

 private:
  qp_format format_;
};

// The built-in encoder at effort default.
std::shared_ptr<Encoder> builtin_encoder(qp_format format);

// The symbol that an encoder is looked up by. Throws UsageError for a preset that has none.
std::string encoder_symbol(const TargetSpec& spec, qp_format format);

// Opens the library and looks the symbol up. Throws UnreadableError where the library cannot be
// loaded; returns null where it has no such symbol.
//   preset ggml: size_t f(const float *x, void *bytes, int64_t rows, int64_t cols,
//                         const float *importance), the number of bytes; a function
//                ggml_quantize_init(int type) of the library is called once before it
//   preset qp:   int f(const float *x, size_t rows, size_t cols, const float *importance,
//                      uint8_t *bytes, size_t n_bytes), 0 = encoded
std::shared_ptr<Encoder> library_encoder(const TargetSpec& spec, qp_format format);

}  // namespace quantproof::certify

#endif
