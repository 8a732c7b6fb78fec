// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/decoder.h"

#include <dlfcn.h>
#include <unistd.h>
#include <utility>

#include "fmt/format.h"

#include "quantproof/qp.h"

namespace quantproof::certify {

namespace {

class BuiltinDecoder final : public Decoder {
 public:
  explicit BuiltinDecoder(qp_format format) : format_(format) {}

  std::vector<std::string> variants() const override {
    std::vector<std::string> levels;
    for (std::size_t i = 0; i < qp_level_count(); ++i) {
      if (qp_level_supported(i) != 0) levels.emplace_back(qp_level_name(i));
    }
    return levels;
  }

  void select(const std::string& variant) override {
    if (qp_force_level(variant.c_str()) != QP_OK || qp_level() != variant) {
      throw std::logic_error("level " + variant + " cannot be forced");
    }
  }

  bool has_status() const override { return true; }
  bool has_location() const override { return true; }
  bool has_partial_blocks() const override { return true; }

  qp_status decode(qp_profile profile, const std::uint8_t* bytes, std::size_t n_bytes, float* out,
                   std::size_t n_values, qp_location* where) override {
    return qp_decode_at(profile, format_, bytes, n_bytes, out, n_values, where);
  }

 private:
  qp_format format_;
};

class LibraryDecoder final : public Decoder {
 public:
  LibraryDecoder(Preset preset, void* function) : preset_(preset), function_(function) {}

  bool has_status() const override { return preset_ == Preset::kQp; }
  bool has_partial_blocks() const override { return preset_ == Preset::kQp; }

  qp_status decode(qp_profile /*profile*/, const std::uint8_t* bytes, std::size_t n_bytes,
                   float* out, std::size_t n_values, qp_location* /*where*/) override {
    if (preset_ == Preset::kQp) {
      const auto decode =
          reinterpret_cast<int (*)(const std::uint8_t*, std::size_t, float*, std::size_t)>(
              function_);
      return decode(bytes, n_bytes, out, n_values) == 0 ? QP_OK : QP_BAD_ARGUMENT;
    }
    const auto dequantize =
        reinterpret_cast<void (*)(const void*, float*, std::int64_t)>(function_);
    dequantize(bytes, out, static_cast<std::int64_t>(n_values));
    return QP_OK;
  }

 private:
  Preset preset_;
  void* function_;
};

Preset parse_preset(const std::string& name) {
  if (name == "ggml") return Preset::kGgml;
  if (name == "colibri") return Preset::kColibri;
  if (name == "qp") return Preset::kQp;
  throw UsageError(fmt::format("unknown preset \"{}\"; presets are ggml, qp, colibri", name));
}

}  // namespace

std::string preset_name(Preset preset) {
  switch (preset) {
    case Preset::kGgml:
      return "ggml";
    case Preset::kColibri:
      return "colibri";
    case Preset::kQp:
      break;
  }
  return "qp";
}

TargetSpec parse_target(const std::string& text) {
  TargetSpec spec;
  if (text == "fast") return spec;
  if (text.rfind("cmd:", 0) == 0) {
    spec.builtin = false;
    spec.command = text.substr(4);
    if (spec.command.empty()) throw UsageError(fmt::format("target \"{}\" has no command", text));
    return spec;
  }
  const std::string prefix = "lib:";
  if (text.compare(0, prefix.size(), prefix) != 0) {
    throw UsageError(
        fmt::format("unknown target \"{}\"; targets are fast, "
                    "lib:PATH[,preset=ggml|qp|colibri][,symbol=NAME], and cmd:COMMAND",
                    text));
  }
  spec.builtin = false;
  std::size_t begin = prefix.size();
  for (bool first = true; begin <= text.size(); first = false) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    if (first) {
      spec.path = part;
    } else if (part.rfind("preset=", 0) == 0) {
      spec.preset = parse_preset(part.substr(7));
    } else if (part.rfind("symbol=", 0) == 0) {
      spec.symbol = part.substr(7);
    } else {
      throw UsageError(fmt::format("unknown part \"{}\" of target \"{}\"", part, text));
    }
  }
  if (spec.path.empty()) throw UsageError(fmt::format("target \"{}\" names no library", text));
  return spec;
}

std::string symbol_for(const TargetSpec& spec, qp_format format) {
  if (!spec.symbol.empty()) return spec.symbol;
  return (spec.preset == Preset::kQp ? "decode_" : "dequantize_row_") + format_name(format);
}

std::unique_ptr<Decoder> builtin_decoder(qp_format format) {
  return std::make_unique<BuiltinDecoder>(format);
}

std::string library_path(const std::string& path) {
  // dlopen looks for a bare name in the system's folders only; people mean the file they see.
  if (path.find('/') == std::string::npos && access(path.c_str(), R_OK) == 0) return "./" + path;
  return path;
}

std::unique_ptr<Decoder> library_decoder(const TargetSpec& spec, qp_format format) {
  void* library = dlopen(library_path(spec.path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw UnreadableError(fmt::format("cannot load {}: {}", spec.path, dlerror()));
  }
  void* function = dlsym(library, symbol_for(spec, format).c_str());
  if (function == nullptr) return nullptr;
  return std::make_unique<LibraryDecoder>(spec.preset, function);
}

std::string format_name(qp_format format) { return format == QP_IQ3_XXS ? "iq3_xxs" : "e8_iq3"; }

qp_format parse_format(const std::string& name) {
  if (name == "iq3_xxs") return QP_IQ3_XXS;
  if (name == "e8_iq3") return QP_E8_IQ3;
  throw UsageError(fmt::format("unknown format \"{}\"; formats are iq3_xxs, e8_iq3", name));
}

std::string profile_name(qp_profile profile) {
  switch (profile) {
    case QP_PROFILE_STRICT:
      return "strict";
    case QP_PROFILE_GGML:
      return "ggml";
    case QP_PROFILE_COLIBRI:
      break;
  }
  return "colibri";
}

qp_profile parse_profile(const std::string& name) {
  if (name == "strict") return QP_PROFILE_STRICT;
  if (name == "ggml") return QP_PROFILE_GGML;
  if (name == "colibri") return QP_PROFILE_COLIBRI;
  throw UsageError(fmt::format("unknown profile \"{}\"; profiles are strict, ggml, colibri", name));
}

}  // namespace quantproof::certify
