#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: gate.sh BASELINE REPORTS CERTIFY_OPTION...
#
# Certifies your decoder and holds the certificate against the one that you keep in your repository,
# for any CI system. BASELINE: that file. REPORTS: a folder for the certificate, the page, JUnit and
# SARIF. The options are those of `quantproof certify`, for example
#     gate.sh quantproof-baseline.json reports --target lib:./mine.so,preset=ggml
# QUANTPROOF names the command where it is not in the path. Exit codes: those of `quantproof gate`;
# 4 also for the first run, which makes the baseline: look at it, then commit it.
set -eu

if [ $# -lt 3 ]; then
  sed -n 's/^# usage: /usage: /p' "$0" >&2
  exit 2
fi
quantproof=${QUANTPROOF:-quantproof}
baseline=$1
reports=$2
shift 2
mkdir -p "$reports"

# What fails in the baseline too is the gate's to judge; without a certificate there is nothing to.
certified=0
"$quantproof" certify "$@" --force --json "$reports/certificate.json" \
  --html "$reports/certificate.html" --junit "$reports/certificate.xml" || certified=$?
case $certified in
  0 | 1 | 4) ;;
  *) exit "$certified" ;;
esac

if [ ! -e "$baseline" ]; then
  cp "$reports/certificate.json" "$baseline"
  echo "gate.sh: made $baseline; look at it and commit it" >&2
  exit 4
fi

"$quantproof" gate --baseline "$baseline" --current "$reports/certificate.json" --force \
  --junit "$reports/gate.xml" --sarif "$reports/gate.sarif"
