#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: fuzz/campaign.sh TARGET SECONDS [CORPUS]
#
# Runs the libFuzzer target TARGET (a folder of fuzz/seeds) of the preset fuzz for SECONDS, going on
# from CORPUS (default build/fuzz/corpus/TARGET) and the seeds in fuzz/seeds/TARGET. What it learns
# stays in CORPUS; findings are written beside it.
# QUANTPROOF_FUZZ_BUILD: the build folder, default build/fuzz.
# Exit codes: 0 no finding; 1 a finding; 2 usage; 4 the target is not built.
set -euo pipefail

if [[ $# -lt 2 || $# -gt 3 || ! $2 =~ ^[0-9]+$ ]]; then
  echo "usage: $0 TARGET SECONDS [CORPUS]" >&2
  exit 2
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${QUANTPROOF_FUZZ_BUILD:-$root/build/fuzz}
target=$1
seconds=$2
corpus=${3:-$build/corpus/$target}
seeds=$root/fuzz/seeds/$target
if [[ ! -d $seeds ]]; then
  echo "campaign: there is no target $target" >&2
  exit 2
fi
program=$build/fuzz/${target}_fuzz
if [[ ! -x $program ]]; then
  echo "campaign: $program is not built: cmake --preset fuzz && cmake --build --preset fuzz" >&2
  exit 4
fi
mkdir -p "$corpus"
case $target in
  iq3_xxs | e8_iq3 | transcode) max_len=1024 ;;  # ten blocks
  *) max_len=4096 ;;
esac
code=0
"$program" -max_len="$max_len" -max_total_time="$seconds" -timeout=10 -print_final_stats=1 \
  -artifact_prefix="${corpus%/}-" "$corpus" "$seeds" || code=$?
if [[ $code -ne 0 ]]; then
  echo "campaign: a finding (exit code $code): see ${corpus%/}-*; run it again with" >&2
  echo "  $program FILE" >&2
  exit 1
fi
