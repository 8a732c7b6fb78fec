// SPDX-License-Identifier: Apache-2.0
#include "proofs/machine_code/object_file.h"

#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <openssl/evp.h>
#include <set>

#include "fmt/format.h"

namespace quantproof::proofs::machine_code {

namespace {

// A structure at an offset of the file, if the file has all of it.
template <class T>
bool read_at(std::string_view bytes, std::uint64_t offset, T* value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(value, bytes.data() + offset, sizeof(T));
  return true;
}

std::string_view section(std::string_view bytes, const Elf64_Shdr& header) {
  if (header.sh_offset > bytes.size() || bytes.size() - header.sh_offset < header.sh_size) {
    return {};
  }
  return bytes.substr(header.sh_offset, header.sh_size);
}

std::string sha256(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest, &length, EVP_sha256(), nullptr) != 1) {
    return "unknown";
  }
  std::string hex;
  for (unsigned i = 0; i < length; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

}  // namespace

std::string compilers_in(std::string_view elf) {
  Elf64_Ehdr file;
  if (!read_at(elf, 0, &file) || std::memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 ||
      file.e_ident[EI_CLASS] != ELFCLASS64 || file.e_shentsize != sizeof(Elf64_Shdr)) {
    return {};
  }
  const auto header_at = [&](std::uint64_t i, Elf64_Shdr* header) {
    return i < file.e_shnum && file.e_shoff <= elf.size() &&
           read_at(elf, file.e_shoff + i * sizeof(Elf64_Shdr), header);
  };
  Elf64_Shdr names_header;
  if (!header_at(file.e_shstrndx, &names_header)) return {};
  const std::string_view names = section(elf, names_header);
  std::set<std::string> found;
  for (std::uint64_t i = 0; i < file.e_shnum; ++i) {
    Elf64_Shdr header;
    if (!header_at(i, &header) || header.sh_name >= names.size()) continue;
    const std::string_view name = names.substr(header.sh_name);
    if (name.substr(0, name.find('\0')) != ".comment") continue;
    std::string_view rest = section(elf, header);
    while (!rest.empty()) {
      const std::string_view text = rest.substr(0, rest.find('\0'));
      // A linker writes its own name here too.
      if (!text.empty() && text.find("Linker") == text.npos) found.emplace(text);
      rest.remove_prefix(std::min(rest.size(), text.size() + 1));
    }
  }
  std::string all;
  for (const std::string& compiler : found) all += (all.empty() ? "" : " and ") + compiler;
  return all;
}

std::uintptr_t base_of(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0) return 0;
  return reinterpret_cast<std::uintptr_t>(info.dli_fbase);
}

std::string object_of(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "an unknown file";
  const std::filesystem::path path(info.dli_fname);
  std::ifstream file(path, std::ios::binary);
  if (!file) return path.filename().string() + " (not readable)";
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::string compilers = compilers_in(bytes);
  return fmt::format("{} (SHA-256 {}, {})", path.filename().string(), sha256(bytes),
                     compilers.empty() ? "which names no compiler" : "compiled by " + compilers);
}

}  // namespace quantproof::proofs::machine_code
