#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes leech.json, the test vectors of the Leech lattice, from spec/formats/leech.md.

    generate_leech.py            writes the file
    generate_leech.py --check    exits 1 when the file is not what this program makes

It shares no code and no tables with ref/ or fast/: the Golay basis is read out of the text, a
coordinate chooses among the values of its residue mod 4, the lattice condition is the sum mod 8,
and cosets are sums over MOG columns. Python's standard library only, exact integers throughout,
and the same bytes on every machine. Clause numbers are those of leech.md.
"""

import pathlib
import re
import struct
import sys

sys.dont_write_bytecode = True  # an import must not leave files in the source tree
import vector_file

HERE = pathlib.Path(__file__).resolve().parent
TEXT = HERE.parent / "formats" / "leech.md"
UNIT = 8192
LIMIT = 1 << 30


# ---- The Golay code, from the text (clause 3) ----------------------------------------------------


def read_words():
    """The 4,096 words in the order of their index. Stops when basis and clause 3.5 disagree."""
    basis = []
    text = TEXT.read_text(encoding="utf-8")
    for line in re.search(r"```golay\n(.*?)```", text, re.S)[1].splitlines():
        label, body = line.split(":")
        if int(label) != len(basis):
            sys.exit(f"{TEXT.name}: line of basis word {label} stands at {len(basis)}")
        basis += [int(word, 16) for word in body.split()]
    words = [0]
    for word in basis:
        words += [word ^ other for other in words]
    if sorted(words) != sorted(words_by_columns()):
        sys.exit(f"{TEXT.name}: the basis does not span the code of clause 3.5")
    return words


def times(a, b):
    """Product in GF(4): w is 2, w^2 is 3."""
    return 0 if 0 in (a, b) else (a + b - 2) % 3 + 1


def words_by_columns():
    """The words by clause 3.5: a hexacode word, a parity, and a pattern for each column."""
    patterns = {}
    for column in range(16):
        label = 0
        for row in range(4):
            label ^= row if column >> row & 1 else 0
        patterns.setdefault((bin(column).count("1") % 2, label), []).append(column)
    for index in range(64):
        a, b, c = index >> 4, index >> 2 & 3, index & 3
        hexaword = [a, b, c] + [times(a, times(x, x)) ^ times(b, x) ^ c for x in (1, 2, 3)]
        for parity in (0, 1):
            partial = [(0, 0)]
            for j, symbol in enumerate(hexaword):
                partial = [
                    (word | column << 4 * j, top ^ column & 1)
                    for word, top in partial
                    for column in patterns[parity, symbol]
                ]
            yield from (word for word, top in partial if top == parity)


WORDS = read_words()
NIBBLES = [tuple(word >> 4 * j & 15 for j in range(6)) for word in WORDS]


# ---- Nearest point (clause 5) --------------------------------------------------------------------


def two_nearest(y, residue):
    """The nearest and second nearest values = residue mod 4; the greater one where equally near."""
    low = residue + 4 * ((y - UNIT * residue) // (4 * UNIT))
    values = sorted((low - 4, low, low + 4, low + 8), key=lambda x: ((y - UNIT * x) ** 2, -x))
    return values[:2]


def column_table(y, m):
    """For each of 16 patterns of one column: cost, least price of a change, sum of the values."""
    table = []
    for pattern in range(16):
        cost, price, total = 0, None, 0
        for row in range(4):
            first, second = two_nearest(y[row], (m + 2 * (pattern >> row & 1)) % 4)
            here = (y[row] - UNIT * first) ** 2
            extra = (y[row] - UNIT * second) ** 2 - here
            cost, total = cost + here, total + first
            price = extra if price is None else min(price, extra)
        table.append((cost, price, total))
    return table


def candidates(y):
    """Squared distance of the candidate of each coset, in the order of clause 5.5."""
    for m in (0, 1):
        columns = [column_table(y[4 * j : 4 * j + 4], m) for j in range(6)]
        for k, nibbles in enumerate(NIBBLES):
            parts = [columns[j][nibble] for j, nibble in enumerate(nibbles)]
            cost = sum(part[0] for part in parts)
            if (sum(part[2] for part in parts) - 4 * m) % 8:
                cost += min(part[1] for part in parts)
            yield cost, m, k


def nearest(y):
    """The answer with m, index, squared distance, and the number of cosets that share it."""
    costs = list(candidates(y))
    least = min(cost for cost, _, _ in costs)
    ties = [(m, k) for cost, m, k in costs if cost == least]
    m, k = ties[0]
    pairs = [two_nearest(y[i], (m + 2 * (WORDS[k] >> i & 1)) % 4) for i in range(24)]
    x = [first for first, _ in pairs]
    if (sum(x) - 4 * m) % 8:
        prices = [
            (y[i] - UNIT * second) ** 2 - (y[i] - UNIT * first) ** 2
            for i, (first, second) in enumerate(pairs)
        ]
        change = prices.index(min(prices))
        x[change] = pairs[change][1]
    if sum((a - UNIT * b) ** 2 for a, b in zip(y, x)) != least or not in_lattice(x):
        sys.exit("the point made is not the candidate")
    return {"x": x, "m": m, "k": k, "squared_distance": least, "cosets": len(ties)}


def in_lattice(x):
    """Clause 2.1."""
    m = x[0] % 2
    word = sum(((v - m) // 2 % 2) << i for i, v in enumerate(x))
    return all(v % 2 == m for v in x) and word in WORD_SET and sum(x) % 8 == 4 * m


WORD_SET = set(WORDS)


# ---- Float entry (clause 7) ----------------------------------------------------------------------


def fixed_point(bits):
    """binary32 bits to fixed point, or the name of the error."""
    exponent, fraction = bits >> 23 & 255, bits & 0x7FFFFF
    if exponent == 255:
        return "point_not_finite"
    significand = fraction if exponent == 0 else fraction | 0x800000
    shift = max(exponent, 1) - 150 + 13  # 8192 |f| = significand * 2^shift
    if shift >= 0:
        value = significand << shift
    else:
        whole, rest = divmod(significand, 1 << -shift)
        twice = 2 * rest - (1 << -shift)
        value = whole + (1 if twice > 0 or (twice == 0 and whole % 2) else 0)
    if value > LIMIT:
        return "point_out_of_range"
    return -value if bits >> 31 else value


# ---- Cases ---------------------------------------------------------------------------------------


class Random:
    """A fixed sequence of 32-bit numbers (a 64-bit linear congruential generator)."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self.state >> 32) * n >> 32

    def between(self, low, high):
        return low + self.below(high - low + 1)

    def bell(self, scale):
        """About normal with the given standard deviation: the sum of twelve uniform numbers."""
        return sum(self.between(-scale, scale) for _ in range(12)) // 2

    def lattice_point(self, spread):
        """A random lattice point near a random place."""
        return nearest([self.between(-spread, spread) * UNIT for _ in range(24)])["x"]


