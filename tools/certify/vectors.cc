// SPDX-License-Identifier: Apache-2.0
#include "tools/certify/vectors.h"

#include <stdexcept>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "quantproof/qp.h"
#include "tools/certify/decoder.h"
#include "tools/certify/hex.h"
#include "tools/certify/spec_data.h"

namespace quantproof::certify {

namespace {

using nlohmann::json;

qp_status parse_status(const std::string& name) {
  for (int number = QP_OK; number <= QP_POINT_NOT_FINITE; ++number) {
    const auto status = static_cast<qp_status>(number);
    if (name == qp_status_name(status)) return status;
  }
  throw std::runtime_error(fmt::format("vectors name an unknown status {}", name));
}

// Field names become literals again, as qp_location holds them.
const char* field_literal(const std::string& name) {
  for (const char* known :
       {"scale", "n_values", "n_bytes", "profile", "format", "bytes", "out", "from", "to", "in"}) {
    if (name == known) return known;
  }
  throw std::runtime_error(fmt::format("vectors name an unknown field {}", name));
}

qp_location parse_location(const json& expect) {
  if (!expect.contains("field")) return {0, 0, ""};
  return {expect.at("block"), expect.at("offset"), field_literal(expect.at("field"))};
}

std::uint32_t little_endian(const std::vector<std::uint8_t>& bytes, std::size_t first,
                            std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value |= std::uint32_t{bytes.at(first + i)} << (8 * i);
  return value;
}

std::vector<std::uint8_t> bytes_of(const json& text) { return parse_hex(text.get<std::string>()); }

json parse_file(const std::string& name) { return json::parse(spec_file("vectors/" + name)); }

std::vector<VectorCase> read_decode_vectors(const std::string& name) {
  std::vector<VectorCase> cases;
  const json file = parse_file(name);
  for (const json& entry : file.at("cases")) {
    VectorCase vector;
    vector.id = entry.at("id");
    vector.comment = entry.at("comment");
    vector.bytes = bytes_of(entry.at("bytes"));
    vector.n_values = entry.at("n_values");
    for (const json& expect : entry.at("expect")) {
      Answer expected;
      expected.status = parse_status(expect.at("status"));
      expected.where = parse_location(expect);
      const auto bits = bytes_of(expect.at("bits"));
      for (std::size_t i = 0; i < bits.size(); i += 4) {
        expected.bits.push_back(little_endian(bits, i, 4));
      }
      for (const json& profile : expect.at("profiles")) {
        vector.expected[parse_profile(profile)] = expected;
      }
    }
    cases.push_back(std::move(vector));
  }
  return cases;
}

HalfCase::Result half_result(const json& entry) {
  HalfCase::Result result;
  result.status = parse_status(entry.at("status"));
  if (result.status == QP_OK) {
    result.half = static_cast<std::uint16_t>(little_endian(bytes_of(entry.at("bytes")), 0, 2));
  }
  return result;
}

}  // namespace

const std::vector<VectorCase>& decode_vectors(qp_format format) {
  static const auto iq3_xxs = read_decode_vectors("iq3_xxs.json");
  static const auto e8_iq3 = read_decode_vectors("e8_iq3.json");
  return format == QP_IQ3_XXS ? iq3_xxs : e8_iq3;
}

const std::vector<TranscodeCase>& transcode_vectors() {
  static const auto all = [] {
    std::vector<TranscodeCase> cases;
    const json file = parse_file("transcode.json");
    for (const json& entry : file.at("cases")) {
      const json& expect = entry.at("expect");
      cases.push_back({entry.at("id"), entry.at("comment"), parse_format(entry.at("from")),
                       parse_format(entry.at("to")), bytes_of(entry.at("bytes")),
                       entry.at("n_blocks"), parse_status(expect.at("status")),
                       parse_location(expect), bytes_of(expect.at("bytes"))});
    }
    return cases;
  }();
  return all;
}

const std::vector<HalfCase>& half_vectors() {
  static const auto all = [] {
    std::vector<HalfCase> cases;
    const json file = parse_file("half.json");
    for (const json& entry : file.at("cases")) {
      HalfCase vector;
      vector.id = entry.at("id");
      vector.half = static_cast<std::uint16_t>(little_endian(bytes_of(entry.at("bytes")), 0, 2));
      for (const json& expect : entry.at("expect")) {
        const qp_status status = parse_status(expect.at("status"));
        const auto bits = bytes_of(expect.at("bits"));
        for (const json& profile : expect.at("profiles")) {
          vector.widened[parse_profile(profile)] = {
              status, status == QP_OK ? little_endian(bits, 0, 4) : 0};
        }
      }
      vector.doubled = half_result(entry.at("double"));
      vector.halved = half_result(entry.at("halve"));
      cases.push_back(std::move(vector));
    }
    return cases;
  }();
  return all;
}

std::map<std::string, std::string> half_digests() {
  std::map<std::string, std::string> digests;
  const json file = parse_file("half.json");
  for (const json& entry : file.at("digests")) {
    const std::string name = entry.value("profile", entry.at("operation").get<std::string>());
    digests[name] = entry.at("sha256");
  }
  return digests;
}

}  // namespace quantproof::certify
