// SPDX-License-Identifier: Apache-2.0
//
// spec/formats/evaluation.md on two real models: the figures that llama.cpp v0.4.0 has for them,
// and what may not change a bit.
#include "tools/model/model.h"

#include <array>
#include <bit>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hwy/targets.h"

#include "tests/long_tier.h"
#include "tests/test_folder.h"
#include "tools/certify/decoder.h"
#include "tools/containers/container_error.h"
#include "tools/model/evaluate.h"
#include "tools/model/ladder.h"
#include "tools/model/matmul.h"
#include "tools/quantize/encode_tensor.h"
#include "tools/quantize/plan.h"

namespace quantproof::model {
namespace {

using containers::ContainerError;
using containers::Gguf;
using containers::GgufTensor;
using containers::make_entry;
using quantize::UnsupportedError;
using testing::HasSubstr;

const std::string kData = QUANTPROOF_SOURCE_DIR "/tests/data/";
const std::string kStories = kData + "stories260k/stories260K.f32.gguf";
const std::string kBytes = kData + "bytellama/model-f16.gguf";
const std::string kBytesIq3 = kData + "bytellama/llamacpp-iq3_xxs.gguf";
// Of the first 12 chunks of the held-out text: F16, llama.cpp's IQ3_XXS, and how far that is from
// F16.
constexpr double kShortF16 = 3.334798;
constexpr double kShortIq3 = 3.456013;
constexpr double kShortDivergence = 0.034713;
constexpr double kShortTop = 0.89436;
const std::string kBytesImatrix = kData + "bytellama/imatrix.gguf";

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string path(const std::string& name) { return tests::test_folder() + name; }

const Model& stories() {
  static const Model model(kStories);
  return model;
}

// The five stories, without the white space around them.
std::vector<std::string> the_stories() {
  const std::string text = read(kData + "stories260k/tinystories_sample.txt");
  const std::string separator = "<|endoftext|>";
  std::vector<std::string> result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    const std::string story = text.substr(at, end - at);
    const std::size_t first = story.find_first_not_of(" \n");
    if (first != std::string::npos) {
      result.push_back(story.substr(first, story.find_last_not_of(" \n") - first + 1));
    }
    at = end + separator.size();
  }
  return result;
}

// Nats per token over all tokens of the stories but the first of each.
double nats_of_stories(const Llama& llama) {
  double sum = 0;
  std::size_t n = 0;
  for (const std::string& story : the_stories()) {
    const std::vector<Token> tokens = stories().tokenizer().tokens(story);
    const std::vector<float> logits = llama.logits(tokens, 0);
    for (std::size_t t = 0; t + 1 < tokens.size(); ++t, ++n) {
      const float* const its = &logits[t * llama.vocabulary()];
      double total = 0;
      for (std::size_t v = 0; v < llama.vocabulary(); ++v) total += std::exp(double{its[v]});
      sum += std::log(total) - its[tokens[t + 1]];
    }
  }
  EXPECT_EQ(n, 1804u);
  return sum / static_cast<double>(n);
}

TensorSource source_of(const Model& model) {
  return [&model](const std::string& name) { return model.file().find(name); };
}

// ---- 4.1 --------------------------------------------------------------------------------------

TEST(Matmul, AddsInOrderOnEveryLevel) {
  std::mt19937 generator(1);
  std::normal_distribution<float> normal;
  const std::int64_t supported = hwy::SupportedTargets();
  std::size_t levels = 0;
  for (std::int64_t rest = supported; rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    ++levels;
    for (const auto& [rows, cols, stride] :
         {std::array<std::size_t, 3>{1, 1, 16}, {4, 64, 48}, {7, 172, 32}, {259, 5, 16}}) {
      std::vector<float> w(rows * cols);
      std::vector<float> x(cols * stride);
      std::vector<float> y(rows * stride, -1.0f);
      for (float& value : w) value = normal(generator);
      for (float& value : x) value = normal(generator);
      matmul(w.data(), rows, cols, x.data(), stride, y.data());
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t t = 0; t < stride; ++t) {
          float sum = 0;
          for (std::size_t c = 0; c < cols; ++c) sum += w[r * cols + c] * x[c * stride + t];
          ASSERT_EQ(y[r * stride + t], sum) << rows << " x " << cols << ": " << r << ", " << t;
        }
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_GE(levels, 1u);
}

// ---- 2 ----------------------------------------------------------------------------------------

TEST(Tokens, PiecesByScoreAndBytesForTheRest) {
  const Tokenizer& tokenizer = stories().tokenizer();
  EXPECT_EQ(tokenizer.size(), 512u);
  // <s>, then "▁Once", "▁upon", "▁a", "▁time", as the model's own tokenizer has them.
  EXPECT_EQ(tokenizer.tokens("Once upon a time"), (std::vector<Token>{1, 403, 407, 261, 378}));
  // Of equal scores the leftmost: "ll" and "l", not the other way round.
  EXPECT_EQ(tokenizer.tokens("xlllx"), (std::vector<Token>{1, 410, 444, 306, 421, 444}));
  // No piece: the bytes of U+2192; and bytes that are no UTF-8.
  EXPECT_THAT(tokenizer.tokens("\xE2\x86\x92"), testing::ElementsAre(1, testing::_, 229, 137, 149));
  EXPECT_THAT(tokenizer.tokens("\xFF"), testing::ElementsAre(1, testing::_, 258));
  EXPECT_THAT(tokenizer.tokens("\xE2"), testing::ElementsAre(1, testing::_, 229));
  EXPECT_THAT(tokenizer.tokens(""), testing::ElementsAre(1));
}

TEST(Tokens, ByteModel) {
  const Model model(kBytes);
  const Tokenizer& tokenizer = model.tokenizer();
  std::string text;
  std::vector<Token> expected;
  for (unsigned byte = 0; byte < 256; ++byte) {
    text += static_cast<char>(byte);
    expected.push_back(byte + 3);
  }
  EXPECT_EQ(tokenizer.tokens(text), expected);
  EXPECT_TRUE(tokenizer.tokens("").empty());
}

TEST(Tokens, ChunksAndTheLastNewline) {
  const Model model(kBytes);
  const Text text("abcdefgh\n", "text", model.tokenizer(), 4);
  EXPECT_EQ(text.tokens(), 8u);
  EXPECT_EQ(text.chunks(), 2u);
  EXPECT_EQ(text.chunk(1), (std::vector<Token>{'e' + 3, 'f' + 3, 'g' + 3, 'h' + 3}));
  // The first token of every chunk gives way to <s>.
  const Text story("Once upon a time", "text", stories().tokenizer(), 2);
  EXPECT_EQ(story.chunks(), 2u);
  EXPECT_EQ(story.chunk(0), (std::vector<Token>{1, 403}));
  EXPECT_EQ(story.chunk(1), (std::vector<Token>{1, 261}));
}

TEST(Tokens, TextsThatAreTooShort) {
  const Model model(kBytes);
  for (const std::string bytes : {"", "\n", "abc", "abc\n"}) {
    try {
      const Text text(bytes, "short.txt", model.tokenizer(), 4);
      ADD_FAILURE() << bytes;
    } catch (const UnsupportedError& error) {
      EXPECT_THAT(error.what(), HasSubstr("short.txt: nothing to measure")) << bytes;
    }
  }
}

// ---- Figures of llama.cpp -----------------------------------------------------------------------

TEST(Figures, Stories) {
  const Llama llama = stories().decode(Decoding::kFast, 1);
  EXPECT_NEAR(nats_of_stories(llama), 1.2664, 0.00006);  // llama.cpp's, which has four digits
}

// The figures see mistakes: each of these moves one by more than the tolerance of its test.
TEST(Figures, SeeWrongParameters) {
  using Mistake = std::function<void(Parameters&)>;
  const auto mistaken = [](const Model& model, const Mistake& mistake) {
    Parameters parameters = model.parameters();
    mistake(parameters);
    return Llama(parameters, model.tokenizer().size(), source_of(model), Decoding::kFast, 2, "it");
  };
  for (const auto& [name, mistake] : std::vector<std::pair<const char*, Mistake>>{
           {"base 10100", [](Parameters& p) { p.frequency_base = 10100; }},
           {"no rotation", [](Parameters& p) { p.rotated = 0; }},
           {"half the rotation", [](Parameters& p) { p.rotated = 4; }}}) {
    EXPECT_GT(std::fabs(nats_of_stories(mistaken(stories(), mistake)) - 1.26644), 0.0001) << name;
  }
  // The activations of the stories are too large for epsilon to matter.
  const Model bytes(kBytes);
  const Text text(read(kData + "bytellama/heldout.txt").substr(0, 8 * 256), "heldout.txt",
                  bytes.tokenizer(), 256);
  const auto nats = [&](const Mistake& mistake) {
    const Llama llama = mistaken(bytes, mistake);
    return mean_of(evaluate(std::array{&llama}, text, 2, [] {})[0].surprise).mean;
  };
  EXPECT_NEAR(nats([](Parameters&) {}), 1.202873, 0.000005);
  EXPECT_GT(std::fabs(nats([](Parameters& p) { p.epsilon = 1e-6; }) - 1.202873), 0.00002);
}

// The first chunks of the held-out text, and all of it in the long tier.
TEST(Figures, Bytes) {
  const Model base(kBytes);
  const Model packed(kBytesIq3);
  std::string bytes = read(kData + "bytellama/heldout.txt");
  if (!tests::long_tier()) bytes.resize(12 * 256);
  const Text text(bytes, "heldout.txt", base.tokenizer(), 256);
  const Llama f16 = base.decode(Decoding::kFast, 2);
  const Llama iq3 = packed.decode(Decoding::kFast, 2);
  const std::vector<Scores> scores = evaluate(std::array{&f16, &iq3}, text, 2, [] {});
  const double perplexity = std::exp(mean_of(scores[0].surprise).mean);
  const double its_perplexity = std::exp(mean_of(scores[1].surprise).mean);
  const Mean divergence = mean_of(scores[1].divergence);
  const double same_top =
      static_cast<double>(scores[1].same_top) / static_cast<double>(scores[1].divergence.size());
  EXPECT_NEAR(rate_of(packed.file()).bits_per_weight(), 3.0625, 0);
  EXPECT_NEAR(rate_of(base.file()).bits_per_weight(), 16, 0);
  if (tests::long_tier()) {
    EXPECT_EQ(scores[0].surprise.size(), 64262u);
    EXPECT_NEAR(perplexity, 3.358246, 0.00002);
    EXPECT_NEAR(its_perplexity, 3.460570, 0.00002);
    EXPECT_NEAR(divergence.mean, 0.03186, 0.001 * 0.03186);  // llama.cpp's, 0.1 %
    EXPECT_NEAR(same_top, 0.89327, 0.0001);
  } else {
    EXPECT_EQ(scores[0].surprise.size(), 12 * 127u);
    EXPECT_NEAR(perplexity, kShortF16, 0.00002);
    EXPECT_NEAR(its_perplexity, kShortIq3, 0.00002);
    EXPECT_NEAR(divergence.mean, kShortDivergence, 0.000002);
    EXPECT_NEAR(same_top, kShortTop, 0.0007);
  }
}

// ---- What may not change a bit ------------------------------------------------------------------

void expect_equal(const Llama& a, const Llama& b, const std::string& what) {
  const auto left = a.matrices();
  const auto right = b.matrices();
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t m = 0; m < left.size(); ++m) {
    ASSERT_EQ(left[m]->weights.size(), right[m]->weights.size());
    for (std::size_t i = 0; i < left[m]->weights.size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(left[m]->weights[i]),
                std::bit_cast<std::uint32_t>(right[m]->weights[i]))
          << what << ", " << left[m]->name << ", " << i;
    }
  }
}