def scaled(x, factor=UNIT):
    return [factor * v for v in x]


def plus(a, b):
    return [u + v for u, v in zip(a, b)]


def on(places, value=1):
    return [value if i in places else 0 for i in range(24)]


def octad(k):
    return {i for i in range(24) if WORDS[k] >> i & 1}


def index_of_weight(weight, count):
    """The count-th index whose word has this weight."""
    return [k for k, word in enumerate(WORDS) if bin(word).count("1") == weight][count]


def shaped(word, others):
    """-1 on the word and 1 elsewhere, with the given coordinates multiplied."""
    return [(-1 if word >> i & 1 else 1) * others.get(i, 1) for i in range(24)]


def signed(v, places):
    return [-a if i in places else a for i, a in enumerate(v)]


def vectors_by_shape():
    """(norm, shape, vector): one lattice vector for each shape of norm 4, 6 and 8."""
    eight = octad(index_of_weight(8, 300))
    twelve = octad(index_of_weight(12, 1000))
    sixteen = octad(index_of_weight(16, 200))
    word = WORDS[2741]
    inside, outside = sorted(eight), sorted(set(range(24)) - eight)
    third = sorted(set(range(24)) - twelve)[5]
    return [
        (4, "4^2 0^22", plus(on({3}, 4), on({17}, -4))),
        (4, "2^8 0^16", signed(on(eight, 2), inside[:4])),
        (4, "3 1^23", shaped(word, {7: -3})),
        (6, "2^12 0^12", signed(on(twelve, 2), sorted(twelve)[2:8])),
        (6, "4 2^8 0^15", plus(signed(on(eight, 2), inside[:3]), on({outside[9]}, -4))),
        (6, "3^3 1^21", shaped(word, {0: -3, 11: -3, 23: -3})),
        (6, "5 1^23", shaped(word, {13: 5})),
        (8, "8 0^23", on({20}, -8)),
        (8, "4^4 0^20", signed(on({1, 6, 12, 21}, 4), {6})),
        (8, "6 2^7 0^16", plus(signed(on(eight, 2), inside[:1]), on({inside[3]}, 4))),
        (8, "4^2 2^8 0^14", plus(on(eight, 2), plus(on({outside[0]}, 4), on({outside[5]}, -4)))),
        (8, "4 2^12 0^11", plus(signed(on(twelve, 2), sorted(twelve)[:1]), on({third}, 4))),
        (8, "2^16 0^8", signed(on(sixteen, 2), sorted(sixteen)[3:9])),
        (8, "3^5 1^19", shaped(word, {2: -3, 5: -3, 8: -3, 14: -3, 19: -3})),
        (8, "5 3^2 1^21", shaped(word, {4: 5, 10: -3, 16: -3})),
    ]


