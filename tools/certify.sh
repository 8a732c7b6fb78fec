#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: tools/certify.sh [ARGUMENT]...
#
# Installs what is missing (Debian, as root or with sudo), builds Release, and runs
# `quantproof certify ARGUMENT...`: with no arguments, certifies the built-in fast path and prints
# the claim table. stdout carries only that; exits with its exit code.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=tools/setup.sh
source "$root/tools/setup.sh"

install_missing "${build_packages[@]}"

build=$root/build/certify
{
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DQUANTPROOF_TOOLS=ON \
    -DQUANTPROOF_PROOFS=ON -DQUANTPROOF_TESTS=OFF -DQUANTPROOF_BENCH=OFF
  cmake --build "$build" --parallel "$jobs"
} >&2

exec "$build/tools/quantproof" certify "$@"
