// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <unistd.h>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "tools/certify/certify.h"
#include "tools/certify/sha256.h"
#include "tools/certify/spec_data.h"
#include "tools/certify/vectors.h"
#include "tools/cli/command.h"

namespace quantproof::cli {

namespace {

int list_vectors() {
  for (const qp_format format : {QP_IQ3_XXS, QP_E8_IQ3}) {
    for (const auto& vector : certify::decode_vectors(format)) {
      fmt::print("{}.json {:4}  {:5} weights  {}\n", certify::format_name(format), vector.id,
                 vector.n_values, vector.comment);
    }
  }
  for (const auto& vector : certify::transcode_vectors()) {
    fmt::print("transcode.json {:4}  {} -> {}  {}\n", vector.id, certify::format_name(vector.from),
               certify::format_name(vector.to), vector.comment);
  }
  for (const auto& vector : certify::half_vectors()) {
    fmt::print("half.json {:4}  scale 0x{:04X}\n", vector.id, vector.half);
  }
  for (const char* name : {"leech.json", "kaiju1.json", "encoding.json"}) {
    const auto file = nlohmann::json::parse(certify::spec_file(std::string("vectors/") + name));
    for (const auto& vector : file.at("cases")) {
      fmt::print("{} {:4}  {}\n", name, vector.at("id").get<int>(),
                 vector.at("comment").get<std::string>());
    }
  }
  return kExitPass;
}

// The digests of the manifest first, then every case against the built-in decoder.
int check_vectors() {
  const auto manifest = nlohmann::json::parse(certify::spec_file("vectors/manifest.json"));
  bool intact = true;
  for (const auto& file : manifest.at("files")) {
    const std::string name = file.at("name");
    const bool same = certify::sha256(certify::spec_file("vectors/" + name)) ==
                      file.at("sha256").get<std::string>();
    fmt::print("{:14} {:4} cases  SHA-256 {}\n", name, file.at("cases").get<int>(),
               same ? "as in the manifest" : "DIFFERS from the manifest");
    intact = intact && same;
  }
  certify::Request request;
  request.claims = {"IQ3XXS-VECTORS-1",   "E8IQ3-VECTORS-1",   "HALF-WIDEN-1",
                    "IQ3XXS-TRANSCODE-1", "E8IQ3-TRANSCODE-1", "LEECH-VECTORS-1",
                    "KAIJU1-VECTORS-1",   "IQ3ENC-VECTORS-1"};
  const certify::Certificate certificate = certify::certify(request);
  fmt::print("\n{}", to_text(certificate, use_colour(STDOUT_FILENO)));
  return intact ? certificate.exit_code() : kExitFailed;
}

}  // namespace

void add_vectors_command(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("vectors", "The literal test vectors of the specification");
  command->group("Look inside");
  command->require_subcommand(1);
  command->add_subcommand("list", "One line for each case")->callback([&session] {
    session.run = list_vectors;
  });
  command->add_subcommand("check", "Check the manifest, and the built-in decoder against each case")
      ->callback([&session] { session.run = check_vectors; });
}

}  // namespace quantproof::cli
