# SPDX-License-Identifier: Apache-2.0
"""The certificates and fuzz results that the command writes, against the checked-in schemas."""
import json
import pathlib
import subprocess
import sys

import jsonschema

QUANTPROOF, BROKEN, ROOT = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
SCHEMA = json.loads((ROOT / "spec/certificate.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


FUZZ_VALIDATOR = jsonschema.Draft202012Validator(
    json.loads((ROOT / "spec/fuzz.schema.json").read_text(encoding="utf-8")))


def run(want_code, *arguments, command="certify", validator=VALIDATOR):
    done = subprocess.run([QUANTPROOF, command, "--json", "-", *arguments],
                          capture_output=True, text=True, check=False)
    if done.returncode != want_code:
        sys.exit(f"{arguments}: exit code {done.returncode}, want {want_code}\n{done.stderr}")
    document = json.loads(done.stdout)
    validator.validate(document)
    return document


def fuzz(want_code, *arguments):
    return run(want_code, *arguments, command="fuzz", validator=FUZZ_VALIDATOR)


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
# The same for fuzz results: a case is made of seed and number alone.
cases = ["--format", "iq3_xxs", "--cases", "40", "--target"]
fuzz(0, *cases, LIBRARY + "right_ggml")
fuzz(4, *cases, LIBRARY + "untouched")
fuzz(2, *cases, "nowhere")
found, again = fuzz(1, *cases, LIBRARY + "stale_62"), fuzz(1, *cases, LIBRARY + "stale_62")
for document in (found, again):
    document["seconds"] = 0
if found != again:
    sys.exit("two runs of fuzz differ in more than their times")
for path in [(), ("tool",), ("target",), ("findings", 0)]:
    spoiled = json.loads(json.dumps(found))
    place = spoiled
    for key in path:
        place = place[key]
    place["unknown_key"] = 1
    if FUZZ_VALIDATOR.is_valid(spoiled):
        sys.exit(f"the fuzz schema accepts an unknown key at {path}")
print("certificates: valid, stable, and the schema rejects unknown keys")
