# SPDX-License-Identifier: Apache-2.0
"""usage: faulty_target.py FAULT: the Python example as a target that breaks the protocol."""
import os
import pathlib
import signal
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tools/examples"))
import iq3_xxs_target  # noqa: E402

FAULT = sys.argv[1]
requests, answers = sys.stdin.buffer, sys.stdout.buffer


def write_frame(content, announced=None):
    answers.write(struct.pack("<I", len(content) if announced is None else announced) + content)
    answers.flush()


def greet():
    version, flags, name = 1, 1, b"faulty \x07 target"
    if FAULT == "other_version":
        version = 2
    elif FAULT == "unknown_flags":
        flags = 9
    elif FAULT == "long_name":
        name = b"x" * 201
    elif FAULT == "chatter":
        print("loading ...", flush=True)
    elif FAULT == "cannot_refuse":
        flags = 0
    write_frame(struct.pack("<III", 1, version, flags) + name)


count = 0
while length := requests.read(4):
    request = requests.read(*struct.unpack("<I", length))
    if struct.unpack_from("<I", request)[0] == 1:
        greet()
        continue
    count += 1
    number, format_number, _profile, n = struct.unpack_from("<IIIQ", request, 4)
    status, values = iq3_xxs_target.answer_row(format_number, n, request[24:])
    late = count > 8  # the first calls only ask whether it decodes at all
    if late and FAULT == "signal":
        os.kill(os.getpid(), signal.SIGKILL)
    if late and FAULT == "exit":
        sys.exit(7)
    if late and FAULT == "hang":
        time.sleep(600)
    if late and FAULT == "closes_output":
        os.close(1)
        time.sleep(600)
    if late and FAULT == "wrong_number":
        number += 1
    if late and FAULT == "one_value_less":
        values = values[:-1]
    if FAULT == "constant":
        values = [1.0] * len(values)
    if FAULT == "crash_on_large" and request[25:26] == b"\x7b":
        os.abort()
    answer = struct.pack("<III", 2, number, status) + struct.pack(f"<{len(values)}f", *values)
    if FAULT == "echo":
        answer = answer[:12] + request[24:].ljust(4 * n, b"\0")
    if late and FAULT == "twice":
        answers.write(2 * (struct.pack("<I", len(answer)) + answer))  # in one piece
        answers.flush()
        continue
    if late and FAULT == "huge":
        write_frame(answer, 0x7FFFFFFF)
    if late and FAULT == "half_an_answer":
        write_frame(answer[:500], len(answer))
        time.sleep(600)
    if late and FAULT == "short":
        answer = answer[:8]
    write_frame(answer)
