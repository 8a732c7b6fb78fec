# SPDX-License-Identifier: Apache-2.0
"""The certificates that the command writes, against the checked-in schema."""
import json
import pathlib
import subprocess
import sys

import jsonschema

QUANTPROOF, BROKEN, ROOT = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
SCHEMA = json.loads((ROOT / "spec/certificate.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def run(want_code, *arguments):
    done = subprocess.run([QUANTPROOF, "certify", "--json", "-", *arguments],
                          capture_output=True, text=True, check=False)
    if done.returncode != want_code:
        sys.exit(f"{arguments}: exit code {done.returncode}, want {want_code}\n{done.stderr}")
    document = json.loads(done.stdout)
    VALIDATOR.validate(document)
    return document


LIBRARY = f"lib:{BROKEN},preset=ggml,symbol="
good = run(0, "--claim", "IQ3XXS-CODES-1", "--claim", "HALF-WIDEN-1")
run(0, "--target", LIBRARY + "right_ggml", "--seconds", "0")
run(1, "--target", LIBRARY + "stale_62", "--claim", "IQ3XXS-ROWS-1")
run(4, "--target", LIBRARY + "untouched", "--claim", "IQ3XXS-ROWS-1")
run(2, "--target", "nowhere")
run(3, "--target", "lib:missing.so")

# The order of keys is part of the format, and a run repeats but for its times.
order = ["tool", "spec_digest", "profile", "seed", "host", "levels", "target", "coverage", "claims",
         "encoders", "summary"]
if list(good) != order:
    sys.exit(f"keys in order {list(good)}")
again = run(0, "--claim", "IQ3XXS-CODES-1", "--claim", "HALF-WIDEN-1")
for document in (good, again):
    for claim in document["claims"]:
        claim["seconds"] = 0
if good != again:
    sys.exit("two runs differ in more than their times")

# The schema is worth something only if it rejects.
for path in [(), ("tool",), ("host",), ("levels",), ("target",), ("claims", 0), ("summary",)]:
    spoiled = json.loads(json.dumps(good))
    place = spoiled
    for key in path:
        place = place[key]
    place["unknown_key"] = 1
    if VALIDATOR.is_valid(spoiled):
        sys.exit(f"the schema accepts an unknown key at {path}")
print("certificates: valid, stable, and the schema rejects unknown keys")
