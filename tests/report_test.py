# SPDX-License-Identifier: Apache-2.0
"""JUnit, SARIF, TAP and the page, each against the certificate that it was made from."""
import html.parser
import json
import os
import pathlib
import re
import sys
import xml.etree.ElementTree

import jsonschema

sys.dont_write_bytecode = True  # an import must not leave files in the source tree
from command import require, run

BROKEN, ROOT, WORK = sys.argv[2], *map(pathlib.Path, sys.argv[3:5])
SARIF = json.loads((ROOT / "tests/data/sarif.schema.json").read_text(encoding="utf-8"))
CERTIFICATE = json.loads((ROOT / "spec/certificate.schema.json").read_text(encoding="utf-8"))
# The standard's own schema, where a developer has it: npm pack @microsoft/jest-sarif holds it.
STANDARD = os.environ.get("QUANTPROOF_SARIF_SCHEMA")
WORK.mkdir(parents=True, exist_ok=True)


def junit_counts(text, claims):
    suites = xml.etree.ElementTree.fromstring(text)
    require(suites.tag == "testsuites", f"root element {suites.tag}")
    cases = {}
    for suite in suites:
        want = {"tests": 0, "failures": 0, "errors": 0}
        for case in suite.iter("testcase"):
            kinds = [child.tag for child in case]
            require(kinds in ([], ["failure"], ["error"]), f"a test case holds {kinds}")
            want["tests"] += 1
            want["failures"] += kinds == ["failure"]
            want["errors"] += kinds == ["error"]
            require(case.get("name") not in cases, f"{case.get('name')} is there twice")
            cases[case.get("name")] = (kinds, suite.get("name"), case)
        for key, value in want.items():
            require(suite.get(key) == str(value), f"suite {suite.get('name')}: {key}")
    require(set(cases) == {c["id"] for c in claims}, "JUnit has other claims")
    element = {"pass": [], "fail": ["failure"], "refused": ["error"], "not_exercised": ["error"]}
    for claim in claims:
        kinds, suite, case = cases[claim["id"]]
        require(kinds == element[claim["verdict"]], f"JUnit: {claim['id']} is {kinds}")
        require(suite == claim["format"], f"JUnit: {claim['id']} in {suite}")
        if kinds:
            require(case[0].get("type") == claim["verdict"], "JUnit: type")
            require(case[0].get("message").replace("\ufffd", "") ==
                    re.sub(r"[\x00-\x08\x0b-\x1f]", "", claim["detail"]), "JUnit: message")
            require(claim["reproduce"] in case[0].text, "JUnit: no command")
    total = [suites.get(k) for k in ("tests", "failures", "errors")]
    verdicts = [c["verdict"] for c in claims]
    require(total == [str(len(claims)), str(verdicts.count("fail")),
                      str(verdicts.count("refused") + verdicts.count("not_exercised"))],
            f"JUnit: totals {total}")


def check_sarif(text, claims, target):
    log = json.loads(text)
    jsonschema.Draft202012Validator(SARIF).validate(log)
    if STANDARD:
        schema = json.loads(pathlib.Path(STANDARD).read_text(encoding="utf-8"))
        jsonschema.Draft4Validator(schema).validate(log)
    (sarif,) = log["runs"]
    rules = [rule["id"] for rule in sarif["tool"]["driver"]["rules"]]
    require(rules == [claim["id"] for claim in claims], "SARIF: rules")
    open_claims = [claim for claim in claims if claim["verdict"] != "pass"]
    require([r["ruleId"] for r in sarif["results"]] == [c["id"] for c in open_claims],
            "SARIF: results")
    for result, claim in zip(sarif["results"], open_claims):
        require(rules[result["ruleIndex"]] == result["ruleId"], "SARIF: ruleIndex")
        require(result["level"] == ("error" if claim["verdict"] == "fail" else "warning"),
                "SARIF: level")
        require(claim["detail"] in result["message"]["text"], "SARIF: detail")
        require(("physicalLocation" in result["locations"][0]) == (target["kind"] == "lib"),
                "SARIF: location")


def check_tap(text, claims):
    """A strict reader of the part of TAP 14 that is used."""
    require(text.endswith("\n"), "TAP: no end of line")
    lines = text[:-1].split("\n")
    require(lines[0] == "TAP version 14", "TAP: version")
    require(lines[1] == f"1..{len(claims)}", "TAP: plan")
    at = 2
    for number, claim in enumerate(claims, 1):
        point = re.fullmatch(r"(ok|not ok) (\d+) - ((?:[^#\\]|\\[#\\])*)", lines[at])
        require(point, f"TAP: {lines[at]!r}")
        at += 1
        require(int(point[2]) == number, "TAP: number")
        require(re.sub(r"\\([#\\])", r"\1", point[3]).startswith(claim["id"] + ": "), "TAP: id")
        require((point[1] == "ok") == (claim["verdict"] == "pass"), f"TAP: {claim['id']}")
        if point[1] == "ok":
            continue
        require(lines[at] == "  ---" and lines[at + 4] == "  ...", "TAP: diagnostics")
        diagnostics = dict(line.strip().split(": ", 1) for line in lines[at + 1:at + 4])
        at += 5
        for key, name in (("verdict", "verdict"), ("message", "detail"), ("again", "reproduce")):
            require(json.loads(diagnostics[key]) == claim[name], f"TAP: {key}")
    require(at == len(lines), "TAP: lines after the last point")


