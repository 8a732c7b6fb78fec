// SPDX-License-Identifier: Apache-2.0
//
// The obligations about machine code: the exported decoder as it is loaded in this process, on
// every level that was compiled, whether or not this CPU can run it.
#include "proofs/machine_code.h"

#include <dlfcn.h>
#include <functional>
#include <map>
#include <stdexcept>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "hwy/targets.h"

#include "proofs/machine_code/iq3_code.h"
#include "proofs/machine_code/kaiju1_code.h"
#include "proofs/machine_code/machine.h"
#include "proofs/machine_code/object_file.h"
#include "proofs/obligation.h"
#include "quantproof/kaiju1.h"
#include "quantproof/qp.h"

namespace quantproof::proofs {

namespace {

using machine_code::Code;
using machine_code::CodeSummary;
using machine_code::Convention;
using machine_code::Kaiju1Code;
using machine_code::Kaiju1Part;
using machine_code::Kaiju1Shape;

constexpr unsigned kWordBytes = 8;

// What a build of libquantproof says about its levels.
struct Levels {
  decltype(&qp_level) level = qp_level;
  decltype(&qp_level_count) count = qp_level_count;
  decltype(&qp_level_name) name = qp_level_name;
  decltype(&qp_level_supported) supported = qp_level_supported;
  decltype(&qp_force_level) force = qp_force_level;
};

template <class Function>
void find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(reinterpret_cast<std::uintptr_t>(dlsym(library, name)));
  if (*function == nullptr) {
    throw std::runtime_error(std::string("the library has no symbol ") + name);
  }
}

Levels levels_of(void* library) {
  Levels levels;
  find(library, "qp_level", &levels.level);
  find(library, "qp_level_count", &levels.count);
  find(library, "qp_level_name", &levels.name);
  find(library, "qp_level_supported", &levels.supported);
  find(library, "qp_force_level", &levels.force);
  return levels;
}

// Where the library keeps the level in use: the one word of writable data that a decode reads. The
// executor finds it, so no name of it is needed.
std::uint64_t level_word(const Code& code) {
  machine_code::Graph g;
  machine_code::Floats floats(g);
  machine_code::Process process;
  process.allow_writable = true;
  machine_code::trace_empty_row(code, g, floats, process);
  const auto& reads = process.writable_reads;
  if (reads.size() != kWordBytes || *reads.rbegin() - *reads.begin() != kWordBytes - 1) {
    throw std::runtime_error("a decode reads other writable data than the level in use");
  }
  return *reads.begin();
}

// After one call on the CPU: addresses of called functions are then in their slots, and a level is
// in use. Where the library keeps it.
std::uint64_t call_once(const Code& code) {
  float value = 0;
  const auto decode_at =
      reinterpret_cast<decltype(&qp_decode_at)>(reinterpret_cast<std::uintptr_t>(code.entry));
  decode_at(QP_PROFILE_STRICT, code.format, nullptr, 0, &value, 0, nullptr);
  return level_word(code);
}

// Highway's bit for the name of a level.
std::uint64_t target_bit(const std::string& name) {
  for (unsigned bit = 0; bit < 63; ++bit) {
    if (name == hwy::TargetName(std::int64_t{1} << bit)) return std::uint64_t{1} << bit;
  }
  throw std::runtime_error("no target is called " + name);
}

// The rows that are proved: up to three blocks, and where a row may end inside a block, one weight
// alone and one after a whole block.
std::vector<std::size_t> rows_of(qp_format format, bool partial) {
  if (format == QP_E8_IQ3 && partial) return {0, 1, 256, 257, 512, 768};
  return {0, 256, 512, 768};
}

using Overrides = std::map<std::uint64_t, std::uint8_t>;

// `prove` for each level that `levels` tells of, with what makes it the level in use of the library
// that has `decode_at`, and whether this CPU can run it. The names of the levels; nothing where `o`
// was refused.
template <class Prove>
std::string prove_each_level(Obligation& o, const void* decode_at, const Levels& levels,
                             const Prove& prove) {
  Code code;
  code.entry = decode_at;
  code.convention = Convention::kDecodeAt;
  const std::string before = levels.level();
  std::uint64_t at = 0;
  try {
    at = call_once(code);
  } catch (const std::runtime_error& error) {
    o.refuse(error.what());
    return "";
  }
  std::string proved;
  for (std::size_t i = 0; i < levels.count(); ++i) {
    const std::string level = levels.name(i);
    const std::uint64_t bit = target_bit(level);
    const bool runs_here = levels.supported(i) != 0;
    if (runs_here) {
      levels.force(level.c_str());
      // Where that can be seen: does the library number its levels as this Highway does?
      if (*reinterpret_cast<const std::uint64_t*>(at) != bit) {
        o.refuse("level " + level + " is not what its word of data says");
        return "";
      }
    }
    Overrides overrides;
    for (unsigned k = 0; k < kWordBytes; ++k) {
      overrides[at + k] = static_cast<std::uint8_t>(bit >> (8 * k));
    }
    prove(level, runs_here, overrides);
    proved += (proved.empty() ? "" : " ") + level;
  }
  levels.force(before.c_str());
  o.check(!proved.empty(), "the library has no level");
  return proved;
}

void prove_levels(Obligation& o, const void* entry, const Levels& levels, qp_format format,
                  const std::vector<qp_profile>& profiles, const std::vector<std::size_t>& rows) {
  CodeSummary summary;
  const std::string proved = prove_each_level(
      o, entry, levels, [&](const std::string& level, bool runs_here, const Overrides& overrides) {
        for (const qp_profile profile : profiles) {
          Code code;
          code.entry = entry;
          code.convention = Convention::kDecodeAt;
          code.format = format;
          code.profile = profile;
          code.rows = rows;
          code.overrides = overrides;
          code.runs_here = runs_here;
          code.name = level + fmt::format(", profile {}", machine_code::profile_name(profile));
          machine_code::prove_iq3_code(o, code, &summary);
        }
      });
  if (proved.empty()) return;
  o.check(summary.all_exact, "an operation rounds, or meets a subnormal");
  o.note(fmt::format("qp_decode_at of {}, levels {}: {}", machine_code::object_of(entry), proved,
                     machine_code::describe(summary)));
}

// The claims are about the library that this program is linked with.
void prove_own_levels(Obligation& o, qp_format format, const std::vector<qp_profile>& profiles,
                      const std::vector<std::size_t>& rows) {
  prove_levels(o, reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(&qp_decode_at)),
               Levels{}, format, profiles, rows);
}

