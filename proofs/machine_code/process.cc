// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <dlfcn.h>
#include <elf.h>
#include <filesystem>
#include <link.h>
#include <unistd.h>

#include "fmt/format.h"

#include "proofs/machine_code/machine.h"

namespace quantproof::proofs::machine_code {

namespace {

struct Image {
  std::vector<ElfW(Phdr)> headers;
  std::uint64_t base = 0;
  std::string name;
};

int collect(dl_phdr_info* info, std::size_t, void* into) {
  Image image;
  image.headers.assign(info->dlpi_phdr, info->dlpi_phdr + info->dlpi_phnum);
  image.base = info->dlpi_addr;
  image.name = std::filesystem::path(info->dlpi_name).filename().string();
  static_cast<std::vector<Image>*>(into)->push_back(std::move(image));
  return 0;
}

}  // namespace

Process::Process() {
  for (const char* name : {"memcpy", "memmove"}) {
    copies.insert(reinterpret_cast<std::uint64_t>(dlsym(RTLD_DEFAULT, name)));
  }
  std::vector<Image> images;
  dl_iterate_phdr(collect, &images);
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  for (const Image& image : images) {
    for (const auto& header : image.headers) {
      const std::uint64_t begin = image.base + header.p_vaddr;
      if (header.p_type == PT_LOAD) {
        segments_.push_back({begin, begin + header.p_memsz, (header.p_flags & PF_W) != 0,
                             (header.p_flags & PF_X) != 0});
        bases_.try_emplace(begin, image.name.empty() ? "main" : image.name);
      } else if (header.p_type == PT_GNU_RELRO) {
        relocated_.push_back({begin, (begin + header.p_memsz) / page * page, false, false});
      } else if (header.p_type == PT_DYNAMIC) {
        // The slots of called functions: filled by the loader, whatever the pages say.
        std::uint64_t jumps = 0;
        std::uint64_t jump_bytes = 0;
        const auto* at = reinterpret_cast<const ElfW(Dyn)*>(begin);
        for (; at->d_tag != DT_NULL; ++at) {
          if (at->d_tag == DT_JMPREL) jumps = at->d_un.d_ptr;
          if (at->d_tag == DT_PLTRELSZ) jump_bytes = at->d_un.d_val;
        }
        const auto* slot = reinterpret_cast<const ElfW(Rela)*>(jumps);
        for (std::uint64_t i = 0; i < jump_bytes / sizeof(ElfW(Rela)); ++i) {
          const std::uint64_t address = image.base + slot[i].r_offset;
          relocated_.push_back({address, address + 8, false, false});
        }
      }
    }
  }
}

bool Process::executable(std::uint64_t address) const {
  return std::any_of(segments_.begin(), segments_.end(), [&](const Segment& s) {
    return s.executable && s.begin <= address && address < s.end;
  });
}

bool Process::varies(std::uint64_t address) const {
  if (overrides.contains(address)) return false;
  const auto inside = [&](const Segment& s) { return s.begin <= address && address < s.end; };
  const auto at = std::find_if(segments_.begin(), segments_.end(), inside);
  return at != segments_.end() && at->writable &&
         std::none_of(relocated_.begin(), relocated_.end(), inside);
}

std::string Process::name_of(std::uint64_t address) const {
  auto it = bases_.upper_bound(address);
  if (it == bases_.begin()) return fmt::format("0x{:x}", address);
  --it;
  // Relative to the first segment of the image, as nm and objdump print it.
  auto first = it;
  while (first != bases_.begin() && std::prev(first)->second == it->second) --first;
  return fmt::format("{}+0x{:x}", it->second, address - first->first);
}

std::uint8_t Process::read(std::uint64_t address) {
  if (const auto it = overrides.find(address); it != overrides.end()) {
    writable_reads.insert(address);
    return it->second;
  }
  const auto inside = [&](const Segment& s) { return s.begin <= address && address < s.end; };
  if (last_ >= segments_.size() || !inside(segments_[last_])) {
    last_ = static_cast<std::size_t>(std::find_if(segments_.begin(), segments_.end(), inside) -
                                     segments_.begin());
    if (last_ == segments_.size()) {
      throw Fault(fmt::format("reads address 0x{:x}, which is neither input nor data", address));
    }
  }
  const Segment* const segment = &segments_[last_];
  if (segment->writable && std::none_of(relocated_.begin(), relocated_.end(), inside)) {
    if (!allow_writable) {
      throw Refusal("reads writable data at " + name_of(address) + ": its content may change");
    }
    writable_reads.insert(address);
  }
  return *reinterpret_cast<const std::uint8_t*>(address);
}

}  // namespace quantproof::proofs::machine_code