class PageReader(html.parser.HTMLParser):
    VOID = {"meta", "input", "br", "rect", "path"}

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.rows, self.text, self.resources = [], [], [], "", []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag not in self.VOID:
            self.open.append(tag)
        self.ids += [attributes["id"]] if "id" in attributes else []
        if "data-verdict" in attributes:
            self.rows.append([attributes["data-verdict"], attributes["data-format"], ""])
        self.resources += [v for k, v in attrs if k in ("src", "href", "action", "data", "poster")]

    def handle_startendtag(self, tag, attrs):  # in SVG
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        require(self.open and self.open.pop() == tag, f"page: </{tag}> closes nothing")

    def handle_data(self, data):
        if self.open[-1:] not in (["style"], ["script"]):
            self.text += data
        if self.rows and "tbody" in self.open:
            self.rows[-1][2] += data


def check_page(text, document):
    reader = PageReader()
    reader.feed(text)
    reader.close()
    require(not reader.open, f"page: {reader.open} are not closed")
    require(len(set(reader.ids)) == len(reader.ids), "page: an id is there twice")
    require(not reader.resources and "url(" not in text and "@import" not in text,
            "page: it refers to something outside")
    require('<html lang="en">' in text and 'name="viewport"' in text, "page: head")
    require(not re.search(r"[\x00-\x08\x0b-\x1f]", text), "page: control characters")
    claims = document["claims"]
    require([row[:2] for row in reader.rows] == [[c["verdict"], c["format"]] for c in claims],
            "page: rows")
    for row, claim in zip(reader.rows, claims):
        for key in ("id", "statement", "domain", "method"):
            require(claim[key] in row[2], f"page: {claim['id']} lacks its {key}")
    for claim in claims:
        if claim["verdict"] != "pass":
            require(claim["reproduce"] in reader.text, f"page: no command for {claim['id']}")
    sections = {"findings": any(c["verdict"] != "pass" for c in claims),
                "coverage": bool(document.get("coverage")), "speed": "measurements" in document,
                "encoders": "encoders" in document}
    for name, wanted in sections.items():
        require((name in reader.ids) == wanted, f"page: section {name}")
    pictures = {c["format"] for c in claims} & {"iq3_xxs", "e8_iq3", "kaiju1"}
    require(text.count("<svg") == len(pictures), "page: pictures")
    for row in document.get("coverage", []):
        for name, part in row.items():
            require(name == "format" or (name.replace("_", " ") in reader.text and
                    f"{part['touched']} of {part['of']}" in reader.text), f"page: {name}")
    for row in document.get("measurements", []) + document.get("encoders", []):
        require(row.get("name", row.get("sha256")) in reader.text, f"page: {row}")


def check_all(name, certificate):
    """The four reports of a saved certificate."""
    path = WORK / f"{name}.json"
    path.write_text(json.dumps(certificate), encoding="utf-8")
    files = {kind: WORK / f"{name}.{kind}" for kind in ("junit", "sarif", "tap", "html")}
    run(0, "report", path, "--force", *[x for k, f in files.items() for x in ("--" + k, f)])
    text = {kind: file.read_text(encoding="utf-8") for kind, file in files.items()}
    junit_counts(text["junit"], certificate["claims"])
    check_sarif(text["sarif"], certificate["claims"], certificate["target"])
    check_tap(text["tap"], certificate["claims"])
    check_page(text["html"], certificate)
    return text


def summarize(certificate):
    verdicts = [claim["verdict"] for claim in certificate["claims"]]
    certificate["summary"] = {v: verdicts.count(v)
                              for v in ("pass", "fail", "refused", "not_exercised")}
    return certificate


# Real certificates. What certify writes itself is what report makes of its JSON.
paths = {kind: WORK / f"direct.{kind}" for kind in ("json", "junit", "sarif", "tap", "html")}
run(1, "certify", "--target", f"lib:{BROKEN},preset=ggml,symbol=stale_62", "--seconds", "0",
    "--force", *[x for k, f in paths.items() for x in ("--" + k, f)])
wrong = json.loads(paths["json"].read_text(encoding="utf-8"))
for kind, text in check_all("wrong", wrong).items():
    require(text == paths[kind].read_text(encoding="utf-8"), f"certify --{kind} is not report's")
built_in = json.loads(run(0, "certify", "--measure", "--json", "-", "--claim", "HALF-WIDEN-1",
                          "--claim", "IQ3XXS-CODES-1", "--claim", "KAIJU1-TRIT-1"))