// On each level, tensors of the shapes that `shapes` has for a number of blocks: one more than the
// batch of the level, except that those of AVX-512 would take too long.
void prove_kaiju1(Obligation& o, Kaiju1Part part,
                  const std::function<std::vector<Kaiju1Shape>(std::uint32_t)>& shapes) {
  Kaiju1Code code;
  code.entry =
      reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(&qp_kaiju1_decode_rows));
  machine_code::Kaiju1Proof proof(o);
  bool all = true;
  const std::string proved = prove_each_level(
      o, reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(&qp_decode_at)), Levels{},
      [&](const std::string& level, bool runs_here, const Overrides& overrides) {
        code.overrides = overrides;
        code.runs_here = runs_here;
        code.name = level;
        const std::uint32_t blocks = level.starts_with("AVX3") ? 9 : level == "AVX2" ? 33 : 17;
        for (const Kaiju1Shape& shape : shapes(blocks)) {
          if (proof.prove(code, shape, part)) continue;
          all = false;
          break;
        }
      });
  if (proved.empty() || !all) return;
  const auto& s = proof.summary();
  o.check(s.code.executions != 0, "nothing was run");
  o.check(s.code.all_exact, "an operation other than the product with the step rounds");
  o.note(
      fmt::format("qp_kaiju1_decode_rows of {}, levels {}: {}, {} queries, {} answered as one of "
                  "the same shape",
                  machine_code::object_of(code.entry), proved, machine_code::describe(s.code),
                  s.queries, s.same_shape));
}

}  // namespace

std::string object_domain(const ObjectCode& object) {
  const bool partial = object.has_status || object.library != nullptr;
  return fmt::format(
      "all contents of rows of {} weights, at every address{}",
      fmt::join(rows_of(object.format, partial), ", "),
      object.library != nullptr ? ", and calls with wrong arguments; each compiled level" : "");
}

Result prove_object(const ObjectCode& object, const Options& options) {
  const bool first = object.library == nullptr || object.profile == QP_PROFILE_STRICT;
  Obligation o(std::string(object.format == QP_IQ3_XXS ? "IQ3XXS" : "E8IQ3") +
                   (first ? "-CODE-1" : "-CODE-2"),
               options);
  const auto rows = rows_of(object.format, object.has_status || object.library != nullptr);
  if (object.library != nullptr) {
    try {
      prove_levels(o, object.entry, levels_of(object.library), object.format, {object.profile},
                   rows);
    } catch (const std::runtime_error& error) {
      o.refuse(error.what());
    }
  } else {
    Code code;
    code.entry = object.entry;
    code.convention = object.has_status ? Convention::kStatus : Convention::kBlocks;
    code.format = object.format;
    code.profile = object.profile;
    code.rows = rows;
    code.name = object.name;
    CodeSummary summary;
    machine_code::prove_iq3_code(o, code, &summary);
    o.note(fmt::format("profile {}, {}; {} of {}", machine_code::profile_name(code.profile),
                       machine_code::describe(summary), object.name,
                       machine_code::object_of(object.entry)));
    if (!summary.all_exact) o.note("an operation rounds: proved for rounding to nearest only");
  }
  Result result = o.result();
  result.domain = object_domain(object);
  return result;
}

void iq3xxs_code_1(Obligation& o) {
  prove_own_levels(o, QP_IQ3_XXS, {QP_PROFILE_STRICT}, rows_of(QP_IQ3_XXS, true));
}

void iq3xxs_code_2(Obligation& o) {
  prove_own_levels(o, QP_IQ3_XXS, {QP_PROFILE_GGML, QP_PROFILE_COLIBRI}, {256});
}

void e8iq3_code_1(Obligation& o) {
  prove_own_levels(o, QP_E8_IQ3, {QP_PROFILE_STRICT}, rows_of(QP_E8_IQ3, true));
}

void e8iq3_code_2(Obligation& o) {
  prove_own_levels(o, QP_E8_IQ3, {QP_PROFILE_GGML, QP_PROFILE_COLIBRI}, {256});
}

void kaiju1_machine_1(Obligation& o) {
  prove_kaiju1(o, Kaiju1Part::kValid, [](std::uint32_t blocks) -> std::vector<Kaiju1Shape> {
    const auto cols = static_cast<std::uint32_t>(kKaiju1BlockCols * blocks);
    return {{1, 24, {}, 1, 4}, {1, 26, {3, 20}, 1, 3}, {1, cols, {}, 3, 1}};
  });
}

void kaiju1_machine_2(Obligation& o) {
  prove_kaiju1(o, Kaiju1Part::kInvalid, [](std::uint32_t) -> std::vector<Kaiju1Shape> {
    return {{1, 26, {3, 20}, 1, 1}};
  });
}

}  // namespace quantproof::proofs
