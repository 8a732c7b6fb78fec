// SPDX-License-Identifier: Apache-2.0
//
// The headline figures of the sources of these formats, each beside what comes out here.
//
//   quantproof_published_figures [--ggml=LIBRARY]
//
// --ggml adds the formats of that library (tools/get_ggml.sh). The order of formats on a model is
// what `quantproof ladder` shows.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "fast/half_nearest.h"
#include "quantproof/e8_iq3.h"
#include "quantproof/iq3_codebook.h"
#include "quantproof/qp.h"
#include "quantproof/ref/iq3_block.h"

namespace quantproof::bench {
namespace {

constexpr std::size_t kRows = 64;
constexpr std::size_t kCols = 4096;

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

void print(const char* what, const std::string& claimed, const std::string& here) {
  std::printf("  %-58s %18s %18s\n", what, claimed.c_str(), here.c_str());
}

std::string digits(double value, int n, const char* unit = "") {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f%s", n, value, unit);
  return text;
}

std::vector<float> normal_weights() {
  std::mt19937_64 bits(1);
  std::normal_distribution<float> normal;
  std::vector<float> weights(kRows * kCols);
  for (float& weight : weights) weight = normal(bits);
  return weights;
}

double relative_rmse(const std::vector<float>& x, const std::vector<float>& y) {
  double error = 0;
  double energy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    error += (double{x[i]} - y[i]) * (double{x[i]} - y[i]);
    energy += double{x[i]} * x[i];
  }
  return std::sqrt(error / energy);
}

// ---- The encoder that E8/IQ3 was published with -------------------------------------------------

// The scale is the root of the mean square over 20 and never searched for; each sub-block takes the
// best of the 16 codes, each four weights the nearest row, and an odd number of negative weights in
// a group is mended at the smallest of them.
std::array<std::uint8_t, E8Iq3::kBlockBytes> encode_by_rms(const float* x) {
  Iq3Fields<std::uint32_t> fields;
  double squares = 0;
  for (std::size_t i = 0; i < kBlockWeights; ++i) squares += double{x[i]} * x[i];
  fields.scale = fast::NearestHalf(std::sqrt(squares / kBlockWeights) / 20 + 1e-12);
  const double d = fast::HalfValue(fields.scale);
  for (std::size_t ib = 0; ib < kSubblocks; ++ib) {
    std::array<double, kSubblockWeights> magnitude;
    for (std::size_t l = 0; l < kGroupsPerSubblock; ++l) {
      const float* const group = x + kSubblockWeights * ib + kGroupWeights * l;
      std::uint32_t negative = 0;
      std::size_t smallest = 0;
      for (std::size_t j = 0; j < kGroupWeights; ++j) {
        magnitude[kGroupWeights * l + j] = std::fabs(group[j]);
        negative |= (group[j] < 0 ? 1u : 0u) << j;
        if (std::fabs(group[j]) < std::fabs(group[smallest])) smallest = j;
      }
      if (__builtin_popcount(negative) % 2 != 0) negative ^= 1u << smallest;
      fields.sign_field[ib][l] = negative & 0x7Fu;
    }
    double least = INFINITY;
    for (std::uint32_t code = 0; code < 16; ++code) {
      const double unit = std::max(d * (0.5 + code) * 0.5, 1e-20);
      double total = 0;
      std::array<std::uint32_t, kSubblockWeights / kRowWeights> rows;
      for (std::size_t k = 0; k < rows.size(); ++k) {
        double best = INFINITY;
        for (std::uint32_t row = 0; row < kCodebookRows; ++row) {
          double error = 0;
          for (std::size_t j = 0; j < kRowWeights; ++j) {
            const double difference =
                unit * kIq3Codebook[row][j] / 2 - magnitude[kRowWeights * k + j];
            error += difference * difference;
          }
          if (error < best) {
            best = error;
            rows[k] = row;
          }
        }
        total += best;
      }
      if (total < least) {
        least = total;
        fields.scale_code[ib] = code;
        std::copy(rows.begin(), rows.end(),
                  fields.index.begin() + static_cast<std::ptrdiff_t>(rows.size() * ib));
      }
    }
  }
  std::array<std::uint8_t, E8Iq3::kBlockBytes> block{};
  ref::pack<E8Iq3>(fields, block.data());
  return block;
}

std::vector<float> decode(qp_format format, const std::vector<std::uint8_t>& bytes) {
  std::vector<float> weights(kRows * kCols);
  require(qp_decode(format, bytes.data(), bytes.size(), weights.data(), weights.size()) == QP_OK,
          "cannot decode");
  return weights;
}

double rmse_by_rms(const std::vector<float>& weights) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t first = 0; first < weights.size(); first += kBlockWeights) {
    const auto block = encode_by_rms(weights.data() + first);
    bytes.insert(bytes.end(), block.begin(), block.end());
  }
  return relative_rmse(weights, decode(QP_E8_IQ3, bytes));
}

double rmse_of_ours(const std::vector<float>& weights) {
  std::vector<std::uint8_t> bytes(qp_encoded_size(QP_E8_IQ3, kRows, kCols));
  require(qp_encode(QP_E8_IQ3, weights.data(), kRows, kCols, nullptr, bytes.data(), bytes.size(),
                    nullptr) == QP_OK,
          "cannot encode");
  return relative_rmse(weights, decode(QP_E8_IQ3, bytes));
}

double rmse_of_kaiju1(const std::vector<float>& weights) {
  std::vector<std::uint8_t> bytes(qp_kaiju1_size(kRows, kCols, 0));
  std::vector<float> decoded(weights.size());
  require(qp_kaiju1_encode(weights.data(), kRows, kCols, nullptr, 0, 2, bytes.data(),
                           bytes.size()) == QP_OK &&
              qp_kaiju1_decode_rows(bytes.data(), bytes.size(), 0, kRows, decoded.data()) == QP_OK,
          "cannot encode");
  return relative_rmse(weights, decoded);
}

