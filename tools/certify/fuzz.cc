// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/fuzz.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory>
#include <sys/mman.h>
#include <system_error>

#include "fmt/format.h"

#include "fuzz/blocks.h"
#include "fuzz/kaiju1_tensors.h"
#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_xxs.h"
#include "quantproof/kaiju1.h"
#include "quantproof/qp.h"
#include "quantproof/ref/iq3_block.h"
#include "quantproof/ref/kaiju1.h"
#include "tools/certify/comparer.h"
#include "tools/certify/decoder.h"
#include "tools/certify/hex.h"
#include "tools/certify/levels.h"
#include "tools/certify/spec_data.h"
#include "tools/certify/target.h"

namespace quantproof::certify {

namespace {

using Bytes = std::vector<std::uint8_t>;
using Clock = std::chrono::steady_clock;

constexpr double kSlice = 0.5;                   // seconds between two looks at a child
constexpr std::size_t kMostFindings = 20;        // then it is time to mend something
constexpr std::chrono::seconds kShrinkTime{10};  // for each finding
constexpr std::chrono::seconds kSliceLimit{600};
constexpr std::uint32_t kPoison = 0xDEADBEEF;

struct Case {
  Bytes bytes;
  std::size_t count = 0;  // of weights, or of rows of a tensor
};

// What is fuzzed: how cases are made, judged and described.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual Case make(std::uint64_t seed, std::uint64_t number) const = 0;
  // Called once in each child; the judge then fails the cases that are wrong.
  using Judge = std::function<Outcome(const Case&, const std::string& what)>;
  virtual Judge judge(Situation& situation) = 0;
  virtual std::optional<Outcome> not_exercised(Situation& situation) = 0;
  // Smaller cases to try first, best first.
  virtual std::vector<Case> parts(const Case& whole) const = 0;
  // Bytes that a plain case has at `at`; others are noise.
  virtual std::uint8_t plain(const Case& whole, std::size_t at) const = 0;
  virtual std::string set_fields(const Case& whole) const = 0;
};

template <class Visit>
void visit_fields(const Iq3Fields<std::uint32_t>& fields, const Visit& visit) {
  for (std::size_t k = 0; k < kIndices; ++k) visit("index", k, fields.index[k]);
  for (std::size_t g = 0; g < kSubblocks * kGroupsPerSubblock; ++g) {
    visit("sign field", g, fields.sign_field[g / kGroupsPerSubblock][g % kGroupsPerSubblock]);
  }
  for (std::size_t ib = 0; ib < kSubblocks; ++ib) visit("scale code", ib, fields.scale_code[ib]);
}

class BlockSubject final : public Subject {
 public:
  BlockSubject(std::shared_ptr<Decoder> decoder, qp_format format, std::vector<qp_profile> profiles,
               std::uint64_t seed)
      : decoder_(std::move(decoder)),
        format_(format),
        profiles_(std::move(profiles)),
        seed_(seed) {}

  Case make(std::uint64_t seed, std::uint64_t number) const override {
    Case made{fuzz::adversarial_row(format_, seed, number), 0};
    made.count = made.bytes.size() / fuzz::block_bytes(format_) * kBlockWeights;
    if (format_ == QP_E8_IQ3 && decoder_->has_partial_blocks() && number % 4 == 3) {
      made.count -= (number / 4 * 37) % kBlockWeights;
    }
    return made;
  }

  Judge judge(Situation& situation) override {
    auto comparer = std::make_shared<Comparer>(*decoder_, format_, profiles_, seed_, situation);
    return [comparer](const Case& one, const std::string& what) {
      if (comparer->compare(one.bytes, one.count, what)) return Outcome{};
      return comparer->outcome({});
    };
  }

  std::optional<Outcome> not_exercised(Situation& situation) override {
    return Comparer(*decoder_, format_, profiles_, seed_, situation).not_exercised();
  }

  std::vector<Case> parts(const Case& whole) const override {
    const std::size_t size = fuzz::block_bytes(format_);
    const std::size_t n = whole.bytes.size() / size;
    std::vector<Case> all;
    const auto add = [&](std::size_t first, std::size_t blocks) {
      const auto begin = whole.bytes.begin() + static_cast<std::ptrdiff_t>(first * size);
      const std::size_t end = std::min(whole.count, (first + blocks) * kBlockWeights);
      all.push_back({{begin, begin + static_cast<std::ptrdiff_t>(blocks * size)},
                     end - first * kBlockWeights});
    };
    for (std::size_t b = 0; n > 1 && b < n; ++b) add(b, 1);
    for (std::size_t blocks = 2; blocks < n; ++blocks) {
      add(0, blocks);
      add(n - blocks, blocks);
    }
    if (whole.count % kBlockWeights != 0) {  // the last block in full
      all.push_back({whole.bytes, n * kBlockWeights});
    }
    return all;
  }

