// SPDX-License-Identifier: Apache-2.0
//
// Which file the machine code at an address comes from, and who compiled it.
#ifndef QUANTPROOF_PROOFS_MACHINE_CODE_OBJECT_FILE_H_
#define QUANTPROOF_PROOFS_MACHINE_CODE_OBJECT_FILE_H_

#include <string>
#include <string_view>

namespace quantproof::proofs::machine_code {

// The file's last name, its SHA-256 and its compilers: "libm.so.6 (SHA-256 ..., compiled by ...)".
std::string object_of(const void* address);

// Where the file that holds an address is loaded; 0 for none.
std::uintptr_t base_of(const void* address);

// What section .comment of an ELF file says: each compiler adds its name there, that of the
// start-up code too. Empty where there is none, or where the file is not 64-bit ELF.
std::string compilers_in(std::string_view elf);

}  // namespace quantproof::proofs::machine_code

#endif
