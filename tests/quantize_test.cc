// SPDX-License-Identifier: Apache-2.0
//
// spec/formats/quantize.md: plans, types, importances, and that the bytes depend on nothing else.
#include "tools/quantize/quantize.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "quantproof/qp.h"
#include "tests/test_folder.h"
#include "tools/certify/decoder.h"
#include "tools/containers/container_error.h"
#include "tools/containers/knot.h"

namespace quantproof::quantize {
namespace {

using containers::decode_rows;
using containers::FileWriter;
using containers::make_entry;
using testing::HasSubstr;

std::string path(const std::string& name) { return tests::test_folder() + name; }

struct Weights {
  std::string name;
  std::vector<std::uint64_t> shape;  // the slowest dimension first
  std::vector<float> values;
};

std::uint64_t product(const std::vector<std::uint64_t>& shape) {
  std::uint64_t n = 1;
  for (const std::uint64_t dimension : shape) n *= dimension;
  return n;
}

Weights random(const std::string& name, const std::vector<std::uint64_t>& shape,
               unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal(0, 0.02f);
  Weights weights{name, shape, std::vector<float>(product(shape))};
  for (float& value : weights.values) value = normal(generator);
  return weights;
}

// A GGUF file of F32 tensors.
std::string save(const std::string& name, const std::vector<Weights>& all) {
  std::vector<containers::GgufTensor> tensors;
  for (const Weights& weights : all) {
    tensors.push_back({weights.name, {weights.shape.rbegin(), weights.shape.rend()}, 0, 0, 0});
  }
  const containers::GgufMetadata metadata = {
      make_entry("general.architecture", "llama"), make_entry("general.file_type", 0),
      make_entry("split.count", 1), make_entry("tokens", std::vector<std::string>{"a", "b"})};
  FileWriter writer(path(name), gguf_layout(metadata, tensors, name));
  for (const Weights& weights : all) {
    std::vector<std::uint8_t> bytes(4 * weights.values.size());
    containers::encode_plain(TensorType::kF32, weights.values.data(), weights.values.size(),
                             bytes.data());
    if (!bytes.empty())
      std::copy(reinterpret_cast<const std::uint8_t*>(weights.values.data()),
                reinterpret_cast<const std::uint8_t*>(weights.values.data()) + bytes.size(),
                bytes.begin());  // NaN as well
    writer.write(bytes);
  }
  writer.finish();
  return path(name);
}

Options options(const std::string& in, const std::string& out, const std::string& type) {
  Options result;
  result.in = in;
  result.out = path(out);
  result.type = type;
  result.effort = "fast";
  return result;
}

Outcome run(const Options& given, std::size_t threads = 2) {
  const ModelFile model(given.in);
  const Plan plan = make_plan(given, model);
  Outcome outcome = check_sources(plan, threads);
  quantize(plan, {threads, false}, outcome);
  EXPECT_EQ(std::filesystem::file_size(given.out), plan.layout.size);
  return outcome;
}

// What a plan, or a run, is refused with.
std::string refusal(const Options& given) {
  try {
    run(given);
  } catch (const std::exception& error) {
    EXPECT_FALSE(std::filesystem::exists(given.out + ".partial"));
    return error.what();
  }
  return "accepted";
}

std::string bytes_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream.good()) << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

const containers::ModelTensor& tensor(const ModelFile& model, const std::string& name) {
  const auto* found = model.find(name);
  if (found == nullptr) throw std::runtime_error("no tensor " + name);
  return *found;
}

std::vector<Weights> some_model() {
  return {random("token_embd.weight", {3, 256}),   random("blk.0.attn_norm.weight", {256}),
          random("blk.0.attn_q.weight", {5, 512}), random("blk.0.ffn_gate_inp.weight", {4, 256}),
          random("blk.0.bias", {2, 256}),          random("blk.0.ffn_norm.weight", {2, 256}),
          random("output.weight", {3, 256})};
}

TEST(Quantize, EncodesAsTheEncoderDoesAndKeepsTheRest) {
  const auto model = some_model();
  const Outcome outcome = run(options(save("a.gguf", model), "a_out.gguf", "iq3_xxs"));
  const ModelFile out(path("a_out.gguf"));
  ASSERT_EQ(out.tensors.size(), model.size());
  for (std::size_t i = 0; i < model.size(); ++i) {
    EXPECT_EQ(out.tensors[i].name, model[i].name);
    EXPECT_EQ(out.tensors[i].shape, model[i].shape);
    EXPECT_EQ(out.tensors[i].type_name, model[i].name == "blk.0.attn_q.weight" ? "IQ3_XXS" : "F32");
  }
  std::vector<std::uint8_t> want(5 * 2 * 98);
  qp_encode_options effort{sizeof effort, QP_EFFORT_FAST, QP_WEIGHTING_IMPORTANCE};
  ASSERT_EQ(qp_encode(QP_IQ3_XXS, model[2].values.data(), 5, 512, nullptr, want.data(), want.size(),
                      &effort),
            QP_OK);
  const auto got = tensor(out, "blk.0.attn_q.weight").bytes;
  EXPECT_TRUE(std::equal(got.begin(), got.end(), want.begin(), want.end()));
  // Metadata: as llama.cpp's.
  EXPECT_EQ(out.metadata,
            (containers::GgufMetadata{make_entry("general.architecture", "llama"),
                                      make_entry("tokens", std::vector<std::string>{"a", "b"}),
                                      make_entry("general.quantization_version", 2),
                                      make_entry("general.file_type", 23)}));
  // The error, formed again.
  std::vector<float> decoded(5 * 512);
  decode_rows(tensor(out, "blk.0.attn_q.weight"), 0, 5, decoded.data());
  double error = 0;
  double energy = 0;
  for (std::size_t i = 0; i < decoded.size(); ++i) {
    error += std::pow(double{model[2].values[i]} - decoded[i], 2);
    energy += std::pow(double{model[2].values[i]}, 2);
  }
  EXPECT_NEAR(relative_error(outcome.results[2]), error / energy, 1e-12);
  EXPECT_GT(error / energy, 0.02);
  EXPECT_LT(error / energy, 0.04);
  EXPECT_EQ(outcome.results[2].blocks, 10u);
  EXPECT_EQ(outcome.results[2].digest.size(), 64u);
}

// 5: importances go to the right columns, of the right expert; 1.1: no number of threads shows.
TEST(Quantize, ExpertsHaveImportancesOfTheirOwn) {
  const Weights weights = random("blk.0.ffn_up_exps.weight", {3, 100, 256});
  const std::string in = save("experts.gguf", {weights});
  containers::Imatrix imatrix;
  imatrix.chunk_size = 1;
  imatrix.datasets = {"d"};
  auto& entry = imatrix.entries[weights.name];
  entry.counts = {2, 0, 1};
  for (int i = 0; i < 3 * 256; ++i)
    entry.sums.push_back(i % 7 == 0 ? 100.0f : static_cast<float>(i));
  const auto file = imatrix_as_gguf(imatrix, "x");
  FileWriter writer(path("experts.imatrix"), file.layout);
  writer.write(file.data);
  writer.finish();
  Options given = options(in, "experts_1.gguf", "iq3_xxs");
  given.imatrix = given.imatrix_name = path("experts.imatrix");
  run(given, 1);
  const std::string one = bytes_of(given.out);
  given.out = path("experts_5.gguf");
  const Outcome outcome = run(given, 5);
  EXPECT_EQ(bytes_of(given.out), one);

  const ModelFile out(given.out);
  std::vector<float> decoded(3 * 100 * 256);
  decode_rows(out.tensors[0], 0, 300, decoded.data());
  double error = 0;
  double energy = 0;
  qp_encode_options effort{sizeof effort, QP_EFFORT_FAST, QP_WEIGHTING_IMPORTANCE};
  for (std::size_t expert = 0; expert < 3; ++expert) {
    std::vector<float> importance(256, 1.0f);
    for (std::size_t c = 0; c < 256 && expert != 1; ++c) {
      importance[c] = entry.sums[256 * expert + c] / entry.counts[expert];
    }
    std::vector<std::uint8_t> want(100 * 98);
    ASSERT_EQ(qp_encode(QP_IQ3_XXS, weights.values.data() + expert * 100 * 256, 100, 256,
                        importance.data(), want.data(), want.size(), &effort),
              QP_OK);
    const auto got = out.tensors[0].bytes.subspan(expert * want.size(), want.size());
    EXPECT_TRUE(std::equal(got.begin(), got.end(), want.begin())) << expert;
    for (std::size_t i = expert * 100 * 256; i < (expert + 1) * 100 * 256; ++i) {
      const double x = weights.values[i];
      error += importance[i % 256] * std::pow(x - decoded[i], 2);
      energy += importance[i % 256] * std::pow(x, 2);
    }
  }
  EXPECT_NEAR(relative_error(outcome.results[0]), error / energy, 1e-12);
  const ModelFile model(in);
  const Plan plan = make_plan(given, model);
  ASSERT_EQ(plan.warnings.size(), 1u);
  EXPECT_THAT(plan.warnings[0], HasSubstr("1 of its experts have no data"));
  const auto report = quantize::report(plan, outcome);
  EXPECT_EQ(report["tensors"][0]["experts_without_data"], 1);
  EXPECT_EQ(report["tensors"][0]["importance"], "imatrix");
  EXPECT_EQ(containers::integer_of(find_entry(out.metadata, "quantize.imatrix.entries_count")), 1u);
  EXPECT_EQ(containers::string_of(find_entry(out.metadata, "quantize.imatrix.dataset")), "d");

  // Entries of another size are refused, all of them.
  imatrix.entries[weights.name].sums.resize(3 * 128);
  const auto wrong = imatrix_as_gguf(imatrix, "x");
  FileWriter again(path("experts.imatrix"), wrong.layout);
  again.write(wrong.data);
  again.finish();
  EXPECT_THAT(refusal(given), HasSubstr("384 importances for 3 experts of 256 columns"));
}

TEST(Quantize, TypesByNameAndFallback) {
  const std::string in =
      save("types.gguf", {random("blk.0.a.weight", {2, 255}), random("blk.0.b.weight", {2, 288}),
                          random("blk.0.c.weight", {2, 256}), random("output.weight", {2, 256})});
  Options given = options(in, "types_out.gguf", "iq3_xxs");
  // All that do not fit, at once.
  EXPECT_THAT(refusal(given), testing::AllOf(HasSubstr("\"blk.0.a.weight\": rows of 255"),
                                             HasSubstr("\"blk.0.b.weight\": rows of 288"),
                                             testing::Not(HasSubstr("blk.0.c"))));
  given.fallback = "q8_0";  // fits b, not a
  EXPECT_THAT(refusal(given),
              testing::AllOf(HasSubstr("blk.0.a"), testing::Not(HasSubstr("blk.0.b"))));
  given.fallback = "f16";
  given.tensor_types = {R"(\.c\.weight$=keep)", "output|c=q8_0"};
  run(given);
  {
    const ModelFile model(in);
    const Plan plan = make_plan(given, model);
    EXPECT_EQ(plan.tensors[0].to_name, "F16");
    EXPECT_TRUE(plan.tensors[0].substituted);
    EXPECT_THAT(plan.tensors[0].reason, HasSubstr("fallback: rows of 255"));
    EXPECT_EQ(plan.tensors[2].to_name, "F32");
    EXPECT_FALSE(plan.tensors[2].to.has_value());
    EXPECT_EQ(plan.tensors[3].to_name, "Q8_0");
    const ModelFile out(given.out);
    EXPECT_EQ(tensor(out, "output.weight").bytes.size(), 2u * 8 * 34);
    EXPECT_EQ(tensor(out, "blk.0.c.weight").type_name, "F32");
  }
  given.tensor_types = {"nothing=f16"};
  EXPECT_THAT(refusal(given), HasSubstr("matches no tensor"));
  given.tensor_types = {"(=f16"};
  EXPECT_THAT(refusal(given), HasSubstr("no regular expression"));
  given.tensor_types = {"f16"};
  EXPECT_THAT(refusal(given), HasSubstr("not REGEX=TYPE"));
  given.tensor_types = {"a=iq2_m"};
  EXPECT_THAT(refusal(given), HasSubstr("a file mix of llama.cpp"));
  given.tensor_types = {"a=q4_k"};
  EXPECT_THAT(refusal(given), HasSubstr("not written here"));
  given.tensor_types = {"a=e8_iq3"};
  EXPECT_THAT(refusal(given), HasSubstr("E8_IQ3 does not go into GGUF"));
  given.type = "kaiju1";
  EXPECT_THAT(refusal(given), HasSubstr("kaiju1 does not go into GGUF"));
}

TEST(Quantize, WeightsThatAreNotFiniteAreNamed) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    auto model = some_model();
    model[2].values[3 * 512 + 48] = bad;
    const std::string in = save("nan.gguf", model);
    for (const char* type : {"iq3_xxs", "f16", "q8_0"}) {
      EXPECT_THAT(
          refusal(options(in, "nan_out.gguf", type)),
          HasSubstr("\"blk.0.attn_q.weight\": row 3, column 48: the weight is infinite or NaN"));
    }
    EXPECT_THAT(refusal(options(in, "nan_out.knot", "kaiju1")), HasSubstr("row 3, column 48"));
    EXPECT_FALSE(std::filesystem::exists(path("nan_out.gguf")));
    // In a tensor that is kept it is kept.
    model[2].values[3 * 512 + 48] = 0;
    model[0].values[7] = bad;
    EXPECT_EQ(refusal(options(save("nan.gguf", model), "nan_out.gguf", "iq3_xxs")), "accepted");
    std::filesystem::remove(path("nan_out.gguf"));
  }
  auto model = some_model();
  model[2].values[512 + 9] = 1e8f;
  const std::string in = save("large.gguf", model);
  EXPECT_THAT(refusal(options(in, "nan_out.gguf", "iq3_xxs")),
              HasSubstr("row 1, column 9: x weight_out_of_range"));
  EXPECT_THAT(refusal(options(in, "nan_out.gguf", "f16")),
              HasSubstr("row 1, column 9: 100000000 is too large for F16"));
}

