// SPDX-License-Identifier: Apache-2.0
//
// A decoder behind the protocol of spec/target_protocol.md.
#include <bit>
#include <cstring>
#include <span>

#include "fmt/format.h"

#include "tools/certify/decoder.h"
#include "tools/certify/isolate.h"
#include "tools/certify/target_process.h"

namespace quantproof::certify {

namespace {

using Bytes = std::vector<std::uint8_t>;

// The numbers of the text's clauses 2 and 3.
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kHello = 1;
constexpr std::uint32_t kDecode = 2;
constexpr std::uint32_t kRefusesInput = 1;
constexpr std::uint32_t kPartialBlocks = 2;
constexpr std::string_view kMagic = "quantprf";
constexpr std::size_t kLongestName = 200;
constexpr std::chrono::seconds kStartLimit{60};

void append(Bytes& bytes, std::uint64_t value, unsigned n) {
  for (unsigned i = 0; i < n; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

std::uint32_t u32_at(const Bytes& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value |= std::uint32_t{bytes[at + i]} << (8 * i);
  return value;
}

class CommandDecoder final : public Decoder {
 public:
  CommandDecoder(const std::string& command, qp_format format, std::chrono::milliseconds limit)
      : process_(command), format_(format), limit_(limit) {
    start();
  }

  bool has_status() const override { return (flags_ & kRefusesInput) != 0; }
  bool has_partial_blocks() const override { return (flags_ & kPartialBlocks) != 0; }
  bool shares_memory() const override { return false; }
  std::string name() const override { return name_; }

  qp_status decode(qp_profile profile, const std::uint8_t* bytes, std::size_t n_bytes, float* out,
                   std::size_t n_values, qp_location* /*where*/) override {
    if (!process_.running()) start();
    Bytes request;
    append(request, kDecode, 4);
    append(request, ++number_, 4);
    append(request, format_, 4);
    append(request, profile, 4);
    append(request, n_values, 8);
    request.insert(request.end(), bytes, bytes + n_bytes);
    const Bytes answer = process_.exchange(request, limit_);
    if (answer.size() < 12) {
      process_.fail(fmt::format("an answer of {} bytes; the shortest is 12", answer.size()));
    }
    if (u32_at(answer, 0) != kDecode || u32_at(answer, 4) != number_) {
      process_.fail(fmt::format("an answer of kind {} to request {}; want kind {}, request {}",
                                u32_at(answer, 0), u32_at(answer, 4), kDecode, number_));
    }
    const std::uint32_t status = u32_at(answer, 8);
    const std::size_t size = answer.size() - 12;
    if (size > 4 * n_values || size % 4 != 0 || (status == 0 && size != 4 * n_values)) {
      process_.fail(fmt::format("an answer with {} bytes of values; want {}", size, 4 * n_values));
    }
    static_assert(std::endian::native == std::endian::little);
    if (size > 0) std::memcpy(out, answer.data() + 12, size);
    return status == 0 ? QP_OK : QP_BAD_ARGUMENT;
  }

 private:
  void start() {
    process_.start();
    number_ = 0;
    Bytes request;
    append(request, kHello, 4);
    request.insert(request.end(), kMagic.begin(), kMagic.end());
    append(request, kVersion, 4);  // oldest
    append(request, kVersion, 4);  // newest
    const Bytes answer = process_.exchange(request, kStartLimit);
    if (answer.size() < 12 || answer.size() > 12 + kLongestName || u32_at(answer, 0) != kHello) {
      process_.fail("its first answer is no hello");
    }
    if (u32_at(answer, 4) != kVersion) {
      process_.fail(
          fmt::format("it speaks version {} of the protocol, not {}", u32_at(answer, 4), kVersion));
    }
    flags_ = u32_at(answer, 8);
    if ((flags_ & ~(kRefusesInput | kPartialBlocks)) != 0) {
      process_.fail(fmt::format("its hello has unknown flags 0x{:X}", flags_));
    }
    name_.assign(answer.begin() + 12, answer.end());
    for (char& c : name_) {
      if (static_cast<unsigned char>(c) < 0x20) c = '?';
    }
  }

  TargetProcess process_;
  qp_format format_;
  std::chrono::milliseconds limit_;
  std::uint32_t number_ = 0;
  std::uint32_t flags_ = 0;
  std::string name_;
};

}  // namespace

std::unique_ptr<Decoder> command_decoder(const TargetSpec& spec, qp_format format,
                                         std::chrono::milliseconds limit) {
  try {
    return std::make_unique<CommandDecoder>(spec.command, format, limit);
  } catch (const TargetFailure& failure) {
    throw UnreadableError(
        fmt::format("the command \"{}\" did not start: {}", spec.command, failure.what()));
  }
}

}  // namespace quantproof::certify