WORKED_EXAMPLE = [
    700, -1200, 300, 0, -500, 250, 0, 900, 100, -14000, -600, 3000,
    0, 17000, 450, 15500, -350, 16000, 800, 17500, -200, 16384, 50, 14000,
]  # fmt: skip

# Deep holes v / h, found by search: 16 h^2 is the squared length of v.
DEEP_HOLES = {
    7: [
        1, 3, -1, 1, -1, 3, -3, -3, 5, -5, 3, -11, -1, -5, 9, 1, 5, 11, 11, 1, -3, -11, 7, 3,
    ],
    8: [
        -8, -6, -10, -6, -6, 0, 2, -10, -8, 4, 8, 2, -14, -2, -8, -2, 0, -6, 0, 4, -2, -12, -4,
        4,
    ],
    9: [
        6, 20, 8, 4, 6, 4, -2, -6, 6, 2, 2, -4, -10, -14, -4, 2, -10, 0, 10, -2, 0, 6, 6, -6,
    ],
    10: [
        15, 5, -7, -3, 3, -17, 9, 7, 1, 1, -9, 5, -7, 11, -9, 3, -1, -11, 7, -5, -11, -11, -7, 3,
    ],
    12: [
        4, 8, -8, -6, -14, 8, 10, -2, 4, 2, -6, -26, -22, 6, -8, 2, 2, 8, -8, 0, 0, 4, -6, 16,
    ],
    13: [
        -19, 9, -7, 5, 1, 1, 9, -3, 1, 9, -7, -7, -13, 7, 11, -5, -1, -5, -21, -1, 29, -3, -3,
        -15,
    ],
    14: [
        1, -3, -1, -5, -3, -9, 15, 13, -5, 15, -5, 23, 9, -5, 17, -21, 1, 3, 9, -21, 7, -5, -17,
        -9,
    ],
    16: [
        6, -24, 10, 16, 6, -20, 8, 2, 0, 14, -20, -26, -8, -14, 14, 8, 4, 10, -8, 22, -8, 6, 2,
        8,
    ],
    18: [
        21, -31, -1, -13, 3, 9, 29, 7, 3, -7, -9, -3, -3, 1, 5, 17, 17, 13, -19, -11, 29, 3, 9,
        -17,
    ],
    22: [
        20, 20, 20, 20, 26, 12, 42, 16, -20, -2, 0, 6, -24, 20, -8, 4, 2, 6, 8, -12, -8, -34,
        -14, -12,
    ],
    25: [
        8, -52, 0, 6, 36, 10, 16, -4, 4, 14, 18, 18, -6, -2, -12, 10, -22, -16, -8, 12, -22, 34,
        -40, 14,
    ],
    30: [
        37, 33, -1, -31, -17, -5, -5, 41, 7, -19, -19, -23, 45, -37, -19, 37, 9, 19, -13, 19,
        -17, -7, 35, -1,
    ],
}

