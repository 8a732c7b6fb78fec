#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the test vectors of this directory from the format texts.

    generate.py            writes the files
    generate.py --check    exits 1, with a summary, when a file is not what this program makes

A second reference. It shares no code and no tables with ref/ or fast/: fields are cut out of one
784-bit integer, values are fractions, the codebook is read out of the text of IQ3_XXS. Python's
standard library only, and the same bytes on every machine. Clause numbers are those of
spec/formats/.
"""

import argparse
import hashlib
import json
import pathlib
import re
import struct
import sys
from fractions import Fraction

HERE = pathlib.Path(__file__).resolve().parent
TEXT = HERE.parent / "formats" / "iq3_xxs.md"
SCHEMA = "vectors.schema.json"
VERSION = 1
LICENCE = "Apache-2.0"
OTHERS = ("leech.json", "kaiju1.json", "encoding.json")  # made by generate_NAME.py; the manifest lists them too
PROFILES = ("strict", "ggml", "colibri")
BLOCK = 98
WEIGHTS = 256


# ---- The codebook, from the text (iq3_xxs.md 3) ------------------------------------------------


def read_codebook():
    """Returns the 256 rows as tuples of four levels. Stops when text and digest disagree."""
    text = TEXT.read_text(encoding="utf-8")
    rows = []
    for line in re.search(r"```levels\n(.*?)```", text, re.S).group(1).splitlines():
        label, body = line.split(":")
        if int(label) != len(rows):
            sys.exit(f"{TEXT.name}: line of row {label} stands at row {len(rows)}")
        rows += [tuple(int(digit) for digit in group) for group in body.split()]
    magnitudes = bytes(magnitude(level) for row in rows for level in row)
    digest = re.search(r"have the SHA-256\s+`([0-9a-f]{64})`", text).group(1)
    if len(magnitudes) != 1024 or hashlib.sha256(magnitudes).hexdigest() != digest:
        sys.exit(f"{TEXT.name}: the level list does not have the stated SHA-256")
    return rows, digest


def magnitude(level):
    return 62 if level == 7 else 8 * level + 4  # 3.2


# ---- Formats -------------------------------------------------------------------------------------


class Format:
    """Bit positions of the fields in a block read as one little-endian integer (clause 2)."""

    def __init__(self, name, scale_bit, index_bit, word_bit, divisor, any_width):
        self.name = name
        self.scale_bit = scale_bit
        self.index_bit = index_bit
        self.word_bit = word_bit
        self.divisor = divisor
        self.any_width = any_width

    def block(self, d=0, index=None, words=None):
        """A block of scale pattern `d`, 64 index bytes (default 0), 8 words (default 0)."""
        bits = d << self.scale_bit
        for k, value in enumerate(index or [0] * 64):
            bits |= value << (self.index_bit + 8 * k)
        for ib, value in enumerate(words or [0] * 8):
            bits |= value << (self.word_bit + 32 * ib)
        return bits.to_bytes(BLOCK, "little")

    def fields(self, block):
        bits = int.from_bytes(block, "little")
        return (
            bits >> self.scale_bit & 0xFFFF,
            [bits >> (self.index_bit + 8 * k) & 0xFF for k in range(64)],
            [bits >> (self.word_bit + 32 * ib) & 0xFFFFFFFF for ib in range(8)],
        )

    def scale_offset(self, b):
        return BLOCK * b + self.scale_bit // 8


IQ3_XXS = Format("iq3_xxs", 0, 16, 528, 4, False)
E8_IQ3 = Format("e8_iq3", 768, 0, 512, 8, True)


def word(signs=(0, 0, 0, 0), code=0):
    return sum(field << (7 * l) for l, field in enumerate(signs)) | code << 28


# ---- The scale (half.md) ---------------------------------------------------------------------


def binary32(value):
    """Bits 0-30 of a non-negative fraction. Stops when binary32 does not hold it exactly."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    if Fraction(struct.unpack("<f", struct.pack("<I", bits))[0]) != value:
        sys.exit(f"{value} is not a binary32 number")
    if value and bits < 1 << 23:
        sys.exit(f"{value} is subnormal")
    return bits


def half_magnitude(pattern):
    """The magnitude of a finite pattern as a fraction (half.md 1.2)."""
    return abs(Fraction(struct.unpack("<e", struct.pack("<H", pattern))[0]))


def read_scale(pattern, profile):
    """half.md 3: ("finite", fraction), ("bits", bits 0-30 of every weight), or None: refused."""
    exponent, fraction = pattern >> 10 & 31, pattern & 1023
    if exponent == 31:
        if profile == "strict":
            return None
        return ("bits", 0x7F800000 if fraction == 0 else 0x7FC00000 + (fraction % 512 << 13))
    if profile == "colibri" and exponent == 0 and fraction > 0:
        return ("finite", (1 + Fraction(fraction, 1024)) / 2**14)
    return ("finite", half_magnitude(pattern))


def widen(pattern, profile):
    """half.md 2 and 3: the widened bits, or None."""
    scale = read_scale(pattern, profile)
    if scale is None:
        return None
    low = scale[1] if scale[0] == "bits" else binary32(scale[1])
    return pattern >> 15 << 31 | low


HALF_OF_VALUE = {half_magnitude(pattern): pattern for pattern in range(0x7C00)}


def rescale(pattern, factor):
    """half.md 4, by search: the pattern whose value is `factor` times that of `pattern`."""
    if pattern >> 10 & 31 == 31:
        return "scale_not_finite", None
    value = half_magnitude(pattern) * factor
    if value in HALF_OF_VALUE:
        return "ok", pattern & 0x8000 | HALF_OF_VALUE[value]
    return ("transcode_overflow" if factor > 1 else "transcode_inexact"), None


# ---- Decoding (clauses 4 to 6) -------------------------------------------------------------------


