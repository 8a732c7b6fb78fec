# SPDX-License-Identifier: Apache-2.0
"""The data files of spec/ against their JSON schemas."""
import hashlib
import json
import pathlib
import sys

import jsonschema

ROOT = pathlib.Path(sys.argv[1]) / "spec"


def load(path):
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


def validate(path, schema_path):
    schema = load(schema_path)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(load(path))
    print(f"{path}: valid")


def rejects_unknown_keys(path, schema_path):
    """A schema that lets an unknown key pass would let a misspelt one pass."""
    document = load(path)
    document["unknown_key"] = 1
    try:
        jsonschema.Draft202012Validator(load(schema_path)).validate(document)
    except jsonschema.ValidationError:
        return
    sys.exit(f"{schema_path} accepts unknown keys")


FILES = [
    ("claims.json", "claims.schema.json"),
    ("vectors/half.json", "vectors/vectors.schema.json"),
    ("vectors/iq3_xxs.json", "vectors/vectors.schema.json"),
    ("vectors/e8_iq3.json", "vectors/vectors.schema.json"),
    ("vectors/transcode.json", "vectors/vectors.schema.json"),
    ("vectors/leech.json", "vectors/leech.schema.json"),
    ("vectors/kaiju1.json", "vectors/kaiju1.schema.json"),
    ("vectors/encoding.json", "vectors/encoding.schema.json"),
    ("vectors/manifest.json", "vectors/vectors.schema.json"),
]
for document, schema in FILES:
    validate(document, schema)
    rejects_unknown_keys(document, schema)
for schema in ("certificate.schema.json", "gate.schema.json", "../tests/data/sarif.schema.json"):
    jsonschema.Draft202012Validator.check_schema(load(schema))

manifest = load("vectors/manifest.json")
for entry in manifest["files"]:
    digest = hashlib.sha256((ROOT / "vectors" / entry["name"]).read_bytes()).hexdigest()
    if digest != entry["sha256"]:
        sys.exit(f"{entry['name']} differs from the manifest")
print("manifest: digests agree")