// Quantizes the stories in a KNOT file, which has a place for every type.
std::string quantized(const std::string& type) {
  quantize::Options options;
  options.in = kStories;
  options.out = path(type + ".knot");
  options.type = type;
  options.effort = "fast";
  if (type == "q8_0") options.fallback = "f16";
  const quantize::Plan plan = quantize::make_plan(options, stories().file());
  containers::FileWriter writer(options.out, plan.layout);
  for (const quantize::Piece& piece : plan.pieces) {
    if (!piece.tensor) {
      writer.write({reinterpret_cast<const std::uint8_t*>(piece.bytes.data()), piece.bytes.size()});
      continue;
    }
    quantize::encode_tensor(
        plan, plan.tensors[*piece.tensor], 1,
        [&](std::span<const std::uint8_t> bytes) { writer.write(bytes); }, [](std::uint64_t) {});
  }
  writer.finish();
  return options.out;
}

TEST(Bits, ReferenceDecodersGiveTheSameWeights) {
  for (const char* type : {"f32", "f16", "bf16", "q8_0", "e8_iq3", "kaiju1"}) {
    const Model model(quantized(type));
    expect_equal(model.decode(Decoding::kFast, 2), model.decode(Decoding::kReference, 1), type);
  }
  const Model model(kBytesIq3);
  expect_equal(model.decode(Decoding::kFast, 2), model.decode(Decoding::kReference, 2), "iq3_xxs");
}

