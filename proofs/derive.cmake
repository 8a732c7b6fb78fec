# SPDX-License-Identifier: Apache-2.0
#
# Makes the generated texts of proofs/ from the shipped sources. Run as
#   cmake -DSOURCE=<root> -DMUTANTS=<mutants.json> -DLEECH_MUTANTS=<leech_mutants.json>
#         -DKAIJU1_MUTANTS=<kaiju1_mutants.json> -DOUTPUT=<directory> -P derive.cmake
#
#   ref_decode_block.inc  ref/iq3_block.cc: decode_block as a template over the integer type
#   fast_transcode.inc    fast/transcode.cc as templates over the byte and word types
#   mutants.inc           mutated copies of shipped files, each in a namespace of its own
#   leech_mutants.inc     one copy of the Leech kernel in which each mutation can be switched on
#   kaiju1_mutants.inc    the same of the KAIJU1 kernel
#
# Every replacement must hit a stated number of places, else the build stops: a text that changed
# is never silently proved in an older form.
cmake_policy(VERSION 3.22)

# `times` is a number or "some" (at least one).
function(replace variable times find replacement)
  set(text "${${variable}}")
  set(count 0)
  set(rest "${text}")
  string(LENGTH "${find}" length)
  while(TRUE)
    string(FIND "${rest}" "${find}" at)
    if(at EQUAL -1)
      break()
    endif()
    math(EXPR count "${count} + 1")
    math(EXPR at "${at} + ${length}")
    string(SUBSTRING "${rest}" ${at} -1 rest)
  endwhile()
  if((times STREQUAL "some" AND count EQUAL 0) OR
     (NOT times STREQUAL "some" AND NOT count EQUAL times))
    message(FATAL_ERROR "derive.cmake: found ${count} times, wanted ${times}: ${find}")
  endif()
  string(REPLACE "${find}" "${replacement}" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# The text from the first `begin` up to and including the first `end` after it.
function(cut variable begin end)
  set(text "${${variable}}")
  string(FIND "${text}" "${begin}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "derive.cmake: not found: ${begin}")
  endif()
  string(SUBSTRING "${text}" ${at} -1 text)
  string(FIND "${text}" "${end}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "derive.cmake: not found: ${end}")
  endif()
  string(LENGTH "${end}" length)
  math(EXPR at "${at} + ${length}")
  string(SUBSTRING "${text}" 0 ${at} text)
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# Semicolons and brackets have a meaning in CMake lists; file(READ) and quoted uses keep them.
file(READ "${SOURCE}/ref/iq3_block.cc" decode_block)
cut(decode_block "std::array<std::uint32_t, kBlockWeights> decode_block(" "\n}\n")
replace(decode_block 1 "std::array<std::uint32_t, kBlockWeights> decode_block("
        "template <class Int, class Codebook, class Weight>\nstd::array<Int, kBlockWeights> decode_block_text(const Codebook& codebook,\n")
replace(decode_block 1 "const Iq3Fields<std::uint32_t>& fields" "const Iq3Fields<Int>& fields")
replace(decode_block 1 "const Scale& scale" "const Weight& scale")
replace(decode_block 1 "std::array<std::uint32_t, kBlockWeights> weights{}"
        "std::array<Int, kBlockWeights> weights{}")
replace(decode_block 1 "const std::uint32_t multiplier" "const Int multiplier")
replace(decode_block 1 "kIq3Codebook[" "codebook[")

file(READ "${SOURCE}/fast/transcode.cc" transcode)
cut(transcode "constexpr std::size_t kContentBytes" "}  // namespace quantproof::fast\n")
replace(transcode 1 "}  // namespace quantproof::fast\n" "")
replace(transcode 1 "}  // namespace\n" "")
replace(transcode some "std::uint8_t" "symbolic::Byte")
replace(transcode some "std::uint32_t" "symbolic::Uint32")
replace(transcode 1 "std::memmove(" "symbolic::copy_bytes(")
replace(transcode 2 "\nqp_status transcode_to_" "\ninline qp_status transcode_to_")

function(emit name)
  set(text "// Made by proofs/derive.cmake from the shipped sources. Do not edit.\n${ARGV1}")
  if(EXISTS "${OUTPUT}/${name}")
    file(READ "${OUTPUT}/${name}" old)
    if(old STREQUAL text)
      file(TOUCH "${OUTPUT}/${name}")
      return()
    endif()
  endif()
  file(WRITE "${OUTPUT}/${name}" "${text}")
endfunction()

emit(ref_decode_block.inc "namespace quantproof::ref {\n${decode_block}}  // namespace quantproof::ref\n")
emit(fast_transcode.inc "namespace quantproof::fast {\n${transcode}}  // namespace quantproof::fast\n")

file(READ "${MUTANTS}" json)
string(JSON last LENGTH "${json}" mutants)
math(EXPR last "${last} - 1")
set(out "")
foreach(i RANGE ${last})
  foreach(key name part file find replacement obligation layout lanes)
    string(JSON ${key} GET "${json}" mutants ${i} ${key})
  endforeach()
  string(JSON expected GET "${json}" mutants ${i} expected)
  file(READ "${SOURCE}/${file}" text)
  replace(text 1 "${find}" "${replacement}")
  string(REGEX REPLACE "(QUANTPROOF_[A-Z0-9_]+_H_)" "\\1${name}" text "${text}")
  if(part STREQUAL "Kernel")
    replace(text 1 "\nnamespace fast {\n" "\nnamespace fast::${name} {\n")
  elseif(part STREQUAL "Half")
    replace(text 1 "\nnamespace quantproof::fast {\n" "\nnamespace quantproof::fast::${name} {\n")
    string(APPEND text "namespace quantproof::fast::${name} {\n${transcode}}\n")
  elseif(part STREQUAL "Reference")
    replace(text 1 "\nnamespace quantproof::ref {\n" "\nnamespace quantproof::ref::${name} {\n")
    # The shipped weight() is meant, found in the enclosing namespace.
    replace(text 1 "\nstd::uint32_t weight(" "\nstd::uint32_t undefined_weight(")
    string(APPEND text "namespace quantproof::ref::${name} {\n${decode_block}}\n")
  else()
    replace(text 1 "\nnamespace quantproof {\n" "\nnamespace quantproof::${name} {\n")
  endif()
  string(APPEND out "\n// ---- ${name}: ${file}\n${text}")
  string(APPEND out "QP_MUTANT(${part}, ${name}, ${obligation}, ${layout}, ${lanes}, ${expected})\n")
endforeach()
emit(mutants.inc "${out}")

# One copy of the text that the JSON file names, in namespace fast::<space>, in which mutation i is
# switched on while <prefix>_mutant(i). The list at its end is for <PREFIX>_MUTANT(i, name, part).
function(emit_switched output mutants space prefix)
  file(READ "${mutants}" json)
  string(JSON file GET "${json}" file)
  file(READ "${SOURCE}/${file}" text)
  replace(text 1 "\nnamespace fast {\n" "\nnamespace fast::${space} {\n")
  string(REGEX REPLACE "(QUANTPROOF_[A-Z0-9_]+_H_)" "\\1MUTATED_" text "${text}")
  string(TOUPPER "QP_${prefix}_MUTANT" macro)
  string(JSON last LENGTH "${json}" mutants)
  math(EXPR last "${last} - 1")
  set(list "")
  foreach(i RANGE ${last})
    foreach(key name find replacement obligation)
      string(JSON ${key} GET "${json}" mutants ${i} ${key})
    endforeach()
    replace(text 1 "${find}"
            "(::quantproof::proofs::${prefix}_mutant(${i}) ? (${replacement}) : (${find}))")
    string(APPEND list "${macro}(${i}, ${name}, ${obligation})\n")
  endforeach()
  emit(${output} "${text}\n#ifdef ${macro}\n${list}#endif\n")
endfunction()

emit_switched(leech_mutants.inc "${LEECH_MUTANTS}" mutated leech)
emit_switched(kaiju1_mutants.inc "${KAIJU1_MUTANTS}" mutated kaiju1)
