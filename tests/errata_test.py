# SPDX-License-Identifier: Apache-2.0
"""Every number in spec/errata.md: the right one by the library and by explain, the deviating one
by the wrong rule that the entry names."""
import ctypes
import json
import math
import pathlib
import re
import struct
import subprocess
import sys

QUANTPROOF, LIBRARY, ROOT = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
TEXT = (ROOT / "spec/errata.md").read_text(encoding="utf-8")
CLAIMS = {claim["id"]: claim
          for claim in json.loads((ROOT / "spec/claims.json").read_text(encoding="utf-8"))["claims"]}
QP = ctypes.CDLL(LIBRARY)
FORMATS = {"iq3_xxs": 1, "e8_iq3": 2}
PROFILES = {"strict": 0, "ggml": 1, "colibri": 2}


def require(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


def bits(value):
    return f"0x{struct.unpack('<I', struct.pack('<f', value))[0]:08X}"


def half(value):
    """Rounded to binary16; too large becomes an infinity."""
    try:
        return struct.unpack("<e", struct.pack("<e", float(value)))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def decode(fmt, profile, block):
    out = (ctypes.c_float * 256)()
    status = QP.qp_decode_at(PROFILES[profile], FORMATS[fmt], block, ctypes.c_size_t(len(block)),
                             out, ctypes.c_size_t(256), None)
    require(status == 0, f"{fmt}: status {status}")
    return list(out)


def encode(fmt, weights, importance):
    x = (ctypes.c_float * 256)(*weights)
    h = (ctypes.c_float * 256)(*importance) if importance else None
    out = ctypes.create_string_buffer(98)
    status = QP.qp_encode(FORMATS[fmt], x, ctypes.c_size_t(1), ctypes.c_size_t(256), h, out,
                          ctypes.c_size_t(98), None)
    require(status == 0, f"encode: status {status}")
    return out.raw


def explain(fmt, block, weight):
    done = subprocess.run([QUANTPROOF, "explain", "--format", fmt, "--weight", str(weight),
                           "--json", "-", block.hex()], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def reordered(fmt, block):
    """The fields in the byte order of the other format, the scale as it is."""
    return block[2:] + block[:2] if fmt == "iq3_xxs" else block[96:] + block[:96]


def other(fmt):
    return "e8_iq3" if fmt == "iq3_xxs" else "iq3_xxs"


def value_of(told, scale, magnitude=None):
    weight = told["weight"]
    value = scale * weight["multiplier"] * (magnitude or weight["magnitude"]) / weight["divisor"]
    return -value if weight["negative"] else value


def implicit_one(exponent):
    def rule(told, _):
        scale = told["scale"]["bits"]
        require(scale & 0x7C00 == 0 and scale & 0x3FF, "the scale is not subnormal")
        value = 2.0 ** exponent * (1 + (scale & 0x3FF) / 1024)
        return value_of(told, -value if scale & 0x8000 else value)
    return rule


def level_7_is_60(told, scale):
    require(told["weight"]["magnitude"] == 62, "the magnitude is not 62")
    return value_of(told, scale, 60)


def bfloat16(told, _):
    return value_of(told, struct.unpack("<f", struct.pack("<I", told["scale"]["bits"] << 16))[0])


WEIGHT_RULES = {
    "subnormal scale as 2^-14 (1 + m / 1024)": implicit_one(-14),
    "subnormal scale as 2^-15 (1 + m / 1024)": implicit_one(-15),
    "subnormal scale as 0": lambda told, scale: value_of(told, 0.0),
    "magnitude 60 for 62": level_7_is_60,
    "scale as bfloat16": bfloat16,
}


def check_weight(entry):
    block = bytes.fromhex("".join(entry["bytes"]))
    require(len(block) == 98, f"a block of {len(block)} bytes")
    fmt, weight, profile = entry["format"], entry["weight"], entry.get("profile", "strict")
    right = bits(decode(fmt, profile, block)[weight])
    require(right == entry["right"], f"the library says {right}")
    told = explain(fmt, block, weight)
    require(entry["right"] in told["weight"]["value"][profile], "explain says something else")
    half_scale = struct.unpack("<e", struct.pack("<H", told["scale"]["bits"]))[0]
    require(bits(value_of(told, half_scale)) == right, "the formula gives something else")
    for wrong in entry["wrong"]:
        if wrong["rule"] == "moved to the other format's order, scale not changed":
            found = bits(decode(other(fmt), profile, reordered(fmt, block))[weight])
        elif wrong["rule"] == "read as the other format":
            found = bits(decode(other(fmt), profile, block)[weight])
        else:
            found = bits(WEIGHT_RULES[wrong["rule"]](told, half_scale))
        require(found == wrong["bits"], f"{wrong['rule']}: {found}")
        require(found != right, f"{wrong['rule']} is right")


def check_dot(entry):
    block = bytes.fromhex("".join(entry["bytes"]))
    weights = decode(entry["format"], "strict", block)
    activation = entry["activation"]
    require(sum(w * activation for w in weights) == entry["right"], "the dot product")

    def sign_epi8(sign):  # of a byte: -(-128) is -128 again
        return activation if sign > 0 or activation == -128 else -activation
    require(entry["wrong"]["rule"] == "the activation negated in 8 bits", "unknown rule")
    found = sum(abs(w) * sign_epi8(w) for w in weights)
    require(found == entry["wrong"]["value"] != entry["right"], f"the wrong product is {found}")


def check_pairs(entry):
    exact = sum(u * s for u, s in zip(entry["unsigned"], entry["signed"]))
    require(max(entry["unsigned"]) <= 255 and max(map(abs, entry["signed"])) <= 127, "bytes")
    require(exact == entry["right"], f"the sum is {exact}")
    require(entry["wrong"] == {"rule": "saturated to 16 bits",
                               "value": max(-32768, min(32767, exact))} and exact > 32767, "pairs")


def check_product(entry):
    scales = []
    for pattern in entry["scales"]:  # each as the weight 0 of a block of zeros with that scale
        block = struct.pack("<H", int(pattern, 16)) + bytes(96)
        scales.append(decode("iq3_xxs", "strict", block)[0])
    product = scales[0] * scales[1]
    require(bits(product) == entry["right"], f"the product is {bits(product)}")
    require(entry["wrong"]["rule"] == "rounded to binary16" and
            bits(half(product)) == entry["wrong"]["bits"] != entry["right"], "rounded")


def check_sum(entry):
    total = entry["count"] * entry["value"]
    require(bits(total) == entry["right"], f"the sum is {bits(total)}")
    require(entry["wrong"]["rule"] == "rounded to binary16" and
            bits(half(total)) == entry["wrong"]["bits"] != entry["right"], "rounded")


def numbers(runs):
    """[count, value] runs, or [256, "ramp"]: x_i = (i mod 251) - 125."""
    if runs == [[256, "ramp"]]:
        return [i % 251 - 125.0 for i in range(256)]
    values = [value for count, value in runs for _ in range(count)]
    require(len(values) == 256, f"{len(values)} numbers")
    return values


def check_encode(entry):
    fmt = entry["format"]
    weights = numbers(entry["weights"])
    block = encode(fmt, weights, numbers(entry["importance"]) if "importance" in entry else None)
    require(block.hex() == "".join(entry["bytes"]), f"the encoder writes {block.hex()}")
    if entry.get("as_without_importance"):
        require(block == encode(fmt, weights, None), "the importance matters")
    decoded = decode(fmt, "strict", block)
    for number, want in entry["decoded"].items():
        require(bits(decoded[int(number)]) == want,
                f"weight {number} is {bits(decoded[int(number)])}")
    energy = sum(x * x for x in weights)
    error = sum((x - y) ** 2 for x, y in zip(weights, decoded)) / energy
    require(error <= entry["relative_squared_error_at_most"], f"relative squared error {error}")
    signs = sum(x * y < 0 for x, y in zip(weights, decoded))
    require(signs == entry.get("wrong_signs", 0), f"{signs} wrong signs")


def check_digest(entry):
    done = subprocess.run([QUANTPROOF, "certify", "--format", entry["format"], "--claim",
                           "HALF-WIDEN-1", "--json", "-"], capture_output=True, text=True,
                          check=True)
    digests = {(e["effort"], e["corpus"]): e["sha256"]
               for e in json.loads(done.stdout)["encoders"]}
    require(digests[entry["effort"], entry["corpus"]] == entry["sha256"], f"{digests}")


CHECKS = {"weight": check_weight, "dot": check_dot, "pairs": check_pairs,
          "product": check_product, "sum": check_sum, "encode": check_encode,
          "digest": check_digest}

sections = re.split(r"^## ", TEXT, flags=re.M)[1:]
done = dict.fromkeys(CHECKS, 0)
for section in sections:
    title = section.split("\n", 1)[0]
    if not re.match(r"E\d+ ", title):
        continue
    for field in ("Where:", "What happens:", "Caught by:"):
        require(f"\n{field} " in section, f"{title}: no \"{field}\"")
    for claim in re.findall(r"\b[A-Z0-9]+(?:-[A-Z0-9]+)*-[0-9]+\b", section.split("Caught by:")[1]):
        require(claim in CLAIMS, f"{title}: no claim {claim}")
    blocks = re.findall(r"^```json\n(.*?)^```$", section, flags=re.M | re.S)
    require(blocks, f"{title}: no case")
    for block in blocks:
        case = json.loads(block)
        kind = case.pop("case")
        try:
            CHECKS[kind](case)
        except SystemExit as error:
            sys.exit(f"{title}: {error}")
        done[kind] += 1
require(all(done.values()), f"cases {done}")
numbered = [int(re.match(r"E(\d+) ", s)[1]) for s in sections if re.match(r"E\d+ ", s)]
require(numbered == list(range(1, len(numbered) + 1)), f"numbers {numbered}")
print(f"errata: {len(numbered)} entries, {sum(done.values())} cases")