TEST(Bits, ThreadsDoNotCount) {
  const Model model(quantized("kaiju1"));
  const Llama base = stories().decode(Decoding::kFast, 3);
  const Llama packed = model.decode(Decoding::kFast, 1);
  const Text text(kData + "stories260k/tinystories_sample.txt", stories().tokenizer(), 128);
  const std::array models{&base, &packed};
  std::size_t advanced = 0;
  const auto one = evaluate(models, text, 1, [&] { ++advanced; });
  EXPECT_EQ(advanced, text.chunks());
  const auto many = evaluate(models, text, 5, [] {});
  for (std::size_t m = 0; m < models.size(); ++m) {
    EXPECT_EQ(one[m].surprise, many[m].surprise);
    EXPECT_EQ(one[m].divergence, many[m].divergence);
    EXPECT_EQ(one[m].same_top, many[m].same_top);
  }
  // A model does not diverge from itself.
  const auto same = evaluate(std::array{&base, &base}, text, 2, [] {});
  EXPECT_EQ(same[1].surprise, one[0].surprise);
  EXPECT_EQ(mean_of(same[1].divergence).mean, 0);
  EXPECT_EQ(same[1].same_top, same[1].divergence.size());
}

// ---- 5.2, 6.3 -----------------------------------------------------------------------------------

