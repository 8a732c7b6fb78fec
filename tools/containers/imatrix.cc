// SPDX-License-Identifier: Apache-2.0
#include "tools/containers/imatrix.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "fmt/format.h"

#include "tools/containers/container_error.h"
#include "tools/containers/cursor.h"
#include "tools/containers/gguf.h"
#include "tools/containers/quoted.h"

namespace quantproof::containers {

namespace {

constexpr std::string_view kSums = ".in_sum2";
constexpr std::string_view kCounts = ".counts";
constexpr std::uint64_t kNameLimit = 4096;
constexpr std::uint64_t kLeastEntry = 4 + 1 + 4 + 4 + 4;  // a name of one byte, one value

float load_float(const std::uint8_t* bytes) {
  return std::bit_cast<float>(std::uint32_t{bytes[0]} | std::uint32_t{bytes[1]} << 8 |
                              std::uint32_t{bytes[2]} << 16 | std::uint32_t{bytes[3]} << 24);
}

void store_u32(std::vector<std::uint8_t>& bytes, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) {
    bytes.push_back(static_cast<std::uint8_t>(value >> shift));
  }
}

void store_floats(std::vector<std::uint8_t>& bytes, const std::vector<float>& values) {
  for (const float value : values) store_u32(bytes, std::bit_cast<std::uint32_t>(value));
}

// 4.1: sums that an encoder can take.
std::vector<float> read_sums(const Cursor& cursor, const std::string& what,
                             std::span<const std::uint8_t> bytes) {
  std::vector<float> values(bytes.size() / 4);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = load_float(bytes.data() + 4 * i);
    if (!std::isfinite(values[i])) cursor.fail("{}: value {} is not finite", what, i);
    if (values[i] < 0) cursor.fail("{}: value {} is {}, below 0", what, i, values[i]);
  }
  return values;
}

Imatrix read_gguf_form(std::span<const std::uint8_t> file, const std::string& name) {
  const Cursor cursor({}, name);
  const Gguf gguf = read_gguf(file, name);
  const auto type = string_of(find_entry(gguf.metadata, "general.type"));
  if (type != "imatrix") {
    cursor.fail("a GGUF file, but no imatrix: general.type is {}",
                type ? in_quotes(*type) : "missing");
  }
  Imatrix imatrix;
  const auto datasets = strings_of(find_entry(gguf.metadata, "imatrix.datasets"));
  if (!datasets) cursor.fail("imatrix.datasets is no array of strings");
  imatrix.datasets = *datasets;
  const auto number = [&](const char* key) {
    const auto value = integer_of(find_entry(gguf.metadata, key));
    if (!value || *value > std::numeric_limits<std::uint32_t>::max()) {
      cursor.fail("{} is no integer of 32 bits", key);
    }
    return static_cast<std::uint32_t>(*value);
  };
  imatrix.chunk_count = number("imatrix.chunk_count");
  imatrix.chunk_size = number("imatrix.chunk_size");
  if (imatrix.chunk_size == 0) cursor.fail("imatrix.chunk_size is 0");

  std::map<std::string, const GgufTensor*> counts;
  for (const GgufTensor& tensor : gguf.tensors) {
    const std::string what = "tensor " + in_quotes(tensor.name);
    if (tensor.type != *ggml_type_id("F32")) cursor.fail("{} is not F32", what);
    const std::string_view text = tensor.name;
    if (text.ends_with(kSums)) {
      if (tensor.dimensions.empty() || tensor.weights() == 0) cursor.fail("{} is empty", what);
      imatrix.entries[tensor.name.substr(0, text.size() - kSums.size())].sums =
          read_sums(cursor, what, tensor_bytes(gguf, tensor, file));
    } else if (text.ends_with(kCounts)) {
      counts[tensor.name.substr(0, text.size() - kCounts.size())] = &tensor;
    } else {
      cursor.fail("{} is neither sums nor counts", what);
    }
  }
  for (const GgufTensor& tensor : gguf.tensors) {
    if (!std::string_view(tensor.name).ends_with(kSums)) continue;
    const std::string entry_name = tensor.name.substr(0, tensor.name.size() - kSums.size());
    ImatrixEntry& entry = imatrix.entries[entry_name];
    const auto found = counts.find(entry_name);
    if (found == counts.end()) cursor.fail("entry {} has no counts", in_quotes(entry_name));
    const std::uint64_t experts = tensor.weights() / tensor.dimensions[0];
    if (found->second->weights() != experts) {
      cursor.fail("entry {}: {} counts for {} experts", in_quotes(entry_name),
                  found->second->weights(), experts);
    }
    const auto bytes = tensor_bytes(gguf, *found->second, file);
    for (std::uint64_t i = 0; i < experts; ++i) {
      const float count = std::round(load_float(bytes.data() + 4 * i));
      if (!(count >= 0) || !(count < 0x1p63f)) {
        cursor.fail("entry {}: count {} is {}", in_quotes(entry_name), i, count);
      }
      entry.counts.push_back(count);
    }
    counts.erase(found);
  }
  if (!counts.empty()) {
    cursor.fail("entry {} has counts, but no sums", in_quotes(counts.begin()->first));
  }
  if (imatrix.entries.empty()) cursor.fail("the imatrix has no entries");
  return imatrix;
}

