#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Certifies the real ggml decoder. Needs QUANTPROOF_GGML_LIB (tools/get_ggml.sh prints it);
# without it the test is SKIPPED (77), and under CI it fails.
set -euo pipefail
quantproof=$1
work=$2
if [[ -z ${QUANTPROOF_GGML_LIB:-} || ! -f ${QUANTPROOF_GGML_LIB:-} ]]; then
  echo "############################################################" >&2
  echo "# NOT RUN: the real ggml decoder was not certified.        #" >&2
  echo "# Set QUANTPROOF_GGML_LIB to the path tools/get_ggml.sh    #" >&2
  echo "# prints.                                                  #" >&2
  echo "############################################################" >&2
  [[ ${CI:-} == true ]] && exit 1
  exit 77
fi
rm -rf "$work"
mkdir -p "$work"
"$quantproof" certify --target "lib:$QUANTPROOF_GGML_LIB,preset=ggml" --json "$work/ggml.json" \
  | tee "$work/ggml.txt"
grep -q '^11 claims: 11 pass, 0 fail, 0 refused, 0 not exercised' "$work/ggml.txt"

# Its machine code is proved for all contents, not only run.
"$quantproof" prove --object "$QUANTPROOF_GGML_LIB" --symbol dequantize_row_iq3_xxs \
  --format iq3_xxs | tee "$work/proof.txt"
grep -q '^1 claim: 1 pass, 0 fail, 0 refused, 0 not exercised' "$work/proof.txt"

# The same function under a profile it does not have must not pass: its infinite scales decode.
code=0
"$quantproof" certify --target "lib:$QUANTPROOF_GGML_LIB,preset=ggml" --profile strict \
  >"$work/strict.txt" || code=$?
[[ $code == 4 ]] || { echo "profile strict: exit code $code, want 4"; exit 1; }
# And under profile colibri its exact subnormal scales are a difference.
code=0
"$quantproof" certify --target "lib:$QUANTPROOF_GGML_LIB,preset=ggml" --profile colibri \
  >"$work/colibri.txt" || code=$?
[[ $code == 1 ]] || { echo "profile colibri: exit code $code, want 1"; exit 1; }
echo "the real ggml decoder: 11 claims pass under profile ggml"

# Its encoder: what it does well passes, and what ends the process is found, not suffered.
code=0
"$quantproof" certify --encoder --target "lib:$QUANTPROOF_GGML_LIB,preset=ggml" --seconds 0 \
  >"$work/encoder.txt" || code=$?
[[ $code == 1 ]] || { echo "the encoder: exit code $code, want 1"; exit 1; }
for line in '^pass +IQ3ENC-ERROR-1' '^pass +IQ3ENC-OUTPUT-1' '^pass +IQ3ENC-REPEAT-1' \
  '^FAIL +IQ3ENC-GAP-1' 'a weight NaN: ended by signal 6' 'importances all 0: relative squared error' \
  'a weight 1e8: writes a scale that is not finite'; do
  grep -Eq "$line" "$work/encoder.txt" || { echo "the encoder: no \"$line\""; cat "$work/encoder.txt"; exit 1; }
done
echo "the real ggml encoder: 3 claims pass, 2 fail, as the specification's notes say"