TEST(Means, WithTheirErrors) {
  const std::vector<double> values = {1, 2, 3, 6};
  EXPECT_DOUBLE_EQ(mean_of(values).mean, 3);
  EXPECT_DOUBLE_EQ(mean_of(values).error, std::sqrt(14.0 / 3 / 4));
  EXPECT_DOUBLE_EQ(mean_of(std::vector<double>{5}).error, 0);
  const std::vector<double> others = {0, 1, 2, 5};
  EXPECT_DOUBLE_EQ(mean_difference(values, others).mean, 1);
  EXPECT_DOUBLE_EQ(mean_difference(values, others).error, 0);
}

// ---- 7 ------------------------------------------------------------------------------------------

TEST(Importances, SumsOfSquares) {
  const Llama llama = stories().decode(Decoding::kFast, 1);
  const Text text(kData + "stories260k/tinystories_sample.txt", stories().tokenizer(), 100);
  const containers::Imatrix imatrix = capture_imatrix(llama, text, "stories", 1, [] {});
  const containers::Imatrix many = capture_imatrix(llama, text, "stories", 3, [] {});
  EXPECT_EQ(imatrix.entries.size(), 5 * 7 + 1u);
  EXPECT_EQ(imatrix.chunk_count, text.chunks());
  EXPECT_EQ(imatrix.chunk_size, 100u);
  for (const auto& [name, entry] : imatrix.entries) {
    EXPECT_EQ(entry.counts, std::vector<float>{static_cast<float>(100 * text.chunks())}) << name;
    EXPECT_EQ(entry.sums.size(), name.find("ffn_down") == std::string::npos ? 64u : 172u) << name;
    EXPECT_EQ(entry.sums, many.entries.at(name).sums) << name;
  }
  // The inputs of the first matrix are the normed embeddings.
  const auto weights = [](const std::string& name) {
    const containers::ModelTensor& tensor = *stories().file().find(name);
    std::vector<float> values(tensor.weights());
    decode_rows(tensor, 0, tensor.rows(), values.data());
    return values;
  };
  const std::vector<float> embedding = weights("token_embd.weight");
  const std::vector<float> norm = weights("blk.0.attn_norm.weight");
  std::vector<double> sums(64);
  for (std::size_t chunk = 0; chunk < text.chunks(); ++chunk) {
    for (const Token token : text.chunk(chunk)) {
      const float* const x = &embedding[64 * token];
      double squares = 0;
      for (std::size_t i = 0; i < 64; ++i) squares += double{x[i]} * double{x[i]};
      for (std::size_t i = 0; i < 64; ++i) {
        const double in = x[i] / std::sqrt(squares / 64 + stories().parameters().epsilon) * norm[i];
        sums[i] += in * in;
      }
    }
  }
  for (const char* name : {"blk.0.attn_q.weight", "blk.0.attn_k.weight", "blk.0.attn_v.weight"}) {
    for (std::size_t i = 0; i < 64; ++i) {
      EXPECT_NEAR(imatrix.entries.at(name).sums[i], sums[i], 1e-6 * sums[i]) << name << ", " << i;
    }
  }
}

