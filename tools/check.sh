#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: tools/check.sh [--quick | --long]
#
# Installs what is missing (Debian, as root or with sudo), then builds and runs every test:
#   release        g++, warnings are errors: every test but the few slow ones, which it names (the
#                  one in a browser where there is a Chromium, which --long installs); the levels
#                  SCALAR, AVX2 and, if this CPU has it, AVX3; of clang++ the machine code of
#                  qp_decode_at, under profile strict; second opinions on a sample of the proofs
#   asan-ubsan     clang++ with sanitizers, warnings are errors: the decoders, the parsers of
#                  containers, the C ABI and the reference, with their tests, at the level EMU128;
#                  the encoders and the lattice are instrumented with --long only
# and clang-format over all sources. --quick: only clang-format and release. --long: every level with
# both compilers (release-clang: clang++, optimized), clang++'s machine code under every profile, the
# command, the proofs and every test under sanitizers, second opinions on every proof, many more
# points in the tests, clang-tidy over ref/ and fast/, and each libFuzzer target for a minute; about an
# hour. The last line sums the suites up; a step that is no test counts there when it fails.
# Exit codes: 0 all passed; 1 something failed; 2 usage; 4 nothing failed, but something was not
# run because this machine lacks it (with CI=true that is a failure).
set -euo pipefail

quick=false
long=false
case "${1:-}" in
  '') ;;
  --quick) quick=true ;;
  --long) long=true && export QUANTPROOF_LONG=1 ;;
  *) echo "usage: $0 [--quick | --long]" >&2 && exit 2 ;;
esac

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
# shellcheck source=tools/setup.sh
source tools/setup.sh
install_missing "${check_packages[@]}"
install_npm_if_missing
if [[ $long == true ]]; then install_missing "${long_packages[@]}"; fi

passed=0
failed=0
skipped=0
failed_steps=()
logs=build/check
mkdir -p "$logs"

fail_step() {
  failed=$((failed + 1))
  failed_steps+=("$1")
}

