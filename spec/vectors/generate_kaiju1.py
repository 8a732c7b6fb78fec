#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes kaiju1.json, the test vectors of KAIJU1, from spec/formats/kaiju1.md.

    generate_kaiju1.py            writes the file
    generate_kaiju1.py --check    exits 1 when the file is not what this program makes

It shares no code and no tables with ref/ or fast/; the lattice comes from generate_leech.py. The
nearest representable point is the least of integers that hold the cost and, below it, the order in
which clause 7.4 prefers the choices, so that no search keeps track of a path. Weights are exact
fractions. Python's standard library only, and the same bytes on every machine. Clause numbers are
those of kaiju1.md.
"""

import math
import struct
import sys
from fractions import Fraction

sys.dont_write_bytecode = True  # an import must not leave files in the source tree
import vector_file
from generate_leech import LIMIT, NIBBLES, UNIT, WORDS, Random, float_bits, in_lattice, two_nearest
from generate_leech import nearest as nearest_lattice_point

WORD_INDEX = {word: k for k, word in enumerate(WORDS)}


class Refused(Exception):
    """An error of the tables of clauses 6 and 8: status, block, offset, field."""


# ---- LeechCode (clause 3) ------------------------------------------------------------------------


def offset_of(m, bit):
    return 1 - 2 * bit if m else 2 * bit


def code_bytes(groups, k, fix):
    """The fields as seven bytes. Any values that fit their bits."""
    return bytes(groups[:4]) + (k + (groups[4] << 12) + (fix << 19)).to_bytes(3, "little")


def code_of_residuals(z, k):
    """The code of residuals of which at most one is 2 or -2."""
    outward = [i for i, v in enumerate(z) if abs(v) == 2]
    trits = [(v > 0) - (v < 0) for v in z]
    groups = [
        sum((t + 1) * 3**j for j, t in enumerate(trits[5 * g : 5 * g + 5])) for g in range(5)
    ]
    return code_bytes(groups, k, outward[0] if outward else 31)


def point_of_code(code):
    """The 24 integers, or (status, offset in the code, field)."""
    tail = int.from_bytes(code[4:], "little")
    groups = [*code[:4], tail >> 12 & 127]
    fix = tail >> 19
    trits = []
    for g, (group, places) in enumerate(zip(groups, (5, 5, 5, 5, 4))):
        if group >= 3**places:
            return "trits_out_of_range", g if g < 4 else 5, "trits"
        for _ in range(places):
            group, digit = divmod(group, 3)
            trits.append(digit - 1)
    if fix < 31:
        if fix > 23:
            return "fix_out_of_range", 6, "fix"
        if trits[fix] == 0:
            return "fix_on_zero", 6, "fix"
        trits[fix] *= 2
    m, word = sum(trits) % 2, WORDS[tail & 4095]
    x = [offset_of(m, word >> i & 1) + 4 * t for i, t in enumerate(trits)]
    if not in_lattice(x):
        sys.exit("a code that is no lattice point")
    return x


def code_of_point(x):
    """The seven bytes, or None."""
    if not in_lattice(x):
        return None
    m = x[0] % 2
    word = sum(((v - m) // 2 % 2) << i for i, v in enumerate(x))
    z = [(v - offset_of(m, word >> i & 1)) // 4 for i, v in enumerate(x)]
    if max(map(abs, z)) > 2 or sum(abs(v) == 2 for v in z) > 1:
        return None
    code = code_of_residuals(z, WORD_INDEX[word])
    if point_of_code(code) != list(x):
        sys.exit("a code that does not lead back")
    return code


# ---- Nearest representable point (clause 7) ------------------------------------------------------

RANKS = 4**25  # of a whole point: the choice of coordinate i counts 4^i, the end state 4^24


def column_keys(y, column, m):
    """For each pattern of the column and (parity, outward): the least cost * RANKS + rank."""
    options = []  # [row][bit]: (key, parity, outward) of the three choices
    for row in range(4):
        i = 4 * column + row
        by_bit = []
        for bit in (0, 1):
            o = offset_of(m, bit)
            sign = 1 if y[i] >= UNIT * o else -1
            by_bit.append([
                ((y[i] - UNIT * (o + 4 * z)) ** 2 * RANKS + rank * 4**i, abs(z) % 2, abs(z) // 2)
                for rank, z in enumerate((0, sign, 2 * sign))
            ])  # fmt: skip
        options.append(by_bit)
    table = []
    for pattern in range(16):
        least = {(0, 0): 0}
        for row in range(4):
            after = {}
            for (p, u), key in least.items():
                for extra, parity, outward in options[row][pattern >> row & 1]:
                    state = (p ^ parity, u + outward)
                    if state[1] < 2:
                        after[state] = min(after.get(state, key + extra), key + extra)
            least = after
        table.append([least[s] for s in ((0, 0), (1, 0), (0, 1), (1, 1))])
    return table


def join(a, b):
    """The states of two runs of coordinates, from those of each."""
    return [
        min(a[0] + b[0], a[1] + b[1]),
        min(a[1] + b[0], a[0] + b[1]),
        min(a[2] + b[0], a[3] + b[1], a[0] + b[2], a[1] + b[3]),
        min(a[3] + b[0], a[2] + b[1], a[1] + b[2], a[0] + b[3]),
    ]


def nearest(y):
    """The answer with m, k and cost (7.5)."""
    best = None
    for m in (0, 1):
        columns = [column_keys(y, j, m) for j in range(6)]
        floors = [[min(states) for states in column] for column in columns]
        for k, nibbles in enumerate(NIBBLES):
            if best and sum(floors[j][n] for j, n in enumerate(nibbles)) // RANKS >= best[0]:
                continue
            states = columns[0][nibbles[0]]
            for j in range(1, 6):
                states = join(states, columns[j][nibbles[j]])
            key = min(states[m], states[2 + m] + 4**24)
            if best is None or key // RANKS < best[0]:
                best = (key // RANKS, m, k, key)
    cost, m, k, key = best
    o = [offset_of(m, WORDS[k] >> i & 1) for i in range(24)]
    z = []
    for i in range(24):
        size = key // 4**i % 4
        z.append(size if y[i] >= UNIT * o[i] else -size)
    x = [a + 4 * b for a, b in zip(o, z)]
    if sum((a - UNIT * b) ** 2 for a, b in zip(y, x)) != cost or code_of_point(x) is None:
        sys.exit("the point made is not the answer")
    candidate = coset_candidate(y, m, k)
    if code_of_point(candidate) is not None:  # clause 7.3
        if sum((a - UNIT * b) ** 2 for a, b in zip(y, candidate)) != cost:
            sys.exit("a representable candidate that is not the nearest of its coset")
        x = candidate
    return {"x": x, "m": m, "k": k, "cost": cost - sum(a * a for a in y)}


def coset_candidate(y, m, k):
    """leech.md 5.6 for one coset."""
    pairs = [two_nearest(y[i], (m + 2 * (WORDS[k] >> i & 1)) % 4) for i in range(24)]
    x = [first for first, _ in pairs]
    if (sum(x) - 4 * m) % 8:
        prices = [
            (y[i] - UNIT * second) ** 2 - (y[i] - UNIT * first) ** 2
            for i, (first, second) in enumerate(pairs)
        ]
        change = prices.index(min(prices))
        x[change] = pairs[change][1]
    return x


# ---- Weights (clause 4) --------------------------------------------------------------------------


def nearest_float_bits(value):
    """binary32 bits of a fraction >= 0 that lies in the normal range or is 0; ties to even."""
    if value == 0:
        return 0
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if Fraction(2) ** exponent > value:
        exponent -= 1
    significand = round(value / Fraction(2) ** (exponent - 23))  # round() of a fraction: to even
    return ((exponent + 126) << 23) + significand


def float_of_bits(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def step_bits(num, den):
    return nearest_float_bits(Fraction(num, den))


def half_value(half):
    """Value and sign of a binary16 pattern; None for infinities and NaNs."""
    exponent, fraction = half >> 10 & 31, half & 1023
    if exponent == 31:
        return None
    if exponent == 0:
        return Fraction(fraction, 1 << 24)
    return Fraction(1024 + fraction) * Fraction(2) ** (exponent - 25)


def weight_bits(half, factor, step=1):
    """The weight of a scale and a whole number, the sign as in 4.4."""
    value, (number, negative) = half_value(half), factor
    bits = nearest_float_bits(value * number * step)
    return bits | ((half >> 15) ^ negative) << 31


# ---- Tensor (clauses 2, 5, 6) --------------------------------------------------------------------


def parts(rows, hi_count, bulk_cols):
    """Offsets of HiIndex, HiBand and BulkRows, the size, and the bytes of a row."""
    blocks = bulk_cols // 24
    row = 2 + (blocks + 1) // 2 + 7 * blocks
    index, band = 28, 28 + 4 * hi_count
    bulk = band + hi_count * (2 + rows)
    return index, band, bulk, bulk + rows * row, row


def decode(data, first_row, count):
    """The rows as lists of binary32 bits. Stops at an error: (rows, None or an error)."""
    if len(data) < 28:
        return [], ("bad_size", 0, 0, "n_bytes")
    magic, rows, cols, hi_count, bulk_cols, num, den = struct.unpack("<7I", data[:28])
    if magic != 0x31554A4B:
        return [], ("bad_magic", 0, 0, "magic")
    for wrong, offset, field in (
        (hi_count > cols, 12, "hi_count"),
        (bulk_cols + hi_count != cols or bulk_cols % 24, 16, "bulk_cols"),
        (num == 0, 20, "step_num"),
        (den == 0, 24, "step_den"),
    ):
        if wrong:
            return [], ("bad_header", 0, offset, field)
    index_at, band_at, bulk_at, size, row_bytes = parts(rows, hi_count, bulk_cols)
    if size != len(data):
        return [], ("bad_size", 0, 0, "n_bytes")
    if first_row > rows:
        return [], ("row_out_of_range", 0, 0, "first_row")
    if first_row + count > rows:
        return [], ("row_out_of_range", 0, 0, "rows")
    columns = struct.unpack_from(f"<{hi_count}I", data, index_at)
    for j, column in enumerate(columns):
        if column >= cols:
            return [], ("index_out_of_range", j, index_at + 4 * j, "index")
        if j and column <= columns[j - 1]:
            return [], ("index_not_ascending", j, index_at + 4 * j, "index")
    channels = [band_at + j * (2 + rows) for j in range(hi_count)]
    scales = [struct.unpack_from("<H", data, at)[0] for at in channels]
    for j, scale in enumerate(scales):
        if half_value(scale) is None:
            return [], ("scale_not_finite", j, channels[j], "hi_scale")
    step = Fraction(float_of_bits(step_bits(num, den)))
    blocks = bulk_cols // 24
    done = []
    for r in range(first_row, first_row + count):
        at = bulk_at + r * row_bytes
        scale = struct.unpack_from("<H", data, at)[0]
        if half_value(scale) is None:
            return done, ("scale_not_finite", r, at, "row_scale")
        codes_at = at + 2 + (blocks + 1) // 2
        nibbles = [v >> s & 15 for v in data[at + 2 : codes_at] for s in (0, 4)]
        if any(nibbles[blocks:]):
            return done, ("padding_not_zero", r, codes_at - 1, "multipliers")
        bulk = []
        for b in range(blocks):
            point = point_of_code(data[codes_at + 7 * b : codes_at + 7 * b + 7])
            if isinstance(point, tuple):
                status, offset, field = point
                return done, (status, r, codes_at + 7 * b + offset, field)
            bulk += [
                weight_bits(scale, (nibbles[b] * abs(x), int(x < 0)), step) for x in point
            ]
        side = {}
        for j, column in enumerate(columns):
            q = struct.unpack_from("<b", data, channels[j] + 2 + r)[0]
            side[column] = weight_bits(scales[j], (abs(q), int(q < 0)))
        bulk_bits = iter(bulk)
        done.append([side[c] if c in side else next(bulk_bits) for c in range(cols)])
    return done, None


def tensor(rows, cols, columns, step, channels, records):
    """The bytes. `channels`: (scale, q of each row). `records`: (scale, [(q, code), ...])."""
    bulk_cols = cols - len(columns)
    data = struct.pack("<7I", 0x31554A4B, rows, cols, len(columns), bulk_cols, *step)
    data += struct.pack(f"<{len(columns)}I", *columns)
    for scale, numbers in channels:
        data += struct.pack(f"<H{rows}b", scale, *numbers)
    for scale, blocks in records:
        data += struct.pack("<H", scale)
        nibbles = [q for q, _ in blocks] + [0] * (len(blocks) % 2)
        data += bytes(a | b << 4 for a, b in zip(nibbles[::2], nibbles[1::2]))
        data += b"".join(code for _, code in blocks)
    return data


# ---- Encoder (clause 8): Python's floats are the binary64 numbers of 8.3 -------------------------


def nearest_half(value):
    return struct.unpack("<H", struct.pack("<e", value))[0]


def half_float(half):
    return float(half_value(half))


def hi_columns_of(importance, hi_count):
    order = sorted(range(len(importance)), key=lambda j: (-importance[j], j))
    return sorted(order[:hi_count])


def final_hi_count(cols, hi_frac):
    least = math.ceil(Fraction(hi_frac, 10**6) * cols)
    return cols - (cols - least) // 24 * 24


def channel_of(weights):
    greatest = max((abs(w) for w in weights), default=0.0)
    scale = nearest_half(greatest / 127)
    while 127 * half_value(scale) >= Fraction(greatest) and scale:
        scale -= 1
    while 127 * half_value(scale) < Fraction(greatest):
        scale += 1
    s = half_value(scale)
    return scale, [round(Fraction(w) / s) if s else 0 for w in weights]


def fixed_point(value):
    return round(max(-float(LIMIT), min(float(LIMIT), value)))


def ordered_sum(terms):
    total = 0.0
    for term in terms:
        total = total + term
    return total


def try_multiplier(w, h, d, step, q):
    unit = d * step * q
    factor = 8192 / unit
    x = nearest([fixed_point(v * factor) for v in w])["x"]
    errors = [v - unit * a for v, a in zip(w, x)]
    return ordered_sum(a * e * e for a, e in zip(h, errors)), (q if any(x) else 0), x


def search(blocks, d, step, centres, reach):
    """(error of the row, [(multiplier, x), ...])."""
    total, codes = 0.0, []
    for (w, h), centre in zip(blocks, centres):
        tries = [centre]
        for distance in range(1, reach + 1):
            tries += [centre - distance, centre + distance]
        results = [try_multiplier(w, h, d, step, q) for q in tries if 1 <= q <= 15]
        error, q, x = min(results, key=lambda result: result[0])  # min keeps the first
        total = total + error
        codes.append((q, x))
    return total, codes


def encode_row(blocks, step):
    """The row scale and the codes of one row."""
    zero = 0, [(0, [0] * 24)] * len(blocks)
    expected = [
        max(
            0.3125 * math.sqrt(ordered_sum(v * v for v in w) / 24),
            max(abs(v) for v in w) / 9,
        )
        for w, _ in blocks
    ]
    scale = nearest_half(max(expected) / 15 / step) if blocks else 0
    if scale == 0:
        return zero
    d = half_float(scale)
    centres = [max(1, min(15, math.floor(u / (d * step) + 0.5))) for u in expected]
    error, codes = search(blocks, d, step, centres, 2)
    sums = [0.0, 0.0]
    for (w, h), (q, x) in zip(blocks, codes):
        t = [float(q * v) for v in x]
        sums[0] = sums[0] + ordered_sum(a * v * b for a, v, b in zip(h, w, t))
        sums[1] = sums[1] + ordered_sum(a * b * b for a, b in zip(h, t))
    if sums[0] > 0 and sums[1] > 0:
        refit = nearest_half(sums[0] / sums[1] / step)
        if refit:
            centres = [max(1, q) for q, _ in codes]
            second = search(blocks, half_float(refit), step, centres, 1)
            if second[0] < error:
                return refit, second[1]
    return scale, codes


def encode(weights, importance, rows, cols, hi_frac):
    """Rows of binary32 patterns to bytes. Raises Refused."""
    for j, bits in enumerate(importance or []):
        if bits >> 23 & 255 == 255:
            raise Refused("importance_not_finite", j, 4 * j, "importance")
        if float_of_bits(bits) < 0:
            raise Refused("importance_negative", j, 4 * j, "importance")
    for n, bits in enumerate(weights):
        if bits >> 23 & 255 == 255:
            raise Refused("weight_not_finite", n // cols, 4 * n, "weight")
        if abs(float_of_bits(bits)) > 8319008:
            raise Refused("weight_out_of_range", n // cols, 4 * n, "weight")
    matrix = [[float_of_bits(b) for b in weights[cols * r : cols * r + cols]] for r in range(rows)]
    h = [float_of_bits(b) for b in importance] if importance else [1.0] * cols
    columns = hi_columns_of(h, final_hi_count(cols, hi_frac))
    bulk = [c for c in range(cols) if c not in set(columns)]
    greatest = max((abs(row[c]) for row in matrix for c in bulk), default=0.0)
    e = max(math.frexp(greatest)[1] - 1 - 14, -31) if greatest else 0
    channels = [channel_of([row[c] for row in matrix]) for c in columns]
    records = []
    for row in matrix:
        groups = [bulk[b : b + 24] for b in range(0, len(bulk), 24)]
        blocks = [([row[c] for c in group], [h[c] for c in group]) for group in groups]
        scale, codes = encode_row(blocks, 2.0**e)
        records.append((scale, [(q, code_of_point(x)) for q, x in codes]))
    return tensor(rows, cols, columns, (2 ** max(e, 0), 2 ** max(-e, 0)), channels, records)


# ---- Cases ---------------------------------------------------------------------------------------

NOTES = {
    "boxed": ("search", "The nearest lattice point is not representable."),
    "code_error": ("verdict", "A code that clause 3.3 does not allow."),
    "code_range": ("fields", "A field at the end of its range."),
    "column_order": ("layout", "Side-band and bulk columns are merged by HiIndex."),
    "encode_error": ("verdict", "Weights or importances that are refused, by row and column."),
    "far": ("overflow", "Coordinates far outside the box, up to the ends of the range."),
    "fix": ("fields", "An outward coordinate: the sum-fix doubles a trit."),
    "gaussian": ("search", "Bell-shaped coordinates of one scale."),
    "header_error": ("verdict", "Header fields that contradict each other."),
    "hi_frac": ("layout", "The share of the side-band, and the tail columns that join it."),
    "hostile_size": ("overflow", "A header that promises far more than there is."),
    "importance": ("encoder", "Columns weigh differently: in the error, and to be chosen."),
    "index_error": ("verdict", "HiIndex is not ascending or names no column."),
    "inside": ("search", "The nearest lattice point is representable, and so the answer."),
    "multiplier": ("layout", "Two multipliers share a byte; 0 is a multiplier."),
    "not_representable": ("verdict", "A point without a code."),
    "padding": ("verdict", "The unused half byte of an odd number of blocks is not 0."),
    "parity": ("fields", "m is the parity of the residuals."),
    "range_error": ("verdict", "A coordinate beyond the range; rows before it are written."),
    "row_range": ("layout", "Some rows of a tensor, or rows that it does not have."),
    "scale_error": ("verdict", "An infinite or NaN scale."),
    "sign_of_zero": ("value", "A zero keeps the sign of the scale, xor that of the number."),
    "step": ("value", "A step that is no power of two: one rounding, at the end."),
    "tie": ("ties", "Several representable points are equally near."),
    "truncated": ("verdict", "A byte too few or too many."),
    "valid": ("layout", "A tensor as it should be."),
    "worked_example": ("text", "The example of clause 9."),
    "zero": ("encoder", "Rows, blocks or columns of zeros."),
}


class Cases:
    def __init__(self):
        self.list = []

    def add(self, task, comment, flags, **fields):
        unknown = set(flags) - set(NOTES)
        if unknown:
            sys.exit(f"flags without a note: {unknown}")
        self.list.append(
            {"id": len(self.list) + 1, "comment": comment, "flags": sorted(flags), "task": task,
             **fields}
        )  # fmt: skip

    def code(self, comment, flags, code):
        point = point_of_code(code)
        if isinstance(point, tuple):
            expect = {"status": point[0], "offset": point[1], "field": point[2]}
        else:
            if code_of_point(point) != code:
                sys.exit("a valid code that is not the code of its point")
            expect = {"status": "ok", "point": point}
        self.add("code", comment, flags, bytes=code.hex(), expect=expect)

    def point(self, comment, flags, x):
        code = code_of_point(x)
        status = "ok" if code else "point_not_representable"
        expect = {"status": status, **({"bytes": code.hex()} if code else {})}
        self.add("point", comment, flags, point=list(x), expect=expect)

    def tensor(self, comment, flags, data, first_row=0, rows=None):
        if rows is None:
            rows = struct.unpack("<I", data[4:8])[0] if len(data) >= 8 else 0
        done, error = decode(data, first_row, rows)
        bits = b"".join(struct.pack("<I", b) for row in done for b in row).hex()
        expect = {"status": error[0] if error else "ok", "rows": len(done), "bits": bits}
        if error:
            expect |= dict(zip(("block", "offset", "field"), error[1:]))
        self.add("tensor", comment, flags, bytes=data.hex(), first_row=first_row, rows=rows,
                 expect=expect)  # fmt: skip

    def nearest(self, comment, flags, *rows):
        expect = {"status": "ok", "nearest": [], "rows": []}
        for p, y in enumerate(rows):
            wrong = [i for i, v in enumerate(y) if abs(v) > LIMIT]
            if wrong:
                expect["status"] = "point_out_of_range"
                expect |= {"block": p, "offset": 4 * (24 * p + wrong[0]), "field": "coordinate"}
                break
            answer = nearest(y)
            free = nearest_lattice_point(y)["x"]
            inside = code_of_point(free) is not None
            if inside and free != answer["x"]:
                sys.exit("clause 7.6 does not hold")
            if ("inside" in flags) != inside and {"inside", "boxed"} & set(flags):
                sys.exit(f"{comment}: the flag is wrong")
            expect["nearest"] += answer["x"]
            expect["rows"].append({key: answer[key] for key in ("m", "k", "cost")})
        self.add("nearest", comment, flags, points=[v for row in rows for v in row],
                 n_points=len(rows), expect=expect)  # fmt: skip

    def encode(self, comment, flags, weights, rows, cols, hi_frac, importance=None):
        """Weights and importances are binary32 patterns."""
        try:
            data = encode(weights, importance, rows, cols, hi_frac)
            expect = {"status": "ok", "bytes": data.hex()}
        except Refused as refused:
            expect = dict(zip(("status", "block", "offset", "field"), refused.args))

        def pack(values):
            return b"".join(struct.pack("<I", v) for v in values).hex()

        self.add("encode", comment, flags, weights=pack(weights),
                 importance=None if importance is None else pack(importance), rows=rows, cols=cols,
                 hi_frac=hi_frac, expect=expect)  # fmt: skip


ORIGIN = bytes.fromhex("797979790080fa")


def random_code(random, outward):
    """A valid code, with or without an outward coordinate."""
    z = [random.between(-1, 1) for _ in range(24)]
    if outward:
        z[random.below(24)] = random.between(0, 1) * 4 - 2
    return code_of_residuals(z, random.below(4096))


def code_cases(cases, random):
    cases.code("the origin", ["code_range"], ORIGIN)
    cases.code("all residuals -1, word 0", ["code_range"], code_of_residuals([-1] * 24, 0))
    cases.code("all residuals 1, word 4095", ["code_range"], code_of_residuals([1] * 24, 4095))
    cases.code("one residual is odd: m = 1", ["parity"], code_of_residuals([1] + [0] * 23, 0))
    cases.code("two are even: m = 0", ["parity"], code_of_residuals([1, -1] + [0] * 22, 0))
    for i in range(24):
        z = [0] * 24
        z[i] = 2 if i % 2 else -2
        cases.code(f"coordinate {i} is outward", ["fix"], code_of_residuals(z, 1 << i % 12))
    for n in range(8):
        flags = ["fix", "parity"] if n % 2 else ["parity"]
        cases.code("random", flags, random_code(random, n % 2))
    tail = (40 << 12) + (31 << 19)
    for g in range(4):
        for value in (242, 243, 255):
            groups = [121] * 4
            groups[g] = value
            flags = ["code_range"] if value == 242 else ["code_error"]
            cases.code(f"trit group {g} is {value}", flags,
                       bytes(groups) + tail.to_bytes(3, "little"))  # fmt: skip
    for value in (80, 81, 127):
        flags = ["code_range"] if value == 80 else ["code_error"]
        cases.code(f"trit group 4 is {value}", flags, code_bytes([121] * 4 + [value], 0, 31))
    for fix in range(24, 31):
        cases.code(f"sum-fix {fix}", ["code_error"], code_bytes([242] * 4 + [80], 0, fix))
    for fix in (0, 11, 19, 20, 23):
        cases.code(f"sum-fix {fix} on a zero trit", ["code_error"],
                   code_bytes([121] * 4 + [40], 7, fix))  # fmt: skip
    cases.code("all bits 0: sum-fix 0 doubles a trit of -1", ["fix"], bytes(7))
    cases.code("all bits 1: the first trit group decides", ["code_error"], b"\xff" * 7)
    cases.code("two wrong groups: the lower one is named", ["code_error"],
               code_bytes([121, 250, 243, 121, 81], 0, 24))  # fmt: skip
    cases.code("wrong group 4 before a wrong sum-fix", ["code_error"],
               code_bytes([121] * 4 + [100], 0, 25))  # fmt: skip


def point_cases(cases):
    def on(places):
        return [places.get(i, 0) for i in range(24)]

    octad = [2 * (WORDS[256] >> i & 1) for i in range(24)]
    cases.point("norm 8: 8 at one coordinate", ["fix"], on({5: 8}))
    cases.point("16 at one coordinate", ["not_representable"], on({5: 16}))
    cases.point("8 at two coordinates", ["not_representable"], on({5: 8, 6: 8}))
    cases.point("norm 6, 5 1^23", ["parity"], [5] + [1] * 23)
    cases.point("-3 1^23", ["parity"], [-3] + [1] * 23)
    cases.point("an octad", ["valid"], octad)
    first = [i for i in range(24) if octad[i]]
    cases.point("an octad with one 6 and one -6", ["fix"],
                [6 if i == first[0] else -6 if i == first[1] else v for i, v in enumerate(octad)])
    cases.point("an octad with two -6, norm 12", ["not_representable"],
                [-6 if i in first[:2] else v for i, v in enumerate(octad)])
    cases.point("2 at two coordinates: no lattice point", ["not_representable"], on({0: 2, 1: 2}))
    cases.point("the greatest coordinate, 10", ["fix"],
                [10 if i == first[0] else v for i, v in enumerate(octad)])
    cases.point("the ends of 32 bits", ["not_representable"], [2**31 - 1, -(2**31)] + [0] * 22)


def small_tensor(random):
    """Three rows, 77 columns: three blocks and five side-band columns."""
    columns = [0, 13, 40, 41, 76]
    channels = [(s, [random.between(-128, 127) for _ in range(3)])
                for s in (0x2000, 0x0001, 0xBC00, 0x7BFF, 0x0000)]  # fmt: skip
    records = [
        (scale, [(q, random_code(random, b % 2)) for b, q in enumerate(multipliers)])
        for scale, multipliers in ((0x1C33, (9, 15, 1)), (0x9C01, (0, 7, 12)), (0x8000, (3, 4, 5)))
    ]
    return tensor(3, 77, columns, (3, 1000), channels, records), columns


def patched(data, offset, value):
    return data[:offset] + value + data[offset + len(value) :]


def worked_tensor():
    z = [0] * 24
    z[0], z[9], z[11] = 2, -1, -1
    return tensor(1, 26, [3, 20], (1, 3), [(0x2000, [-3]), (0xBC00, [0])],
                  [(0x2E67, [(11, code_of_residuals(z, 256))])])  # fmt: skip


def tensor_cases(cases, random):
    cases.tensor("the example of clause 9", ["worked_example"], worked_tensor())
    data, columns = small_tensor(random)
    index_at, band_at, bulk_at, size, row_bytes = parts(3, 5, 72)
    codes = bulk_at + 2 + 2
    cases.tensor("three rows, 77 columns", ["valid", "column_order", "sign_of_zero", "step"], data)
    for first, rows in ((0, 1), (1, 1), (1, 2), (0, 0), (3, 0)):
        cases.tensor(f"{rows} rows from {first}", ["row_range"], data, first, rows)
    for first, rows in ((4, 0), (0, 4), (3, 1), (2, 2**32)):
        cases.tensor(f"{rows} rows from {first}: not there", ["row_range"], data, first, rows)

    for n in (0, 1, 27, 28, 29, band_at, bulk_at, size - 1):
        cases.tensor(f"the first {n} bytes", ["truncated"], data[:n], 0, 3)
    cases.tensor("one byte more", ["truncated"], data + b"\0")
    cases.tensor("another magic", ["header_error"], patched(data, 0, b"1UJK"))

    def word(v):
        return struct.pack("<I", v)

    for offset, value, comment in (
        (12, 78, "hi_count > cols"),
        (12, 2**32 - 1, "hi_count = 2^32 - 1"),
        (12, 4, "hi_count + bulk_cols < cols"),
        (16, 48, "bulk_cols one block less"),
        (16, 0, "bulk_cols = 0"),
        (20, 0, "step_num = 0"),
        (24, 0, "step_den = 0"),
    ):
        cases.tensor(comment, ["header_error"], patched(data, offset, word(value)))
    both = patched(patched(data, 12, word(6)), 16, word(71))
    cases.tensor("bulk_cols is no multiple of 24", ["header_error"], both)
    cases.tensor("step_num and step_den are 0", ["header_error"], patched(data, 20, bytes(8)))
    cases.tensor("cols = 0 and the rest as it was", ["header_error"], patched(data, 8, word(0)))
    for rows, cols, hi, comment in (
        (2**32 - 1, 77, 5, "rows = 2^32 - 1"),
        (2**32 - 1, 2**32 - 1, 2**32 - 1, "all sizes 2^32 - 1: 2^64 and more bytes"),
        (2**32 - 1, 2**32 - 1, 15, "one great bulk"),
        (2**32 - 5, 2**32 - 1, 2**32 - 1, "the size is beyond 2^64 by the last term only"),
        (0, 2**32 - 1, 2**32 - 1, "no rows and a side-band of 2^32 - 1 columns"),
    ):
        head = struct.pack("<7I", 0x31554A4B, rows, cols, hi, cols - hi, 1, 1)
        cases.tensor(comment, ["hostile_size"], head, 0, 1)
        cases.tensor(comment, ["hostile_size"], head + data[28:], 0, 1)

    for j, column, comment in (
        (4, 77, "the last column is beyond the end"),
        (0, 2**32 - 1, "column 2^32 - 1"),
        (2, 13, "a column twice"),
        (3, 14, "a column lower than the one before"),
        (1, 76, "ascending up to the third, which does not ascend"),
    ):
        cases.tensor(comment, ["index_error"], patched(data, index_at + 4 * j, word(column)))
    swapped = patched(patched(data, index_at + 4, word(90)), index_at + 12, word(0))
    cases.tensor("two wrong entries: the lower one is named", ["index_error"], swapped)
    cases.tensor("HiIndex is judged for an empty range", ["index_error"], swapped, 0, 0)

    for j, half in ((0, 0x7C00), (4, 0xFC00), (2, 0x7E00), (3, 0x7C01)):
        wrong = patched(data, band_at + 5 * j, struct.pack("<H", half))
        cases.tensor(f"scale of channel {j} is {half:#06x}", ["scale_error"], wrong)
        cases.tensor("the same, an empty range", ["scale_error"], wrong, 1, 0)
    for r, half in ((0, 0x7C00), (1, 0xFFFF), (2, 0xFC01)):
        wrong = patched(data, bulk_at + r * row_bytes, struct.pack("<H", half))
        cases.tensor(f"scale of row {r} is {half:#06x}", ["scale_error"], wrong)
        cases.tensor("the same, without that row", ["scale_error", "row_range"], wrong,
                     1 if r == 0 else 0, 2 if r == 0 else r)  # fmt: skip
    for r in range(3):
        at = bulk_at + r * row_bytes + 3
        wrong = patched(data, at, bytes([data[at] | 0x10 << r]))
        cases.tensor(f"row {r}: the last half byte is not 0", ["padding"], wrong)
    for r, b, wrong_code, comment in (
        (0, 0, bytes([243]) + ORIGIN[1:], "first code: trit byte 243"),
        (1, 0, code_bytes([121] * 4 + [81], 0, 31), "multiplier 0, trit group 4 is 81"),
        (1, 2, code_bytes([121] * 4 + [40], 0, 29), "sum-fix 29"),
        (2, 1, code_bytes([121] * 4 + [40], 0, 3), "scale -0, sum-fix on a zero trit"),
    ):
        at = codes + r * row_bytes + 7 * b
        cases.tensor(f"row {r}, block {b}: {comment}", ["code_error"],
                     patched(data, at, wrong_code))  # fmt: skip
    two = patched(data, codes + row_bytes + 14, b"\xff" * 7)
    two = patched(two, codes + row_bytes + 7, code_bytes([121] * 4 + [40], 0, 30))
    cases.tensor("two wrong codes: the lower block is named", ["code_error"], two)
    cases.tensor("and a row before it only", ["code_error", "row_range"], two, 0, 1)
    three = patched(two, bulk_at + row_bytes, b"\0\x7c")
    cases.tensor("a wrong scale before wrong codes", ["code_error", "scale_error"], three)

    points = [random_code(random, b) for b in (0, 1)]
    for step in ((1, 1), (2**32 - 1, 1), (1, 2**32 - 1), (1952252159, 3466930503),
                 (2524481703, 3979546187), (16777217, 1), (16777219, 1), (7, 10)):  # fmt: skip
        small = tensor(1, 48, [], step, [], [(0x3555, list(zip((15, 7), points)))])
        cases.tensor(f"step {step[0]} / {step[1]}", ["step"], small)
    for scale in (0x0001, 0x8001, 0x03FF, 0x7BFF, 0xFBFF, 0x0000, 0x8000):
        small = tensor(1, 48, [], (5, 3), [], [(scale, list(zip((15, 0), points)))])
        cases.tensor(f"row scale {scale:#06x}, multipliers 15 and 0",
                     ["multiplier", "sign_of_zero", "step"], small)  # fmt: skip
    cases.tensor("all 256 numbers of a channel", ["valid"],
                 tensor(256, 1, [0], (1, 1), [(0x3C01, range(-128, 128))], [(0, [])] * 256))
    cases.tensor("no columns: rows of nothing", ["valid"],
                 tensor(2, 0, [], (1, 1), [], [(0x3C00, []), (0, [])]))  # fmt: skip
    cases.tensor("no columns: the row scale is judged all the same", ["scale_error"],
                 tensor(2, 0, [], (1, 1), [], [(0x3C00, []), (0x7C00, [])]))  # fmt: skip
    cases.tensor("no rows", ["valid"], tensor(0, 25, [24], (1, 1), [(0x3C00, [])], []))
    cases.tensor("nothing at all", ["valid"], tensor(0, 0, [], (1, 1), [], []))
    for place in (0, 12, 24):
        blocks = [(0x2C00, [(10, random_code(random, 1))])]
        data = tensor(1, 25, [place], (1, 4), [(0x3000, [77])], blocks)
        cases.tensor(f"side-band column {place} of 25", ["column_order"], data)


def nearest_cases(cases, random):
    def scaled(x, f=UNIT):
        return [f * v for v in x]

    cases.nearest("the origin", ["inside"], [0] * 24)
    for n in range(4):
        x = point_of_code(random_code(random, n % 2))
        cases.nearest("a representable point is its own answer", ["inside"], scaled(x))
    for scale in (14000, 20000, 26000, 30000, 36000):
        for _ in range(3):
            cases.nearest(f"bell-shaped, deviation about {scale}", ["gaussian"],
                          [random.bell(scale // 2) for _ in range(24)])  # fmt: skip

    def big(value):
        return [value * (1 - 2 * (i % 3 == 1)) for i in range(24)]

    for value in (9 * UNIT, 10 * UNIT + 1, 100 * UNIT, LIMIT):
        cases.nearest(f"all coordinates +-{value}", ["boxed", "far"], big(value))
    for value in (12 * UNIT, 1000 * UNIT, LIMIT, -LIMIT):
        y = [random.bell(9000) for _ in range(24)]
        y[random.below(24)] = value
        cases.nearest(f"one coordinate is {value}", ["boxed", "far"], y)
    y = [random.between(-20 * UNIT, 20 * UNIT) for _ in range(24)]
    cases.nearest("uniform to 20", ["boxed", "far"], y)
    free = [16 * UNIT] + [0] * 23
    cases.nearest("16 at one coordinate: the answer has 8", ["boxed", "tie"], free)
    cases.nearest("two coordinates at 8", ["boxed", "tie"], [8 * UNIT, 0, 8 * UNIT] + [0] * 21)
    cases.nearest("all coordinates at 8", ["boxed", "tie"], [8 * UNIT] * 24)
    cases.nearest("all coordinates at -8", ["boxed", "tie"], [-8 * UNIT] * 24)
    cases.nearest("all coordinates at 7", ["boxed", "tie"], [7 * UNIT] * 24)
    cases.nearest("4 at one coordinate: half of 8", ["inside", "tie"], [4 * UNIT] + [0] * 23)
    cases.nearest("12 at two coordinates", ["boxed", "tie"],
                  [0] * 11 + [12 * UNIT, -12 * UNIT] + [0] * 11)  # fmt: skip
    places = [i for i in range(24) if WORDS[256] >> i & 1]
    for far in (places[:2], places[-2:]):
        y = [2 * UNIT if i in places else 0 for i in range(24)]
        y[far[0]] = y[far[1]] = 40 * UNIT
        cases.nearest("an octad, two coordinates at 40: another moves from its exact value",
                      ["boxed", "tie"], y)  # fmt: skip
    for _ in range(6):
        y = [random.between(-4, 4) * 2 * UNIT for _ in range(24)]
        cases.nearest("even integers to 8", ["tie"], y)
    for _ in range(3):
        y = [random.between(-16, 16) * UNIT // 2 for _ in range(24)]
        cases.nearest("halves to 8", ["tie"], y)
    cases.nearest("no rows", ["inside"])
    rows = [[random.bell(9000) for _ in range(24)] for _ in range(2)]
    bad = [0] * 24
    bad[17] = -LIMIT - 1
    cases.nearest("the third row is out of range", ["range_error"], *rows, bad, rows[0])


def encode_cases(cases, random):
    def bell(n, scale):
        return [float_bits(random.bell(1 << 20) / scale) for _ in range(n)]

    cases.encode("two rows of 24", ["valid"], bell(48, 2**21), 2, 24, 0)
    cases.encode("one row of 50 at 0.05", ["hi_frac"], bell(50, 2**26), 1, 50, 50_000)
    importance = [float_bits((j * 7 % 27) / 8) for j in range(27)]
    cases.encode("importance chooses the columns", ["importance", "hi_frac"], bell(54, 2**24), 2,
                 27, 100_000, importance)  # fmt: skip
    weights = bell(26, 2**20)
    weights[5] = float_bits(40.0)
    cases.encode("an outlier in the bulk", ["importance", "hi_frac"], weights, 1, 26, 0,
                 [float_bits(1.0 if j != 5 else 0.25) for j in range(26)])  # fmt: skip
    cases.encode("all importances 0", ["importance"], bell(24, 2**22), 1, 24, 0, [0] * 24)
    cases.encode("all weights 0, some -0", ["zero"], [(n % 3 == 0) << 31 for n in range(52)], 2, 26,
                 0)  # fmt: skip
    cases.encode("a row and a block of zeros", ["zero"],
                 [0] * 24 + bell(24, 2**19) + [0] * 48, 2, 48, 0)  # fmt: skip
    tiny = bell(24, 2**60)
    cases.encode("weights near 2^-40", ["hi_frac"], tiny, 1, 24, 0)
    cases.encode("subnormal weights", ["zero"], list(range(1, 25)), 1, 24, 0)
    cases.encode("a row far below the other", ["zero"], bell(24, 2**10) + bell(24, 2**60), 2, 24, 0)
    ends = [float_bits(8319008.0) | (n % 2) << 31 for n in range(25)]
    cases.encode("the greatest weights", ["valid"], ends, 1, 25, 0)
    for odd in (2049, 2051):
        weights = [float_bits(random.between(-4, 4) * 2.0) for _ in range(24)]
        weights[3] = float_bits(135 * odd / 2048)
        cases.encode("the first row scale is half way between two numbers", ["valid"], weights, 1,
                     24, 0)  # fmt: skip
    cases.encode("hi_frac 1: no bulk", ["hi_frac"], bell(50, 2**21), 5, 10, 1_000_000)
    cases.encode("side-band numbers half way", ["hi_frac"],
                 [float_bits(v) for v in (127.0, 0.5, 1.5, -0.5, -1.5, 126.5, 2.5, -2.5)], 8, 1,
                 1_000_000)  # fmt: skip
    cases.encode("no rows", ["hi_frac"], [], 0, 30, 100_000)
    beyond = float_bits(8319008.0) + 1
    for bits, status in ((0x7F800000, "infinity"), (0xFFC00000, "NaN"), (beyond, "too large")):
        weights = bell(52, 2**21)
        weights[26 + 9] = bits
        cases.encode(f"weight of row 1, column 9: {status}", ["encode_error"], weights, 2, 26, 0)
    for bits, status in ((0x7F800000, "infinity"), (0x7FC00000, "NaN"), (0x80000001, "negative"),
                         (0xFF800000, "minus infinity")):  # fmt: skip
        importance = [float_bits(1.0)] * 24
        importance[7] = bits
        cases.encode(f"importance of column 7: {status}", ["encode_error"],
                     [0x7FC00000] * 24, 1, 24, 0, importance)  # fmt: skip
    cases.encode("an importance of -0 is 0", ["importance"], bell(24, 2**21), 1, 24, 0,
                 [1 << 31] + [float_bits(1.0)] * 23)  # fmt: skip


# ---- The file ------------------------------------------------------------------------------------

ABOUT = (
    "Each case has a task. code: seven bytes and their point, or the error with its offset in the"
    " code. point: 24 integers and their code. tensor: bytes, and the rows asked for; expect.bits"
    " are the weights written, binary32, 4 little-endian bytes each in hex. nearest: rows of 24"
    " integers in units of 2^-13; expect.nearest are the rows written, expect.rows their m, Golay"
    " index k and cost (clause 7.5). encode: weights and importance in hex like bits (importance"
    " null: all 1), hi_frac in millionths; expect.bytes is the tensor of clause 8."
)


def make_cases():
    cases = Cases()
    random = Random(4)
    code_cases(cases, random)
    point_cases(cases)
    tensor_cases(cases, random)
    nearest_cases(cases, random)
    encode_cases(cases, random)
    return cases.list


if __name__ == "__main__":
    sys.exit(vector_file.main(__doc__, "kaiju1", ABOUT, NOTES, make_cases))