// A block whose scale rounds to 0 is one string of zeros, and counted.
TEST(Quantize, BlocksFlushedToZeroAreCounted) {
  auto model = some_model();
  for (std::size_t i = 256; i < 512; ++i) model[2].values[i] = 1e-20f;
  for (std::size_t i = 512; i < 1024; ++i) model[2].values[i] = 0;
  const Outcome outcome = run(options(save("tiny.gguf", model), "tiny_out.gguf", "iq3_xxs"));
  EXPECT_EQ(outcome.results[2].blocks, 10u);
  EXPECT_EQ(outcome.results[2].blocks_zeroed, 1u);
}

// E8/IQ3 to safetensors and KAIJU1 to KNOT; both back again.
TEST(Quantize, OtherContainers) {
  const auto model = some_model();
  const std::string in = save("others.gguf", model);
  const auto error_of = [&](const std::string& file) {
    const ModelFile out(file);
    std::vector<float> decoded(5 * 512);
    decode_rows(tensor(out, "blk.0.attn_q.weight"), 0, 5, decoded.data());
    double error = 0;
    double energy = 0;
    for (std::size_t i = 0; i < decoded.size(); ++i) {
      error += std::pow(double{model[2].values[i]} - decoded[i], 2);
      energy += std::pow(double{model[2].values[i]}, 2);
    }
    return error / energy;
  };
  const Outcome e8 = run(options(in, "others.safetensors", "e8_iq3"));
  const double e8_error = error_of(path("others.safetensors"));
  EXPECT_NEAR(e8_error, relative_error(e8.results[2]), 1e-6);  // the rotation keeps it
  EXPECT_LT(e8_error, 0.04);
  {
    const ModelFile out(path("others.safetensors"));
    EXPECT_EQ(tensor(out, "blk.0.attn_q.weight").type, TensorType::kE8Iq3);
    EXPECT_EQ(out.find("blk.0.attn_q.weight.qs"), nullptr);
    const std::string text = bytes_of(path("others.safetensors")).substr(8, 700);
    EXPECT_THAT(text, HasSubstr(R"("colibri.fmt":"{\"blk.0.attn_q.weight\":\"e8-iq3-lattice\"}")"));
    EXPECT_THAT(text, HasSubstr(R"("blk.0.attn_q.weight.qs":{"dtype":"F32","shape":[1])"));
  }
  run(options(in, "others.knot", "kaiju1"));
  EXPECT_LT(error_of(path("others.knot")), 0.07);
  {
    const ModelFile out(path("others.knot"));
    EXPECT_EQ(out.container, Container::kKnot);
    EXPECT_EQ(containers::string_of(find_entry(out.metadata, "general.architecture")), "llama");
    EXPECT_EQ(out.tensors.size(), model.size());
  }
  run(options(in, "e8.knot", "e8_iq3"));
  EXPECT_NEAR(error_of(path("e8.knot")), e8_error, 1e-9);
  // Back: what was decoded is what is in the file.
  for (const char* from : {"others.safetensors", "others.knot", "e8.knot"}) {
    run(options(path(from), "back.gguf", "f32"));
    EXPECT_NEAR(error_of(path("back.gguf")), error_of(path(from)), 1e-12) << from;
  }
  run(options(path("e8.knot"), "again.safetensors", "e8_iq3"));
  EXPECT_EQ(bytes_of(path("again.safetensors")), bytes_of(path("others.safetensors")));
}

// 1.1, 15: few rows and many threads, no rows at all.
TEST(Quantize, FewRowsAndManyThreads) {
  const std::string in =
      save("few.gguf", {random("a.weight", {3, 256}), random("b.weight", {1, 256}),
                        random("c.weight", {0, 256}), random("d.weight", {2, 0})});
  run(options(in, "few_1.gguf", "iq3_xxs"), 1);
  run(options(in, "few_64.gguf", "iq3_xxs"), 64);
  EXPECT_EQ(bytes_of(path("few_1.gguf")), bytes_of(path("few_64.gguf")));
}

// 8: jobs in any order, then the merge: the bytes of a single run.
TEST(Quantize, JobsMakeTheOutputOfASingleRun) {
  const std::string in =
      save("jobs.gguf", {random("a.weight", {30, 256}, 1), random("n.weight", {9}),
                         random("b.weight", {20, 512}, 2)});
  Options given = options(in, "jobs.safetensors", "e8_iq3");
  run(given);
  const std::string single = bytes_of(given.out);
  given.out = path("jobs_merged.safetensors");
  const ModelFile model(in);
  const Plan plan = make_plan(given, model);
  const Outcome outcome = check_sources(plan, 1);
  const auto file = nlohmann::json::parse(plan_file(plan, outcome).dump());
  EXPECT_EQ(file["jobs"], 2);
  const Options from_plan = options_of_plan_file(file, "plan");
  const Plan again = make_plan(from_plan, model);
  EXPECT_TRUE(run_job(file, again, 1, 1));
  EXPECT_FALSE(run_job(file, again, 1, 1));
  EXPECT_THROW(run_job(file, again, 2, 1), certify::UsageError);
  EXPECT_THROW(merge_jobs(file, again), UnsupportedError);
  EXPECT_TRUE(run_job(file, again, 0, 2));
  // A damaged part is found.
  const std::string part = from_plan.out + ".job-00000";
  const std::string kept = bytes_of(part);
  std::ofstream(part, std::ios::binary) << std::string(kept.size(), 'x');
  EXPECT_THROW(merge_jobs(file, again), containers::ContainerError);
  std::ofstream(part, std::ios::binary) << kept;
  const Outcome merged = merge_jobs(file, again);
  EXPECT_EQ(bytes_of(from_plan.out), single);
  EXPECT_FALSE(std::filesystem::exists(part));
  EXPECT_EQ(merged.results[2].digest,
            run(options(in, "x.safetensors", "e8_iq3")).results[2].digest);
  // Another input: the job does not run.
  save("jobs.gguf", {random("a.weight", {30, 256}, 7), random("n.weight", {9}),
                     random("b.weight", {20, 512}, 2)});
  const ModelFile changed(in);
  const Plan other = make_plan(from_plan, changed);
  EXPECT_THROW(run_job(file, other, 0, 1), containers::ContainerError);
}

// 7.2: what is there of an interrupted run is used if it is of the same run, and else refused.
TEST(Quantize, Resumes) {
  const std::string in =
      save("resume.gguf", {random("a.weight", {30, 256}, 1), random("b.weight", {30, 256}, 2),
                           random("c.weight", {30, 256}, 3)});
  const Options given = options(in, "resume_out.gguf", "iq3_xxs");
  const Outcome whole = run(given);
  const std::string want = bytes_of(given.out);
  const ModelFile model(in);
  const Plan plan = make_plan(given, model);
  // As if killed in the third tensor, while a line was written.
  const auto interrupted_run = [&](const std::string& bytes, const std::string& fingerprint) {
    std::ofstream(given.out + ".partial", std::ios::binary) << bytes;
    std::ofstream journal(given.out + ".partial.journal");
    journal << "{\"fingerprint\":\"" << fingerprint << "\"}\n";
    for (int piece = 0; piece < 2; ++piece) {
      const TensorResult& result = whole.results[static_cast<std::size_t>(piece)];
      journal << nlohmann::json({{"piece", piece},
                                 {"sha256", result.digest},
                                 {"error", result.error},
                                 {"energy", result.energy},
                                 {"blocks", result.blocks},
                                 {"blocks_flushed_to_zero", result.blocks_zeroed}})
              << "\n";
    }
    journal << "{\"piece\":2,\"sha";
  };
  const auto resume = [&] {
    Outcome outcome = check_sources(plan, 1);
    quantize(plan, {1, true}, outcome);
    EXPECT_FALSE(std::filesystem::exists(given.out + ".partial"));
    EXPECT_FALSE(std::filesystem::exists(given.out + ".partial.journal"));
    EXPECT_EQ(bytes_of(given.out), want);
    EXPECT_EQ(report(plan, outcome), report(plan, whole));
  };
  const std::string begun = want.substr(0, plan.layout.tensors[2].offset + 100);
  interrupted_run(begun, whole.fingerprint);
  resume();
  std::string damaged = begun;
  damaged[plan.layout.tensors[1].offset + 5] ^= 1;
  interrupted_run(damaged, whole.fingerprint);
  resume();
  interrupted_run(begun.substr(0, 50), whole.fingerprint);
  resume();
  interrupted_run(begun, std::string(64, '0'));
  Outcome outcome = check_sources(plan, 1);
  EXPECT_THROW(quantize(plan, {1, true}, outcome), certify::UsageError);
  EXPECT_EQ(bytes_of(given.out), want);
  EXPECT_TRUE(std::filesystem::exists(given.out + ".partial"));
}

}  // namespace
}  // namespace quantproof::quantize