  std::uint8_t plain(const Case& /*whole*/, std::size_t at) const override {
    const std::size_t scale = format_ == QP_IQ3_XXS ? Iq3Xxs::kScaleOffset : E8Iq3::kScaleOffset;
    return at % fuzz::block_bytes(format_) == scale + 1 ? 0x3C : 0;  // 1.0
  }

  std::string set_fields(const Case& whole) const override {
    const std::size_t size = fuzz::block_bytes(format_);
    const std::size_t n = whole.bytes.size() / size;
    constexpr std::size_t kMostListed = 8;
    std::string text;
    std::size_t listed = 0;
    std::size_t fields_set = 0;
    std::size_t bits_set = 0;
    const auto list = [&](const std::string& words) {
      if (++listed <= kMostListed) text += words;
      if (listed == kMostListed + 1) text += ", ...";
    };
    for (std::size_t b = 0; b < n; ++b) {
      const std::uint8_t* const block = whole.bytes.data() + b * size;
      const auto fields = format_ == QP_IQ3_XXS ? ref::unpack<Iq3Xxs, std::uint32_t>(block)
                                                : ref::unpack<E8Iq3, std::uint32_t>(block);
      const std::string in = n > 1 ? fmt::format("block {}: ", b) : std::string{};
      list(fmt::format("; {}scale 0x{:04X}", in, fields.scale));
      visit_fields(fields, [&](const char* name, std::size_t number, std::uint32_t value) {
        if (value == 0) return;
        ++fields_set;
        bits_set += static_cast<std::size_t>(std::popcount(value));
        list(fmt::format(", {} {} = {}", name, number, value));
      });
    }
    return fmt::format("{} blocks, {} weights, {} fields and {} bits set beside the scale{}", n,
                       whole.count, fields_set, bits_set, text);
  }

 private:
  std::shared_ptr<Decoder> decoder_;
  qp_format format_;
  std::vector<qp_profile> profiles_;
  std::uint64_t seed_;
};

// The built-in decoder of KAIJU1, valid tensors and damaged ones.
class Kaiju1Subject final : public Subject {
 public:
  Case make(std::uint64_t seed, std::uint64_t number) const override {
    Case made{fuzz::adversarial_kaiju1_tensor(seed, number), 0};
    made.count = 1 + number % 5;
    return made;
  }

  Judge judge(Situation& situation) override {
    return [&situation](const Case& one, const std::string& what) {
      const std::string failure = on_every_level(situation, what, [&] { return difference(one); });
      return failure.empty() ? Outcome{} : Outcome{Verdict::kFail, failure};
    };
  }

  std::optional<Outcome> not_exercised(Situation& /*situation*/) override { return std::nullopt; }
  std::vector<Case> parts(const Case& whole) const override {
    std::vector<Case> all;
    for (std::size_t count = 0; count < whole.count; ++count) all.push_back({whole.bytes, count});
    return all;
  }
  std::uint8_t plain(const Case& whole, std::size_t at) const override {
    return at < kKaiju1HeaderBytes ? whole.bytes[at] : 0;
  }
  std::string set_fields(const Case& whole) const override {
    std::size_t set = 0;
    for (std::size_t i = kKaiju1HeaderBytes; i < whole.bytes.size(); ++i) {
      set += whole.bytes[i] != 0 ? 1 : 0;
    }
    return fmt::format("{} bytes, {} of them set after the header; {} rows", whole.bytes.size(),
                       set, whole.count);
  }