NOTES = {
    "covering": ("search", "A deep hole: many lattice points at the covering radius, 4."),
    "dyadic": ("ties", "Coordinates on a coarse grid, as weights of few bits give them."),
    "float": ("float entry", "The input is binary32; it is rounded first, ties to even."),
    "gaussian": ("search", "Bell-shaped coordinates of one scale."),
    "half_way": ("ties", "A coordinate half way between two values takes the greater one."),
    "lattice_point": ("membership", "A lattice point is its own answer."),
    "near_wall": ("search", "One unit beside a wall of the Voronoi cell."),
    "norm_6": ("search", "A decoder that knows minimal vectors only passes over the nearer point."),
    "not_finite": ("verdict", "An infinite or NaN coordinate."),
    "parity": ("search", "The parity of the steps is wrong and one coordinate changes."),
    "range": ("overflow", "Coordinates at or near the ends of the range."),
    "range_error": ("verdict", "A coordinate beyond the range; rows before it are written."),
    "rows": ("layout", "Any number of rows, none included."),
    "tie": ("ties", "Several lattice points are equally near; the order of clause 5.5 decides."),
    "uniform": ("search", "Uniform coordinates modulo 8."),
    "worked_example": ("text", "The example of clause 8."),
}


class Cases:
    def __init__(self):
        self.list = []

    def rows(self, comment, flags, *rows):
        """One case of fixed-point rows."""
        fixed = [[v if abs(v) <= LIMIT else "point_out_of_range" for v in row] for row in rows]
        self.add(comment, flags, {"points": [v for row in rows for v in row]}, fixed)

    def floats(self, comment, flags, *rows):
        """One case of binary32 rows, given as bit patterns."""
        fixed = []
        for row in rows:
            fixed.append([fixed_point(bits) for bits in row])
        data = b"".join(struct.pack("<I", bits) for row in rows for bits in row)
        self.add(comment, flags, {"floats": data.hex()}, fixed)

    def add(self, comment, flags, given, fixed):
        expect = {"status": "ok", "nearest": [], "rows": []}
        for p, row in enumerate(fixed):
            errors = [(i, value) for i, value in enumerate(row) if isinstance(value, str)]
            if errors:
                i, status = errors[0]
                expect["status"] = status
                expect["block"] = p
                expect["offset"] = 4 * (24 * p + i)
                expect["field"] = "coordinate"
                break
            answer = nearest(row)
            expect["nearest"] += answer["x"]
            expect["rows"].append(
                {key: answer[key] for key in ("m", "k", "squared_distance", "cosets")}
            )
        unknown = set(flags) - set(NOTES)
        if unknown:
            sys.exit(f"flags without a note: {unknown}")
        self.list.append(
            {"id": len(self.list) + 1, "comment": comment, "flags": sorted(flags), **given,
             "n_points": len(fixed), "expect": expect}
        )  # fmt: skip


