// SPDX-License-Identifier: Apache-2.0
//
// What KAIJU1 is worth on data, beside what is claimed for it and beside ggml's formats.
//
//   quantproof_kaiju1_quality [--ggml=LIBRARY] [--model=DIR --ex2=FILE]
//
// Without arguments: rows of normally distributed weights, the bulk alone. --ggml adds the formats
// of that library (tools/get_ggml.sh). --model, --ex2: the weights of tools/get_embeddings.sh with
// the measured mean squares of their inputs, tests/data/use_lite_ex2.json.
// All errors are sums of H (w - decoded)^2 over sums of H w^2.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "nlohmann/json.hpp"

#include "fuzz/kaiju1_box.h"
#include "quantproof/kaiju1.h"
#include "quantproof/qp.h"

namespace quantproof::bench {
namespace {

struct Matrix {
  std::string name;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<float> weights;
  std::vector<float> importance;  // one for each column
};

// ---- Coders: encode, then decode ----------------------------------------------------------------

struct Coded {
  std::vector<float> weights;
  double bits_per_weight = 0;
};

double bits_per_weight(std::size_t bytes, const Matrix& matrix) {
  return 8.0 * static_cast<double>(bytes) / static_cast<double>(matrix.weights.size());
}

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

Coded by_kaiju1(const Matrix& matrix, std::uint32_t hi_frac) {
  std::vector<std::uint8_t> bytes(qp_kaiju1_size(matrix.rows, matrix.cols, hi_frac));
  const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  require(
      qp_kaiju1_encode(matrix.weights.data(), matrix.rows, matrix.cols, matrix.importance.data(),
                       hi_frac, threads, bytes.data(), bytes.size()) == QP_OK,
      "cannot encode " + matrix.name);
  Coded coded;
  coded.weights.resize(matrix.weights.size());
  require(qp_kaiju1_decode_rows(bytes.data(), bytes.size(), 0, matrix.rows, coded.weights.data()) ==
              QP_OK,
          "cannot decode " + matrix.name);
  coded.bits_per_weight = bits_per_weight(bytes.size(), matrix);
  return coded;
}

// ggml's quantizer and decoder of one format.
struct GgmlFormat {
  const char* name;
  std::size_t block_bytes;  // of 256 weights
  int type;                 // ggml_type
  std::size_t (*encode)(const float*, void*, std::int64_t, std::int64_t, const float*) = nullptr;
  void (*decode)(const void*, float*, std::int64_t) = nullptr;
};

template <class Function>
void find(void* library, const std::string& symbol, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, symbol.c_str()));
  require(function != nullptr, "the library has no " + symbol);
}

std::vector<GgmlFormat> load_ggml(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW);
  if (library == nullptr) throw std::runtime_error(dlerror());  // NOLINT(concurrency-mt-unsafe)
  std::vector<GgmlFormat> formats = {{"iq2_s", 82, 22}, {"iq3_xxs", 98, 18}};
  void (*initialize)(int) = nullptr;
  find(library, "ggml_quantize_init", initialize);
  for (GgmlFormat& format : formats) {
    find(library, std::string("quantize_") + format.name, format.encode);
    find(library, std::string("dequantize_row_") + format.name, format.decode);
    initialize(format.type);
  }
  return formats;
}

Coded by_ggml(const Matrix& matrix, const GgmlFormat& format) {
  std::vector<std::uint8_t> bytes(matrix.weights.size() / 256 * format.block_bytes);
  const std::size_t size =
      format.encode(matrix.weights.data(), bytes.data(), static_cast<std::int64_t>(matrix.rows),
                    static_cast<std::int64_t>(matrix.cols), matrix.importance.data());
  require(size == bytes.size(), "another size than expected");
  Coded coded;
  coded.weights.resize(matrix.weights.size());
  format.decode(bytes.data(), coded.weights.data(),
                static_cast<std::int64_t>(matrix.weights.size()));
  coded.bits_per_weight = bits_per_weight(size, matrix);
  return coded;
}

// ---- Errors
// ---------------------------------------------------------------------------------------

