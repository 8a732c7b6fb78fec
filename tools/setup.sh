# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# Sourced by certify.sh and check.sh: what a Debian machine needs, and its installation.

# To build the command with its proofs, and the solvers that check the proofs again.
build_packages=(g++ cmake ninja-build pkg-config libhwy-dev libz3-dev libcli11-dev
  libfmt-dev nlohmann-json3-dev libssl-dev cvc5 boolector cadical
  libzydis-dev libsimde-dev binutils)

# To build and run every test as well.
# shellcheck disable=SC2034  # used by check.sh
check_packages=("${build_packages[@]}" clang clang-format clang-tidy libclang-rt-dev libgtest-dev
  libgmock-dev librapidcheck-dev libbenchmark-dev python3 python3-jsonschema python3-yaml)

# For the tests of the long tier.
# shellcheck disable=SC2034  # used by check.sh
long_packages=(chromium)

# install_missing PACKAGE...: says on stderr what it will install, then installs that.
install_missing() {
  local package
  local -a missing=() as_root=()
  for package in "$@"; do
    if [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null) != \
      installed ]]; then
      missing+=("$package")
    fi
  done
  if [[ ${#missing[@]} -eq 0 ]]; then
    return 0
  fi
  echo "setup: these Debian packages are missing and will be installed: ${missing[*]}" >&2
  if [[ $(id -u) -ne 0 ]]; then
    if ! command -v sudo >/dev/null; then
      echo 'setup: this needs root, and there is no sudo; run it as root' >&2
      return 4
    fi
    as_root=(sudo)
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update --quiet=2 >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install --quiet=2 --yes --no-install-recommends "${missing[@]}" >&2
}

# An npm that is not Debian's serves as well, and Debian's cannot be installed beside it.
install_npm_if_missing() {
  if ! command -v npm >/dev/null; then
    install_missing npm
  fi
}

# Builds never use more than two cores.
jobs=$(nproc)
if [[ $jobs -gt 2 ]]; then jobs=2; fi
readonly jobs