def float_bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def make_cases():
    cases = Cases()
    random = Random(2024)
    shapes = vectors_by_shape()
    for _, shape, v in shapes:
        if not in_lattice(v):
            sys.exit(f"shape {shape} is not in the lattice")

    cases.rows("the example of clause 8", ["worked_example", "parity"], WORKED_EXAMPLE)
    cases.rows("the origin", ["lattice_point"], [0] * 24)
    for norm, shape, v in shapes:
        cases.rows(f"norm {norm}, shape {shape}", ["lattice_point"], scaled(v))
    for spread in (3, 40, 1000):
        point = random.lattice_point(spread)
        cases.rows(f"a lattice point within {spread + 4} of 0", ["lattice_point"], scaled(point))

    for norm, shape, v in shapes:
        flags = ["tie", "covering"] if norm == 8 else ["tie"]
        cases.rows(f"half of a vector of norm {norm}, shape {shape}", flags, scaled(v, UNIT // 2))
        moved = plus(scaled(v, UNIT // 2), scaled(random.lattice_point(20)))
        cases.rows("the same about another lattice point", flags, moved)
        beside = scaled(v, UNIT // 2)
        place = next(i for i, a in enumerate(v) if a)
        beside[place] += 1 if v[place] > 0 else -1
        cases.rows("one unit beyond half", ["near_wall"], beside)
        beside[place] -= 2 if v[place] > 0 else -2
        cases.rows("one unit short of half", ["near_wall"], beside)
        if norm == 6:
            farther = scaled(v, UNIT // 2 + 1)
            cases.rows(
                f"(1/2 + 1/8192) v, norm 6, shape {shape}: inside all walls of minimal vectors"
                " about 0, yet v is nearer",
                ["norm_6", "near_wall"],
                farther,
            )

    cases.rows("4 at coordinate 0: 48 nearest points; no residual in the first coset, so that"
               " coordinate 0 changes, upward", ["tie", "covering", "parity"], on({0}, 4 * UNIT))
    cases.rows("-4 at coordinate 23", ["tie", "covering", "parity"], on({23}, -4 * UNIT))
    for h, v in DEEP_HOLES.items():
        hole = [(2 * UNIT * a + h) // (2 * h) for a in v]
        exact = UNIT % h == 0
        cases.rows(
            f"a deep hole of order {h}" + ("" if exact else ", rounded to fixed point"),
            ["covering", "tie"] if exact else ["covering"],
            hole,
        )
        cases.rows(
            "the same about another lattice point",
            ["covering", "tie"] if exact else ["covering"],
            plus(hole, scaled(random.lattice_point(20))),
        )

    cases.rows("2 at coordinate 5, half way between 0 and 4", ["half_way"], on({5}, 2 * UNIT))
    cases.rows("-2 at coordinate 5, half way between -4 and 0", ["half_way"], on({5}, -2 * UNIT))
    cases.rows("2 at two coordinates", ["half_way", "tie"], on({2, 9}, 2 * UNIT))
    cases.rows("2 and -2", ["half_way", "tie"], plus(on({2}, 2 * UNIT), on({9}, -2 * UNIT)))
    cases.rows("2 at three coordinates", ["half_way", "tie"], on({0, 1, 2}, 2 * UNIT))
    cases.rows("1 everywhere", ["tie"], [UNIT] * 24)
    cases.rows("-1 everywhere", ["tie"], [-UNIT] * 24)
    cases.rows("2 everywhere", ["half_way", "tie"], [2 * UNIT] * 24)
    cases.rows("1/2 everywhere", ["tie"], [UNIT // 2] * 24)
    cases.rows("3/2 everywhere", ["tie"], [3 * UNIT // 2] * 24)
    cases.rows("0 and 2 in turn", ["half_way", "tie"], [2 * UNIT * (i % 2) for i in range(24)])
    for value in (1, -1):
        cases.rows(f"{value} unit everywhere", ["uniform"], [value] * 24)

    for grid in (2 * UNIT, UNIT, UNIT // 2, UNIT // 4, UNIT // 16):
        for _ in range(3):
            row = [grid * random.between(-8 * UNIT // grid, 8 * UNIT // grid) for _ in range(24)]
            cases.rows(f"multiples of {grid} units", ["dyadic"], row)
    for exponent in range(-3, 9):
        scale = (UNIT << exponent) if exponent >= 0 else UNIT >> -exponent
        row = [random.bell(scale) for _ in range(24)]
        cases.rows(f"standard deviation about 2^{exponent}", ["gaussian"], row)
    for _ in range(12):
        cases.rows("uniform modulo 8", ["uniform"], [random.below(8 * UNIT) for _ in range(24)])

    for sign in (1, -1):
        cases.rows(f"{sign * LIMIT} everywhere", ["range"], [sign * LIMIT] * 24)
        row = [sign * (LIMIT - random.below(8 * UNIT)) * (1 - 2 * (i % 2)) for i in range(24)]
        cases.rows("near both ends of the range", ["range"], row)
    cases.rows("one coordinate at an end", ["range"], on({11}, -LIMIT))
    far = [random.between(-LIMIT, LIMIT) for _ in range(24)]
    cases.rows("uniform in the range", ["range"], far)

    cases.rows("no rows", ["rows"])
    cases.rows("three rows", ["rows"], WORKED_EXAMPLE, on({0}, 4 * UNIT), far)
    eight = [[random.below(8 * UNIT) for _ in range(24)] for _ in range(8)]
    cases.rows("eight rows", ["rows"], *eight)

    cases.rows("one beyond the upper end, first coordinate", ["range_error"], on({0}, LIMIT + 1))
    cases.rows("one beyond the lower end, last coordinate", ["range_error"], on({23}, -LIMIT - 1))
    cases.rows("the least 32-bit integer", ["range_error"], on({12}, -(1 << 31)))
    cases.rows("the greatest 32-bit integer", ["range_error"], on({1}, (1 << 31) - 1))
    cases.rows("two coordinates out of range: the lower one is named", ["range_error"],
               plus(on({9}, LIMIT + 1), on({4}, -LIMIT - 2)))
    cases.rows("third row of four", ["range_error", "rows"], WORKED_EXAMPLE, [UNIT] * 24,
               on({7}, LIMIT + 1), on({3}, LIMIT + 1))

    halves = [float_bits(k / 16384) for k in range(-12, 12)]
    cases.floats("multiples of half a unit: ties to even", ["float"], halves)
    nearly = [float_bits(k / 16384) + (1 if k % 2 else -1) for k in range(1, 25)]
    cases.floats("one bit beside multiples of half a unit", ["float"], nearly)
    for a in (16383, 16382):
        for b in (16384.5, 16385.5):
            for sign_a, sign_b in ((1, 1), (-1, -1), (1, -1), (-1, 1)):
                row = [0] * 24
                row[3], row[17] = float_bits(sign_a * a / UNIT), float_bits(sign_b * b / UNIT)
                cases.floats(
                    f"{sign_a * a} and {sign_b * b} units: the side of a wall depends on the"
                    " rounding",
                    ["float", "near_wall"],
                    row,
                )
    least = float_bits(2.0**-14)
    tiny = [0x80000000, 1, 0x80000001, 0x007FFFFF, 0x00800000, least, least | 1 << 31, least + 1]
    cases.floats("-0, subnormal numbers and 2^-14 round to 0", ["float"], tiny + [0] * 16)
    cases.floats("4 at coordinate 0", ["float", "tie", "covering"], [float_bits(4.0)] + [0] * 23)
    exact = [v + 0.25 * random.between(-3, 3) for v in shapes[5][2]]
    cases.floats("quarters", ["float", "dyadic"], [float_bits(v) for v in exact])
    spread = [float_bits(random.between(-(1 << 22), 1 << 22) / (1 << 19)) for _ in range(24)]
    cases.floats("uniform, 2^-19 apart", ["float", "uniform"], spread)
    large = [float_bits(random.between(-(1 << 23), 1 << 23) / 64) for _ in range(24)]
    cases.floats("large: no rounding is left to do", ["float", "range"], large)
    ends = [float_bits(131072.0) | (i % 2) << 31 for i in range(24)]
    cases.floats("131072 and -131072", ["float", "range"], ends)
    beyond = float_bits(131072.0) + 1
    cases.floats("the next number above 131072", ["float", "range_error"], on({5}, beyond))
    cases.floats("and below -131072", ["float", "range_error"], on({20}, beyond | 1 << 31))
    cases.floats("the greatest binary32 number", ["float", "range_error"], [0x7F7FFFFF] + [0] * 23)
    for name, bits in (("infinity", 0x7F800000), ("minus infinity", 0xFF800000),
                       ("quiet NaN", 0x7FC00000), ("signalling NaN", 0xFF800001)):  # fmt: skip
        rows = [float_bits(1.0)] * 24, on({random.below(24)}, bits)
        cases.floats(f"{name} in the second row", ["float", "not_finite"], *rows)
    cases.floats("NaN before an out of range number", ["float", "not_finite"],
                 [0, 0x7FC00000, beyond] + [0] * 21)
    cases.floats("an out of range number before a NaN", ["float", "range_error"],
                 [0, beyond, 0x7FC00000] + [0] * 21)
    cases.floats("no rows", ["float", "rows"])
    return cases.list


# ---- The file ------------------------------------------------------------------------------------

ABOUT = (
    "Each case: `points`, rows of 24 integers in units of 2^-13, or `floats`, rows of 24 binary32"
    " numbers in lattice units, 4 little-endian bytes each in hex. `expect.nearest` are the rows of"
    " 24 integers that are written. `expect.rows` gives for each of them m, the Golay index k, the"
    " squared distance in squared units of 2^-13, and how many of the 8,192 cosets reach it. With"
    " an error: block is the row, offset the byte offset of the coordinate."
)


if __name__ == "__main__":
    sys.exit(vector_file.main(__doc__, "leech", ABOUT, NOTES, make_cases))