 private:
  static std::string difference(const Case& one) {
    std::size_t cols = 0;
    if (one.bytes.size() >= kKaiju1HeaderBytes) {
      cols = read_kaiju1_header(one.bytes.data()).cols;
    }
    // A hostile header may speak of more columns than there are bytes; then nothing is written.
    const std::size_t room = one.count * std::min<std::size_t>(cols, 8 * one.bytes.size()) + 1;
    const auto run = [&](auto&& decode) {
      std::vector<std::uint32_t> bits(room, kPoison);
      qp_location where{0, 0, ""};
      const qp_status status = decode(one.bytes.data(), one.bytes.size(), 0, one.count,
                                      reinterpret_cast<float*>(bits.data()), &where);
      return Answer{status, where, std::move(bits)};
    };
    const Answer want = run(ref::decode_kaiju1_rows);
    const Answer got = run(qp_kaiju1_decode_rows_at);
    if (same_answer(want, got)) return {};
    const auto text = [](const Answer& a) {
      return fmt::format("{} at block {}, offset {}, field \"{}\"", qp_status_name(a.status),
                         a.where.block, a.where.offset, a.where.field);
    };
    if (text(got) != text(want)) return fmt::format("got {}; want {}", text(got), text(want));
    std::size_t i = 0;
    while (got.bits[i] == want.bits[i]) ++i;
    return fmt::format("weight {}: got 0x{:08X}, want 0x{:08X}", i, got.bits[i], want.bits[i]);
  }
};

// How far a child has come, in memory that outlives it.
class Position {
 public:
  Position() {
    void* memory = mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    number_ = static_cast<volatile std::uint64_t*>(memory);
  }
  ~Position() { munmap(const_cast<std::uint64_t*>(number_), sizeof(std::uint64_t)); }
  Position(const Position&) = delete;
  Position& operator=(const Position&) = delete;
  volatile std::uint64_t& number() { return *number_; }

 private:
  volatile std::uint64_t* number_;
};

// What makes two findings the same: the words without their numbers and bytes.
std::string signature(const std::string& detail) {
  const std::size_t slip = detail.find("known slip: ");
  if (slip != std::string::npos) {
    const std::size_t end =
        std::min(detail.find("; both references", slip), detail.find("; the ", slip));
    return detail.substr(slip, end - slip);
  }
  std::string text = detail;
  const std::size_t where = text.find("values are wrong");
  if (where != std::string::npos) {
    text = text.substr(
        where,
        std::min(text.find("; both references", where), text.find("; also: ", where)) - where);
  } else {
    text = text.substr(0, std::min(text.find(", at: "), text.find("; input bytes")));
    const std::size_t name = text.find("case ");  // "level, profile, case 12: what is wrong"
    if (name != std::string::npos) text = text.substr(std::min(text.find(": ", name), text.size()));
  }
  std::string plain;
  for (const char c : text) {
    const bool digit = (c >= '0' && c <= '9') || c == '.';
    if (!digit) plain += c;
    if (digit && (plain.empty() || plain.back() != '#')) plain += '#';
  }
  return plain;
}

// The first words of a finding tell a crash from a hang from a difference.
std::string kind_of(const std::string& detail) {
  for (const char* kind : {"ended by signal", "no answer within", "the process ended",
                           "the command ended", "the check ended"}) {
    if (detail.rfind(kind, 0) == 0) return kind;
  }
  return "difference";
}

class Campaign {
 public:
  Campaign(const FuzzRequest& request, Subject& subject, bool own_process)
      : request_(request), subject_(subject), own_process_(own_process) {}

  Outcome run(const std::function<Outcome(Situation&)>& check) const {
    if (own_process_) return run_here(check);
    return run_isolated(kSliceLimit, check, request_.call_limit);
  }

  // Whether a case fails by itself, in a fresh child.
  Outcome run_alone(const Case& one, const std::string& what) const {
    return run([&](Situation& situation) { return subject_.judge(situation)(one, what); });
  }

  // The fewest blocks, fields and bits that still fail in the same way.
  Case shrink(Case failing, const std::string& kind) const {
    const auto end = Clock::now() + kShrinkTime;
    const auto still = [&](const Case& smaller) {
      if (Clock::now() > end) return false;
      const Outcome outcome = run_alone(smaller, "smaller");
      return outcome.verdict != Verdict::kPass && kind_of(outcome.detail) == kind;
    };
    for (const Case& part : subject_.parts(failing)) {
      if (!still(part)) continue;
      failing = part;
      break;
    }
    // Ranges of bytes made plain, from all to one; then single bits.
    for (std::size_t length = failing.bytes.size(); length > 0; length /= 2) {
      for (std::size_t first = 0; first < failing.bytes.size(); first += length) {
        Case smaller = failing;
        const std::size_t last = std::min(first + length, failing.bytes.size());
        for (std::size_t i = first; i < last; ++i) {
          smaller.bytes[i] = subject_.plain(failing, i);
        }
        if (smaller.bytes != failing.bytes && still(smaller)) failing = smaller;
      }
    }
    for (std::size_t bit = 0; bit < 8 * failing.bytes.size(); ++bit) {
      const std::size_t i = bit / 8;
      const auto mask = static_cast<std::uint8_t>(1u << (bit % 8));
      if (((failing.bytes[i] ^ subject_.plain(failing, i)) & mask) == 0) continue;
      Case smaller = failing;
      smaller.bytes[i] = static_cast<std::uint8_t>(smaller.bytes[i] ^ mask);
      if (still(smaller)) failing = smaller;
    }
    return failing;
  }

