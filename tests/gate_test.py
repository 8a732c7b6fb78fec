# SPDX-License-Identifier: Apache-2.0
"""gate on certificates that are worse in one way each."""
import json
import pathlib
import sys
import xml.etree.ElementTree

import jsonschema

sys.dont_write_bytecode = True  # an import must not leave files in the source tree
from command import require, run

BROKEN, ROOT, WORK = sys.argv[2], *map(pathlib.Path, sys.argv[3:5])
ENCODERS = pathlib.Path(BROKEN).with_name("libbroken_encoders.so")
SCHEMA = json.loads((ROOT / "spec/gate.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
SARIF = json.loads((ROOT / "tests/data/sarif.schema.json").read_text(encoding="utf-8"))
WORK.mkdir(parents=True, exist_ok=True)


def copy(document):
    return json.loads(json.dumps(document))


def write(name, certificate):
    verdicts = [claim["verdict"] for claim in certificate["claims"]]
    certificate["summary"] = {v: verdicts.count(v)
                              for v in ("pass", "fail", "refused", "not_exercised")}
    path = WORK / f"{name}.json"
    path.write_text(json.dumps(certificate), encoding="utf-8")
    return path


base = json.loads(run(0, "certify", "--measure", "--seconds", "0", "--json", "-",
                      "--claim", "HALF-WIDEN-1", "--claim", "IQ3XXS-CODES-1",
                      "--claim", "IQ3XXS-ROWS-1"))
BASELINE = write("baseline", copy(base))


def gate(name, want_code, change, want, baseline_changes=None, options=()):
    """`want`: the (kind, outcome) of all comparisons that are not "same"."""
    current = copy(base)
    change(current)
    before = BASELINE
    if baseline_changes:
        changed = copy(base)
        baseline_changes(changed)
        before = write(f"{name}_baseline", changed)
    junit = WORK / f"{name}.xml"
    sarif = WORK / f"{name}.sarif"
    arguments = ["gate", "--baseline", before, "--current", write(name, current), *options]
    result = json.loads(run(want_code, *arguments, "--json", "-", "--junit", junit, "--sarif",
                            sarif, "--force"))
    VALIDATOR.validate(result)
    rows = result["comparisons"]
    found = [(row["kind"], row["outcome"]) for row in rows if row["outcome"] != "same"]
    require(found == want, f"{name}: {found}, want {want}")
    for outcome, count in result["summary"].items():
        require(count == sum(row["outcome"] == outcome for row in rows), f"{name}: summary")
    require(result["verdict"] == {0: "pass", 1: "fail", 4: "not_exercised"}[want_code],
            f"{name}: verdict {result['verdict']}")
    suites = xml.etree.ElementTree.parse(junit).getroot()
    counts = [int(suites.get(key)) for key in ("tests", "failures", "errors")]
    require(counts == [len(rows), result["summary"]["worse"], result["summary"]["not_run"]],
            f"{name}: JUnit counts {counts}")
    jsonschema.Draft202012Validator(SARIF).validate(json.loads(sarif.read_text(encoding="utf-8")))
    text = run(want_code, *arguments)
    for row in rows:
        line = f"{row['kind']} {row['subject']}"
        require((line in text) == (row["outcome"] != "same"), f"{name}: text and {line}")
    return rows


def claim(certificate, number=1):
    return certificate["claims"][number]


def verdict(value):
    return lambda c: claim(c).update(verdict=value, detail="because")


def slower(factor):
    def change(certificate):
        certificate["measurements"][0]["peer_ratio"] *= factor
    return change


gate("same", 0, lambda c: None, [])
gate("lost", 1, lambda c: c["claims"].pop(1), [("claim", "worse")])
rows = gate("fails", 1, verdict("fail"), [("claim", "worse")])
require([r["detail"] for r in rows if r["outcome"] == "worse"] == ["because"], "detail")
gate("refused", 4, verdict("refused"), [("claim", "not_run")])
gate("not_exercised", 4, verdict("not_exercised"), [("claim", "not_run")])
gate("fails_now", 1, verdict("fail"), [("claim", "worse")], verdict("not_exercised"))
gate("better", 0, lambda c: None, [("claim", "better")], verdict("fail"))
gate("still_fails", 0, verdict("fail"), [("claim", "note")], verdict("fail"))
gate("new", 0, lambda c: None, [("claim", "note")], lambda c: c["claims"].pop(1))
gate("new_fails", 0, verdict("fail"), [("claim", "note")], lambda c: c["claims"].pop(1))
gate("method_weaker", 1, lambda c: claim(c).update(method="property"), [("claim", "worse")])
gate("method_stronger", 0, lambda c: None, [("claim", "better")],
     lambda c: claim(c).update(method="measurement"))
gate("method_other", 0, lambda c: claim(c).update(method="smt"), [("claim", "note")])
gate("domain", 0, lambda c: claim(c).update(domain="less"), [("claim", "note")])
gate("statement", 0, lambda c: claim(c).update(statement="other"), [("claim", "note")])
gate("specification", 1, lambda c: c.update(spec_digest="0" * 64), [("specification", "worse")])
gate("bytes", 1, lambda c: c["encoders"][2].update(sha256="0" * 64), [("encoder", "worse")])
gate("encoder_gone", 4, lambda c: c["encoders"].pop(0), [("encoder", "not_run")])
gate("corpus", 4, lambda c: c["encoders"][0].update(corpus="other"), [("encoder", "not_run")])
gate("no_encoders", 4, lambda c: c.pop("encoders"), len(base["encoders"]) * [
    ("encoder", "not_run")])
gate("level", 4, lambda c: c["levels"]["run"].pop(0), [("level", "not_run")])
gate("new_level", 0, lambda c: c["levels"]["run"].append("NEON"), [("level", "note")])
gate("slower", 1, slower(0.7), [("measurement", "worse")])
gate("little_slower", 0, slower(0.8), [])
gate("allowed", 0, slower(0.7), [], options=("--speed-loss", "40"))
gate("not_allowed", 1, slower(0.95), [("measurement", "worse")], options=("--speed-loss", "4"))
gate("faster", 0, slower(3), [])
gate("not_measured", 4, lambda c: c.pop("measurements"), len(base["measurements"]) * [
    ("measurement", "not_run")])
# What is worse counts more than what did not run.
gate("both", 1, lambda c: (verdict("fail")(c), c["encoders"].pop(0)),
     [("claim", "worse"), ("encoder", "not_run")])
# Nothing that passes: nothing is held.
gate("nothing_passes", 4, lambda c: [x.update(verdict="fail") for x in c["claims"]],
     len(base["claims"]) * [("claim", "note")],
     lambda c: [x.update(verdict="fail") for x in c["claims"]])

# What cannot be compared is refused, and no report says otherwise.
for name, change in {"seed": lambda c: c.update(seed=2),
                     "profile": lambda c: c.update(profile="strict"),
                     "target": lambda c: c.update(target={"kind": "cmd", "command": "x"})}.items():
    other = copy(base)
    change(other)
    answer = run(2, "gate", "--baseline", BASELINE, "--current", write(f"other_{name}", other),
                 "--json", "-")
    require(json.loads(answer)["error"]["exit_code"] == 2, name)
run(3, "gate", "--baseline", WORK / "absent.json")
run(2, "gate", "--baseline", write("empty", dict(copy(base), claims=[])))
run(2, "gate", "--baseline", BASELINE, "--speed-loss", "101")

# Without --current the baseline's target is certified again: the same claims, profile and seed.
LIBRARY = f"lib:{BROKEN},preset=ggml,symbol="
target = WORK / "library.json"
run(1, "certify", "--target", LIBRARY + "stale_62", "--seconds", "0", "--seed", "7",
    "--claim", "IQ3XXS-CODES-1", "--claim", "IQ3XXS-ROWS-1", "--json", target, "--force")
certificate = json.loads(target.read_text(encoding="utf-8"))
again = json.loads(run(0, "gate", "--baseline", target, "--seconds", "0", "--json", "-"))
VALIDATOR.validate(again)
require(sorted(r["subject"] for r in again["comparisons"] if r["kind"] == "claim") ==
        ["IQ3XXS-CODES-1", "IQ3XXS-ROWS-1"], "the claims of the baseline, and no others")
require(again["seed"] == 7 and again["current"]["target"] == certificate["target"], "again")
claim(certificate)["verdict"] = "pass"
run(1, "gate", "--baseline", write("library_passed", copy(certificate)), "--seconds", "0")
certificate["claims"].append(dict(claim(certificate), id="IQ3XXS-GONE-1"))
lost = json.loads(run(1, "gate", "--baseline", write("library_gone", certificate), "--json", "-"))
require([r["current"] for r in lost["comparisons"] if r["subject"] == "IQ3XXS-GONE-1"] ==
        ["absent"], "a claim that this version does not make is lost")

# The same for a command.
command = WORK / "command.json"
run(0, "certify", "--target", f"cmd:{sys.executable} {ROOT / 'tools/examples/iq3_xxs_target.py'}",
    "--format", "iq3_xxs", "--seconds", "0", "--claim", "IQ3XXS-CODES-1", "--json", command,
    "--force")
run(0, "gate", "--baseline", command, "--seconds", "0")

# And for an encoder whose preset fits both formats: the certificate says which one it was.
encoder = WORK / "encoder.json"
run(0, "certify", "--encoder", "--target", f"lib:{ENCODERS},preset=qp,symbol=right",
    "--format", "iq3_xxs", "--seconds", "0", "--claim", "IQ3ENC-REPEAT-1", "--json", encoder, "--force")
require(json.loads(encoder.read_text(encoding="utf-8"))["target"]["format"] == "iq3_xxs", "format")
run(0, "gate", "--baseline", encoder, "--seconds", "0")

# The schema is worth something only if it rejects.
for spoil in (lambda g: g.update(extra=1), lambda g: g["comparisons"][0].update(outcome="fine"),
              lambda g: g["summary"].pop("worse"), lambda g: g.update(verdict="good")):
    spoiled = copy(again)
    spoil(spoiled)
    require(not VALIDATOR.is_valid(spoiled), "the schema accepts a spoiled result")
print("gate: every way to be worse is told, and nothing else")
