// SPDX-License-Identifier: Apache-2.0
#include "tools/quantize/quantize.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "tools/certify/decoder.h"
#include "tools/certify/sha256.h"
#include "tools/containers/container_error.h"
#include "tools/containers/mapped_file.h"
#include "tools/containers/quoted.h"
#include "tools/quantize/interrupt.h"
#include "tools/quantize/progress.h"

namespace quantproof::quantize {

namespace {

using certify::UsageError;
using containers::ContainerError;
using containers::FileError;
using containers::FileWriter;
using containers::in_quotes;
using containers::MappedFile;
using nlohmann::json;
using nlohmann::ordered_json;

ordered_json options_as_json(const Options& options) {
  return {{"type", options.type},
          {"tensor_types", options.tensor_types},
          {"fallback", options.fallback},
          {"effort", options.effort},
          {"hi_frac", options.hi_frac}};
}

// A digest of everything that decides the bytes of the output.
std::string fingerprint(const Plan& plan, const std::vector<std::string>& digests) {
  ordered_json text = {
      {"quantproof", qp_version()},
      {"options", options_as_json(plan.options)},
      {"imatrix", plan.imatrix_digest},
      {"head", certify::sha256({reinterpret_cast<const char*>(plan.layout.head.data()),
                                plan.layout.head.size()})},
      {"tensors", ordered_json::array()}};
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    const PlannedTensor& planned = plan.tensors[i];
    text["tensors"].push_back({planned.source->name, planned.source->type_name,
                               planned.source->shape, planned.to_name, digests[i]});
  }
  return certify::sha256(text.dump(-1, ' ', true, ordered_json::error_handler_t::replace));
}

ordered_json result_as_json(const TensorResult& result) {
  return {{"sha256", result.digest},
          {"error", result.error},
          {"energy", result.energy},
          {"blocks", result.blocks},
          {"blocks_flushed_to_zero", result.blocks_zeroed}};
}

TensorResult result_of_json(const json& text) {
  TensorResult result;
  result.digest = text.at("sha256").get<std::string>();
  result.error = text.at("error").get<double>();
  result.energy = text.at("energy").get<double>();
  result.blocks = text.at("blocks").get<std::uint64_t>();
  result.blocks_zeroed = text.at("blocks_flushed_to_zero").get<std::uint64_t>();
  return result;
}

std::string journal_path(const std::string& out) { return out + ".partial.journal"; }

// The results of finished tensors, one line each, after a line with the fingerprint.
class Journal {
 public:
  explicit Journal(const std::string& out) : path_(journal_path(out)) {
    file_.open(path_, std::ios::trunc);
    check();
  }
  void write(const ordered_json& line) {
    file_ << line.dump() << '\n' << std::flush;
    check();
  }

