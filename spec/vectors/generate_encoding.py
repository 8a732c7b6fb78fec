#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes encoding.json, the test vectors of the encoder of IQ3_XXS and E8/IQ3 and of the rotation of
rows, from spec/formats/encoding.md and rotation.md.

    generate_encoding.py            writes the file
    generate_encoding.py --check    exits 1 when the file is not what this program makes

It shares no code and no tables with ref/ or fast/. A binary32 operation is Python's binary64 one,
rounded once more: for sums, products, quotients and square roots that is the same, since 53 >= 2 x 24
+ 2. Scales are exact fractions. Python's standard library only, and the same bytes on every machine.
Clause numbers are those of encoding.md.
"""

import argparse
import json
import math
import pathlib
import struct
import sys
from fractions import Fraction

sys.dont_write_bytecode = True  # an import must not leave files in the source tree
from generate import magnitude, read_codebook
from generate_leech import Random

HERE = pathlib.Path(__file__).resolve().parent
NAME = "encoding.json"
BINARY32 = struct.Struct("<f")
CODEBOOK = [tuple(magnitude(level) for level in row) for row in read_codebook()[0]]
SHIFT = {"iq3_xxs": 2, "e8_iq3": 3}  # S of 1.4
GREATEST_SCALE = 65504


class Refused(Exception):
    """A line of the table of 2.3: status, block, offset, field."""


# ---- Arithmetic (4) ------------------------------------------------------------------------------


def f(value):
    """The binary32 number nearest to a binary64 number."""
    return BINARY32.unpack(BINARY32.pack(value))[0]


def tree_sum(values):  # 4.2
    while len(values) > 1:
        values = [f(values[i] + values[i + 1]) for i in range(0, len(values), 2)]
    return values[0]


def nearest_power(numerator, denominator):
    """The binary32 number nearest to 2^(numerator / denominator), between 1 and 2."""
    # x / 2^23 <= 2^(n/d) iff x^d <= 2^(n + 23 d); then the nearer of x and x + 1, in halves.
    power = 2 ** (numerator + 24 * denominator)
    x = 1 << 24
    for bit in reversed(range(24)):
        if (x + (1 << bit)) ** denominator <= power:
            x += 1 << bit
    return ((x + 1) >> 1) / 2**23


FRACTIONS = [nearest_power(i, 32) for i in range(32)]
HALF_STEP = nearest_power(1, 64)
CODE_STEPS = [
    next(c for c in range(200) if (2 * s + 1) ** 64 < 2 ** (2 * c + 1)) for s in range(16)
]  # 8.4: c - 1/2 <= 32 log2(2s + 1) < c + 1/2


def grid(k):  # 4.3
    return math.ldexp(FRACTIONS[k % 32], k // 32)


def step_of(value):  # 4.3
    k = 32 * (math.frexp(value)[1] - 1) + 31
    while grid(k) > value:
        k -= 1
    return k


def half_value(pattern):
    exponent, fraction = pattern >> 10, pattern & 0x3FF
    if exponent == 0:
        return Fraction(fraction, 2**24)
    return Fraction(1024 + fraction) * Fraction(2) ** (exponent - 25)


HALVES = [half_value(pattern) for pattern in range(0x7C00)]


def nearest_scale(value):  # 4.4
    low, high = 0x0001, 0x7BFF
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if HALVES[middle] <= value else (low, middle)
    return min((low, high), key=lambda p: (abs(HALVES[p] - value), p % 2))


# ---- Working numbers (5) -------------------------------------------------------------------------


def exponent_of(value):
    return math.frexp(value)[1] - 1


def working_importance(importance, count):  # 5.3
    greatest = max(importance[:count]) if importance else 0
    if greatest < 2.0**-126:
        return [1.0] * count + [2.0**-24] * (256 - count)
    scale = -exponent_of(greatest)
    h = [max(f(math.ldexp(v, scale)), 2.0**-24) for v in importance[:count]]
    return h + [2.0**-24] * (256 - count)


def working(x, importance, weighting, shift):
    """(e, X, w), or None for a block of zeros; x may be shorter than 256 (2.4)."""
    greatest = max(abs(v) for v in x)
    if greatest <= math.ldexp(1, -23 - shift):  # 5.1
        return None
    e = exponent_of(greatest)
    numbers = [math.ldexp(v, -e) if abs(v) >= math.ldexp(1, e - 40) else 0.0 for v in x]
    numbers += [0.0] * (256 - len(x))
    w = working_importance(importance, len(x))
    if weighting == "ggml":  # 5.4
        squares = [f(v * v) for v in numbers]
        sigma2 = f(tree_sum(squares) / 128)
        w = [f(h * f(math.sqrt(f(sigma2 + s)))) for h, s in zip(w, squares)]
    return e, numbers, w


# ---- The best content at a scale (6) -------------------------------------------------------------


class HalfGroup:
    """Four weights: what 6.1 needs of each codebook row, whatever the scale."""

    def __init__(self, x, w):
        self.odd = sum(v < 0 for v in x) % 2
        p = [f(b * abs(a)) for a, b in zip(x, w)]
        self.rows = []
        for g in CODEBOOK:
            products = [f(a * b) for a, b in zip(p, g)]
            squares = [f(a * (b * b)) for a, b in zip(w, g)]
            least = min(products)
            q1, q2 = f(squares[0] + squares[1]), f(squares[2] + squares[3])
            self.rows.append((
                f(products[0] + products[1]), f(products[2] + products[3]), q1, q2, f(q1 + q2),
                2 * least, products.index(least),
            ))
        self.known = {}

    def choices(self, u):
        """6.2 and 6.3: (value, c, row, flipped weight or None), kept and flipped."""
        if u not in self.known:
            kept = flipped = None
            for row, (p1, p2, q1, q2, c, flip, weight) in enumerate(self.rows):
                k = f(f(p1 - f(u * q1)) + f(p2 - f(u * q2)))
                if kept is None or k > kept[0]:
                    kept = (k, c, row, None)
                if flipped is None or f(k - flip) > flipped[0]:
                    flipped = (f(k - flip), c, row, weight)
            self.known[u] = kept, flipped
        return self.known[u]

    def by_parity(self, kept, flipped):
        """6.4: of the two, the one with an even and the one with an odd number of negatives."""
        return (flipped, kept) if self.odd else (kept, flipped)


class Subblock:
    def __init__(self, x, w):
        self.x = x
        self.halves = [HalfGroup(x[i : i + 4], w[i : i + 4]) for i in range(0, 32, 4)]
        self.energy = tree_sum([f(f(b * abs(a)) * abs(a)) for a, b in zip(x, w)])  # A
        greatest = max(abs(v) for v in x)
        self.empty = greatest == 0
        if not self.empty:
            self.k = step_of(greatest)

    def content(self, t):
        """6.5: {error, b, c, index, signs} at effective scale t."""
        u = t / 2
        values, squares, index, signs = [], [], [], []
        for group in range(4):
            halves = self.halves[2 * group : 2 * group + 2]
            even, odd = zip(*(h.by_parity(*h.choices(u)) for h in halves))
            best = odd if f(odd[0][0] + odd[1][0]) > f(even[0][0] + even[1][0]) else even
            values.append(f(best[0][0] + best[1][0]))
            squares.append(f(best[0][1] + best[1][1]))
            index += [best[0][2], best[1][2]]
            negative = [v < 0 for v in self.x[8 * group : 8 * group + 8]]
            for half in range(2):
                if best[half][3] is not None:
                    negative[4 * half + best[half][3]] ^= True
            signs.append(sum(1 << j for j in range(7) if negative[j]))  # 6.6
        v, c = tree_sum(values), tree_sum(squares)
        error = f(self.energy - f(2 * t * v))
        return {"error": error, "b": f(v + f(u * c)), "c": c, "index": index, "signs": signs}

    def probe(self, effort):  # 8.2
        self.lines = []
        if self.empty:
            return
        for q in range(effort["probes"]):
            u = grid(self.k + effort["first"] + q * effort["step"]) / 2
            at_probe = []
            for half in self.halves:
                kept, flipped = half.choices(u)
                kept_line = (f(kept[0] + f(u * kept[1])), kept[1])
                if effort["flipped rows"]:
                    flipped_line = (f(flipped[0] + f(u * flipped[1])), flipped[1])
                else:
                    flipped_line = (f(kept_line[0] - half.rows[kept[2]][5]), kept[1])
                at_probe.append(half.by_parity(kept_line, flipped_line))
            self.lines.append(at_probe)

    def estimate(self, i, effort):  # 8.3
        q = min((i - self.k - effort["first"]) // effort["step"], effort["probes"] - 2)
        t = grid(i)
        u = t / 2
        values = []
        for group in range(4):
            best = [
                [max(f(b - f(u * c)) for b, c in (self.lines[p][h][parity] for p in (q, q + 1)))
                 for h in (2 * group, 2 * group + 1)]
                for parity in (0, 1)
            ]
            values.append(max(f(best[0][0] + best[0][1]), f(best[1][0] + best[1][1])))
        return f(self.energy - f(2 * t * tree_sum(values)))

    def code(self, j, effort):
        """8.4: (code, estimate) under the scale at grid step j."""
        if self.empty:
            return 0, 0.0
        first = self.k + effort["first"]
        last = first + effort["step"] * (effort["probes"] - 1)
        steps = [j + c - 64 for c in CODE_STEPS]
        inside = [(self.estimate(i, effort), s) for s, i in enumerate(steps) if first <= i <= last]
        if inside:
            estimate, code = min(inside)
            return code, estimate
        for code, i in enumerate(steps):
            if i > last:
                return code, self.estimate(i, effort)
        return 15, self.energy


# ---- Exact blocks (7) ----------------------------------------------------------------------------


def exact_subblock(x, d, shift):
    """7.1 and 7.2: (code, index, signs) of the least code at which x is exact, or None."""
    rows = {row: k for k, row in reversed(list(enumerate(CODEBOOK)))}
    for group in range(4):
        if sum(v < 0 for v in x[8 * group : 8 * group + 8]) % 2:
            return None
    for code in range(16):
        t = d * (2 * code + 1) / 2**shift
        levels = [Fraction(abs(v)) / t for v in x]
        index = [rows.get(tuple(levels[i : i + 4])) for i in range(0, 32, 4)]
        if None not in index:
            signs = [sum(1 << j for j in range(7) if x[8 * g + j] < 0) for g in range(4)]
            return code, index, signs
    return None


def exact_block(x, shift):
    if len(x) != 256 or 0 in x:
        return None
    top = Fraction(max(abs(v) for v in x[:32])) * 2**shift
    candidates = set()
    for level in {level for row in CODEBOOK for level in row}:
        for code in range(16):
            d = top / (level * (2 * code + 1))
            if d <= GREATEST_SCALE and HALVES[nearest_scale(d)] == d:
                candidates.add(nearest_scale(d))
    for pattern in sorted(candidates):
        found = [exact_subblock(x[i : i + 32], HALVES[pattern], shift) for i in range(0, 256, 32)]
        if None not in found:
            return pattern, found
    return None


# ---- Search (8, 9) -------------------------------------------------------------------------------

EFFORTS = {
    name: dict(zip(("first", "step", "probes", "flipped rows", "trials", "refits", "settle"), row))
    for name, row in {
        "fast": (-204, 12, 3, False, 1, 0, 0),
        "default": (-208, 8, 6, True, 1, 0, 0),
        "best": (-228, 4, 25, True, 8, 3, 15),
    }.items()
}


class Search:
    def __init__(self, e, x, w, effort, shift):
        self.effort = effort
        self.exponent = e + shift - 2  # 5.6
        self.subblocks = [Subblock(x[i : i + 32], w[i : i + 32]) for i in range(0, 256, 32)]
        for subblock in self.subblocks:
            subblock.probe(effort)

    def scale_of(self, working_scale):
        return nearest_scale(Fraction(working_scale) * Fraction(2) ** self.exponent)

    def working_scale(self, pattern):
        return math.ldexp(float(HALVES[pattern]), -self.exponent)

    def step_of_scale(self, pattern):
        return step_of(f(self.working_scale(pattern) * HALF_STEP))

    def score(self, j):  # 8.5
        step = self.step_of_scale(self.scale_of(grid(j)))
        return tree_sum([subblock.code(step, self.effort)[1] for subblock in self.subblocks])

    def trial_scales(self):  # 8.5, 8.6
        k = max(subblock.k for subblock in self.subblocks if not subblock.empty)
        effort = self.effort
        low = k + effort["first"] + 64 - CODE_STEPS[15]
        high = k + effort["first"] + effort["step"] * (effort["probes"] - 1) + 64 - CODE_STEPS[5]
        scores = {j: self.score(j) for j in range(low, high + 1)}
        chosen = []
        for _ in range(effort["trials"]):
            rest = [j for j in scores if all(abs(j - c) > 2 for c in chosen)]
            if not rest:
                break
            chosen.append(min(rest, key=lambda j: (scores[j], j)))
        return [self.scale_of(grid(j)) for j in chosen]

    def content(self, subblock, pattern, code):
        return subblock.content(math.ldexp(self.working_scale(pattern) * (2 * code + 1), -2))

    def trial(self, pattern):
        step = self.step_of_scale(pattern)
        codes = [subblock.code(step, self.effort)[0] for subblock in self.subblocks]
        contents = [self.content(s, pattern, code) for s, code in zip(self.subblocks, codes)]
        error = tree_sum([content["error"] for content in contents])
        return {"scale": pattern, "codes": codes, "contents": contents, "error": error}

    def refit(self, trial):  # 8.8
        n = [2 * code + 1 for code in trial["codes"]]
        t = tree_sum([f(a * content["b"]) for a, content in zip(n, trial["contents"])])
        u = tree_sum([f(a * a * content["c"]) for a, content in zip(n, trial["contents"])])
        return self.scale_of(4 * f(t / u))

    def run(self):
        """(scale, [(code, index, signs)]), or None for a block of zeros."""
        best = None
        for pattern in self.trial_scales():
            trial = self.trial(pattern)  # 8.7
            before = None
            for refits in range(self.effort["refits"] + 1):
                if best is None or trial["error"] < best["error"]:
                    best = trial
                better = before is None or trial["error"] < before
                if not better or refits == self.effort["refits"]:
                    break
                refit = self.refit(trial)
                if refit == trial["scale"]:
                    break
                before, trial = trial["error"], self.trial(refit)
        found, errors = [], []
        for subblock, centre in zip(self.subblocks, best["codes"]):  # 8.9
            settle = self.effort["settle"]
            options = [
                (self.content(subblock, best["scale"], code), code)
                for code in range(max(0, centre - settle), min(15, centre + settle) + 1)
            ]
            content, code = min(options, key=lambda option: (option[0]["error"], option[1]))
            found.append((code, content["index"], content["signs"]))
            errors.append(content["error"])
        energy = tree_sum([subblock.energy for subblock in self.subblocks])
        return (best["scale"], found) if tree_sum(errors) < energy else None  # 8.10


# ---- Rows (2) ------------------------------------------------------------------------------------


def block_bytes(form, encoded):
    if encoded is None:
        return bytes(98)
    pattern, found = encoded
    index = bytes(i for _, rows, _ in found for i in rows)
    words = b"".join(
        (sum(s << 7 * l for l, s in enumerate(signs)) + (code << 28)).to_bytes(4, "little")
        for code, _, signs in found
    )
    scale = pattern.to_bytes(2, "little")
    return scale + index + words if form == "iq3_xxs" else index + words + scale


def encode_block(form, x, importance, effort, weighting):
    shift = SHIFT[form]
    numbers = working(x, importance, weighting, shift)
    if numbers is None:
        return bytes(98)
    exact = exact_block(x, shift)
    if exact:
        return block_bytes(form, exact)
    return block_bytes(form, Search(*numbers, EFFORTS[effort], shift).run())


def encode(form, x, rows, cols, importance, effort, weighting):
    if form == "iq3_xxs" and cols % 256:
        raise Refused("bad_width", 0, 0, "cols")
    blocks = (cols + 255) // 256
    for j, h in enumerate(importance or []):
        if not math.isfinite(h):
            raise Refused("importance_not_finite", j // 256, 4 * j, "importance")
        if h < 0:
            raise Refused("importance_negative", j // 256, 4 * j, "importance")
    for n, v in enumerate(x):
        block = n // cols * blocks + n % cols // 256
        if not math.isfinite(v):
            raise Refused("weight_not_finite", block, 4 * n, "x")
        if abs(v) > 31 * 62 * GREATEST_SCALE / 2 ** SHIFT[form]:
            raise Refused("weight_out_of_range", block, 4 * n, "x")
    data = b""
    for row in range(rows):
        for first in range(0, cols, 256):
            last = min(first + 256, cols)
            part = x[row * cols + first : row * cols + last]
            weights = importance[first:last] if importance else None
            data += encode_block(form, part, weights, effort, weighting)
    return data


# ---- The rotation (rotation.md) ------------------------------------------------------------------


def tiles(n):  # 2.1
    while n > 0:
        tile = min(n & -n, 32768)
        yield tile
        n -= tile


def sign_bits(tile):  # 3.1, 3.2
    state = 417 + tile
    bits = []
    while len(bits) < tile:
        state ^= state >> 12
        state ^= (state << 25) % 2**64
        state ^= state >> 27
        byte = (state * 2685821657736338717) % 2**64 >> 56
        bits += [byte >> i & 1 for i in range(8)]
    return bits[:tile]


def transform(x):  # 3.3
    x = list(x)
    length = 1
    while length < len(x):
        for i in range(len(x)):
            if not i & length:
                x[i], x[i + length] = f(x[i] + x[i + length]), f(x[i] - x[i + length])
        length *= 2
    factor = f(1 / f(math.sqrt(len(x))))
    return [f(v * factor) for v in x]


def rotate(row, back):
    result = []
    for tile in tiles(len(row)):
        part = row[len(result) : len(result) + tile]
        bits = sign_bits(tile)
        sign = lambda values: [-v if bit else v for v, bit in zip(values, bits)]
        result += sign(transform(part)) if back else transform(sign(part))
    return result


# ---- Cases ---------------------------------------------------------------------------------------

NOTES = {
    "normal": ("search", "Bell-shaped weights: the ordinary case."),
    "importance": ("importance", "Columns weigh differently."),
    "no_importance": ("importance", "Importances that are 0, in a block or a sub-block."),
    "importance_range": ("importance", "Importances of any size, far apart."),
    "weighting": ("importance", "Weighting ggml."),
    "empty": ("zero", "Sub-blocks of zeros among others."),
    "zero": ("zero", "What is encoded as 98 bytes 0."),
    "tiny": ("range", "Scales about the least binary16 number."),
    "huge": ("range", "Scales about the greatest binary16 number."),
    "exact": ("exact", "Weights that some block decodes to."),
    "ties": ("ties", "Small integers, or one magnitude: equal errors everywhere."),
    "partial": ("layout", "E8/IQ3: the last block of a row has fewer weights."),
    "rows": ("layout", "Several rows share the importances."),
    "spread": ("search", "Sub-blocks, or weights, of very different size."),
    "refused": ("verdict", "Weights, importances or widths that are refused."),
    "rotation": ("rotation", "Tiles, signs and transform of a row."),
}

ABOUT = (
    "Each case has a task. encode: rows x cols weights, and cols importances or null, binary32, 4"
    " little-endian bytes each in hex; expect.bytes are the blocks, or expect has the status, block,"
    " offset and field of the refusal. rotate, unrotate: one row and what becomes of it."
)


def hex_floats(values):
    return b"".join(BINARY32.pack(v) for v in values).hex()


class Cases:
    def __init__(self):
        self.list = []

    def add(self, comment, flags, task, fields, expect):
        self.list.append({
            "id": len(self.list) + 1, "comment": comment, "flags": flags, "task": task,
            **fields, "expect": expect,
        })

    def encode(self, comment, flags, form, effort, x, importance=None, rows=1,
               weighting="importance"):
        x = [f(v) if math.isfinite(v) else v for v in x]
        if importance:
            importance = [f(h) if math.isfinite(h) else h for h in importance]
        cols = len(x) // rows
        try:
            data = encode(form, x, rows, cols, importance, effort, weighting)
            expect = {"status": "ok", "bytes": data.hex()}
        except Refused as refused:
            status, block, offset, field = refused.args
            expect = {"status": status, "block": block, "offset": offset, "field": field}
        fields = {
            "format": form, "effort": effort, "weighting": weighting, "rows": rows, "cols": cols,
            "weights": hex_floats(x), "importance": hex_floats(importance) if importance else None,
        }
        self.add(comment, flags, "encode", fields, expect)

    def rotate(self, comment, row):
        row = [f(v) for v in row]
        for task in ("rotate", "unrotate"):
            result = rotate(row, task == "unrotate")
            self.add(f"{comment}, {task}", ["rotation"], task, {"weights": hex_floats(row)},
                     {"bits": hex_floats(result)})


def make_cases(random):
    cases = Cases()
    bell = lambda n, scale=1.0: [random.bell(32768) / 32768 * scale for _ in range(n)]
    positive = lambda n: [(1 + random.below(8) / 8) * 2.0 ** random.below(12) for _ in range(n)]
    for form in SHIFT:
        for effort in EFFORTS:
            cases.encode(f"{effort}: bell-shaped", ["normal"], form, effort, bell(256))
        x = bell(256)
        cases.encode("importances over twelve octaves", ["importance"], form, "default", x,
                     positive(256))
        cases.encode("the same weights without", ["normal"], form, "default", x)
        cases.encode("weighting ggml", ["weighting"], form, "default", x, positive(256),
                     weighting="ggml")
        cases.encode("weighting ggml, no importances", ["weighting"], form, "fast", x,
                     weighting="ggml")
        cases.encode("importances all 0", ["no_importance"], form, "fast", x, [0.0] * 256)
        some = positive(256)
        some[64:96] = [0.0] * 32
        cases.encode("importances of a sub-block all 0", ["no_importance"], form, "default", x, some)
        cases.encode("importances from 2^-126 to 2^127", ["importance_range"], form, "default",
                     bell(256), [2.0 ** (random.below(254) - 126) for _ in range(256)])
        cases.encode("denormal importances count as none", ["importance_range", "no_importance"],
                     form, "fast", x, [2.0**-149] * 256)
        x = bell(256)
        for ib in (0, 3, 7):
            x[32 * ib : 32 * ib + 32] = [0.0] * 32
        cases.encode("sub-blocks 0, 3 and 7 are zeros", ["empty"], form, "default", x)
        x = [0.0] * 256
        x[77] = -3.0
        cases.encode("one weight", ["empty", "spread"], form, "default", x)
        cases.encode("zeros of both signs", ["zero"], form, "default", [0.0, -0.0] * 128)
        limit = 2.0 ** (-23 - SHIFT[form])
        cases.encode("the greatest weights of a zero block", ["zero"], form, "default",
                     [limit, -limit] * 128)
        cases.encode("a bit more", ["tiny"], form, "default",
                     [limit * (1 + 2.0**-23)] + [0.0] * 255)
        cases.encode("weights of 2^-20", ["tiny"], form, "fast", bell(256, 2.0**-20))
        cases.encode("weights of 2^-16", ["tiny"], form, "default", bell(256, 2.0**-16))
        top = 31 * 62 * GREATEST_SCALE / 2 ** SHIFT[form]
        x = bell(256, 2.0**20)
        x[5], x[130] = top, -top
        cases.encode("the greatest weights", ["huge"], form, "default", x)
        x = [(1 if i % 2 else -1) * 2.0 ** -(i // 32 * 3) * (1 + i % 7) for i in range(256)]
        cases.encode("eight sub-blocks of eight sizes", ["spread"], form, "default", x)
        cases.encode("a weight a thousand times the others", ["spread"], form, "default",
                     bell(255) + [3000.0])
        d, shift = HALVES[0x2D37], SHIFT[form]
        x = []
        for ib in range(8):
            code = (5 * ib + 2) % 16
            for _ in range(4):
                negative = [random.below(2) for _ in range(7)]
                negative.append(sum(negative) % 2)
                levels = CODEBOOK[random.below(256)] + CODEBOOK[random.below(256)]
                x += [
                    float(d * (2 * code + 1) * g / 2**shift) * (-1 if s else 1)
                    for g, s in zip(levels, negative)
                ]
        cases.encode("what a block decodes to", ["exact"], form, "default", x)
        cases.encode("the same with one weight a bit off", ["spread"], form, "fast",
                     [x[0] * (1 + 2.0**-20)] + x[1:])
        cases.encode("small integers", ["ties"], form, "default",
                     [random.between(-4, 4) for _ in range(256)])
        cases.encode("one magnitude, an odd number of negatives in each group", ["ties"], form,
                     "default", [-1.0 if i % 8 == 0 else 1.0 for i in range(256)])
        if form == "e8_iq3":
            cases.encode("a row of 300", ["partial"], form, "default", bell(300), positive(300))
            cases.encode("a row of 1", ["partial"], form, "default", [0.7])
        else:
            cases.encode("a row of 300", ["refused"], form, "default", bell(300))
        cases.encode("two rows of 256", ["rows", "importance"], form, "fast", bell(512),
                     positive(256), rows=2)
        for value, comment in ((math.nan, "NaN"), (math.inf, "+Inf"), (-math.inf, "-Inf"),
                               (top * (1 + 2.0**-23), "beyond the range")):
            x = bell(512)
            x[300] = value
            cases.encode(f"a weight {comment}", ["refused"], form, "default", x, rows=2)
        for value, comment in ((math.nan, "NaN"), (math.inf, "+Inf"), (-1.0, "-1")):
            h = [1.0] * 512
            h[290] = value
            cases.encode(f"an importance {comment}", ["refused"], form, "default", bell(512), h)
    for n in (1, 12, 24, 96, 768):
        cases.rotate(f"a row of {n}", bell(n))
    return cases.list


def render():
    cases = make_cases(Random(5))
    used = {flag for case in cases for flag in case["flags"]}
    if used != set(NOTES):
        sys.exit(f"notes without a case: {set(NOTES) - used}; flags without a note: {used - set(NOTES)}")
    head = {
        "schema": "encoding.schema.json", "version": 1, "kind": "encoding",
        "licence": "Apache-2.0", "about": ABOUT,
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    notes = [
        f"    {json.dumps(flag)}: "
        + json.dumps({"bug_class": bug_class, "description": description})
        for flag, (bug_class, description) in sorted(NOTES.items())
    ]
    lines += ['  "notes": {', ",\n".join(notes), "  },", '  "cases": [']
    lines += [",\n".join("    " + json.dumps(case) for case in cases), "  ]"]
    return "{\n" + "\n".join(lines) + "\n}\n", len(cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 on a difference")
    check = parser.parse_args().check
    text, count = render()
    path = HERE / NAME
    if not check:
        path.write_bytes(text.encode())
        return 0
    if path.exists() and path.read_bytes() == text.encode():
        print(f"{NAME}: {count} cases, as generated")
        return 0
    print(f"{NAME}: not what {pathlib.Path(__file__).name} makes")
    return 1


if __name__ == "__main__":
    sys.exit(main())