Imatrix read_legacy_form(std::span<const std::uint8_t> file, const std::string& name) {
  Cursor cursor(file, name + ": not GGUF; as an imatrix in the legacy form");
  Imatrix imatrix;
  imatrix.legacy = true;
  const std::uint32_t n = cursor.u32("the number of entries");
  if (n == 0 || n > cursor.left() / kLeastEntry) {
    cursor.fail("{} entries do not fit into {} bytes", n, file.size());
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::string place = fmt::format("entry {}", i);
    const std::uint32_t length = cursor.u32(place);
    if (length == 0 || length > kNameLimit) {
      cursor.fail("{}: a name has 1 to {} bytes, not {}", place, kNameLimit, length);
    }
    const std::string entry_name(cursor.text(length, place));
    const std::string what = "entry " + in_quotes(entry_name);
    const std::uint32_t calls = cursor.u32(what);
    if (calls > std::numeric_limits<std::int32_t>::max()) {
      cursor.fail("{}: a negative number of chunks", what);
    }
    const std::uint32_t values = cursor.u32(what);
    if (values == 0 || values > std::numeric_limits<std::int32_t>::max()) {
      cursor.fail("{}: {} values", what, values);
    }
    ImatrixEntry entry;
    entry.sums = read_sums(cursor, what, cursor.bytes(std::uint64_t{4} * values, what));
    entry.counts = {static_cast<float>(calls)};
    if (!imatrix.entries.emplace(entry_name, std::move(entry)).second) {
      cursor.fail("{} is there twice", what);
    }
  }
  if (cursor.left() != 0) {
    imatrix.chunk_count = cursor.u32("the number of the last chunk");
    const std::uint32_t length = cursor.u32("the length of the dataset's name");
    if (length != cursor.left()) {
      cursor.fail("a dataset's name of {} bytes, but {} are left", length, cursor.left());
    }
    imatrix.datasets.emplace_back(cursor.text(length, "the dataset's name"));
  }
  return imatrix;
}

}  // namespace

std::vector<float> ImatrixEntry::importance() const {
  std::vector<float> result(sums.size());
  const std::uint64_t width = columns();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const float count = counts[i / width];
    result[i] = count == 0 ? 1.0f : sums[i] / count;
  }
  return result;
}

Imatrix read_imatrix(std::span<const std::uint8_t> file, const std::string& name) {
  constexpr std::string_view kGguf = "GGUF";
  const bool gguf =
      file.size() >= kGguf.size() && std::equal(kGguf.begin(), kGguf.end(), file.begin());
  return gguf ? read_gguf_form(file, name) : read_legacy_form(file, name);
}