jsonschema.Draft202012Validator(CERTIFICATE).validate(built_in)
require(len(built_in["encoders"]) == 7, "digests of 7 encoders")
require(len(built_in["measurements"]) == 3 * len(built_in["levels"]["run"]),
        "3 decoders are measured on each level")
require(all(row["peer_ratio"] > 0 for row in built_in["measurements"]),
        "a decoder is measured beside the reference")
check_all("built_in", built_in)

# One of each verdict, and texts that every format has to escape.
nasty = json.loads(json.dumps(built_in))
for claim, verdict in zip(nasty["claims"], ("fail", "refused", "not_exercised")):
    claim["verdict"] = verdict
    claim["statement"] = f"a < b & \"c\" # \\ 'd' <script>alert(1)</script> {verdict}"
    claim["detail"] = "\x00\x1b[31m]]>\n\t--> # ok 1 \\ ü </script> -"
nasty["coverage"] = [{"format": "iq3_xxs", "codebook_rows": {"touched": 3, "of": 256}}]
text = check_all("nasty", summarize(nasty))
require("<script>alert" not in text["html"], "page: a text became a script")

# A path that is no URI.
odd = json.loads(json.dumps(wrong))
odd["target"]["path"] = "./a b/\u00fc#%.so"
(result, *_), = (r["results"] for r in json.loads(check_all("odd", odd)["sarif"])["runs"])
require(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] ==
        "./a%20b/%C3%BC%23%25.so", "SARIF: URI")

# Words can be read on what lies behind them, in light and dark: WCAG 2 asks for a ratio of 4.5.
style = re.search(r"<style>(.*?)</style>", text["html"], flags=re.S)[1]


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear))


palettes = [dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6})", block))
            for block in re.findall(r":root \{(.*?)\}", style, flags=re.S)]
require(len(palettes) == 2 and set(palettes[0]) == set(palettes[1]), "page: two palettes")
for palette in palettes:
    for word, behind in [(w, b) for w in ("text", "dim", "pass", "fail", "open", "link")
                         for b in ("page", "panel")] + [
                             ("ink", b) for b in ("scale", "index", "word", "sign", "code")]:
        low, high = sorted((luminance(palette[word]), luminance(palette[behind])))
        ratio = (high + 0.05) / (low + 0.05)
        require(ratio >= 4.5, f"page: {word} on {behind} has contrast {ratio:.2f}")

# No claims at all.
empty = summarize(dict(built_in, claims=[]))
(WORK / "empty.json").write_text(json.dumps(empty), encoding="utf-8")
require(run(0, "report", WORK / "empty.json", "--tap", "-") ==
        "TAP version 14\n1..0\nBail out! Nothing ran\n", "TAP of nothing")

# What is no certificate is refused, whatever it is.
for name, spoil in {
        "error": lambda c: {"error": {"exit_code": 2, "message": "no"}},
        "array": lambda c: [],
        "tool": lambda c: dict(c, tool={"name": "other", "version": "1.0.0"}),
        "verdict": lambda c: dict(c, claims=[dict(c["claims"][0], verdict="good")]),
        "summary": lambda c: dict(c, summary=dict(c["summary"], **{"pass": 9})),
        "twice": lambda c: summarize(dict(c, claims=2 * c["claims"])),
        "target": lambda c: dict(c, target={"kind": "other"}),
        "digest": lambda c: dict(c, encoders=[dict(c["encoders"][0], sha256=5)]),
        "speed": lambda c: dict(c, measurements=[dict(c["measurements"][0], peer_ratio="1")]),
        "seed": lambda c: dict(c, seed=-1),
        "level": lambda c: dict(c, levels={"run": [], "not_run": [{"name": "AVX3"}]}),
        "sha256": lambda c: dict(c, target={"kind": "fast", "sha256": 5}),
}.items():
    path = WORK / f"spoiled_{name}.json"
    path.write_text(json.dumps(spoil(built_in)), encoding="utf-8")
    run(3, "report", path, "--tap", "-")
(WORK / "cut.json").write_text(json.dumps(built_in)[:-9], encoding="utf-8")
run(3, "report", WORK / "cut.json", "--tap", "-")
run(3, "report", WORK / "absent.json", "--tap", "-")
run(2, "report", WORK / "built_in.json")
run(2, "report", WORK / "built_in.json", "--tap", "-", "--junit", "-")
run(2, "report", WORK / "built_in.json", "--tap", WORK / "built_in.tap")

# The schema is worth something only if it rejects.
for path, value in ((("results", 0, "level"), "none"), (("tool", "driver", "name"), ""),
                    (("results", 0, "ruleIndex"), -1), (("results", 0, "locations"), [])):
    log = json.loads(text["sarif"])
    place = log["runs"][0]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    require(not jsonschema.Draft202012Validator(SARIF).is_valid(log), f"SARIF schema: {path}")
print("reports: JUnit, SARIF, TAP and the page agree with their certificates")
