#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/consumer/run.sh BUILD_DIR
#
# Uses quantproof as a stranger would. Installs BUILD_DIR (a finished build) and a static build,
# moves each installed tree, and builds and runs the consumers of this folder against it with
# find_package, with pkg-config and with add_subdirectory; compiles every public header alone;
# compares the exported symbols with qp.h. Prints what failed; exits 1 if anything did.
set -euo pipefail

if [[ $# -ne 1 || ! -f $1/CMakeCache.txt ]]; then
  echo "usage: $0 BUILD_DIR" >&2
  exit 2
fi
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_dir=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PKG_CONFIG_PATH LD_LIBRARY_PATH CMAKE_PREFIX_PATH DESTDIR

checks=0
failures=0

# check NAME COMMAND...: runs the command; a failure is shown with all that it printed.
check() {
  local name=$1
  shift
  checks=$((checks + 1))
  if "$@" >"$work/log" 2>&1; then
    echo "ok      $name"
  else
    failures=$((failures + 1))
    echo "FAILED  $name"
    echo "        command: $*"
    sed 's/^/        /' "$work/log"
  fi
}

cached() { sed -n "s/^$1:[^=]*=//p" "$build/CMakeCache.txt"; }

# Consumers are compiled as the library was: a sanitizer must be in both.
cc=$(cached CMAKE_C_COMPILER)
cxx=$(cached CMAKE_CXX_COMPILER)
read -r -a c_flags <<<"$(cached CMAKE_C_FLAGS)"
read -r -a cxx_flags <<<"$(cached CMAKE_CXX_FLAGS)"
tool_chain=(-G "$(cached CMAKE_GENERATOR)" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=
  "-DCMAKE_C_COMPILER=$cc" "-DCMAKE_CXX_COMPILER=$cxx"
  "-DCMAKE_C_FLAGS=${c_flags[*]}" "-DCMAKE_CXX_FLAGS=${cxx_flags[*]}")

consumers_run() {  # DIR NAME...
  local dir=$1 consumer
  shift
  for consumer in "$@"; do "$dir/$consumer" || return 1; done
}

find_package_consumers() {  # PREFIX DIR
  cmake -S "$here" -B "$2" "${tool_chain[@]}" "-DCMAKE_PREFIX_PATH=$1" &&
    cmake --build "$2" --parallel 2 && consumers_run "$2" consumer_c consumer_cc ref_consumer_cc
}

find_package_c_only() {  # PREFIX DIR
  cmake -S "$here/c_only" -B "$2" "${tool_chain[@]}" "-DCMAKE_PREFIX_PATH=$1" &&
    cmake --build "$2" && consumers_run "$2" consumer_c
}

add_subdirectory_consumers() {  # DIR SHARED INSTALL
  cmake -S "$here" -B "$1" "${tool_chain[@]}" "-DQUANTPROOF_SOURCE_DIR=$source_dir" \
    "-DBUILD_SHARED_LIBS=$2" "-DQUANTPROOF_INSTALL=$3" \
    '-DQUANTPROOF_DISABLED_LEVELS=HWY_SSSE3;HWY_SSE4;HWY_AVX3;HWY_AVX3_DL' &&
    cmake --build "$1" --parallel 2 && consumers_run "$1" consumer_c consumer_cc ref_consumer_cc
}

pkg_config_consumers() {  # PREFIX DIR [--static]
  local prefix=$1 dir=$2 flags libdir
  shift 2
  mkdir -p "$dir"
  libdir=$(dirname "$(dirname "$(pc_file "$prefix")")")
  flags=$(PKG_CONFIG_PATH="$libdir/pkgconfig" pkg-config "$@" --cflags --libs 'quantproof >= 0.1') ||
    return 1
  local -a split
  read -r -a split <<<"$flags"
  "$cc" -std=c99 "${c_flags[@]}" "$here/consumer.c" "${split[@]}" -o "$dir/consumer_c" &&
    "$cxx" -std=c++20 "${cxx_flags[@]}" "$here/consumer.cc" "${split[@]}" -o "$dir/consumer_cc" &&
    LD_LIBRARY_PATH="$libdir" consumers_run "$dir" consumer_c consumer_cc
}

pc_file() { find "$1" -name quantproof.pc; }

install_and_move() {  # BUILD NAME: the tree lies in $work/NAME afterwards
  cmake --install "$1" --prefix "$work/first-$2" && mv "$work/first-$2" "$work/$2" &&
    ! grep -rl "$work/first-$2" "$work/$2"
}

every_header_installed() {  # PREFIX
  diff <(cd "$source_dir" && find spec/quantproof ref/quantproof fast/quantproof -name '*.h' |
    sed 's,^[a-z]*/,,' | sort) <(cd "$1/include" && find quantproof -type f | sort)
}

header_alone() {  # PREFIX HEADER COMPILER LANGUAGE STANDARD
  echo "#include <$2>" |
    "$3" -x "$4" "-std=$5" -Wall -Wextra -pedantic-errors -Werror -fsyntax-only "-I$1/include" -
}

exported_symbols() {  # LIBRARY PREFIX
  diff <(sed -n 's/^QP_API [^(]*[ *]\(qp_[a-z_0-9]*\)(.*/\1/p' "$2/include/quantproof/qp.h" | sort) \
    <(nm -D --defined-only "$1" | awk '{print $3}' | sort)
}

soname() {  # LIBRARY
  readelf -d "$1" | grep -F '[libquantproof.so.0]'
}

command_runs() { "$1" --help; }

case $(cached BUILD_SHARED_LIBS) in
  ON | on | TRUE | true | 1 | YES | yes) ;;
  *) echo "$0: $build is not a build with shared libraries" >&2 && exit 2 ;;
esac

check "shared: install, then move" install_and_move "$build" shared
shared=$work/shared
library=$(find "$shared" -name libquantproof.so)
check "shared: every public header is installed" every_header_installed "$shared"
while IFS= read -r header; do
  check "header alone, C++20: $header" header_alone "$shared" "$header" "$cxx" c++ c++20
done < <(cd "$shared/include" && find quantproof -name '*.h' | sort)
for header in quantproof/qp.h quantproof/status.h; do
  check "header alone, C99: $header" header_alone "$shared" "$header" "$cc" c c99
  check "header alone, C++11: $header" header_alone "$shared" "$header" "$cxx" c++ c++11
done
check "shared: exports what qp.h declares, nothing else" exported_symbols "$library" "$shared"
check "shared: SONAME is libquantproof.so.0" soname "$library"
if [[ $(cached QUANTPROOF_TOOLS) == ON ]]; then
  check "shared: the moved command runs" command_runs "$shared/bin/quantproof"
fi
check "shared: find_package" find_package_consumers "$shared" "$work/find-shared"
check "shared: find_package, C only" find_package_c_only "$shared" "$work/find-shared-c"
check "shared: pkg-config" pkg_config_consumers "$shared" "$work/pc-shared"
check "shared: add_subdirectory" add_subdirectory_consumers "$work/sub-shared" ON OFF

check "static: add_subdirectory" add_subdirectory_consumers "$work/sub-static" OFF ON
check "static: install, then move" install_and_move "$work/sub-static" static
static=$work/static
rm -rf "$work/sub-static"
check "static: every public header is installed" every_header_installed "$static"
check "static: find_package" find_package_consumers "$static" "$work/find-static"
check "static: pkg-config" pkg_config_consumers "$static" "$work/pc-static" --static

echo "consumer: $checks checks, $failures failed"
[[ $failures -eq 0 ]]
