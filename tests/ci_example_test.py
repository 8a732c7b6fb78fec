# SPDX-License-Identifier: Apache-2.0
"""The examples for a user's CI: gate.sh is run, and the workflow names only what exists."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

QUANTPROOF, BROKEN, ROOT, WORK = sys.argv[1], sys.argv[2], *map(pathlib.Path, sys.argv[3:5])
GATE = ROOT / "tools/examples/ci/gate.sh"
shutil.rmtree(WORK, ignore_errors=True)
WORK.mkdir(parents=True)
baseline, reports = WORK / "baseline.json", WORK / "reports"


def require(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


def gate(want_code, *arguments):
    done = subprocess.run([GATE, *arguments], env={**os.environ, "QUANTPROOF": QUANTPROOF},
                          capture_output=True, text=True, check=False)
    require(done.returncode == want_code, f"{arguments}: exit code {done.returncode}, want "
            f"{want_code}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def options(symbol):
    return (baseline, reports, "--target", f"lib:{BROKEN},preset=ggml,symbol={symbol}",
            "--seconds", "0", "--claim", "IQ3XXS-ROWS-1")


require("made" in gate(4, *options("right_ggml")), "the first run makes a baseline")
require("nothing got worse" in gate(0, *options("right_ggml")), "the second one compares")
for name in ("certificate.json", "certificate.html", "certificate.xml", "gate.xml", "gate.sarif"):
    require((reports / name).stat().st_size > 0, f"{name} is missing")
gate(2, *options("stale_62"))  # another function is another target
baseline.unlink()
gate(4, *options("stale_62"))
good = json.loads(baseline.read_text(encoding="utf-8"))
good["claims"][0]["verdict"] = "pass"
good["summary"].update({"pass": 1, "fail": 0})
baseline.write_text(json.dumps(good), encoding="utf-8")
require("FAILED: something got worse" in gate(1, *options("stale_62")), "it got worse")
gate(2, baseline, reports)
gate(3, baseline, reports, "--target", "lib:missing.so")

text = (ROOT / "tools/examples/ci/github-actions.yml").read_text(encoding="utf-8")
workflow = yaml.safe_load(text)
(job,) = workflow["jobs"].values()
commands = "\n".join(step["run"] for step in job["steps"] if "run" in step)
require("tools/setup.sh" in commands and (ROOT / "tools/setup.sh").exists(), "setup.sh")
for function in ("install_missing", "build_packages"):
    require(re.search(rf"^{function}(\(\)|=)", (ROOT / "tools/setup.sh").read_text(
        encoding="utf-8"), flags=re.M), f"setup.sh has no {function}")
presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))
(preset,) = set(re.findall(r"--preset (\S+)", commands))
for kind in ("configurePresets", "buildPresets"):
    require(preset in [p["name"] for p in presets[kind]], f"no preset {preset}")
cmake = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
for option in re.findall(r"-D(\w+)=", commands):
    require(re.search(rf"^option\({option} ", cmake, flags=re.M), f"no CMake option {option}")
require(job["env"]["QUANTPROOF"] == f"quantproof/build/{preset}/tools/quantproof", "QUANTPROOF")
call = re.search(r"^ci/gate\.sh (\S+) (\S+) (.*)$", commands, flags=re.M)
uploads = [step["with"] for step in job["steps"] if "with" in step]
require(uploads[0]["path"] == call[2] and uploads[1]["sarif_file"] == f"{call[2]}/gate.sarif",
        "what is uploaded is not what gate.sh writes")

# Every option that the examples give to the command is one of its options.
for command, given in (("certify", call[3] + GATE.read_text(encoding="utf-8").split(
        '"$quantproof" certify')[1].split("||")[0]),
                       ("gate", GATE.read_text(encoding="utf-8").split('"$quantproof" gate')[1])):
    told = subprocess.run([QUANTPROOF, command, "--help"], capture_output=True, text=True,
                          check=True).stdout
    for option in re.findall(r"--[a-z-]+", given):
        require(re.search(rf"{option}\b", told), f"{command} has no {option}")
print("CI examples: gate.sh works, the workflow names what exists")