  void add(FuzzResult& result, std::uint64_t slice_begin, std::uint64_t number, const Case& failing,
           const Outcome& outcome) {
    const auto again = [&](const std::string& options) {
      std::string command = fmt::format("quantproof fuzz --format {}", request_.format);
      if (request_.target_text != "fast") command += " --target " + quote(request_.target_text);
      if (request_.profile) command += " --profile " + profile_name(*request_.profile);
      return command + options;
    };
    if (count_again(seen_, signature(outcome.detail), result)) return;
    FuzzFinding finding;
    finding.number = number;
    const Outcome alone = run_alone(failing, fmt::format("case {} alone", number));
    finding.alone = alone.verdict != Verdict::kPass;
    // State that goes wrong shows on whatever row is next: that is one finding.
    const std::string of_state = "state: " + kind_of(outcome.detail);
    if (!finding.alone && count_again(seen_, of_state, result)) return;
    Case smallest = failing;
    finding.detail = outcome.detail;
    if (finding.alone) {
      smallest = shrink(failing, kind_of(alone.detail));
      const Outcome last = run_alone(smallest, fmt::format("case {} made small", number));
      if (last.verdict != Verdict::kPass) {
        finding.detail = last.detail;
      } else {
        smallest = failing;
      }
      finding.reproduce = again(
          fmt::format(" --count {} --input {}", smallest.count, quote(to_hex(smallest.bytes))));
      // The small one may be known where the large one was not.
      if (count_again(small_, signature(finding.detail), result)) {
        seen_.emplace_back(signature(outcome.detail), last_counted_);
        return;
      }
      small_.emplace_back(signature(finding.detail), result.findings.size());
    } else {
      // A child starts afresh; a command lives on.
      const std::uint64_t first = own_process_ ? request_.first : slice_begin;
      finding.reproduce = again(fmt::format(" --seed {} --first {} --cases {}", request_.seed,
                                            first, number - first + 1));
      seen_.emplace_back(of_state, result.findings.size());
    }
    if (finding.alone) seen_.emplace_back(signature(outcome.detail), result.findings.size());
    finding.bytes = smallest.bytes;
    finding.count = smallest.count;
    finding.set_fields = subject_.set_fields(smallest);
    result.findings.push_back(std::move(finding));
  }

 private:
  using Names = std::vector<std::pair<std::string, std::size_t>>;  // signature, finding

  bool count_again(const Names& names, const std::string& name, FuzzResult& result) {
    for (const auto& [known, finding] : names) {
      if (known != name) continue;
      ++result.findings[finding].cases;
      last_counted_ = finding;
      return true;
    }
    return false;
  }

  const FuzzRequest& request_;
  Subject& subject_;
  bool own_process_;
  Names seen_;
  Names small_;
  std::size_t last_counted_ = 0;
};

void run_cases(const FuzzRequest& request, Subject& subject, Campaign& campaign,
               FuzzResult& result) {
  Position position;
  const auto start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  std::uint64_t next = request.first;
  const auto left = [&] {
    if (request.stop != nullptr && *request.stop) return false;
    if (result.findings.size() >= kMostFindings) return false;
    if (request.cases) return next - request.first < *request.cases;
    return elapsed() < request.seconds;
  };
  while (left()) {
    const std::uint64_t begin = next;
    position.number() = begin;
    const Outcome outcome = campaign.run([&](Situation& situation) {
      const auto judge = subject.judge(situation);
      const auto slice_end = Clock::now() + std::chrono::duration<double>(kSlice);
      for (std::uint64_t number = begin;; ++number) {
        position.number() = number;
        const bool enough = request.cases ? number - request.first >= *request.cases
                                          : Clock::now() >= slice_end && number > begin;
        if (enough) return Outcome{};
        // Where cases were counted out, a slice is all of them: state may need every one.
        const Outcome one =
            judge(subject.make(request.seed, number), fmt::format("case {}", number));
        if (one.verdict != Verdict::kPass) return one;
      }
    });
    next = position.number();
    if (outcome.verdict != Verdict::kPass) {
      campaign.add(result, begin, next, subject.make(request.seed, next), outcome);
      ++next;
    }
    result.cases = next - request.first;
    result.seconds = elapsed();
    if (request.progress) request.progress(result.cases, result.findings.size(), result.seconds);
  }
  result.stopped = request.stop != nullptr && *request.stop;
}

}  // namespace

