// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_QUANTIZE_QUANTIZE_H_
#define QUANTPROOF_TOOLS_QUANTIZE_QUANTIZE_H_

#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "tools/quantize/encode_tensor.h"
#include "tools/quantize/plan.h"

namespace quantproof::quantize {

// What stands on the command line beside Options.
struct Run {
  std::size_t threads = 1;
  bool resume = false;
};

// What the whole output is like; what --json and the summary show.
struct Outcome {
  std::string fingerprint;
  std::vector<std::string> source_digests;  // of the tensors, in the order of the plan
  std::vector<TensorResult> results;
};

// Reads all of the input: digests, and that what is to be encoded is finite. Then the fingerprint:
// a digest of the input and of all that decides the output. Throws ContainerError, Interrupted.
Outcome check_sources(const Plan& plan, std::size_t threads);

// Quantizes to the output of the plan. On an interruption, and where the disk is full, OUT.partial
// and OUT.partial.journal stay for --resume. Throws ContainerError, FileError, Interrupted, and
// UsageError where what there is to resume is of other inputs or options.
void quantize(const Plan& plan, const Run& run, Outcome& outcome);

// The report: everything but times, so that equal work gives equal text.
nlohmann::ordered_json report(const Plan& plan, const Outcome& outcome);

// A plan for many machines (quantize.md 8): everything that its jobs need to know, as JSON.
nlohmann::ordered_json plan_file(const Plan& plan, const Outcome& outcome);
// The options in such a file. Throws ContainerError.
Options options_of_plan_file(const nlohmann::json& file, const std::string& path);

// Runs job `number`: encodes its tensor to OUT.job-NUMBER. Returns whether it had to: false when it
// was done before. `model` must have the tensors of the plan. Throws as quantize, ContainerError
// where the input has changed since the plan was made.
bool run_job(const nlohmann::json& file, const Plan& plan, std::size_t number, std::size_t threads);
// Joins all jobs and removes their files. Throws ContainerError, which lists missing jobs.
Outcome merge_jobs(const nlohmann::json& file, const Plan& plan);

// The tensors that are jobs: those that are encoded.
std::vector<std::size_t> jobs_of(const Plan& plan);

}  // namespace quantproof::quantize

#endif
