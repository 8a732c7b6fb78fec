#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: llama_interop.sh QUANTPROOF DATA WORK
#
# Quantized models in the real llama.cpp. Needs QUANTPROOF_LLAMA_DIR (tools/get_llama.sh prints it);
# without it the test is SKIPPED (77), and under CI it fails.
set -euo pipefail
quantproof=$1
data=$2
work=$3
script=$(cd "$(dirname "$0")" && pwd)/llama_interop.py
if [[ -z ${QUANTPROOF_LLAMA_DIR:-} || ! -d ${QUANTPROOF_LLAMA_DIR:-} ]]; then
  echo "############################################################" >&2
  echo "# NOT RUN: no model was run in the real llama.cpp.         #" >&2
  echo "# Set QUANTPROOF_LLAMA_DIR to what tools/get_llama.sh      #" >&2
  echo "# prints.                                                  #" >&2
  echo "############################################################" >&2
  [[ ${CI:-} == true ]] && exit 1
  exit 77
fi
rm -rf "$work"
mkdir -p "$work"
cd "$work"

# Ours, and the file that llama.cpp made itself: each as it is and with its weights as F32. Where the
# weights are the same, so is the text, but for near ties: the engine's arithmetic is not the same.
run() { python3 "$script" "$QUANTPROOF_LLAMA_DIR" "$@"; }
"$quantproof" quantize "$data/model-f16.gguf" ours.gguf --type iq3_xxs --imatrix "$data/imatrix.gguf" \
  --tensor-type '^output\.weight$=iq3_xxs' >ours.txt
cp "$data/llamacpp-iq3_xxs.gguf" theirs.gguf
for model in ours theirs; do
  "$quantproof" quantize $model.gguf $model-f32.gguf --type f32 --tensor-type 'output=f32' >$model-f32.txt
  for prompt in 'I had been, at that time, in the habit of ' \
    'The variation of species under domestication '; do
    echo "== $model"
    run $model-f32.gguf $model.gguf "$prompt" 64
  done
done
# It can fail: with the values of one layer in the place of another's, the text is another.
offset_of() {
  "$quantproof" inspect ours.gguf --json - | python3 -c 'import json, sys
print([t["offset"] for t in json.load(sys.stdin)["tensors"] if t["name"] == sys.argv[1]][0])' "$1"
}
cp ours.gguf swapped.gguf
dd if=ours.gguf of=swapped.gguf bs=1 count=25088 conv=notrunc status=none \
  skip="$(offset_of blk.1.attn_v.weight)" seek="$(offset_of blk.0.attn_v.weight)"
if run ours-f32.gguf swapped.gguf 'The variation of species under domestication ' 64 >swapped.txt 2>&1; then
  cat swapped.txt
  exit 1
fi
# A model whose file is damaged in one scale is not loaded: the check above can fail.
cp ours.gguf damaged.gguf
offset=$(offset_of blk.0.attn_q.weight)
printf '\x00\x7e' | dd of=damaged.gguf bs=1 seek="$offset" conv=notrunc status=none
if run damaged.gguf damaged.gguf a 1 >refused.txt 2>&1; then exit 1; fi
grep -q 'does not load' refused.txt
if "$quantproof" inspect damaged.gguf >damaged.txt; then exit 1; fi
grep -q 'row 0, block 0, scale at 0: scale_not_finite' damaged.txt
echo 'llama.cpp: the same text from IQ3_XXS and from its weights as F32'