// Against llama-imatrix, which ran the F32 model on all of the text; the first chunks of it have
// nearly the same means, sum by sum they are compared in the long tier.
TEST(Importances, ThoseOfLlamaCpp) {
  const bool all = tests::long_tier();
  const Model model(kBytes);
  std::string calibration = read(kData + "bytellama/calibration.txt");
  if (!all) calibration.resize(16 * 256);
  const Text text(calibration, "calibration.txt", model.tokenizer(), 256);
  const containers::Imatrix ours =
      capture_imatrix(model.decode(Decoding::kFast, 2), text, "calibration.txt", 2, [] {});
  const std::string bytes = read(kBytesImatrix);
  const containers::Imatrix theirs = containers::read_imatrix(
      {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, kBytesImatrix);
  ASSERT_EQ(ours.entries.size(), theirs.entries.size());
  EXPECT_EQ(ours.chunk_count, all ? theirs.chunk_count : 16u);
  for (const auto& [name, entry] : theirs.entries) {
    const auto& mine = ours.entries.at(name);
    ASSERT_EQ(mine.sums.size(), entry.sums.size()) << name;
    EXPECT_EQ(mine.counts[0], all ? entry.counts[0] : 16 * 256) << name;
    double sum = 0;
    double its_sum = 0;
    for (std::size_t i = 0; i < entry.sums.size(); ++i) {
      const double tolerance = all ? 0.002 : INFINITY;
      EXPECT_NEAR(mine.sums[i], entry.sums[i], tolerance * entry.sums[i]) << name << ", " << i;
      sum += double{mine.sums[i]} / mine.counts[0];
      its_sum += double{entry.sums[i]} / entry.counts[0];
    }
    EXPECT_NEAR(sum, its_sum, (all ? 0.0002 : 0.15) * its_sum) << name;
  }
}

// ---- Damaged models -----------------------------------------------------------------------------

// The stories with something changed, as another file.
struct Parts {
  containers::GgufMetadata metadata;
  std::vector<GgufTensor> tensors;
  std::vector<std::vector<std::uint8_t>> bytes;

  GgufTensor& tensor(const std::string& name) {
    return *std::find_if(tensors.begin(), tensors.end(),
                         [&](const GgufTensor& tensor) { return tensor.name == name; });
  }
  void set(containers::GgufEntry entry) {
    std::erase_if(metadata, [&](const auto& other) { return other.key == entry.key; });
    metadata.push_back(std::move(entry));
  }
  void erase(const std::string& key) {
    std::erase_if(metadata, [&](const auto& other) { return other.key == key; });
  }
  void drop(const std::string& name) {
    bytes.erase(bytes.begin() + (&tensor(name) - tensors.data()));
    tensors.erase(tensors.begin() + (&tensor(name) - tensors.data()));
  }
};

std::string changed(const std::string& name, const std::function<void(Parts&)>& change) {
  const std::string file = read(kStories);
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
  const Gguf gguf = containers::read_gguf(bytes, kStories);
  Parts parts{gguf.metadata, gguf.tensors, {}};
  for (const GgufTensor& tensor : gguf.tensors) {
    const auto its = containers::tensor_bytes(gguf, tensor, bytes);
    parts.bytes.emplace_back(its.begin(), its.end());
  }
  change(parts);
  containers::FileWriter writer(path(name), gguf_layout(parts.metadata, parts.tensors, path(name)));
  for (const auto& its : parts.bytes) writer.write(its);
  writer.finish();
  return path(name);
}

template <class Error>
void expect_refused(const std::string& what, const std::function<void(Parts&)>& change) {
  const std::string file = changed("damaged.gguf", change);
  try {
    static_cast<void>(Model(file).decode(Decoding::kFast, 2));
    ADD_FAILURE() << "accepted: " << what;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(what));
  }
}