# step NAME COMMAND...: quiet when it passes; on failure shows all that the command printed.
step() {
  local name=$1 log start=$SECONDS
  log=$logs/${1//[^a-z0-9-]/_}.log
  shift
  if "$@" >"$log" 2>&1; then
    echo "== $name: ok, $((SECONDS - start)) s"
  else
    cat "$log"
    echo "== $name: FAILED, $((SECONDS - start)) s: $*"
    fail_step "$name"
    return 1
  fi
}

# Builds $targets, or everything when it is empty.
targets=()
build() {  # PRESET OPTION...
  local preset=$1
  shift
  step "$preset: configure" cmake --preset "$preset" -DQUANTPROOF_WERROR=ON "$@" &&
    step "$preset: build" cmake --build --preset "$preset" --parallel "$jobs" \
      ${targets[@]:+--target "${targets[@]}"}
}

# The number in attribute $2 of the <testsuite> of JUnit file $1.
junit_count() {
  local count
  count=$(grep -Eom1 "(^|[[:space:]])$2=\"[0-9]+\"" "$1" | grep -Eo '[0-9]+')
  echo "$count"
}

suite() {  # PRESET CTEST_OPTION...
  local preset=$1 start=$SECONDS status=0 junit tests failures unrun
  junit=$root/$logs/$1.xml
  shift
  rm -f "$junit"
  ctest --preset "$preset" --parallel "$jobs" --output-junit "$junit" "$@" || status=$?
  echo "== $preset: tests, $((SECONDS - start)) s"
  tests=0
  if [[ -f $junit ]]; then
    tests=$(junit_count "$junit" tests)
  fi
  if [[ $tests -eq 0 ]]; then
    echo "== $preset: no test ran"
    fail_step "$preset: tests"
    return
  fi
  failures=$(junit_count "$junit" failures)
  unrun=$(($(junit_count "$junit" skipped) + $(junit_count "$junit" disabled)))
  passed=$((passed + tests - failures - unrun))
  failed=$((failed + failures))
  skipped=$((skipped + unrun))
  if [[ $status -ne 0 && $failures -eq 0 ]]; then
    fail_step "$preset: ctest exited with $status"
  fi
}

format() {
  find spec ref fast proofs fuzz tests bench tools \( -name '*.h' -o -name '*.c' -o -name '*.cc' \) \
    -print0 | xargs -0 clang-format --dry-run -Werror
}

tidy() {  # the sources that users link
  python3 - build/release-clang/compile_commands.json <<'EOF' | xargs -0 -n1 -P"$jobs" clang-tidy \
    --quiet --warnings-as-errors='*' -p build/release-clang \
    --extra-arg='-DHWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3|HWY_AVX3_DL)'
import json, os, sys
for entry in json.load(open(sys.argv[1])):
    path = os.path.relpath(entry["file"])
    if path.startswith(("ref/", "fast/")):
        sys.stdout.write(path + "\0")
EOF
}

# peer VARIABLE SCRIPT: what the script prints is the variable's value.
peer() {
  local status=0 path
  path=$("$2") || status=$?
  if [[ $status -eq 0 ]]; then
    export "$1=$path"
  elif [[ $status -eq 4 && ${CI:-} != true ]]; then
    unset "$1"
    skipped=$((skipped + 1))
  else
    unset "$1"
    fail_step "$(basename "$2" .sh)"
  fi
}
peer QUANTPROOF_GGML_LIB tools/get_ggml.sh
peer QUANTPROOF_LLAMA_DIR tools/get_llama.sh

# One level of each width that this CPU has; what it cannot run is compiled, and proved, under --long.
disabled='HWY_SSSE3;HWY_SSE4;HWY_AVX3_DL'
if [[ $(uname -m) == x86_64 ]] && ! grep -qw avx512vl /proc/cpuinfo; then
  disabled+=';HWY_AVX3'
  if [[ $long == false ]]; then
    echo '== release: left to --long: level AVX3, which this CPU lacks'
  fi
fi
release=(-DQUANTPROOF_DISABLED_LEVELS="$disabled" -DQUANTPROOF_BENCH=OFF)
sanitized=(-DQUANTPROOF_DISABLED_LEVELS='HWY_SSSE3;HWY_SSE4;HWY_AVX2;HWY_AVX3;HWY_AVX3_DL'
  -DQUANTPROOF_BENCH=OFF -DQUANTPROOF_TOOLS=OFF -DQUANTPROOF_PROOFS=OFF
  -DQUANTPROOF_PLAIN_KERNELS=ON)
sanitized_targets=(iq3_xxs_test e8_iq3_test qp_test qp_c_test gguf_test imatrix_test knot_test
  safetensors_test)
if [[ $long == true ]]; then
  release=(-DQUANTPROOF_DISABLED_LEVELS= -DQUANTPROOF_BENCH=ON)
  sanitized=(-DQUANTPROOF_DISABLED_LEVELS= -DQUANTPROOF_BENCH=OFF -DQUANTPROOF_TOOLS=ON
    -DQUANTPROOF_PROOFS=ON -DQUANTPROOF_PLAIN_KERNELS=OFF)
  sanitized_targets=()
fi
fuzz=(-DQUANTPROOF_DISABLED_LEVELS='HWY_SSSE3;HWY_SSE4;HWY_AVX3;HWY_AVX3_DL'
  -DQUANTPROOF_PLAIN_KERNELS=ON)
clang=(-DQUANTPROOF_TOOLS=OFF -DQUANTPROOF_PROOFS=OFF -DQUANTPROOF_BENCH=OFF)

# Left to --long: what takes a minute to say that a file is as generated, or that the installed
# package serves programs; and the page of a certificate in a browser where there is none, which
# --long installs.
without=()
if [[ $long == false ]]; then
  without=(--label-exclude '^(slow|browser)$')
  if command -v chromium >/dev/null; then without=(--label-exclude '^slow$'); fi
fi

step 'clang-format' format || true
if build release -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++ "${release[@]}"; then
  suite release ${without[@]:+"${without[@]}"}
  if [[ ${#without[@]} -gt 0 ]]; then
    left=$(ctest --preset release --show-only --label-regex "${without[1]}" |
      sed -n 's/.*Test *#[0-9]*: //p' | tr '\n' ' ')
    echo "== release: left to --long: $left"
  fi
fi
if [[ $quick == false ]]; then
  targets=("${sanitized_targets[@]}")
  if build asan-ubsan "${sanitized[@]}"; then
    suite asan-ubsan --label-regex '^(unit|kernels)$'
  fi
  targets=()
  if [[ $long == true ]] && build release-clang "${clang[@]}"; then
    suite release-clang --label-regex '^(unit|kernels)$'
    step 'clang-tidy' tidy || true
  fi
  targets=()
  if [[ $long == true ]] && build fuzz "${fuzz[@]}"; then
    for seeds in fuzz/seeds/*; do
      step "fuzz: ${seeds##*/}" fuzz/campaign.sh "${seeds##*/}" 60 || true
    done
  fi
fi

echo "== $SECONDS s in total"
if [[ ${#failed_steps[@]} -gt 0 ]]; then
  printf '== FAILED: %s\n' "${failed_steps[@]}"
fi
if [[ $skipped -gt 0 ]]; then
  echo '== NOT EXERCISED: this is not a pass; see the messages above'
  echo "$passed passed, $failed failed, $skipped skipped"
else
  echo "$passed passed, $failed failed"
fi
if [[ $failed -gt 0 ]]; then exit 1; fi
if [[ $skipped -gt 0 ]]; then
  if [[ ${CI:-} == true ]]; then exit 1; fi
  exit 4
fi
[[ $passed -gt 0 ]]