// ---- ggml ---------------------------------------------------------------------------------------

// One format of the library on the same weights, with equal importances.
double rmse_of_ggml(const std::string& path, const std::string& name, int type,
                    std::size_t block_bytes, const std::vector<float>& weights) {
  void* const library = dlopen(path.c_str(), RTLD_NOW);
  if (library == nullptr) throw std::runtime_error(dlerror());  // NOLINT(concurrency-mt-unsafe)
  const auto find = [&](const std::string& symbol) {
    void* const found = dlsym(library, symbol.c_str());
    require(found != nullptr, "the library has no " + symbol);
    return found;
  };
  reinterpret_cast<void (*)(int)>(find("ggml_quantize_init"))(type);
  const auto encode = reinterpret_cast<std::size_t (*)(
      const float*, void*, std::int64_t, std::int64_t, const float*)>(find("quantize_" + name));
  const auto decode_row =
      reinterpret_cast<void (*)(const void*, float*, std::int64_t)>(find("dequantize_row_" + name));
  const std::vector<float> ones(kCols, 1.0f);
  std::vector<std::uint8_t> bytes(weights.size() / kBlockWeights * block_bytes);
  require(encode(weights.data(), bytes.data(), kRows, kCols, ones.data()) == bytes.size(),
          "another size than expected");
  std::vector<float> decoded(weights.size());
  decode_row(bytes.data(), decoded.data(), static_cast<std::int64_t>(decoded.size()));
  return relative_rmse(weights, decoded);
}

// ---- The table ----------------------------------------------------------------------------------

void print_rates() {
  std::printf("rates\n");
  const double iq3 = 8.0 * static_cast<double>(qp_row_size(QP_E8_IQ3, kBlockWeights)) /
                     static_cast<double>(kBlockWeights);
  print("bytes of a block of 256 weights, IQ3_XXS and E8/IQ3", "98",
        std::to_string(qp_row_size(QP_IQ3_XXS, kBlockWeights)));
  print("bits per weight", "3.0625", digits(iq3, 4));
  const auto kaiju1 = [](std::size_t rows, std::size_t cols) {
    return 8.0 * static_cast<double>(qp_kaiju1_size(rows, cols, 100000)) /
           static_cast<double>(rows * cols);
  };
  print("bits per weight, KAIJU1, a tenth in the side-band: 5120 x 5120", "about 3.05",
        digits(kaiju1(5120, 5120), 4));
  print("  the same of 1024 x 4096", "at most 3.1", digits(kaiju1(1024, 4096), 4));
  print("  the same of 768 x 256, a small matrix", "", digits(kaiju1(768, 256), 4));

  std::printf("\nexperts of a large model, from int4 with a scale for each row to E8/IQ3\n");
  constexpr double kBefore = 372.7;
  constexpr double kAfter = 281.2;
  print("GB before and after", "372.7 -> 281.2", "not here: arithmetic only");
  print("change of size, from those two", "-24.6 %", digits(100 * (kAfter / kBefore - 1), 1, " %"));
  print("bits per weight before, which they imply", "", digits(iq3 * kBefore / kAfter, 4));
  print("experts in the same memory, from those two", "+33 %",
        digits(100 * (kBefore / kAfter - 1), 1, " %"));
  for (const double row : {512.0, 2048.0, 6144.0}) {
    const double int4 = 4 + 32 / row;
    const std::string what =
        "  rows of " + digits(row, 0) + ", int4 of " + digits(int4, 4) + " bits: size, experts";
    print(
        what.c_str(), "",
        digits(100 * (iq3 / int4 - 1), 1, " %") + ", +" + digits(100 * (int4 / iq3 - 1), 1, " %"));
  }
}

void print_normal(const std::string& ggml) {
  std::printf("\nrelative root mean square error on %zu x %zu normal weights\n", kRows, kCols);
  const std::vector<float> weights = normal_weights();
  const double published = rmse_by_rms(weights);
  const double ours = rmse_of_ours(weights);
  print("E8/IQ3 by the encoder it was published with", "0.195", digits(published, 4));
  print("E8/IQ3 by the encoder here, default effort", "", digits(ours, 4));
  print("KAIJU1 without a side-band (error 0.0522)", digits(std::sqrt(0.0522), 4),
        digits(rmse_of_kaiju1(weights), 4));
  if (ggml.empty()) return;
  const double iq3 = rmse_of_ggml(ggml, "iq3_xxs", 18, 98, weights);
  const double iq2 = rmse_of_ggml(ggml, "iq2_s", 22, 82, weights);
  print("IQ3_XXS of ggml (error 0.0329)", digits(std::sqrt(0.0329), 4), digits(iq3, 4));
  print("IQ2_S of ggml (error 0.0619)", digits(std::sqrt(0.0619), 4), digits(iq2, 4));
  print("order: IQ3_XXS below IQ2_S", "yes", iq3 < iq2 ? "yes" : "NO");
}

}  // namespace

int run(int argc, char** argv) {
  std::string ggml;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--ggml=", 0) != 0) {
      std::fprintf(stderr, "usage: %s [--ggml=LIBRARY]\n", argv[0]);
      return 2;
    }
    ggml = argument.substr(7);
  }
  try {
    std::printf("  %-58s %18s %18s\n", "", "claimed", "here");
    print_rates();
    print_normal(ggml);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 3;
  }
  return 0;
}

}  // namespace quantproof::bench

int main(int argc, char** argv) { return quantproof::bench::run(argc, argv); }
