// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/target.h"

#include "fmt/format.h"

#include "quantproof/qp.h"
#include "tools/certify/sha256.h"

namespace quantproof::certify {

namespace {

std::vector<qp_profile> profiles_of(const TargetSpec& target, std::optional<qp_profile> profile,
                                    const Decoder* command) {
  if (profile) return {*profile};
  if (target.builtin) return {QP_PROFILE_STRICT, QP_PROFILE_GGML, QP_PROFILE_COLIBRI};
  // A command says in its greeting whether it can refuse what strict refuses.
  if (command != nullptr) return {command->has_status() ? QP_PROFILE_STRICT : QP_PROFILE_GGML};
  switch (target.preset) {
    case Preset::kGgml:
      return {QP_PROFILE_GGML};
    case Preset::kColibri:
      return {QP_PROFILE_COLIBRI};
    case Preset::kQp:
      break;
  }
  return {QP_PROFILE_STRICT};
}

nlohmann::ordered_json describe_target(const TargetSpec& target,
                                       const std::vector<qp_format>& formats, bool encoder,
                                       const Decoder* command, std::string& text) {
  if (command != nullptr) {
    text = fmt::format("{}\n          command {}, protocol 1", command->name(), target.command);
    return {{"kind", "cmd"},
            {"command", target.command},
            {"name", command->name()},
            {"format", format_name(formats.front())}};
  }
  if (target.builtin) {
    text = fmt::format("fast: the built-in {}, libquantproof {}", encoder ? "encoder" : "decoder",
                       qp_version());
    return {{"kind", "fast"}};
  }
  const std::string path = library_path(target.path);
  const std::string digest = sha256_of_file(path);
  if (digest.empty()) throw UnreadableError(fmt::format("cannot read {}", target.path));
  const std::string symbol =
      encoder ? encoder_symbol(target, formats.front()) : symbol_for(target, formats.front());
  text = fmt::format("{} in {}\n          preset {}, SHA-256 {}", symbol, target.path,
                     preset_name(target.preset), digest);
  return {{"kind", "lib"},
          {"path", target.path},
          {"preset", preset_name(target.preset)},
          {"symbol", symbol},
          {"format", format_name(formats.front())},
          {"sha256", digest}};
}

void check_formats(const TargetSpec& spec, const std::vector<qp_format>& formats) {
  if (!spec.builtin && spec.command.empty() && spec.preset != Preset::kQp) {
    for (const qp_format format : formats) {
      if (format == format_of(spec.preset)) continue;
      throw UsageError(fmt::format("preset {} is for {}, not {}", preset_name(spec.preset),
                                   format_name(format_of(spec.preset)), format_name(format)));
    }
  }
}

}  // namespace

std::string quote(const std::string& word) {
  const bool plain =
      !word.empty() &&
      word.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./") ==
          std::string::npos;
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

qp_format format_of(Preset preset) { return preset == Preset::kGgml ? QP_IQ3_XXS : QP_E8_IQ3; }

Target open_target(const TargetSpec& spec, const std::vector<qp_format>& formats,
                   std::optional<qp_profile> profile, std::chrono::milliseconds call_limit) {
  check_formats(spec, formats);
  Target target;
  const Decoder* command = nullptr;
  for (const qp_format format : formats) {
    auto& decoder = target.decoders[format];
    if (spec.builtin) {
      decoder = builtin_decoder(format);
    } else if (spec.command.empty()) {
      decoder = library_decoder(spec, format);
    } else {
      decoder = command_decoder(spec, format, call_limit);
      command = decoder.get();
    }
  }
  target.profiles = profiles_of(spec, profile, command);
  target.json = describe_target(spec, formats, false, command, target.text);
  return target;
}

Target open_encoders(const TargetSpec& spec, const std::vector<qp_format>& formats,
                     std::optional<qp_profile> profile) {
  if (!spec.command.empty()) throw UsageError("a command decodes; --encoder needs a library");
  check_formats(spec, formats);
  Target target;
  for (const qp_format format : formats) {
    target.encoders[format] =
        spec.builtin ? builtin_encoder(format) : library_encoder(spec, format);
  }
  target.profiles = profiles_of(spec, profile, nullptr);
  target.json = describe_target(spec, formats, true, nullptr, target.text);
  return target;
}

}  // namespace quantproof::certify
