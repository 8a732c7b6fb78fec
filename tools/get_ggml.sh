#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: tools/get_ggml.sh [DIR]
#
# Fetches the real peer, ggml's libggml-base.so of llama.cpp v0.4.0 for x86-64, as the npm package
# of node-llama-cpp (MIT) carries it, checks its SHA-256 and prints its path as the last line of
# stdout. DIR: default $XDG_CACHE_HOME/quantproof/ggml. A second run only checks and prints.
# Exit codes: 0 it is there; 1 its SHA-256 is wrong; 2 usage; 4 it cannot be had on this machine.
set -euo pipefail

package='@node-llama-cpp/linux-x64@3.21.1'
folder='package/bins/linux-x64'
name='libggml-base.so'
sha256='1eba024559799447e34687e12b6794e79ad3768a1b3d2cbca9fadc829f0f85c7'

if [[ $# -gt 1 || ${1:-} == -* ]]; then
  echo "usage: $0 [DIR]" >&2
  exit 2
fi
dir=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/quantproof/ggml}

not_here() {
  {
    echo '************************************************************************'
    echo "* NO PEER: $*"
    echo '* Nothing will be compared with the real ggml. This is not a pass.'
    echo '************************************************************************'
  } >&2
  exit 4
}

is_pinned() { [[ -f $1 ]] && echo "$sha256  $1" | sha256sum --check --status; }

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
if is_pinned "$dir/$name"; then
  echo "$dir/$name"
  exit 0
fi

[[ $(uname -sm) == 'Linux x86_64' ]] || not_here "$package is for Linux on x86-64, this is $(uname -sm)"
command -v npm >/dev/null || not_here 'npm is not installed'

work=$(mktemp -d "$dir/.get_ggml.XXXXXX")
trap 'rm -rf "$work"' EXIT
echo "get_ggml: npm pack $package (10 MB)" >&2
npm pack --silent --fetch-retries=1 --pack-destination "$work" "$package" >&2 ||
  not_here "npm pack $package failed (is the npm registry reachable?)"
tar -xzf "$work"/*.tgz -C "$work" --strip-components=1 package/LICENSE
tar -xzf "$work"/*.tgz -C "$work" --strip-components=3 "$folder/$name"
if ! is_pinned "$work/$name"; then
  echo "get_ggml: $name of $package has SHA-256 $(sha256sum <"$work/$name"), expected $sha256" >&2
  exit 1
fi
mv "$work/LICENSE" "$dir/LICENSE"
mv "$work/$name" "$dir/$name"
echo "$dir/$name"
