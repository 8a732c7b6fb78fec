// SPDX-License-Identifier: Apache-2.0
//
// A decoder under test: the built-in fast path, a function of a foreign library, or a command.
#ifndef QUANTPROOF_TOOLS_CERTIFY_DECODER_H_
#define QUANTPROOF_TOOLS_CERTIFY_DECODER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "quantproof/status.h"

namespace quantproof::certify {

// How a foreign function is called.
enum class Preset {
  kGgml,     // void f(const void *blocks, float *out, int64_t n), IQ3_XXS
  kColibri,  // the same, E8/IQ3
  kQp        // int f(const uint8_t *bytes, size_t n_bytes, float *out, size_t n), 0 = decoded
};

// What the user named with --target.
struct TargetSpec {
  bool builtin = true;
  std::string path;
  Preset preset = Preset::kGgml;
  std::string symbol;   // empty: the preset's name for the format
  std::string command;  // of a target in a process of its own; else empty
};

// Parses "fast", "lib:PATH[,preset=ggml|qp|colibri][,symbol=NAME]" or "cmd:COMMAND"; throws
// UsageError.
TargetSpec parse_target(const std::string& text);
std::string preset_name(Preset preset);

// The symbol the target is looked up by for a format.
std::string symbol_for(const TargetSpec& spec, qp_format format);

// A command line that cannot be carried out (exit code 2).
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A target that cannot be opened (exit code 3).
class UnreadableError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Decoder {
 public:
  virtual ~Decoder() = default;

  // The variants to run one after the other: CPU levels, or one unnamed variant.
  virtual std::vector<std::string> variants() const { return {""}; }
  virtual void select(const std::string& /*variant*/) {}

  // Whether a decode can be refused, and whether the place of an error is told too.
  virtual bool has_status() const = 0;
  virtual bool has_location() const { return false; }
  // Whether rows that end inside a block can be asked for, where the format has them.
  virtual bool has_partial_blocks() const = 0;
  // Whether it works in our memory, which guard pages can watch.
  virtual bool shares_memory() const { return true; }
  // What it calls itself, where it says so.
  virtual std::string name() const { return {}; }

  // Decodes; a decoder without a status always returns QP_OK. One with a bare error code
  // returns QP_BAD_ARGUMENT for any error.
  virtual qp_status decode(qp_profile profile, const std::uint8_t* bytes, std::size_t n_bytes,
                           float* out, std::size_t n_values, qp_location* where) = 0;
};

std::unique_ptr<Decoder> builtin_decoder(qp_format format);

// Opens the library and looks the symbol up. Throws UnreadableError where the library cannot be
// loaded; returns null where it has no such symbol.
std::unique_ptr<Decoder> library_decoder(const TargetSpec& spec, qp_format format);

// Starts the command, which has `limit` for each answer. Throws UnreadableError where it does not
// greet as spec/target_protocol.md says.
std::unique_ptr<Decoder> command_decoder(const TargetSpec& spec, qp_format format,
                                         std::chrono::milliseconds limit);

// The file that dlopen will load for `path`: as given, or the file of that name right here.
std::string library_path(const std::string& path);

// "iq3_xxs" or "e8_iq3", and back; parse_format throws UsageError.
std::string format_name(qp_format format);
qp_format parse_format(const std::string& name);
std::string profile_name(qp_profile profile);
qp_profile parse_profile(const std::string& name);

}  // namespace quantproof::certify

#endif