 private:
  void check() const {
    if (!file_) throw FileError("cannot write " + path_);
  }
  std::string path_;
  std::ofstream file_;
};

std::uint64_t source_bytes(const Plan& plan) {
  std::uint64_t sum = 0;
  for (const PlannedTensor& planned : plan.tensors) sum += planned.source->bytes.size();
  return sum;
}

// How many pieces of OUT.partial are finished, by its journal; their results go to `outcome`.
std::size_t finished_pieces(const Plan& plan, Outcome& outcome) {
  const std::string& out = plan.options.out;
  std::ifstream journal(journal_path(out));
  std::string line;
  if (!std::getline(journal, line) || !std::filesystem::exists(out + ".partial")) return 0;
  const json first = json::parse(line, nullptr, false);
  if (first.is_discarded() || first.value("fingerprint", "") != outcome.fingerprint) {
    throw UsageError(fmt::format(
        "{}.partial was begun with other inputs or options; without --resume it begins anew", out));
  }
  const MappedFile partial(out + ".partial");
  const auto bytes = partial.bytes();
  const auto& head = plan.layout.head;
  if (bytes.size() < head.size() || !std::equal(head.begin(), head.end(), bytes.begin())) return 0;
  std::size_t finished = 0;
  while (std::getline(journal, line)) {
    const json entry = json::parse(line, nullptr, false);
    if (entry.is_discarded()) break;  // cut off while it was written
    const auto piece = entry.at("piece").get<std::size_t>();
    if (piece < finished || piece >= plan.pieces.size() || !plan.pieces[piece].tensor) break;
    const containers::Extent& extent = plan.layout.tensors[piece];
    if (extent.offset + extent.size > bytes.size()) break;
    const TensorResult result = result_of_json(entry);
    const auto written = bytes.subspan(extent.offset, extent.size);
    if (certify::sha256({reinterpret_cast<const char*>(written.data()), written.size()}) !=
        result.digest) {
      break;
    }
    MappedFile::release(written);
    outcome.results[*plan.pieces[piece].tensor] = result;
    finished = piece + 1;
  }
  return finished;
}

void remove_journal(const std::string& out) {
  std::error_code ignored;
  std::filesystem::remove(journal_path(out), ignored);
}

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string job_path(const std::string& out, std::size_t number) {
  return fmt::format("{}.job-{:05}", out, number);
}

// What a finished job says about itself; nothing where it is not finished.
std::optional<TensorResult> finished_job(const Plan& plan, const std::string& fingerprint,
                                         std::size_t number) {
  std::ifstream file(job_path(plan.options.out, number) + ".json");
  if (!file) return std::nullopt;
  const json text = json::parse(file, nullptr, false);
  if (text.is_discarded() || !text.is_object() || text.value("fingerprint", "") != fingerprint) {
    return std::nullopt;
  }
  try {
    return result_of_json(text.at("result"));
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

const json& entry_of_plan(const json& file, std::size_t tensor) {
  return file.at("tensors").at(tensor);
}

}  // namespace

Outcome check_sources(const Plan& plan, std::size_t threads) {
  Outcome outcome;
  outcome.source_digests.resize(plan.tensors.size());
  outcome.results.resize(plan.tensors.size());
  Progress progress("reading", source_bytes(plan), plan.tensors.size());
  in_parallel(plan.tensors.size(), threads, [&](std::size_t i) {
    outcome.source_digests[i] = check_source(plan.tensors[i]);
    progress.finish_tensor(0);
    progress.advance(plan.tensors[i].source->bytes.size());
  });
  outcome.fingerprint = fingerprint(plan, outcome.source_digests);
  return outcome;
}

void quantize(const Plan& plan, const Run& run, Outcome& outcome) {
  const std::string& out = plan.options.out;
  const std::size_t finished = run.resume ? finished_pieces(plan, outcome) : 0;
  std::optional<FileWriter> writer;
  if (finished != 0) {
    writer.emplace(out, plan.layout, finished);
  } else {
    writer.emplace(out, plan.layout);
  }
  std::optional<Journal> journal;
  journal.emplace(out);
  journal->write({{"fingerprint", outcome.fingerprint}});
  const auto record = [&](std::size_t piece) {
    ordered_json line = result_as_json(outcome.results[*plan.pieces[piece].tensor]);
    line["piece"] = piece;
    journal->write(line);
  };
  for (std::size_t p = 0; p < finished; ++p) {
    if (plan.pieces[p].tensor) record(p);
  }
  Progress progress("quantizing", source_bytes(plan), plan.tensors.size());
  try {
    for (std::size_t p = finished; p < plan.pieces.size(); ++p) {
      const Piece& piece = plan.pieces[p];
      if (!piece.tensor) {
        writer->write(bytes_of(piece.bytes));
        continue;
      }
      const PlannedTensor& planned = plan.tensors[*piece.tensor];
      progress.start(planned.source->name);
      const std::uint64_t weights = std::max<std::uint64_t>(planned.source->weights(), 1);
      const double bytes_each =
          static_cast<double>(planned.source->bytes.size()) / static_cast<double>(weights);
      TensorResult& result = outcome.results[*piece.tensor];
      result = encode_tensor(
          plan, planned, run.threads, [&](auto bytes) { writer->write(bytes); },
          [&](std::uint64_t done) {
            progress.advance(static_cast<std::uint64_t>(static_cast<double>(done) * bytes_each));
          });
      record(p);
      progress.finish_tensor(relative_error(result));
    }
    writer->finish();
  } catch (const Interrupted&) {
    writer->keep();
    throw;
  } catch (const FileError& error) {
    writer->keep();
    throw FileError(fmt::format("{}; what is done is kept for --resume", error.what()));
  } catch (...) {
    journal.reset();
    remove_journal(out);
    throw;
  }
  journal.reset();
  remove_journal(out);
}

ordered_json report(const Plan& plan, const Outcome& outcome) {
  ordered_json tensors = ordered_json::array();
  ordered_json without = ordered_json::array();
  ordered_json substituted = ordered_json::array();
  std::uint64_t weights = 0;
  std::uint64_t encoded_weights = 0;
  std::uint64_t encoded_bytes = 0;
  std::uint64_t zeroed = 0;
  double worst = 0;
  std::string worst_name;
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    const PlannedTensor& planned = plan.tensors[i];
    const ModelTensor& source = *planned.source;
    const TensorResult& result = outcome.results[i];
    ordered_json entry = {{"name", source.name},
                          {"from", source.type_name},
                          {"to", planned.to_name},
                          {"shape", source.shape},
                          {"size", planned.size},
                          {"bits_per_weight", bits_per_weight(planned.size, source.weights())},
                          {"source_sha256", outcome.source_digests[i]},
                          {"sha256", result.digest}};
    if (!planned.reason.empty()) entry["reason"] = planned.reason;
    weights += source.weights();
    if (planned.to) {
      const double error = relative_error(result);
      entry["relative_squared_error"] = error;
      entry["importance"] = planned.weighted           ? "imatrix"
                            : planned.lacks_importance ? "none"
                                                       : "not used";
      if (planned.experts_without_data != 0) {
        entry["experts_without_data"] = planned.experts_without_data;
      }
      if (result.blocks != 0) {
        entry["blocks"] = result.blocks;
        entry["blocks_flushed_to_zero"] = result.blocks_zeroed;
      }
      zeroed += result.blocks_zeroed;
      encoded_weights += source.weights();
      encoded_bytes += planned.size;
      if (error > worst) {
        worst = error;
        worst_name = source.name;
      }
      if (planned.lacks_importance) without.push_back(source.name);
      if (planned.substituted) substituted.push_back(source.name);
    }
    tensors.push_back(std::move(entry));
  }
  ordered_json imatrix;
  if (plan.imatrix) {
    imatrix = {{"file", plan.options.imatrix_name},
               {"sha256", plan.imatrix_digest},
               {"entries", plan.imatrix->entries.size()},
               {"chunks", plan.imatrix->chunk_count}};
  }
  ordered_json summary = {
      {"tensors", plan.tensors.size()},
      {"weights", weights},
      {"bits_per_weight", bits_per_weight(plan.layout.size, weights)},
      {"encoded_weights", encoded_weights},
      {"encoded_bits_per_weight", bits_per_weight(encoded_bytes, encoded_weights)},
      {"blocks_flushed_to_zero", zeroed},
      {"tensors_without_importance", without},
      {"substituted", substituted}};
  if (!worst_name.empty())
    summary["worst"] = {{"name", worst_name}, {"relative_squared_error", worst}};
  return {{"tool", {{"name", "quantproof"}, {"version", qp_version()}}},
          {"fingerprint", outcome.fingerprint},
          {"input", plan.options.in},
          {"output", plan.options.out},
          {"container", container_name(plan.container)},
          {"size", plan.layout.size},
          {"options", options_as_json(plan.options)},
          {"imatrix", imatrix},
          {"tensors", tensors},
          {"summary", summary}};
}

std::vector<std::size_t> jobs_of(const Plan& plan) {
  std::vector<std::size_t> jobs;
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    if (plan.tensors[i].to) jobs.push_back(i);
  }
  return jobs;
}