TEST(Damaged, AreRefusedByName) {
  expect_refused<ContainerError>("tensor \"blk.3.ffn_up.weight\" is missing",
                                 [](Parts& parts) { parts.drop("blk.3.ffn_up.weight"); });
  expect_refused<ContainerError>("tensor \"blk.2.attn_norm.weight\" is missing",
                                 [](Parts& parts) { parts.drop("blk.2.attn_norm.weight"); });
  expect_refused<ContainerError>(
      "tensor \"blk.1.attn_k.weight\": its shape is 64 x 32, not 32 x 64", [](Parts& parts) {
        parts.tensor("blk.1.attn_k.weight").dimensions = {32, 64};
      });
  expect_refused<ContainerError>(
      "tensor \"blk.0.attn_q.weight\": row 2, column 3: the weight is infinite or NaN",
      [](Parts& parts) {
        const auto at =
            static_cast<std::size_t>(&parts.tensor("blk.0.attn_q.weight") - parts.tensors.data());
        std::fill_n(parts.bytes[at].begin() + 4 * (2 * 64 + 3), 4, 0xFF);
      });
  expect_refused<UnsupportedError>(
      "tensor \"blk.0.attn_q.bias\" is none of a LLaMA",
      [](Parts& parts) { parts.tensor("blk.0.attn_norm.weight").name = "blk.0.attn_q.bias"; });
  expect_refused<UnsupportedError>(
      "tensor \"blk.0.attn_v.weight\": Q4_0 is known, but not decoded here", [](Parts& parts) {
        GgufTensor& tensor = parts.tensor("blk.0.attn_v.weight");
        tensor.type = *containers::ggml_type_id("Q4_0");
        parts.bytes[static_cast<std::size_t>(&tensor - parts.tensors.data())].resize(32 * 64 / 32 *
                                                                                     18);
      });
}

