#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/other_compiler.sh QUANTPROOF LIBRARY NAME
#
# qp_decode_at as the compiler made it that did not build the command: proved on every level of
# LIBRARY, under profile strict, with the opinions of other solvers on the proof of IQ3_XXS; with
# QUANTPROOF_LONG=1 under every profile, with opinions on all. NAME is what the compiler calls itself
# in an object file. Skipped (77) where LIBRARY is empty, for there is no such compiler.
set -euo pipefail

quantproof=$1
library=$2
name=$3
if [[ -z $library ]]; then
  echo "$0: no $name here, nothing is proved of it" >&2
  exit 77
fi

profiles=(strict)
if [[ ${QUANTPROOF_LONG:-} == 1 ]]; then profiles=(strict ggml colibri); fi
for format in iq3_xxs e8_iq3; do
  opinions=()
  if [[ $format == iq3_xxs || ${QUANTPROOF_LONG:-} == 1 ]]; then opinions=(--recheck); fi
  for profile in "${profiles[@]}"; do
    certificate=$("$quantproof" prove --object "$library" --preset qp --format "$format" \
      --profile "$profile" "${opinions[@]}" --json -)
    # The claim is about this function of this file, made by this compiler.
    grep -q "\"statement\": \"The machine code of qp_decode_at in $library (SHA-256 " \
      <<<"$certificate"
    grep -o "\"detail\": \".*" <<<"$certificate" | grep "$name"
  done
done
