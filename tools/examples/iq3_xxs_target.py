#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A target for `quantproof certify --target cmd:...`: the protocol of spec/target_protocol.md, and
a literal decoder of spec/formats/iq3_xxs.md. Put your own decoder in place of decode_block.

    quantproof certify --format iq3_xxs --target "cmd:python3 iq3_xxs_target.py"
"""
import math
import struct
import sys

# 3.2 and 3.3
MAGNITUDES = [4, 12, 20, 28, 36, 44, 52, 62]
LEVELS = """
0000 2000 4000 1100 3100 7100 0200 2200 1300 2400 3700 5700 1010 3010 0110 2110
1210 5210 0310 2310 1410 4510 0710 0020 2020 4020 1120 0220 2220 1320 3320 7320
1520 7520 5720 1030 7030 0130 2130 5230 0730 3140 7340 4440 7540 3740 5740 1050
7050 2350 2550 5360 4660 0170 4170 6170 3470 1670 1001 3001 0101 2101 1201 3201
0301 2301 4301 7401 0501 0011 2011 1111 0211 2211 1021 3021 0121 2121 1221 0321
2721 0031 2031 0231 1331 6431 6631 1041 5041 0541 0251 4251 6451 1751 5061 2271
0471 0002 2002 1102 3102 0202 2202 6202 1302 2402 1012 3012 5012 0112 2112 1212
0312 3612 7612 0712 0022 2022 1122 7122 0222 2222 7322 0422 5522 1032 0132 4132
0732 4732 5342 3542 3052 7252 1452 4752 1072 3072 6172 5472 1003 0103 2103 1203
3203 0503 5603 2703 0013 2013 0213 1313 4413 6413 1023 3023 0123 5223 2523 2723
1133 3333 0343 7443 2743 0053 6053 2253 5553 4163 6363 3663 3373 0673 4004 7104
5304 7304 3504 7504 4714 0224 7324 0424 0624 6624 7034 5434 4044 1544 4644 5254
3454 0754 5074 0174 2174 0374 2105 1405 0705 0015 6015 6215 5515 4125 2325 2725
2035 3535 0145 3245 7245 2745 2055 1355 0565 4275 2475 4206 4406 6406 4606 1216
1616 7126 4626 0336 6336 4446 5056 2556 3366 3076 1276 3007 5007 7007 0107 2307
2507 6217 0417 2127 5427 2527 0037 5137 3337 0637 1247 1447 0057 2057 4257 0367
""".split()
CODEBOOK = [[MAGNITUDES[int(level)] for level in row] for row in LEVELS]


def signs(field):
    """4.2: the factors of the eight weights of a group."""
    odd = bin(field).count("1") % 2
    return [-1 if bit else 1 for bit in [field >> j & 1 for j in range(7)] + [odd]]


SIGNS = [signs(field) for field in range(128)]


def decode_block(block):
    """256 weights of 98 bytes; None for an infinite or NaN scale, which profile strict refuses."""
    (scale,) = struct.unpack_from("<e", block)
    if not math.isfinite(scale):
        return None
    weights = []
    for ib, word in enumerate(struct.unpack_from("<8I", block, 66)):
        factor = scale * (2 * (word >> 28) + 1) / 4
        for group in range(4):
            sign = SIGNS[word >> 7 * group & 127]
            first = 2 + 8 * ib + 2 * group
            row = CODEBOOK[block[first]] + CODEBOOK[block[first + 1]]
            weights.extend(factor * g * s for g, s in zip(row, sign))
    return weights


def answer_row(format_number, n, row):
    """Status and values (README.md 4 and 5)."""
    if format_number != 1:
        return 1, []
    if n % 256 != 0:
        return 2, []
    if len(row) != n // 256 * 98:
        return 3, []
    values = []
    for begin in range(0, len(row), 98):
        weights = decode_block(row[begin:begin + 98])
        if weights is None:
            return 4, values
        values += weights
    return 0, values


def main():
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while length := requests.read(4):
        content = requests.read(*struct.unpack("<I", length))
        (kind,) = struct.unpack_from("<I", content)
        if kind == 1:  # the greeting: version 1, refuses input
            answer = struct.pack("<III", 1, 1, 1) + b"example in Python"
        else:
            number, format_number, _profile, n = struct.unpack_from("<IIIQ", content, 4)
            status, values = answer_row(format_number, n, content[24:])
            answer = struct.pack("<III", 2, number, status)
            answer += struct.pack(f"<{len(values)}f", *values)
        answers.write(struct.pack("<I", len(answer)) + answer)
        answers.flush()


if __name__ == "__main__":
    main()