// Sums of H (w - decoded)^2 or, without `decoded`, of H w^2, column by column.
std::vector<double> column_sums(const Matrix& matrix, const float* decoded) {
  std::vector<double> sums(matrix.cols);
  for (std::size_t n = 0; n < matrix.weights.size(); ++n) {
    const double w = matrix.weights[n];
    const double e = decoded == nullptr ? w : w - static_cast<double>(decoded[n]);
    sums[n % matrix.cols] += static_cast<double>(matrix.importance[n % matrix.cols]) * e * e;
  }
  return sums;
}

double total(const std::vector<double>& sums) {
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

double relative_error(const Matrix& matrix, const Coded& coded) {
  return total(column_sums(matrix, coded.weights.data())) / total(column_sums(matrix, nullptr));
}

// The part of a sum over columns that the tenth of the columns with the largest H has.
double top_tenth(const Matrix& matrix, const std::vector<double>& sums) {
  std::vector<std::size_t> order(matrix.cols);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return matrix.importance[a] > matrix.importance[b];
  });
  double top = 0;
  for (std::size_t j = 0; j < (matrix.cols + 9) / 10; ++j) top += sums[order[j]];
  return top / total(sums);
}

// ---- Normal rows
// ------------------------------------------------------------------------------------

Matrix normal_rows(std::size_t rows, std::size_t cols) {
  Matrix matrix{"N(0,1)", rows, cols, {}, std::vector<float>(cols, 1.0F)};
  std::mt19937_64 bits(1);
  std::normal_distribution<float> normal;
  for (std::size_t n = 0; n < rows * cols; ++n) matrix.weights.push_back(normal(bits));
  return matrix;
}

// The readings of the box (kaiju1.md 10.2) at the best of some scales.
void print_readings() {
  constexpr struct {
    fuzz::Kaiju1Box box;
    const char* name;
    const char* claim;
  } kReadings[] = {{fuzz::Kaiju1Box::kLiteral, "x = m + 2 c + 4 z", "0.102"},
                   {fuzz::Kaiju1Box::kCentred, "centred offsets", "0.086"},
                   {fuzz::Kaiju1Box::kOutward, "and one outward", "0.0615"}};
  std::printf("readings of the box, one scale for all, 1,000 normal points\n");
  std::printf("  %-20s %10s %10s\n", "", "claimed", "measured");
  for (const auto& reading : kReadings) {
    double least = 1;
    for (double scale = 2.6; scale < 3.9; scale += 0.1) {
      std::mt19937_64 bits(2);
      std::normal_distribution<double> normal;
      double error = 0;
      double length = 0;
      for (int k = 0; k < 1000; ++k) {
        fuzz::LeechRow y{};
        double square = 0;
        for (std::int32_t& v : y) {
          v = static_cast<std::int32_t>(std::lrint(normal(bits) * scale * kLeechUnit));
          square += static_cast<double>(v) * v;
        }
        length += square;
        error += square + static_cast<double>(fuzz::find_in_kaiju1_box(y, reading.box).cost);
      }
      least = std::min(least, error / length);
    }
    std::printf("  %-20s %10s %10.4f\n", reading.name, reading.claim, least);
  }
}

void print_normal(const std::vector<GgmlFormat>& formats) {
  const Matrix matrix = normal_rows(64, 6144);
  std::printf("\nnormal rows, H = 1: %zu x %zu\n", matrix.rows, matrix.cols);
  std::printf("  %-20s %8s %10s %10s\n", "", "bits/w", "claimed", "measured");
  const Coded bulk = by_kaiju1(matrix, 0);
  std::printf("  %-20s %8.4f %10s %10.5f\n", "kaiju1, no side-band", bulk.bits_per_weight, "0.0522",
              relative_error(matrix, bulk));
  for (const GgmlFormat& format : formats) {
    const Coded coded = by_ggml(matrix, format);
    std::printf("  %-20s %8.4f %10s %10.5f\n", format.name, coded.bits_per_weight,
                std::string(format.name) == "iq2_s" ? "0.0619" : "0.0329",
                relative_error(matrix, coded));
  }
}