int FuzzResult::exit_code() const {
  if (stopped) return 130;
  if (!findings.empty()) return 1;
  return !not_exercised.empty() || cases == 0 ? 4 : 0;
}

FuzzResult fuzz_target(const FuzzRequest& request) {
  FuzzResult result;
  result.format = request.format;
  result.seed = request.seed;
  result.first = request.first;
  std::unique_ptr<Subject> subject;
  bool own_process = false;
  if (request.format == "kaiju1") {
    if (request.target_text != "fast") throw UsageError("kaiju1 is for the built-in code");
    subject = std::make_unique<Kaiju1Subject>();
    result.profile = "all";
    result.target = {{"kind", "fast"}};
    result.target_text = fmt::format("fast: the built-in decoder, libquantproof {}", qp_version());
  } else {
    const TargetSpec spec = parse_target(request.target_text);
    const qp_format format = parse_format(request.format);
    const Target target = open_target(spec, {format}, request.profile, request.call_limit);
    result.profile = target.profiles.size() == 1 ? profile_name(target.profiles.front()) : "all";
    result.target = target.json;
    result.target_text = target.text;
    const auto decoder = target.decoders.at(format);
    if (decoder == nullptr) {
      result.not_exercised = fmt::format("the library has no symbol {}", symbol_for(spec, format));
      return result;
    }
    own_process = !decoder->shares_memory();
    subject = std::make_unique<BlockSubject>(decoder, format, target.profiles, request.seed);
  }
  Campaign campaign(request, *subject, own_process);
  if (request.input) {
    const Case one{*request.input, request.count};
    const Outcome outcome = campaign.run_alone(one, "the given row");
    result.cases = 1;
    if (outcome.verdict != Verdict::kPass) {
      campaign.add(result, 0, 0, one, outcome);
    }
    return result;
  }
  const Outcome alive = campaign.run(
      [&](Situation& situation) { return subject->not_exercised(situation).value_or(Outcome{}); });
  if (alive.verdict == Verdict::kNotExercised) {
    result.not_exercised = alive.detail;
    return result;
  }
  run_cases(request, *subject, campaign, result);
  return result;
}

nlohmann::ordered_json to_json(const FuzzResult& result) {
  using nlohmann::ordered_json;
  ordered_json findings = ordered_json::array();
  for (const FuzzFinding& finding : result.findings) {
    findings.push_back({{"case", finding.number},
                        {"cases", finding.cases},
                        {"alone", finding.alone},
                        {"detail", finding.detail},
                        {"bytes", to_hex(finding.bytes)},
                        {"count", finding.count},
                        {"set_fields", finding.set_fields},
                        {"reproduce", finding.reproduce}});
  }
  return {{"tool", {{"name", "quantproof"}, {"version", qp_version()}}},
          {"spec_digest", spec_digest()},
          {"format", result.format},
          {"profile", result.profile},
          {"seed", result.seed},
          {"target", result.target},
          {"first", result.first},
          {"cases", result.cases},
          {"seconds", std::round(result.seconds * 1000) / 1000},
          {"stopped", result.stopped},
          {"not_exercised", result.not_exercised},
          {"findings", findings}};
}

std::string to_text(const FuzzResult& result) {
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "quantproof {}, specification {}\n", qp_version(),
                 spec_digest().substr(0, 16));
  fmt::format_to(out, "target    {}\n", result.target_text);
  fmt::format_to(out, "format    {}, profile {}, seed {}\n", result.format, result.profile,
                 result.seed);
  for (std::size_t i = 0; i < result.findings.size(); ++i) {
    const FuzzFinding& finding = result.findings[i];
    fmt::format_to(out, "\nFINDING {}, first in case {}, {} cases like it{}\n", i + 1,
                   finding.number, finding.cases,
                   finding.alone ? "" : ", only after the cases before it");
    fmt::format_to(out, "  found: {}\n", finding.detail);
    fmt::format_to(out, "  input: {}\n", finding.set_fields);
    fmt::format_to(out, "  again: {}\n", finding.reproduce);
  }
  if (!result.not_exercised.empty()) {
    fmt::format_to(out, "\nNOT RUN: {}\n", result.not_exercised);
  }
  if (result.findings.size() >= kMostFindings) {
    fmt::format_to(out, "\nstopped after {} findings\n", kMostFindings);
  }
  fmt::format_to(out, "\n{} cases, {} findings; {:.0f} cases/s; {:.1f} s\n", result.cases,
                 result.findings.size(),
                 result.seconds > 0 ? static_cast<double>(result.cases) / result.seconds : 0.0,
                 result.seconds);
  return text;
}

}  // namespace quantproof::certify
