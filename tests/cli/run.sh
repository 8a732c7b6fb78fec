#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The command line as tested text. Each cases/NAME.sh is run with $quantproof, $broken and $examples
# (tools/examples) set; its standard output, standard error and exit code must be those of NAME.expected. UPDATE=1 rewrites
# the expectations. Times, digests and the names of machine, compiler and levels are masked.
set -uo pipefail
export quantproof=$1 broken=$2
work=$3
cases=$(cd "$(dirname "$0")/cases" && pwd)
examples=$(cd "$(dirname "$0")/../../tools/examples" && pwd)
export examples
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1
export NO_COLOR=1

mask() {
  sed -E -e 's/ +[0-9]+\.[0-9]{3}  / SECONDS  /' -e 's/; [0-9.]+ s$/; TIME s/' -e 's#; [0-9]+ cases/s;#; RATE;#' \
    -e 's/^host +.*/host HOST/' -e 's/specification [0-9a-f]{16}/specification DIGEST/' \
    -e 's/SHA-256 [0-9a-f]{64}/SHA-256 DIGEST/' \
    -e 's/"(spec_digest|sha256|cpu|compiler)": "[^"]*"/"\1": "MASKED"/' \
    -e 's/"seconds": [0-9.e-]+/"seconds": 0/' \
    -e '/^levels /d' -e '/^ +NOT run: /d' -e "s#$broken#BROKEN#g" -e "s#$examples#EXAMPLES#g" -e '/^\[[0-9]+\/[0-9]+\] /d'
}

failed=0
total=0
for script in "$cases"/*.sh; do
  name=$(basename "$script" .sh)
  mkdir -p "$name"
  (cd "$name" && bash "$script" >../"$name.out" 2>../"$name.err")
  code=$?
  { echo "exit $code"; echo "--- stdout"; mask <"$name.out"; echo "--- stderr"; mask <"$name.err"; } \
    >"$name.actual"
  if [[ ${UPDATE:-} == 1 ]]; then cp "$name.actual" "$cases/$name.expected"; fi
  total=$((total + 1))
  if ! diff -u "$cases/$name.expected" "$name.actual"; then
    echo "FAILED: $name"
    failed=$((failed + 1))
  fi
done
echo "$((total - failed)) of $total command-line cases as expected"
[[ $failed == 0 && $total -gt 0 ]]