// ---- Real weights
// -------------------------------------------------------------------------------------

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  require(file.good(), "cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The tensor whose name has all of `parts`, inputs x outputs in the file, as outputs x inputs.
Matrix read_matrix(const nlohmann::json& model, const std::string& blob, const std::string& name,
                   const std::vector<std::string>& parts, const std::vector<float>& ex2) {
  std::size_t offset = 0;
  for (const auto& entry : model.at("weightsManifest").at(0).at("weights")) {
    std::size_t count = 1;
    const auto shape = entry.at("shape").get<std::vector<std::size_t>>();
    for (const std::size_t dimension : shape) count *= dimension;
    const auto entry_name = entry.at("name").get<std::string>();
    const bool wanted = shape.size() >= 2 && count >= 65'536 &&
                        std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
                          return entry_name.find(part) != std::string::npos;
                        });
    if (wanted) {
      const std::size_t inputs = shape[shape.size() - 2];
      const std::size_t outputs = shape.back();
      require(inputs == ex2.size(), name + ": the mean squares are of other inputs");
      require(offset + 4 * count <= blob.size(), name + " is not in the file");
      Matrix matrix{name, outputs, inputs, std::vector<float>(count), ex2};
      for (std::size_t i = 0; i < inputs; ++i) {
        for (std::size_t o = 0; o < outputs; ++o) {
          std::copy_n(blob.data() + offset + 4 * (i * outputs + o), 4,
                      reinterpret_cast<char*>(&matrix.weights[o * inputs + i]));
        }
      }
      return matrix;
    }
    offset += (entry.at("dtype") == "bool" ? 1 : 4) * count;
  }
  throw std::runtime_error("the model has no " + name);
}

std::vector<Matrix> read_model(const std::string& directory, const std::string& ex2_path) {
  const auto model = nlohmann::json::parse(read_file(directory + "/model.json"));
  const std::string blob = read_file(directory + "/weights.bin");
  const auto ex2 = nlohmann::json::parse(read_file(ex2_path));
  std::vector<Matrix> matrices;
  for (const auto& [name, entry] : ex2.items()) {
    std::vector<std::string> parts;
    if (name == "tanh") {
      parts = {"tanh_layer_0/weights"};
    } else {
      const std::string part = name.substr(3);
      parts = {"Layer_" + name.substr(1, 1) + "/", part == "out"   ? "output_transform"
                                                   : part == "qkv" ? "qkv_transform"
                                                                   : "/" + part + "/"};
    }
    matrices.push_back(
        read_matrix(model, blob, name, parts, entry.at("ex2").get<std::vector<float>>()));
  }
  return matrices;
}