TEST(Damaged, Metadata) {
  const auto set = [](const char* key, std::uint32_t value) {
    return [=](Parts& parts) { parts.set(make_entry(key, value)); };
  };
  expect_refused<UnsupportedError>("architecture \"gpt2\" is not supported", [](Parts& parts) {
    parts.set(make_entry("general.architecture", "gpt2"));
  });
  expect_refused<ContainerError>("general.architecture is missing",
                                 [](Parts& parts) { parts.erase("general.architecture"); });
  expect_refused<ContainerError>("llama.block_count is missing",
                                 [](Parts& parts) { parts.erase("llama.block_count"); });
  expect_refused<ContainerError>("llama.block_count is 0", set("llama.block_count", 0));
  expect_refused<ContainerError>("tensor \"blk.5.attn_norm.weight\" is missing",
                                 set("llama.block_count", 0x7FFFFFFF));
  // Layers that are left over are as wrong as missing ones.
  expect_refused<UnsupportedError>("tensor \"blk.4.attn_norm.weight\" is none of a LLaMA",
                                   set("llama.block_count", 4));
  expect_refused<ContainerError>("64 numbers are not 7 heads",
                                 set("llama.attention.head_count", 7));
  expect_refused<ContainerError>("these not groups of 3", set("llama.attention.head_count_kv", 3));
  expect_refused<ContainerError>("its shape is 32 x 64, not 64 x 64",
                                 set("llama.attention.head_count_kv", 8));
  expect_refused<ContainerError>("llama.rope.dimension_count is 10, of heads of 8",
                                 set("llama.rope.dimension_count", 10));
  expect_refused<ContainerError>("llama.rope.dimension_count is 7",
                                 set("llama.rope.dimension_count", 7));
  expect_refused<UnsupportedError>("llama.expert_count", set("llama.expert_count", 8));
  expect_refused<UnsupportedError>("llama.rope.scaling.factor",
                                   set("llama.rope.scaling.factor", 2));
  expect_refused<UnsupportedError>("llama.attention.key_length is not 8",
                                   set("llama.attention.key_length", 16));
  expect_refused<ContainerError>("llama.attention.layer_norm_rms_epsilon is", [](Parts& parts) {
    parts.erase("llama.attention.layer_norm_rms_epsilon");
  });
  expect_refused<ContainerError>("its shape is 512 x 64, not 512 x 128",
                                 set("llama.embedding_length", 128));
}

TEST(Damaged, Tokenizer) {
  expect_refused<UnsupportedError>("tokenizer \"gpt2\" is not supported", [](Parts& parts) {
    parts.set(make_entry("tokenizer.ggml.model", "gpt2"));
  });
  for (const char* key : {"tokens", "scores", "token_type"}) {
    expect_refused<ContainerError>(std::string("tokenizer.ggml.") + key, [&](Parts& parts) {
      parts.erase(std::string("tokenizer.ggml.") + key);
    });
  }
  expect_refused<ContainerError>("tokenizer.ggml.bos_token_id is 512", [](Parts& parts) {
    parts.set(make_entry("tokenizer.ggml.bos_token_id", 512));
  });
  expect_refused<UnsupportedError>("add_eos_token", [](Parts& parts) {
    parts.set(make_entry("tokenizer.ggml.add_eos_token", 1));
  });
  expect_refused<ContainerError>("no token for byte 0", [](Parts& parts) {
    parts.set(make_entry("tokenizer.ggml.tokens", std::vector<std::string>(512, "a")));
  });
  expect_refused<ContainerError>("tokenizer.ggml.scores", [](Parts& parts) {
    parts.set(make_entry("tokenizer.ggml.tokens", std::vector<std::string>(511, "a")));
  });
}

// ---- 3.2, 3.3 -----------------------------------------------------------------------------------

