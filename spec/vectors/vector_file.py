# SPDX-License-Identifier: Apache-2.0
"""What the programs that make leech.json, kaiju1.json and encoding.json share: the form of the
file, and --check. generate.py, whose files have another form, is separate."""

import argparse
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


def render(kind, about, notes, cases):
    """The file as text. notes: flag -> (bug class, description), each of them used by a case."""
    used = {flag for case in cases for flag in case["flags"]}
    if used != set(notes):
        sys.exit(f"flags and notes differ: {used ^ set(notes)}")
    head = {
        "schema": f"{kind}.schema.json",
        "version": 1,
        "kind": kind,
        "licence": "Apache-2.0",
        "about": about,
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    described = [
        f"    {json.dumps(flag)}: "
        + json.dumps({"bug_class": bug_class, "description": description})
        for flag, (bug_class, description) in sorted(notes.items())
    ]
    lines += ['  "notes": {', ",\n".join(described), '  },\n  "cases": [']
    lines += [",\n".join("    " + json.dumps(case) for case in cases), "  ]"]
    return "{\n" + "\n".join(lines) + "\n}\n"


def main(doc, kind, about, notes, make_cases):
    """Writes KIND.json, or with --check compares it. Returns the exit code."""
    parser = argparse.ArgumentParser(description=doc.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 on a difference")
    check = parser.parse_args().check
    cases = make_cases()
    text = render(kind, about, notes, cases)
    path = HERE / f"{kind}.json"
    if not check:
        path.write_bytes(text.encode())
        return 0
    if path.exists() and path.read_bytes() == text.encode():
        print(f"{path.name}: {len(cases)} cases, as generated")
        return 0
    print(f"{path.name}: not what {pathlib.Path(sys.argv[0]).name} makes")
    return 1
