# SPDX-License-Identifier: Apache-2.0
"""usage: seeds.py [--check]

Writes fuzz/seeds/TARGET/: a few inputs for each libFuzzer target, from the vectors of the
specification. --check only compares what is there with what would be written.
"""
import json
import pathlib
import sys

FUZZ = pathlib.Path(__file__).resolve().parent
VECTORS = FUZZ.parent / "spec" / "vectors"


def cases(name):
    return json.loads((VECTORS / name).read_text(encoding="utf-8"))["cases"]


def decode_seeds(name):
    """Byte 0: profile, and how many weights the last block lacks."""
    for case in cases(name):
        row = bytes.fromhex(case["bytes"])
        missing = -case["n_values"] % 256
        if case["id"] % 5 == 0 and 0 < len(row) <= 294 and len(row) % 98 == 0 and missing < 86:
            yield case["id"], bytes([case["id"] % 3 + 3 * missing]) + row


def transcode_seeds():
    for case in cases("transcode.json"):
        row = bytes.fromhex(case["bytes"])
        if case["id"] % 6 == 0 and 0 < len(row) <= 294:
            yield case["id"], bytes([case["from"] != "iq3_xxs"]) + row


def kaiju1_seeds():
    """Bytes 0 and 1: first row and rows."""
    for case in cases("kaiju1.json"):
        tensor = bytes.fromhex(case.get("bytes", ""))
        if case["task"] == "tensor" and case["id"] % 4 == 0 and 28 <= len(tensor) <= 1000:
            yield case["id"], bytes([case["first_row"] % 8, case["rows"] % 8]) + tensor


def knot_seeds():
    """The example of knot.md 8, and one with a tensor of blocks."""
    def file(header, data):
        text = json.dumps(header, separators=(",", ":")).encode()
        head = b"KNOT" + (1).to_bytes(4, "little") + len(text).to_bytes(4, "little") + text
        return head + bytes(-len(head) % 64) + data

    tensor = {"name": "a", "type": "F32", "shape": [2], "offset": 0, "size": 8}
    data = bytes.fromhex("0000803f000000c0")
    yield 1, file({"tensors": [tensor], "metadata": {"origin": "by hand"}}, data)
    yield 2, file({"tensors": [dict(tensor, type="IQ3_XXS", shape=[1, 256], size=98)],
                      "metadata": {}}, bytes(98))
    yield 3, file({"tensors": [], "metadata": {}}, b"")


def gguf_seeds():
    """No tensors; one tensor and one key."""
    def number(value, size):
        return value.to_bytes(size, "little")

    def string(text):
        return number(len(text), 8) + text

    yield 1, b"GGUF" + number(3, 4) + bytes(16)
    file = b"GGUF" + number(3, 4) + number(1, 8) + number(1, 8)
    file += string(b"general.name") + number(8, 4) + string(b"seed")
    file += string(b"a") + number(1, 4) + number(256, 8) + number(18, 4) + number(0, 8)  # IQ3_XXS
    yield 2, file + bytes(-len(file) % 32) + bytes(98)


def safetensors_seeds():
    for number, header, data in [(1, b"{}", b""), (
            2, b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}',
            bytes.fromhex("0000803f000000c0"))]:
        yield number, len(header).to_bytes(8, "little") + header + data


def imatrix_seeds():
    """The old layout: entries, then the trailer."""
    entry = b"\x01\0\0\0a" + b"\x02\0\0\0" + b"\x02\0\0\0" + bytes.fromhex("0000803f00000040")
    yield 1, b"\x01\0\0\0" + entry + b"\x02\0\0\0" + b"\x01\0\0\0b"
    yield 2, next(content for n, content in gguf_seeds() if n == 2)


def main():
    wanted = {}
    for target, seeds in [("iq3_xxs", decode_seeds("iq3_xxs.json")),
                          ("e8_iq3", decode_seeds("e8_iq3.json")), ("kaiju1", kaiju1_seeds()),
                          ("knot", knot_seeds()), ("transcode", transcode_seeds()),
                          ("gguf", gguf_seeds()), ("safetensors", safetensors_seeds()),
                          ("imatrix", imatrix_seeds())]:
        for number, content in seeds:
            wanted[FUZZ / "seeds" / target / f"{number:03d}"] = content
    present = {path: path.read_bytes() for path in FUZZ.glob("seeds/*/*")}
    if "--check" in sys.argv[1:]:
        if present != wanted:
            sys.exit("fuzz/seeds is not what seeds.py writes")
        print(f"{len(wanted)} seeds, {sum(map(len, wanted.values()))} bytes: as written")
        return
    for path in present.keys() - wanted.keys():
        path.unlink()
    for path, content in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


main()