TEST(Models, EmbeddingAsOutputAndMetadataOfTheBase) {
  const Model tied(changed("tied.gguf", [](Parts& parts) { parts.drop("output.weight"); }));
  const Llama llama = tied.decode(Decoding::kFast, 1);
  EXPECT_EQ(llama.matrices().size(), 5 * 7u);
  // The model was trained so: its output is a copy.
  EXPECT_EQ(nats_of_stories(llama), nats_of_stories(stories().decode(Decoding::kFast, 1)));
  // 3.3
  const std::string bare = changed("bare.gguf", [](Parts& parts) { parts.metadata.clear(); });
  EXPECT_THROW(Model{bare}, ContainerError);
  const Model like(bare, &stories());
  expect_equal(like.decode(Decoding::kFast, 1), stories().decode(Decoding::kFast, 1), "bare");
}

// ---- 8 ------------------------------------------------------------------------------------------

Rung rung(double rate, std::vector<double> divergences) {
  Rung result;
  result.bits_per_weight = rate;
  result.divergences = std::move(divergences);
  return result;
}

TEST(Ladders, Inversions) {
  const std::vector<double> low = {1, 2, 3, 4};
  const std::vector<double> high = {1.5, 2.4, 3.6, 4.5};  // 0.5 +- 0.04
  EXPECT_TRUE(find_inversions({rung(2, high), rung(3, low)}).empty());
  const auto found = find_inversions({rung(2, low), rung(3, high)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].lower, 0u);
  EXPECT_EQ(found[0].higher, 1u);
  EXPECT_NEAR(found[0].excess.mean, 0.5, 1e-12);
  // Rates that are alike, and differences that may be an accident.
  EXPECT_TRUE(find_inversions({rung(3, low), rung(3.14, high)}).empty());
  EXPECT_EQ(find_inversions({rung(3, low), rung(3.16, high)}).size(), 1u);
  EXPECT_TRUE(find_inversions({rung(2, low), rung(3, {0, 2, 4, 7})}).empty());
}

TEST(Ladders, ABrokenFormatIsAnInversion) {
  const Text text(kData + "stories260k/tinystories_sample.txt", stories().tokenizer(), 256);
  LadderOptions options;
  options.types = {"f16", "kaiju1:0.3", "kaiju1:0", "q8_0"};
  options.fallback = "f16";  // rows of 172
  const Ladder good = climb(stories(), text, options, 2, [] {});
  EXPECT_TRUE(good.inversions.empty());
  ASSERT_EQ(good.rungs.size(), 4u);
  EXPECT_EQ(good.rungs.back().name, "f16");
  EXPECT_LT(good.rungs.back().divergence.mean, 1e-5);
  EXPECT_EQ(good.rungs.front().name, "kaiju1:0");
  for (std::size_t r = 1; r < 4; ++r) {
    EXPECT_GE(good.rungs[r].bits_per_weight, good.rungs[r - 1].bits_per_weight);
  }
  // All weights of F32, but matrices in each other's place.
  options.types = {"kaiju1:0.3"};
  options.files = {changed("swapped.gguf", [](Parts& parts) {
    for (const char* layer : {"blk.0.", "blk.2."}) {
      std::swap(parts.tensor(std::string(layer) + "ffn_gate.weight").name,
                parts.tensor(std::string(layer) + "ffn_up.weight").name);
    }
  })};
  const Ladder bad = climb(stories(), text, options, 2, [] {});
  ASSERT_EQ(bad.inversions.size(), 1u);
  EXPECT_EQ(bad.rungs[bad.inversions[0].higher].name, "swapped.gguf");
  EXPECT_TRUE(bad.rungs[bad.inversions[0].higher].is_file);
}

TEST(Ladders, TypesThatAreNone) {
  const Text text(kData + "stories260k/tinystories_sample.txt", stories().tokenizer(), 256);
  for (const char* type :
       {"kaiju1:", "kaiju1:x", "kaiju1:1.5", "kaiju1:-1", "kaiju1:nan", "f16:0.1", "q9"}) {
    LadderOptions options;
    options.types = {type};
    EXPECT_THROW(climb(stories(), text, options, 1, [] {}), certify::UsageError) << type;
  }
}

}  // namespace
}  // namespace quantproof::model
