#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/recheck.sh QUANTPROOF
#
# Second opinions on a sample of the proofs: one of each logic and of each kernel; those of machine
# code are in other_compiler.sh. With QUANTPROOF_LONG=1 on all of them.
set -euo pipefail

sample=(HALF-WIDEN-2 IQ3-SIGN-1 IQ3ENC-SPLIT-1 IQ3XXS-KERNEL-1 KAIJU1-CODE-1 KAIJU1-LAYOUT-1
  LEECH-COST-1 LEECH-DN-1 LEECH-DN-2 LEECH-TIE-1 LEECH-WORD-2 TRANSCODE-1)
claims=()
if [[ ${QUANTPROOF_LONG:-} != 1 ]]; then
  for claim in "${sample[@]}"; do claims+=(--claim "$claim"); done
fi
exec "$1" prove --recheck "${claims[@]}"
