// SPDX-License-Identifier: Apache-2.0
//
// PROOF-MUTANTS-1: would the obligations notice? Each entry of mutants.json is a shipped text with
// one place changed (derive.cmake makes the copies). Its obligation must refute it, and the
// counterexample, run on this CPU, must show a difference. A mutant that is marked equivalent
// must be proved.
#include <sstream>

#include "proofs/half.h"
#include "proofs/iq3_block.h"
#include "proofs/iq3_sign.h"
#include "proofs/transcode.h"

// The mutated texts are inserted between these two. Each defines its parts and its entry.
#define QP_MUTANT(part, name, obligation, layout, lanes, expected) \
  QP_MUTANT_##part(name, layout, lanes) QP_MUTANT_ENTRY(name, obligation, expected)

// Kernels of more lanes than the portable level has run as evaluated vectors.
#define QP_MUTANT_Kernel(name, layout, lanes)                                           \
  namespace quantproof::proofs::mutant {                                                \
  struct name : Shipped<layout> {                                                       \
    QP_KERNEL_PART(fast::name)                                                          \
    static constexpr std::size_t kLanes = lanes;                                        \
    static constexpr Replay kReplay = lanes > 4 ? Replay::kEvaluator : Replay::kNative; \
  };                                                                                    \
  }
#define QP_MUTANT_Half(name, layout, lanes) \
  namespace quantproof::proofs::mutant {    \
  struct name : Shipped<layout> {           \
    QP_HALF_PART(fast::name)                \
    QP_TRANSCODE_PART(fast::name)           \
  };                                        \
  }
#define QP_MUTANT_Layout(name, layout, lanes)        \
  namespace quantproof::proofs::mutant {             \
  struct name : Shipped<layout> {                    \
    using KernelLayout = ::quantproof::name::layout; \
  };                                                 \
  }
#define QP_MUTANT_Reference(name, layout, lanes)          \
  namespace quantproof::proofs::mutant {                  \
  struct name : Shipped<layout> {                         \
    QP_REFERENCE_PART(ref::name)                          \
    static constexpr Replay kReplay = Replay::kReference; \
  };                                                      \
  }
#define QP_MUTANT_Codebook(name, layout, lanes)                                         \
  namespace quantproof::proofs::mutant {                                                \
  struct name : Shipped<layout> {                                                       \
    static constexpr const Iq3Codebook& kMagnitudes = ::quantproof::name::kIq3Codebook; \
  };                                                                                    \
  }

namespace quantproof::proofs {
namespace {

// Obligations by the names that mutants.json uses. `Parts` is asked for what it needs only.
struct IQ3_SIGN_1 {
  template <class Parts>
  static void run(Obligation& o, const Witness& w) {
    prove_sign_words<Parts>(o, w);
  }
};
struct IQ3_SIGN_2 {
  template <class Parts>
  static void run(Obligation& o, const Witness& w) {
    prove_even_signs<Parts>(o, w);
  }
};
struct KERNEL_1 {
  template <class Parts>
  static void run(Obligation& o, const Witness& w) {
    prove_kernel<Parts, Parts::kLanes>(o, Inputs::kVisible, w);
  }
};
struct KERNEL_1_CODEBOOK {
  template <class Parts>
  static void run(Obligation& o, const Witness& w) {
    check_codebook<Parts>(o, fast::make_float_codebook(Parts::kMagnitudes), w);
  }
};
struct NONFINITE_1 {
  template <class Parts>
  static void run(Obligation& o, const Witness& w) {
    prove_non_finite<Parts, Parts::kLanes>(o, Inputs::kVisible, w);
  }
};
struct LAYOUT_1 {
  template <class Parts>
  static void run(Obligation& o, const Witness& w) {
    prove_pack_of_unpack<Parts>(o, w);
  }
};
struct LAYOUT_2 {
  template <class Parts>
  static void run(Obligation& o, const Witness& w) {
    prove_unpack_of_pack<Parts>(o, w);
  }
};
struct HALF_WIDEN_2 {
  template <class Parts>
  static void run(Obligation& o, const Witness& w) {
    prove_widening<Parts>(o, w);
  }
};
struct TRANSCODE_1 {
  template <class Parts>
  static void run(Obligation& o, const Witness& w) {
    prove_transcoding<Parts>(o, w, w);
  }
};

enum class Expected { killed, equivalent };

struct Mutant {
  const char* name;
  const char* obligation;
  Expected expected;
  void (*run)(Obligation&, const Witness&);
  Evidence (*replay)(const Block&);
};

std::vector<Mutant>& mutants() {
  static std::vector<Mutant> all;
  return all;
}

struct Entry {
  explicit Entry(const Mutant& mutant) { mutants().push_back(mutant); }
};

}  // namespace
}  // namespace quantproof::proofs

#define QP_MUTANT_ENTRY(name, obligation, expected)                                      \
  namespace quantproof::proofs {                                                         \
  namespace {                                                                            \
  const Entry entry_##name(Mutant{#name, #obligation, Expected::expected,                \
                                  obligation::run<mutant::name>, replay<mutant::name>}); \
  }                                                                                      \
  }

#include "mutants.inc"

namespace quantproof::proofs {

void proof_mutants_1(Obligation& o) {
  std::size_t killed = 0;
  std::size_t to_kill = 0;
  std::size_t equivalent = 0;
  std::string report;
  for (const Mutant& mutant : mutants()) {
    Options options;
    options.budget_seconds = static_cast<double>(o.remaining_milliseconds()) / 1000;
    Obligation attempt(mutant.name, options);
    Evidence evidence;
    std::string refuted_by = mutant.obligation;
    const Witness witness = [&](const Block& block) {
      if (!evidence.differs) evidence = mutant.replay(block);
      return evidence;
    };
    try {
      mutant.run(attempt, witness);
    } catch (const symbolic::Violation& violation) {
      // Wrong on every input, so any block will do to show it.
      attempt.fail(violation.what());
      refuted_by += std::string(" (") + violation.what() + ")";
      Block block{};
      for (std::size_t i = 0; i < kBlockBytes; ++i)
        block[i] = static_cast<std::uint8_t>(37 * i + 1);
      evidence = mutant.replay(block);
    }
    const Result result = attempt.result();
    if (mutant.expected == Expected::equivalent) {
      if (o.check(result.verdict == Verdict::kPass,
                  std::string(mutant.name) + " is not proved equivalent: " + result.detail)) {
        ++equivalent;
        report += std::string("; ") + mutant.name + ": equivalent, proved by " + mutant.obligation;
      }
      continue;
    }
    ++to_kill;
    if (result.verdict != Verdict::kFail) {
      o.fail(std::string(mutant.name) + " survives " + mutant.obligation + ": " +
             verdict_name(result.verdict) + ", " + result.detail);
    } else if (!evidence.differs) {
      o.fail(std::string(mutant.name) +
             " is refuted but the CPU shows no difference: " + result.detail);
    } else {
      ++killed;
      report +=
          std::string("; ") + mutant.name + ": killed by " + refuted_by + ", " + evidence.text;
    }
  }
  o.check(to_kill > 0, "there are no mutants");
  o.note("killed " + std::to_string(killed) + " of " + std::to_string(to_kill) + ", " +
         std::to_string(equivalent) + " proved equivalent" + report);
}

}  // namespace quantproof::proofs