ordered_json plan_file(const Plan& plan, const Outcome& outcome) {
  const auto absolute = [](const std::string& path) {
    return path.empty() ? path : std::filesystem::absolute(path).string();
  };
  ordered_json tensors = ordered_json::array();
  std::size_t job = 0;
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    const PlannedTensor& planned = plan.tensors[i];
    ordered_json entry = {
        {"name", planned.source->name}, {"from", planned.source->type_name},
        {"to", planned.to_name},        {"shape", planned.source->shape},
        {"size", planned.size},         {"source_sha256", outcome.source_digests[i]}};
    if (planned.to) entry["job"] = job++;
    tensors.push_back(std::move(entry));
  }
  return {{"quantproof_plan", 1},
          {"version", qp_version()},
          {"fingerprint", outcome.fingerprint},
          {"jobs", job},
          {"in", absolute(plan.options.in)},
          {"out", absolute(plan.options.out)},
          {"imatrix", absolute(plan.options.imatrix)},
          {"imatrix_name", plan.options.imatrix_name},
          {"options", options_as_json(plan.options)},
          {"tensors", tensors}};
}

Options options_of_plan_file(const json& file, const std::string& path) {
  try {
    if (file.at("quantproof_plan") != 1) throw ContainerError(path + ": no plan of version 1");
    if (file.at("version") != qp_version()) {
      throw ContainerError(fmt::format("{}: a plan of quantproof {}, and this is {}", path,
                                       file.at("version").get<std::string>(), qp_version()));
    }
    Options options;
    options.in = file.at("in").get<std::string>();
    options.out = file.at("out").get<std::string>();
    options.imatrix = file.at("imatrix").get<std::string>();
    options.imatrix_name = file.at("imatrix_name").get<std::string>();
    const json& given = file.at("options");
    options.type = given.at("type").get<std::string>();
    options.tensor_types = given.at("tensor_types").get<std::vector<std::string>>();
    options.fallback = given.at("fallback").get<std::string>();
    options.effort = given.at("effort").get<std::string>();
    options.hi_frac = given.at("hi_frac").get<std::uint32_t>();
    return options;
  } catch (const json::exception&) {
    throw ContainerError(path + ": no plan of quantproof");
  }
}

