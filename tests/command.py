# SPDX-License-Identifier: Apache-2.0
"""What the tests of reports and of the gate share: the command, and what a run must do."""
import subprocess
import sys

QUANTPROOF = sys.argv[1]


def require(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


def run(want_code, *arguments):
    """The standard output of the command, whose exit code must be want_code."""
    done = subprocess.run([QUANTPROOF, *map(str, arguments)], capture_output=True, text=True,
                          check=False)
    require(done.returncode == want_code, f"{arguments}: exit code {done.returncode}, want "
            f"{want_code}\n{done.stdout}{done.stderr}")
    return done.stdout