void print_model(const std::vector<Matrix>& matrices, const std::vector<GgmlFormat>& formats) {
  std::printf("\nreal weights with their measured H; relative error (bits per weight)\n");
  std::printf("  %-9s %11s %9s", "", "rows x cols", "bulk part");
  for (const GgmlFormat& format : formats) std::printf(" %15s", format.name);
  constexpr std::uint32_t kFractions[] = {0, 50'000, 100'000, 200'000};
  for (const std::uint32_t hi_frac : kFractions) std::printf("   kaiju1 %5.2f", hi_frac / 1e6);
  std::printf("\n");
  std::size_t wins = 0;
  double excess_share = 0;
  for (const Matrix& matrix : matrices) {
    const std::vector<double> energy = column_sums(matrix, nullptr);
    char shape[32];
    std::snprintf(shape, sizeof(shape), "%zu x %zu", matrix.rows, matrix.cols);
    std::printf("  %-9s %11s %8.1f%%", matrix.name.c_str(), shape,
                100 * (1 - top_tenth(matrix, energy)));
    double iq3 = 0;
    for (const GgmlFormat& format : formats) {
      const Coded coded = by_ggml(matrix, format);
      const double error = relative_error(matrix, coded);
      if (std::string(format.name) == "iq3_xxs") iq3 = error;
      if (std::string(format.name) == "iq2_s") {
        excess_share += top_tenth(matrix, column_sums(matrix, coded.weights.data()));
      }
      std::printf(" %8.5f (%4.2f)", error, coded.bits_per_weight);
    }
    for (const std::uint32_t hi_frac : kFractions) {
      const Coded coded = by_kaiju1(matrix, hi_frac);
      const double error = relative_error(matrix, coded);
      if (hi_frac == 100'000 && error < iq3) ++wins;
      std::printf(" %7.5f (%4.2f)", error, coded.bits_per_weight);
    }
    std::printf("\n");
  }
  if (formats.empty()) return;
  std::printf("kaiju1 at 0.10 has less error than iq3_xxs on %zu of %zu matrices\n", wins,
              matrices.size());
  std::printf(
      "of iq2_s's error the top tenth of the columns has: claimed 91.7%%, measured %.1f%% "
      "(mean of the matrices)\n",
      100 * excess_share / static_cast<double>(matrices.size()));
}

// IQ3_XXS by this library's encoder, where its rows fit.
Coded by_iq3_xxs(const Matrix& matrix, qp_effort effort) {
  const qp_encode_options options = {sizeof options, effort, QP_WEIGHTING_IMPORTANCE};
  std::vector<std::uint8_t> bytes(qp_encoded_size(QP_IQ3_XXS, matrix.rows, matrix.cols));
  require(qp_encode(QP_IQ3_XXS, matrix.weights.data(), matrix.rows, matrix.cols,
                    matrix.importance.data(), bytes.data(), bytes.size(), &options) == QP_OK,
          "not encoded");
  Coded coded;
  coded.weights.resize(matrix.weights.size());
  require(qp_decode(QP_IQ3_XXS, bytes.data(), bytes.size(), coded.weights.data(),
                    coded.weights.size()) == QP_OK,
          "not decoded");
  coded.bits_per_weight = bits_per_weight(bytes.size(), matrix);
  return coded;
}

void print_iq3_xxs(const std::vector<Matrix>& matrices, const std::vector<GgmlFormat>& formats) {
  constexpr struct {
    const char* name;
    qp_effort effort;
  } kEfforts[] = {
      {"fast", QP_EFFORT_FAST}, {"default", QP_EFFORT_DEFAULT}, {"best", QP_EFFORT_BEST}};
  std::printf("\niq3_xxs of the same weights by two encoders; relative error\n  %-9s %9s", "",
              "ggml");
  for (const auto& effort : kEfforts) std::printf(" %9s", effort.name);
  std::printf("\n");
  std::size_t wins = 0;
  for (const Matrix& matrix : matrices) {
    double least = 0;
    std::printf("  %-9s", matrix.name.c_str());
    for (const GgmlFormat& format : formats) {
      if (std::string(format.name) != "iq3_xxs") continue;
      least = relative_error(matrix, by_ggml(matrix, format));
      std::printf(" %9.5f", least);
    }
    bool all = true;
    for (const auto& effort : kEfforts) {
      const double error = relative_error(matrix, by_iq3_xxs(matrix, effort.effort));
      all = all && error < least;
      std::printf(" %9.5f", error);
    }
    wins += all ? 1 : 0;
    std::printf("\n");
  }
  if (formats.empty()) return;
  std::printf("every effort has less error than ggml on %zu of %zu matrices\n", wins,
              matrices.size());
}

}  // namespace

int run(int argc, char** argv) {
  std::string ggml;
  std::string model;
  std::string ex2;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto value = [&](const std::string& key, std::string& into) {
      if (argument.rfind(key, 0) != 0) return false;
      into = argument.substr(key.size());
      return true;
    };
    if (!value("--ggml=", ggml) && !value("--model=", model) && !value("--ex2=", ex2)) {
      std::fprintf(stderr, "usage: %s [--ggml=LIBRARY] [--model=DIR --ex2=FILE]\n", argv[0]);
      return 2;
    }
  }
  try {
    const auto formats = ggml.empty() ? std::vector<GgmlFormat>{} : load_ggml(ggml);
    print_readings();
    print_normal(formats);
    if (!model.empty()) {
      const std::vector<Matrix> matrices = read_model(model, ex2);
      print_model(matrices, formats);
      print_iq3_xxs(matrices, formats);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 3;
  }
  return 0;
}

}  // namespace quantproof::bench

int main(int argc, char** argv) { return quantproof::bench::run(argc, argv); }