bool run_job(const json& file, const Plan& plan, std::size_t number, std::size_t threads) {
  const std::vector<std::size_t> jobs = jobs_of(plan);
  if (number >= jobs.size()) {
    throw UsageError(fmt::format("the plan has jobs 0 to {}", static_cast<long>(jobs.size()) - 1));
  }
  const std::size_t tensor = jobs[number];
  const PlannedTensor& planned = plan.tensors[tensor];
  const auto fingerprint = file.at("fingerprint").get<std::string>();
  const std::string path = job_path(plan.options.out, number);
  if (finished_job(plan, fingerprint, number) && std::filesystem::exists(path) &&
      std::filesystem::file_size(path) == planned.size) {
    return false;
  }
  const json& entry = entry_of_plan(file, tensor);
  if (entry.at("name") != planned.source->name || entry.at("to") != planned.to_name ||
      entry.at("source_sha256") != check_source(planned)) {
    throw ContainerError(fmt::format("tensor {} has changed since the plan was made",
                                     in_quotes(planned.source->name)));
  }
  FileWriter writer(path, {{}, {{0, planned.size}}, planned.size});
  Progress progress("quantizing", planned.source->bytes.size(), 1);
  progress.start(planned.source->name);
  const TensorResult result = encode_tensor(
      plan, planned, threads, [&](auto bytes) { writer.write(bytes); }, [](std::uint64_t) {});
  writer.finish();
  const std::string text = ordered_json{
      {"fingerprint", fingerprint},
      {"job", number},
      {"result",
       result_as_json(result)}}.dump();
  FileWriter note(path + ".json", {{text.begin(), text.end()}, {}, text.size()});
  note.finish();
  return true;
}

Outcome merge_jobs(const json& file, const Plan& plan) {
  Outcome outcome;
  outcome.fingerprint = file.at("fingerprint").get<std::string>();
  outcome.results.resize(plan.tensors.size());
  const std::vector<std::size_t> jobs = jobs_of(plan);
  std::string missing;
  std::vector<std::size_t> job_of(plan.tensors.size(), 0);
  for (std::size_t number = 0; number < jobs.size(); ++number) {
    job_of[jobs[number]] = number;
    const auto result = finished_job(plan, outcome.fingerprint, number);
    if (result) {
      outcome.results[jobs[number]] = *result;
    } else {
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", number);
    }
  }
  if (!missing.empty()) throw UnsupportedError("these jobs are not done yet: " + missing);
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    outcome.source_digests.push_back(entry_of_plan(file, i).at("source_sha256").get<std::string>());
  }
  if (fingerprint(plan, outcome.source_digests) != outcome.fingerprint) {
    throw ContainerError(
        "the input, the imatrix or their tensors have changed since the plan was made");
  }
  FileWriter writer(plan.options.out, plan.layout);
  for (const Piece& piece : plan.pieces) {
    if (!piece.tensor) {
      writer.write(bytes_of(piece.bytes));
      continue;
    }
    const PlannedTensor& planned = plan.tensors[*piece.tensor];
    TensorResult& result = outcome.results[*piece.tensor];
    if (!planned.to) {
      result = encode_tensor(
          plan, planned, 1, [&](auto bytes) { writer.write(bytes); }, [](std::uint64_t) {});
      if (result.digest != outcome.source_digests[*piece.tensor]) {
        throw ContainerError(fmt::format("tensor {} has changed since the plan was made",
                                         in_quotes(planned.source->name)));
      }
      continue;
    }
    const std::string path = job_path(plan.options.out, job_of[*piece.tensor]);
    const MappedFile part(path);
    if (part.bytes().size() != planned.size ||
        certify::sha256({reinterpret_cast<const char*>(part.bytes().data()),
                         part.bytes().size()}) != result.digest) {
      throw ContainerError(path + ": not what its job wrote; run the job again");
    }
    writer.write(part.bytes());
  }
  writer.finish();
  for (std::size_t number = 0; number < jobs.size(); ++number) {
    std::error_code ignored;
    std::filesystem::remove(job_path(plan.options.out, number), ignored);
    std::filesystem::remove(job_path(plan.options.out, number) + ".json", ignored);
  }
  return outcome;
}

}  // namespace quantproof::quantize