Imatrix with_chunk_size(const Imatrix& legacy, std::uint32_t chunk_size) {
  Imatrix imatrix = legacy;
  imatrix.legacy = false;
  imatrix.chunk_size = chunk_size;
  const auto factor = static_cast<float>(chunk_size);
  for (auto& [name, entry] : imatrix.entries) {
    for (float& sum : entry.sums) sum *= factor;
    for (float& count : entry.counts) count *= factor;
  }
  return imatrix;
}

ImatrixFile imatrix_as_gguf(const Imatrix& imatrix, const std::string& name) {
  GgufMetadata metadata = {make_entry("general.type", "imatrix"),
                           make_entry("imatrix.datasets", imatrix.datasets),
                           make_entry("imatrix.chunk_count", imatrix.chunk_count),
                           make_entry("imatrix.chunk_size", imatrix.chunk_size)};
  std::vector<GgufTensor> tensors;
  ImatrixFile result;
  const std::uint32_t f32 = *ggml_type_id("F32");
  for (const auto& [entry_name, entry] : imatrix.entries) {
    const std::uint64_t experts = entry.counts.size();
    std::vector<std::uint64_t> sums = {entry.columns()};
    std::vector<std::uint64_t> counts = {1};
    if (experts > 1) {
      sums.push_back(experts);
      counts.push_back(experts);
    }
    tensors.push_back({entry_name + std::string(kSums), sums, f32, 0, 0});
    tensors.push_back({entry_name + std::string(kCounts), counts, f32, 0, 0});
    for (const float sum : entry.sums) {
      if (!std::isfinite(sum)) {
        throw ContainerError(name + ": a sum of " + in_quotes(entry_name) + " is not finite");
      }
    }
    store_floats(result.data, entry.sums);
    store_floats(result.data, entry.counts);
  }
  result.layout = gguf_layout(metadata, tensors, name);
  return result;
}

ImatrixFile imatrix_as_legacy(const Imatrix& imatrix, const std::string& name) {
  const Cursor cursor({}, name);
  ImatrixFile result;
  // An entry without any inputs has no place in this form.
  const auto has_data = [](const auto& item) {
    return std::any_of(item.second.counts.begin(), item.second.counts.end(),
                       [](float count) { return count > 0; });
  };
  const auto kept = std::count_if(imatrix.entries.begin(), imatrix.entries.end(), has_data);
  if (kept == 0) cursor.fail("no entry has any inputs");
  std::vector<std::uint8_t>& bytes = result.layout.head;
  store_u32(bytes, static_cast<std::uint32_t>(kept));
  for (const auto& item : imatrix.entries) {
    if (!has_data(item)) continue;
    const auto& [entry_name, entry] = item;
    const float most = *std::max_element(entry.counts.begin(), entry.counts.end());
    const double chunk = imatrix.legacy ? 1 : imatrix.chunk_size;
    const double calls = std::ceil(static_cast<double>(most) / chunk);
    if (calls > std::numeric_limits<std::int32_t>::max() || entry_name.size() > kNameLimit ||
        entry.sums.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
      cursor.fail("entry {} does not fit into the legacy form", in_quotes(entry_name));
    }
    store_u32(bytes, static_cast<std::uint32_t>(entry_name.size()));
    bytes.insert(bytes.end(), entry_name.begin(), entry_name.end());
    store_u32(bytes, static_cast<std::uint32_t>(calls));
    store_u32(bytes, static_cast<std::uint32_t>(entry.sums.size()));
    std::vector<float> values = entry.sums;
    if (!imatrix.legacy) {
      values = entry.importance();
      for (float& value : values) value *= static_cast<float>(calls);
    }
    for (const float value : values) {
      if (!std::isfinite(value)) cursor.fail("a value of {} is not finite", in_quotes(entry_name));
    }
    store_floats(bytes, values);
  }
  store_u32(bytes, imatrix.chunk_count);
  const std::string dataset = imatrix.datasets.empty() ? std::string{} : imatrix.datasets.back();
  store_u32(bytes, static_cast<std::uint32_t>(dataset.size()));
  bytes.insert(bytes.end(), dataset.begin(), dataset.end());
  result.layout.size = bytes.size();
  return result;
}

}  // namespace quantproof::containers
