# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# Sourced by tests of the command, with $work set: an empty folder to work in, and what a run must
# do and say.
rm -rf "$work"
mkdir -p "$work"
cd "$work"
export NO_COLOR=1

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
expect() {  # CODE COMMAND...: its exit code; standard output to out, standard error to err
  local want=$1 code=0
  shift
  "$@" >out 2>err || code=$?
  [[ $code == "$want" ]] || { cat err; fail "exit code $code, want $want: $*"; }
}
says() { grep -qF -- "$2" "$1" || { cat "$1"; fail "$1 lacks: $2"; }; }
absent() { [[ ! -e $1 ]] || fail "$1 is there"; }