def decode_block(form, block, scale, codebook):
    """256 binary32 patterns. `scale` as read_scale returns it."""
    pattern, index, words = form.fields(block)
    out = []
    for i in range(WEIGHTS):
        w = words[i // 32]
        field = w >> (7 * (i % 32 // 8)) & 0x7F
        j = i % 8
        negative = field >> j & 1 if j < 7 else format(field, "b").count("1") % 2  # 4.2
        if scale[0] == "bits":
            low = scale[1]
        else:
            level = codebook[index[i // 4]][i % 4]
            multiplier = 2 * (w >> 28) + 1
            low = binary32(scale[1] * multiplier * magnitude(level) / form.divisor)
        out.append(((pattern >> 15) ^ negative) << 31 | low)  # 4.5
    return out


def hex32(values):
    return struct.pack(f"<{len(values)}I", *values).hex()


def error(status, block, offset, field, **written):
    return {"status": status, **written, "block": block, "offset": offset, "field": field}


def decode(form, data, n, profile, codebook):
    """The verdict on one row."""
    if not form.any_width and n % WEIGHTS:
        return error("bad_width", 0, 0, "n_values", bits="")
    if len(data) != BLOCK * -(-n // WEIGHTS):
        return error("bad_size", 0, 0, "n_bytes", bits="")
    values = []
    for b in range(len(data) // BLOCK):
        block = data[BLOCK * b : BLOCK * (b + 1)]
        scale = read_scale(form.fields(block)[0], profile)
        if scale is None:
            offset = form.scale_offset(b)
            return error("scale_not_finite", b, offset, "scale", bits=hex32(values))
        values += decode_block(form, block, scale, codebook)
    return {"status": "ok", "bits": hex32(values[:n])}


def by_profile(verdict):
    """One entry for each distinct verdict, with the profiles that give it."""
    entries = []
    for profile in PROFILES:
        result = verdict(profile)
        for entry in entries:
            if {key: entry[key] for key in entry if key != "profiles"} == result:
                entry["profiles"].append(profile)
                break
        else:
            entries.append({"profiles": [profile], **result})
    return entries


def transcode(source, target, data):
    if source is target:
        return error("bad_argument", 0, 0, "to", bytes="")
    out = b""
    for b in range(len(data) // BLOCK):
        d, index, words = source.fields(data[BLOCK * b : BLOCK * (b + 1)])
        status, d = rescale(d, Fraction(target.divisor, source.divisor))
        if status != "ok":
            return error(status, b, source.scale_offset(b), "scale", bytes=out.hex())
        out += target.block(d, index, words)
    return {"status": "ok", "bytes": out.hex()}


# ---- Random bytes --------------------------------------------------------------------------------


class SplitMix64:
    """Sebastiano Vigna's splitmix64: 64 bits of state, the same sequence everywhere."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        return z ^ z >> 31

    def bytes(self, n):
        return b"".join(self.next().to_bytes(8, "little") for _ in range(-(-n // 8)))[:n]

    def block(self, form, d=None):
        """A block of random content; scale pattern `d`, or random where `d` is None."""
        raw = self.bytes(BLOCK)
        pattern, index, words = IQ3_XXS.fields(raw)
        return form.block(pattern if d is None else d, index, words)


# ---- Flags ---------------------------------------------------------------------------------------

# flag: (bug class, what a decoder that fails here has usually got wrong)
NOTES = {
    "zero_block": ("scale", "A block of zero bytes decodes to +0, not to NaN or to leftovers."),
    "unit_scale": ("scale", "d = 1, all else zero: every weight has the same known value. A factor"
                   " of 2 or 4 shows that the divisor, or the format, is wrong."),
    "codebook": ("table", "Every row of the codebook once: a wrong, moved or stale table shows."),
    "level_7": ("table", "Level 7 is 62. A table made from 8 l + 4 alone has 60."),
    "sign_field": ("sign", "Every sign field: place of the 7-bit fields, order of their bits."),
    "sign_parity": ("sign", "The eighth sign is the parity of the other seven, not stored, not +."),
    "scale_code": ("scale", "Every scale code in bits 28-31; the multiplier is 2 s + 1."),
    "signed_zero": ("sign", "d = +-0 gives zeros whose sign is sign(d) xor the weight's sign."),
    "negative_scale": ("scale", "A negative d is valid and flips every sign."),
    "subnormal_scale": ("scale", "A subnormal d: exact in profiles strict and ggml, 2^-14 (1 + m /"
                        " 1024) in profile colibri. Flushing it to zero is wrong in all three."),
    "normal_scale": ("scale", "d at a boundary of the normal range, or an everyday value."),
    "scale_type": ("scale", "The bytes of bfloat16 1.0. As binary16 they are 1.875."),
    "infinite_scale": ("verdict", "An infinite d: refused by strict, decoded by the others."),
    "nan_scale": ("verdict", "A NaN d: refused by strict; the others keep the payload, quieted."),
    "extreme": ("arithmetic", "The largest magnitudes: 16-bit intermediates overflow."),
    "bit_position": ("layout", "One bit set at a time: byte order and place of each field."),
    "field_boundary": ("layout", "Fields all ones next to fields all zeros: masks one bit off."),
    "ramp": ("layout", "Bytes in a rising pattern: swapped or shifted fields show."),
    "all_ones": ("layout", "All bits set in the content."),
    "multi_block": ("bounds", "Several blocks: the stride is 98 bytes, so blocks are unaligned."),
    "error_in_row": ("verdict", "A refused scale within a row: the blocks before it are written,"
                     " nothing else; the lowest block is reported."),
    "random": ("any", "Seeded random bytes (splitmix64)."),
    "empty_row": ("bounds", "A row of no weights is valid and has no bytes."),
    "bad_width": ("verdict", "A number of weights that the format cannot hold."),
    "bad_size": ("verdict", "A number of bytes that does not belong to the number of weights."),
    "verdict_order": ("verdict", "Two errors at once: bad_width before bad_size before the scale."),
    "partial_block": ("bounds", "A width that is no multiple of 256: the tail of the last block is"
                      " never written, whatever it holds."),
    "worked_example": ("any", "The block of clause 8 of the text."),
    "peer_fixture": ("any", "A block and its values as colibri's own test fixture has them:"
                     " tests/fixtures/e8_case.bin, Apache-2.0."),
    "zero": ("scale", "A zero keeps its sign."),
    "subnormal": ("scale", "Exponent field 0: the value is m 2^-24, without a hidden 1."),
    "normal": ("scale", "Exponent field 1 to 30."),
    "infinite": ("verdict", "Exponent field 31, fraction 0."),
    "nan": ("verdict", "Exponent field 31, fraction not 0; signalling NaNs become quiet."),
    "boundary_scale": ("scale", "A scale where the rule of doubling or halving changes."),
    "subnormal_carry": ("scale", "Doubling or halving crosses between subnormal and normal."),
    "overflow": ("verdict", "The doubled scale is beyond the finite range: refused, never Inf."),
    "inexact": ("verdict", "The halved scale would lose a bit: refused, never rounded."),
    "same_format": ("verdict", "Transcoding a format to itself is an argument error."),
    "no_blocks": ("bounds", "Zero blocks are valid."),
    "content": ("layout", "Index bytes and words move unchanged; only the scale is rewritten."),
}


class Cases:
    def __init__(self):
        self.list = []

    def add(self, comment, flags, **rest):
        self.list.append({"id": len(self.list) + 1, "comment": comment, "flags": flags, **rest})

    def notes(self):
        used = {flag for case in self.list for flag in case["flags"]}
        return {
            flag: {"bug_class": NOTES[flag][0], "description": NOTES[flag][1]}
            for flag in sorted(used)
        }


# ---- Cases for decoding --------------------------------------------------------------------------

SPECIAL_SCALES = (
    (0x0000, "signed_zero"), (0x8000, "signed_zero"),
    (0x0001, "subnormal_scale"), (0x0002, "subnormal_scale"), (0x0100, "subnormal_scale"),
    (0x0200, "subnormal_scale"), (0x03FF, "subnormal_scale"), (0x8001, "subnormal_scale"),
    (0x0400, "normal_scale"), (0x07FF, "normal_scale"), (0x3C00, "normal_scale"),
    (0xBC00, "negative_scale"), (0x3F80, "scale_type"), (0x7BFF, "extreme"), (0xFBFF, "extreme"),
    (0x7C00, "infinite_scale"), (0xFC00, "infinite_scale"),
    (0x7E00, "nan_scale"), (0x7C01, "nan_scale"), (0x7DFF, "nan_scale"), (0xFE01, "nan_scale"),
    (0xFD55, "nan_scale"), (0xFFFF, "nan_scale"),
)

# All odd scale codes, every group with its own signs, no two index bytes alike.
MIXED_INDEX = [(37 * k + 11) % 256 for k in range(64)]
MIXED_WORDS = [
    word([(29 * (4 * ib + l) + 5) % 128 for l in range(4)], 2 * ib + 1) for ib in range(8)
]


def common_cases(form, codebook, add):
    def one(comment, flags, *args):
        add(comment, flags, form.block(*args))

    one("all bytes zero", ["zero_block"])
    one("d = 1, all other bytes zero", ["unit_scale"], 0x3C00)
    for first in range(0, 256, 64):
        one(f"codebook rows {first} to {first + 63} in order, d = 1", ["codebook"],
            0x3C00, list(range(first, first + 64)))
    for first in range(0, 128, 32):
        words = [word(range(first + 4 * ib, first + 4 * ib + 4)) for ib in range(8)]
        one(f"sign fields {first} to {first + 31} in order, d = 1", ["sign_field"],
            0x3C00, None, words)
    for first in (0, 8):
        one(f"scale codes {first} to {first + 7} in order, d = 1", ["scale_code"],
            0x3C00, None, [word(code=first + ib) for ib in range(8)])
    one("scale codes 15, 13, ... 1, d = 1, indices and signs mixed", ["scale_code"],
        0x3C00, MIXED_INDEX, [word([ib, 127 - ib, 64, 3], 15 - 2 * ib) for ib in range(8)])

    for d, flag in SPECIAL_SCALES:
        one(f"d = 0x{d:04X}, content mixed", [flag], d, MIXED_INDEX, MIXED_WORDS)

    sevens = [r for r, row in enumerate(codebook) if 7 in row]
    for part in range(0, len(sevens), 64):
        rows = (sevens[part:] + sevens)[:64]
        one(f"rows with level 7 from row {rows[0]} on, s = 15, d = 1", ["level_7"],
            0x3C00, rows, [word(code=15)] * 8)
    one("every sign field 0x7F: all weights negative", ["sign_parity"],
        0x3C00, None, [word([0x7F] * 4)] * 8)
    one("one sign bit per group, so weight 7 is negative too", ["sign_parity"],
        0x3C00, None, [word([1 << (4 * ib + l) % 7 for l in range(4)]) for ib in range(8)])
    one("every pair of neighbouring sign bits, so weight 7 is positive", ["sign_parity"],
        0x3C00, None, [word([3 << (4 * ib + l) % 6 for l in range(4)]) for ib in range(8)])
    row = codebook.index((7, 0, 0, 7))
    for d in (0x7BFF, 0xFBFF):
        one(f"largest magnitude: d = 0x{d:04X}, s = 15, level 7 outside, signs mixed",
            ["extreme", "level_7"], d, [row] * 64, [word([0x7F, 0, 0x09, 0x48], 15)] * 8)
    one("all bytes 0xFF: d is a NaN", ["all_ones", "nan_scale"], 0xFFFF, [0xFF] * 64,
        [0xFFFFFFFF] * 8)
    one("d = 1, all other bytes 0xFF", ["all_ones"], 0x3C00, [0xFF] * 64, [0xFFFFFFFF] * 8)

    add("byte i is i", ["ramp"], bytes(range(BLOCK)))
    add("byte i is 255 - i", ["ramp"], bytes(255 - i for i in range(BLOCK)))
    add("byte i is (37 i + 11) mod 251", ["ramp"], bytes((37 * i + 11) % 251 for i in range(BLOCK)))
    for b in range(4):
        one(f"word ib has bit {8 * b} + ib set only, d = 1", ["bit_position"],
            0x3C00, MIXED_INDEX, [1 << (8 * b + ib) for ib in range(8)])
    for b in range(4):
        one(f"word ib has bit {8 * b + 7} - ib clear only, d = 1", ["bit_position"],
            0x3C00, MIXED_INDEX, [0xFFFFFFFF ^ 1 << (8 * b + 7 - ib) for ib in range(8)])
    one("index byte k has bit k mod 8 set only, d = 1", ["bit_position"],
        0x3C00, [1 << k % 8 for k in range(64)])
    one("words with one field all ones", ["field_boundary"], 0x3C00, MIXED_INDEX,
        [0x0000007F, 0x00003F80, 0x001FC000, 0x0FE00000, 0xF0000000, 0x0FFFFFFF, 0x00203F81,
         0x80000001])
    one("words with the two bits at a field boundary", ["field_boundary"], 0x3C00, MIXED_INDEX,
        [0x000000C0, 0x00000040, 0x00000080, 0x00006000, 0x00300000, 0x18000000, 0x08000000,
         0x10000000])

    random = SplitMix64(0x1001)
    for blocks in (2, 3, 7):
        data = b"".join(random.block(form, 0x2C00 + 0x0155 * b) for b in range(blocks))
        add(f"{blocks} blocks", ["multi_block", "random"], data)
    good = [random.block(form, d) for d in (0x2A31, 0x31C7)]
    infinite, nan = random.block(form, 0xFC00), random.block(form, 0x7D01)
    for place in range(3):
        blocks = good[:]
        blocks.insert(place, nan)
        add(f"three blocks, NaN scale in block {place}", ["error_in_row", "nan_scale"],
            b"".join(blocks))
    add("four blocks, infinite scale in block 1 and NaN scale in block 2",
        ["error_in_row", "infinite_scale"], b"".join([good[0], infinite, nan, good[1]]))
    for k in range(12):
        add(f"random bytes {k}", ["random"], random.bytes(BLOCK))
    for k in range(12):
        d = random.next() & 0x83FF | 0x1400 + (k % 6 << 10)
        add(f"random content {k}, everyday scale", ["random"], random.block(form, d))

    add("no weights, no bytes", ["empty_row"], b"", 0)
    block = random.block(form, 0x3555)
    for n, size in ((256, 97), (256, 99), (256, 195), (256, 0), (256, 196), (512, 98), (512, 195),
                    (512, 197), (0, 1), (0, 98)):
        add(f"{n} weights in {size} bytes", ["bad_size"], (block * 3)[:size], n)
    add("256 weights in 99 bytes, and the scale is NaN", ["bad_size", "verdict_order"],
        form.block(0x7E00) + b"\0", 256)


def iq3_xxs_cases(form, codebook, add):
    common_cases(form, codebook, add)
    add("the block of clause 8 of the text", ["worked_example"],
        form.block(0x2E66, [0xFF, 0x05] + [0] * 62, [0x90203F96] + [0] * 7))
    random = SplitMix64(0x1002)
    for n, size in ((1, 98), (128, 98), (255, 98), (257, 196), (300, 196)):
        add(f"{n} weights in {size} bytes", ["bad_width"], random.bytes(size), n)
    for n, size in ((255, 97), (257, 98)):
        add(f"{n} weights in {size} bytes", ["bad_width", "verdict_order"], random.bytes(size), n)
    add("128 weights in 98 bytes, and the scale is NaN", ["bad_width", "verdict_order"],
        form.block(0x7E00), 128)


def e8_iq3_cases(form, codebook, add):
    common_cases(form, codebook, add)
    random = SplitMix64(0x1003)
    for n in (1, 7, 8, 31, 32, 33, 255):
        add(f"{n} weights, one partial block", ["partial_block"], random.block(form, 0x2F13), n)
    for n in (257, 300, 511):
        first, garbage = random.block(form, 0x2F13), random.block(form, 0xB0C4)
        add(f"{n} weights, the rest of block 1 holds other data", ["partial_block", "multi_block"],
            first + garbage, n)
    add("257 weights, the rest of block 1 is all ones", ["partial_block", "multi_block"],
        random.block(form, 0x2F13) + form.block(0x3C00, [0] + [0xFF] * 63, [0xFFFFFFFF] * 8), 257)
    add("512 weights, two whole blocks", ["multi_block"],
        random.block(form, 0x2F13) + random.block(form, 0x30C4), 512)
    for n in (1, 300):
        blocks = [random.block(form, 0x2F13) for _ in range(n // WEIGHTS)]
        add(f"{n} weights, NaN scale in the partial block", ["partial_block", "nan_scale"],
            b"".join(blocks) + random.block(form, 0x7E01), n)
    add("300 weights, subnormal scale in the partial block", ["partial_block", "subnormal_scale"],
        random.block(form, 0x2F13) + random.block(form, 0x0155), 300)
    for n, size in ((1, 0), (1, 97), (255, 97), (255, 196), (257, 98), (257, 195), (300, 195),
                    (512, 294)):
        add(f"{n} weights in {size} bytes", ["bad_size"], random.bytes(size), n)
    for number, (place, block, bits) in enumerate(PEER_BLOCKS):
        if decode(form, bytes.fromhex(block), WEIGHTS, "strict", codebook)["bits"] != bits:
            sys.exit(f"the peer's block {place} decodes differently here")
        flags = ["peer_fixture"] + (["worked_example"] if number == 0 else [])
        add(f"colibri tests/fixtures/e8_case.bin, {place}", flags, bytes.fromhex(block))


def decode_file(form, make_cases, codebook):
    cases = Cases()

    def add(comment, flags, data, n=None):
        n = len(data) // BLOCK * WEIGHTS if n is None else n
        expect = by_profile(lambda profile: decode(form, data, n, profile, codebook))
        cases.add(comment, flags, bytes=data.hex(), n_values=n, expect=expect)

    make_cases(form, codebook, add)
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "kind": "decode",
        "format": form.name,
        "licence": LICENCE,
        "about": "Each case: decode `bytes` to `n_values` weights. `bits` are the binary32 values"
        " written, each as 4 little-endian bytes in hex.",
        "notes": cases.notes(),
        "cases": cases.list,
    }


# ---- Cases for transcoding -----------------------------------------------------------------------

TRANSCODE_SCALES = (
    (0x0000, "zero"), (0x0001, "boundary_scale"), (0x0002, "boundary_scale"),
    (0x0003, "boundary_scale"), (0x01FF, "boundary_scale"), (0x0200, "subnormal_carry"),
    (0x0201, "subnormal_carry"), (0x03FE, "subnormal_carry"), (0x03FF, "subnormal_carry"),
    (0x0400, "subnormal_carry"), (0x0401, "subnormal_carry"), (0x0402, "subnormal_carry"),
    (0x07FE, "subnormal_carry"), (0x07FF, "subnormal_carry"), (0x0800, "subnormal_carry"),
    (0x0801, "boundary_scale"), (0x2E66, "normal"), (0x3C00, "normal"), (0x73FF, "normal"),
    (0x77FF, "boundary_scale"), (0x7800, "boundary_scale"), (0x7BFF, "boundary_scale"),
    (0x7C00, "infinite"), (0x7C01, "nan"), (0x7E01, "nan"), (0x7FFF, "nan"),
)


def transcode_file():
    cases = Cases()

    def add(comment, flags, source, target, data):
        cases.add(comment, flags, **{"from": source.name, "to": target.name}, bytes=data.hex(),
                  n_blocks=len(data) // BLOCK, expect=transcode(source, target, data))

    refusals = {"transcode_overflow": "overflow", "transcode_inexact": "inexact"}
    for source, target in ((IQ3_XXS, E8_IQ3), (E8_IQ3, IQ3_XXS)):
        for sign in (0, 0x8000):
            for d, flag in TRANSCODE_SCALES:
                data = source.block(d | sign, MIXED_INDEX, MIXED_WORDS)
                status = transcode(source, target, data)["status"]
                flags = [flag] + ([refusals[status]] if status in refusals else [])
                add(f"d = 0x{d | sign:04X}", flags, source, target, data)
        random = SplitMix64(0x2001)
        add("no blocks", ["no_blocks"], source, target, b"")
        add("all bytes zero", ["content"], source, target, bytes(BLOCK))
        add("byte i is i", ["content"], source, target, source.block(
            0x3C00, list(range(2, 66)), [0x01010101 * (66 + 4 * ib) for ib in range(8)]))
        add("all bits of the content set", ["content"], source, target,
            source.block(0x3C00, [0xFF] * 64, [0xFFFFFFFF] * 8))
        for blocks in (2, 3, 7):
            add(f"{blocks} blocks", ["multi_block", "content"], source, target,
                b"".join(random.block(source, 0x1800 + 0x0955 * b) for b in range(blocks)))
        good = [random.block(source, d) for d in (0x2A31, 0x31C7)]
        refused = 0x7801 if source is IQ3_XXS else 0x0001
        for place in range(3):
            for d, flag in ((0x7E01, "nan"), (refused, "overflow" if refused > 1 else "inexact")):
                blocks = good[:]
                blocks.insert(place, random.block(source, d))
                add(f"three blocks, d = 0x{d:04X} in block {place}", ["error_in_row", flag],
                    source, target, b"".join(blocks))
        add("two refused blocks: the lower one is reported", ["error_in_row"], source, target,
            b"".join([good[0], random.block(source, refused), random.block(source, 0x7C00)]))
        add("same format", ["same_format"], source, source, good[0])
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "kind": "transcode",
        "licence": LICENCE,
        "about": "Each case: rewrite `n_blocks` blocks of format `from` as format `to`. The"
        " verdict does not depend on a profile. `expect.bytes` are the bytes written.",
        "notes": cases.notes(),
        "cases": cases.list,
    }


# ---- Cases for the scale -------------------------------------------------------------------------

HALF_PATTERNS = (
    0x0000, 0x0001, 0x0002, 0x0003, 0x0004, 0x0007, 0x0008, 0x000F, 0x0010, 0x0020, 0x003F, 0x0040,
    0x0080, 0x00FF, 0x0100, 0x0155, 0x01FF, 0x0200, 0x0201, 0x02AA, 0x03FE, 0x03FF, 0x0400, 0x0401,
    0x0402, 0x0555, 0x07FE, 0x07FF, 0x0800, 0x0801, 0x0BFF, 0x0C00, 0x1400, 0x2E66, 0x3555, 0x37FF,
    0x3800, 0x3BFF, 0x3C00, 0x3C01, 0x3F80, 0x3FFF, 0x4000, 0x4248, 0x4BFF, 0x5555, 0x63FF, 0x6AAA,
    0x73FF, 0x7400, 0x77FE, 0x77FF, 0x7800, 0x7801, 0x7BFE, 0x7BFF, 0x7C00, 0x7C01, 0x7C02, 0x7D00,
    0x7D55, 0x7DFF, 0x7E00, 0x7E01, 0x7EAA, 0x7FFE, 0x7FFF,
)


def half_class(pattern):
    exponent, fraction = pattern >> 10 & 31, pattern & 1023
    if exponent == 0:
        return "subnormal" if fraction else "zero"
    if exponent == 31:
        return "nan" if fraction else "infinite"
    return "normal"


def half_file():
    def widened(pattern, profile):
        bits = widen(pattern, profile)
        if bits is None:
            return {"status": "scale_not_finite", "bits": ""}
        return {"status": "ok", "bits": hex32([bits])}

    def rescaled(pattern, factor):
        status, result = rescale(pattern, factor)
        data = b"" if result is None else struct.pack("<H", result)
        return {"status": status, "bytes": data.hex()}

    def digest(operation, letter, results, **rest):
        accepted = [result for result in results if result is not None]
        table = struct.pack(f"<{len(accepted)}{letter}", *accepted)
        sha256 = hashlib.sha256(table).hexdigest()
        return {"operation": operation, **rest, "accepted": len(accepted), "sha256": sha256}

    cases = Cases()
    for sign in (0, 0x8000):
        for pattern in HALF_PATTERNS:
            pattern |= sign
            cases.add(f"0x{pattern:04X}", [half_class(pattern)],
                      bytes=struct.pack("<H", pattern).hex(),
                      expect=by_profile(lambda profile, p=pattern: widened(p, profile)),
                      double=rescaled(pattern, Fraction(2)),
                      halve=rescaled(pattern, Fraction(1, 2)))
    every = range(65536)
    digests = [digest("widen", "I", [widen(p, profile) for p in every], profile=profile)
               for profile in PROFILES]
    digests.append(digest("double", "H", [rescale(p, Fraction(2))[1] for p in every]))
    digests.append(digest("halve", "H", [rescale(p, Fraction(1, 2))[1] for p in every]))
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "kind": "half",
        "licence": LICENCE,
        "about": "Each case: one scale, 2 little-endian bytes. `expect.bits` is the widened"
        " binary32, 4 little-endian bytes; `double` and `halve` are half.md 4.1 and 4.2. A digest"
        " is the SHA-256 of all accepted results, in ascending order of the 65,536 patterns,"
        " without gaps: 4 little-endian bytes each for widen, 2 for double and halve. Refused"
        " patterns add no bytes.",
        "notes": cases.notes(),
        "digests": digests,
        "cases": cases.list,
    }


# ---- Blocks of a peer ----------------------------------------------------------------------------

# Four blocks of colibri's test fixture tests/fixtures/e8_case.bin (Apache-2.0), first matrix of 24
# rows and 512 columns, with the values that the fixture holds for them. Literal, as a witness from
# outside this project.
PEER_BLOCKS = (
    (
        "row 0, block 0",
        "0c086361121a4bc9456b6f7908a519dc8f00017dd23c1e742608074594177d0ec4aef23a126d9e11"
        "ce829d9a78500a9d52a05a90c74010ef199a7502a05a4a8cea28bd58d7c26830d5e6e54f40447e49"
        "1d3dea340ecc05282cd254339c3ce24d3019",
        "00302b3d004064bc00302b3d004064bc00302b3d00b8c7bd004064bc0040643c00302bbd00302b3d"
        "0040643c00a88e3d004064bc0040643c004064bc00a88ebd0040643c00b8c73d00302bbd0040643c"
        "00302bbd00302bbd00a88ebd0040643c00b8c7bd0040643c00a88ebd00302b3d0040643c0040643c"
        "00302bbd00ec1cbe004011bc004011bc00e0d9bc00e0d93c00307ebd0040113c00e0d9bc009035bd"
        "00e0d9bc0090353d00e0d9bc0090353d0090353d0090353d0090353d0090353d00e0d9bc00307ebd"
        "0040113c0040113c0040113c004011bc00b8c73d00307ebd0068a3bd004011bc0090353d0040113c"
        "0068a33d0068a33d0040113c0008ec3d00100cbd0070693d00c03abc0068a33d00c03abc00c03a3c"
        "00c03abc00c03a3c007069bd00c03a3c00c03abc00c03abc00100c3d00c03a3c0068a3bd0070693d"
        "00c03abc00100cbd0018d2bd0064003e00c03abc00100c3d00c03a3c00100c3d0068a3bd0068a3bd"
        "007069bd00c03abc00c03abc00c03abc007069bd007069bd0070693d00100c3d0068a33d00c03a3c"
        "00100c3d0068a33d00c03abc00c03abc0070693d0070693d00c03a3c00c03abc00c03a3c00c03a3c"
        "00100c3d00100cbd00c03abc00c03a3c00100c3d0068a3bd00c03abc00c03abc007069bd00c03abc"
        "00100cbd00c03abc0068a33d007069bd00c03a3c00100c3d00100cbd00c03a3c009035bd00e0d93c"
        "00b60cbe0068a3bd0068a3bd0040113c0040113c0068a33d0040113c0068a3bd00e0d93c00b60cbe"
        "00e0d9bc004011bc004011bc00e0d9bc0040113c00307e3d00e0d93c004011bc0040113c00e0d9bc"
        "00e0d93c0090353d009035bd00b8c7bd009035bd00307e3d00b8c73d009035bd00e0d93c0040113c"
        "00b0013d009035bd00b001bd00a88ebd00a88e3d0090353d0070693d00b001bd00a88e3d00b0013d"
        "00b0013d009035bd00a09bbc0080cf3b00b0013d0090353d0080cfbb00b001bd00b001bd00b0013d"
        "00b001bd0004c93d00b0013d00a09b3c0090353d0004c93d0080cf3b0080cf3b00a88e3d00b0013d"
        "00b001bd009035bd0090353d0040113c00307ebd00e0d9bc00e0d93c00e0d9bc00307e3d00307ebd"
        "0040113c0090353d00b8c7bd00e0d93c00307e3d009035bd0040113c00307e3d00e0d9bc0068a3bd"
        "0040113c00b8c73d004011bc00307e3d004011bc00e0d93c00e0d93c009035bd00e0d93c004011bc"
        "009035bd00307e3d0040113c00b60cbe0018d23d00c03a3c007069bd00c03abc00100cbd00c03a3c"
        "0070693d0068a3bd007069bd00c03a3c0070693d007069bd0018d2bd00c03abc00c03abc00c03abc"
        "00100c3d00100c3d0068a33d0068a3bd00c03a3c0070693d0064003e00100cbd00100cbd00c03abc"
        "007069bd00100cbd00100c3d00c03abc00c03abc0068a33d",
    ),
    (
        "row 0, block 1",
        "6c1214433d291d7884b549a54f233a00da1bfc93e11ec7258e697d73a0069353743a6a6a49ce9097"
        "236527093a8fd2300065d611a2953179777ff72732c69f6bee7eb74e0c6c0b3f12d2a427251c2234"
        "7bd3344813442d3e7fbe4a269457f62a5419",
        "00df033e00d03fbc00dc0fbd00c46fbd00d03f3c00d6a7bd00dc0fbd00d03fbc00dc0fbd00cad73d"
        "00dc0fbd00d03fbc80d139be00cad7bd00d03fbc00dc0f3d00c46fbd00dc0f3d00d03fbc00dc0fbd"
        "00d6a7bd00dc0f3d00cad7bd00d03fbc00dc0fbd00d6a73d00c46fbd00d03f3c00d03fbc00c46fbd"
        "00c46fbd00c46fbd008a823d0030153c0022cdbd007c3abd0030153c007c3a3d007c3a3d00d6a73d"
        "007c3a3d007c3a3d00c8df3c00c8dfbc003015bc0030153c0022cdbd008a82bd003015bc008a823d"
        "007c3abd00c8dfbc00c8df3c003015bc008a823d0030153c00c8df3c0030153c0030153c00c8dfbc"
        "003015bc003015bc003015bc0030153c0034053d00c46fbd0077ce3d0086923d0020d5bb0034053d"
        "0034053d0020d53b0020d53b0020d53b008692bd0077ce3d0034053d0077cebd0020d53b007c3a3d"
        "0077cebd00d89fbc0034053d002aad3d007c3abd007c3a3d0034053d0020d5bb00d89fbc00c46f3d"
        "0020d5bb008692bd0020d5bb00d89fbc007c3a3d0020d5bb007c3abd00c8df3c003015bc008a823d"
        "007c3a3d00d6a7bd0030153c007c3abd00c8df3c0030153c008a823d007c3abd003015bc808610be"
        "00c8df3c007c3abd00c8df3c00c8df3c008a823d008a82bd0030153c007c3a3d0030153c003015bc"
        "007c3abd8086103e0030153c008a823d0030153c007c3abd008a823d00c8df3c00d03fbc00d03fbc"
        "00c46f3d00c46fbd00dc0fbd00d03fbc00d03fbc00dc0f3d00dc0f3d00d03fbc00dc0fbd00c46f3d"
        "00dc0f3d00d03fbc00dc0f3d00c46fbd00c46fbd00c46fbd00dc0f3d00dc0f3d00c46fbd00d6a73d"
        "00c46fbd00df033e00d6a7bd00c46f3d00d03f3c00d6a73d00dc0f3d00d6a73d00dc0fbd00d6a73d"
        "00c8dfbc003015bc008a823d0030153c003015bc007c3a3d0030153c007c3abd0022cd3d007c3a3d"
        "008a823d003015bc007c3a3d00d6a73d0030153c003015bc00c8dfbc0030153c003015bc00c8df3c"
        "00c8dfbc007c3abd0030153c008a823d003015bc00c8df3c00d6a73d0022cd3d808610be003015bc"
        "0022cdbd0030153c0020d5bb0020d5bb0020d5bb0020d5bb0020d5bb003405bd0020d5bb003405bd"
        "0034053d0020d53b008692bd008692bd008692bd003405bd00d89fbc0020d5bb0020d53b007c3abd"
        "00c46f3d007c3abd0034053d0020d5bb00d89f3c007c3abd0034053d007c3abd0086923d0020d53b"
        "003405bd003405bd0034053d003405bd0077ce3d00d89f3c003405bd0034053d00c46fbd00d89f3c"
        "007c3a3d0034053d008692bd00d89fbc007c3abd0077cebd0086923d003405bd007c3a3d0020d5bb"
        "003405bd0086923d0086923d0020d5bb003405bd00d89f3c0020d5bb0086923d003405bd0077cebd"
        "003405bd007c3a3d007c3abd0020d53b00d89fbc003405bd",
    ),
    (
        "row 11, block 0",
        "4aa5599096be9e73e5ddc7a3120924fbf1189e8191c05a86b041d242df534ffbb7d2a29c22795a61"
        "7931059703af468f9094740426978426429c9354a1198ecaa26a6937e9e2762396430d2f12427f28"
        "269d5d2775ece03498b3f44d145b222be518",
        "0092cd3c000c09bc004f2b3d0092cd3c000c093c000c09bc8070bc3d00d56f3d000c09bc8070bc3d"
        "802d9abd0092cd3c00d56fbd004f2b3d000c09bc00d56f3d000c09bc004f2b3d0092cdbc00d56f3d"
        "802d9a3d80b3debd802d9a3d802d9abd004f2bbd8070bcbd004f2b3d00d56fbd000c09bca0c304be"
        "0092cd3c004f2bbd00415cbd00415c3d00415c3d80129fbd80129f3d00415cbd00c8c3bb80129f3d"
        "00d692bc00415c3d00c8c3bb8099863dc0a9bd3d00415c3d00415cbd004f2bbd00c8c3bb004f2bbd"
        "00d6923c00c8c3bb00baf4bc00415c3d00c8c3bb00c8c3bbc0a9bdbd00c8c3bb004f2b3d00c8c3bb"
        "00d692bc00415c3d00415c3dc0a9bd3d80129f3d00baf4bc00d692bcc0a9bd3d00baf4bc00c8c33b"
        "00baf43c00c8c3bb00baf4bc809986bd00baf4bc004f2b3d00415c3dc0a9bd3d004f2b3d00baf4bc"
        "00c8c3bb8099863d00c8c3bb004f2b3d004f2bbd00415cbd8099863d00415c3d00c8c33b00baf43c"
        "8099863d00d692bc00d692bc00415cbd809986bd00baf43c8099863d004f2bbd00c8c33b00415c3d"
        "00baf4bc004f2b3d00c8c33b00d6923c00c8c33b00d6923c00415cbd8099863d00415c3d004f2b3d"
        "00c8c33b00d692bc00d692bc00baf43c00d692bc80129fbd00c8c3bb00baf4bc004f2bbd00d6923c"
        "00c8c3bb004f2bbd00baf43c00d6923c00d6923c00415c3d00415cbdc0a9bdbd00c8c33b00415cbd"
        "00baf4bc00415c3d00c8c33b00d692bc00415c3d809986bd00c8c33b004f2bbd00415c3d004f2bbd"
        "00c8c3bb00d692bc00baf43c004f2b3d8099863dc0a9bdbd00baf4bc00c8c33b00baf4bc00baf4bc"
        "00baf4bc00baf4bc00c8c33b00baf4bc8099863d00d692bc00c8c3bb00c8c3bb00c8c33b00baf43c"
        "004f2bbd004f2b3d004f2bbd004f2b3d004f2bbd00d56fbd8070bcbd000c09bca0c3043e0092cd3c"
        "000c093c000c09bc0092cdbc00d56f3d0092cdbc00d56fbd0092cdbc0092cdbc000c093c000c093c"
        "a0c3043e0092cd3c000c093c802d9a3d004f2bbd000c09bc0092cdbc0092cd3c0092cd3c004f2bbd"
        "000c093c00d56f3d802d9a3d00415c3d0034303c802d9abd003430bc0034303c0027043d802d9a3d"
        "003430bc003430bc00415cbd00415c3d802d9a3d002704bd003430bc003430bc00415c3d002704bd"
        "802d9a3d0034303c002704bd802d9a3d002704bd802d9abd802d9abd003430bc8047f2bd00415cbd"
        "00415c3d002704bd802d9abd0034303c00415c3d004f2b3d00c8c3bb00d6923c00c8c3bb00d6923c"
        "00baf43c004f2b3d00baf43cc0a9bdbd00c8c3bb004f2b3d00d692bc004f2bbd004f2b3d00d6923c"
        "004f2bbd004f2b3d004f2b3d004f2bbd00415c3d00c8c33b00baf43c00c8c33b00baf4bc00d6923c"
        "00c8c33b004f2bbd80129fbd00c8c33b00d692bc8099863d",
    ),
    (
        "row 23, block 1",
        "9be14a9cae0862519831785e55b41edc4a8d663a12614851021f7b3c0e78880f56474e0fb5a742ea"
        "b42f0f1c3aa4c662a359dcf2d65dc99e153ca7c7a2ee7b74d78fa93dceca36252fcead471612934b"
        "a3aece240b287b3ad4477c2807a6cb23eb18",
        "00fb70bd00b409bc00212cbd00fb703d606605be008ece3c00212cbd80c4dfbd008ecebc00b409bc"
        "00212cbd008ecebc00b409bc008ece3c00212c3d00fb70bd80ea9a3d00b409bc00b409bc80ea9a3d"
        "008ece3c00fb70bd00b4093c00b409bc00212cbd00b4093c00b409bc00212cbd00b4093c00b409bc"
        "00fb70bd008ecebc004f5d3d004f5dbd008a93bc00212cbd00e6f53c00212c3d803e87bd00b8c43b"
        "00b8c4bb00e6f53c00e6f5bc00e6f53c803e87bd00b8c43b80d59f3d008a93bc80d59fbd004f5dbd"
        "00212c3d008a93bc004f5dbd4092be3d008a93bc004f5dbd00212cbd00212c3d00e6f53c00b8c4bb"
        "004f5d3d004f5dbd00b8c43b80d59fbd00c904bd000c31bc004f5dbd00c904bd000c313c00c904bd"
        "000c313c80ea9abd004f5d3d004f5d3d000c31bc004f5dbd00c904bd000c313c000c313c00c904bd"
        "000c31bc80ea9abd00c904bd000c313c000c31bc000c31bc000c313c004f5dbd000c31bc004f5d3d"
        "00c904bd00c904bd000c31bc000c31bc80ea9a3d00c904bd802dc73d000c31bc000c31bc000c313c"
        "a0832bbe80ea9a3d004f5d3d000c31bc000c313c802dc73d004f5dbd004f5d3d000c313c00c904bd"
        "000c313c00c9043d000c313c00c9043d00c904bd000c31bc000c313c004f5d3d004f5dbd004f5dbd"
        "00c9043d000c313ca0832bbe004f5dbd004f5dbd00c9043d00c904bd000c313c80d59fbd80d59fbd"
        "00212c3d008a933c008a933c008a93bc008a933c008a93bc008a93bc00e6f53c00e6f5bc008a93bc"
        "00e6f5bc008a933c008a93bc00b8c4bb00b8c43b00e6f5bc00e6f53c004f5dbd00e6f5bc00e6f5bc"
        "803e873d00212c3d004f5d3d00212cbd00b8c4bb008a933c008a933c00e6f5bc4092be3d80d59fbd"
        "80ea9abd606605be008ece3c80ea9abd008ece3c00b4093c8057bd3d00b409bc00212c3d008ece3c"
        "008ece3c00b4093c00212cbd00212c3d00212cbd00b4093c008ece3c00b4093c00b409bc008ecebc"
        "00212c3d606605be80ea9abd00fb703d00212cbd008ecebc00b4093c8057bd3d00212cbd00b4093c"
        "00b409bc00212c3d4092be3d004f5d3d004f5dbd00212c3d00b8c4bb803e873d004f5dbd008a93bc"
        "004f5dbd004f5dbd00b8c4bb80d59fbd00b8c43b004f5d3d008a933c4092be3d00e6f5bc00b8c43b"
        "803e873d803e873d008a93bc4092bebd803e87bd008a933c00b8c4bb00b8c4bb008a933c803e873d"
        "00e6f53c803e873d00e6f5bc00212cbd004f5dbd803e87bd008a93bc00b8c43b00b8c43b008a933c"
        "00b8c43b008a93bc00e6f53c00e6f53c803e87bd00212cbd008a933c004f5d3d00b8c4bb803e87bd"
        "00b8c43b00212cbd004f5dbd00212cbd00b8c43b008a93bc00b8c43b4092be3d00b8c43b004f5dbd"
        "00e6f5bc00e6f5bc00b8c4bb00b8c43b00e6f53c00e6f53c",
    ),
)


# ---- Files ---------------------------------------------------------------------------------------


def render(document):
    """JSON with one line for each case, note and digest, so that a change is one line of a diff."""
    parts = []
    for key, value in document.items():
        if isinstance(value, list):
            lines = ",\n    ".join(json.dumps(item) for item in value)
            parts.append(f"  {json.dumps(key)}: [\n    {lines}\n  ]")
        elif isinstance(value, dict):
            lines = ",\n    ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
            parts.append(f"  {json.dumps(key)}: {{\n    {lines}\n  }}")
        else:
            parts.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def make_files():
    codebook, codebook_digest = read_codebook()
    documents = {
        "half.json": half_file(),
        "iq3_xxs.json": decode_file(IQ3_XXS, iq3_xxs_cases, codebook),
        "e8_iq3.json": decode_file(E8_IQ3, e8_iq3_cases, codebook),
        "transcode.json": transcode_file(),
    }
    files = {name: render(document) for name, document in documents.items()}
    manifest = {
        "schema": SCHEMA,
        "version": VERSION,
        "kind": "manifest",
        "licence": LICENCE,
        "schema_sha256": hashlib.sha256((HERE / SCHEMA).read_bytes()).hexdigest(),
        "codebook_sha256": codebook_digest,
        "files": [
            {
                "name": name,
                "kind": documents[name]["kind"],
                "cases": len(documents[name]["cases"]),
                "sha256": hashlib.sha256(text.encode()).hexdigest(),
            }
            for name, text in files.items()
        ]
        + [
            {
                "name": name,
                "kind": json.loads((HERE / name).read_bytes())["kind"],
                "cases": len(json.loads((HERE / name).read_bytes())["cases"]),
                "sha256": hashlib.sha256((HERE / name).read_bytes()).hexdigest(),
            }
            for name in OTHERS
        ],
    }
    files["manifest.json"] = render(manifest)
    return files


def differences(name, want):
    """Lines that say how file `name` differs from `want`; none when it does not."""
    path = HERE / name
    if not path.exists():
        return [f"{name}: missing"]
    have = path.read_bytes().decode("utf-8", "replace")
    if have == want:
        return []
    have_lines, want_lines = have.split("\n"), want.split("\n")
    pairs = zip(have_lines, want_lines)
    changed = [number for number, (a, b) in enumerate(pairs, 1) if a != b]
    places = ", ".join(str(number) for number in changed[:8]) + (", ..." if changed[8:] else "")
    return [
        f"{name}: {len(have_lines)} lines where {len(want_lines)} are made;"
        f" {len(changed)} lines differ" + (f": {places}" if changed else "")
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 on a difference")
    check = parser.parse_args().check
    files = make_files()
    if check:
        report = [line for name, text in files.items() for line in differences(name, text)]
        print("\n".join(report) if report else f"{len(files)} files are as generated")
        return 1 if report else 0
    for name, text in files.items():
        (HERE / name).write_bytes(text.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
