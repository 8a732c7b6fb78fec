# SPDX-License-Identifier: Apache-2.0
"""How fast `quantproof quantize` is, and how much memory it takes:

    python3 bench/quantize_bench.py BUILD [--megabytes 1000] [--threads 2] [--type iq3_xxs]

BUILD is a build folder. Makes a model of F16 matrices of 4096 columns in a temporary folder, quantizes
it, and compares with the encoder alone, called through the C ABI in one thread."""
import argparse
import array
import ctypes
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile
import time

COLUMNS = 4096
ROWS = 4096
EFFORTS = {"default": 0, "fast": 1, "best": 2}
HI_FRAC = 100000  # a tenth, what quantize takes for KAIJU1


def normal_halves(count):
    random.seed(1)
    return struct.pack(f"<{count}e", *(random.gauss(0, 0.02) for _ in range(count)))


def write_model(path, megabytes):
    """A GGUF file; each matrix is the same numbers, begun at another one."""
    size = 2 * ROWS * COLUMNS
    tensors = max(1, round(megabytes * 1e6 / size))
    text = lambda s: struct.pack("<Q", len(s)) + s
    head = b"GGUF" + struct.pack("<IQQ", 3, tensors, 1)
    head += text(b"general.architecture") + struct.pack("<I", 8) + text(b"none")
    for i in range(tensors):
        head += text(b"blk.%d.ffn_up.weight" % i)
        head += struct.pack("<IQQIQ", 2, COLUMNS, ROWS, 1, i * size)
    head += bytes(-len(head) % 32)
    numbers = normal_halves(1 << 20) * 2
    with open(path, "wb") as file:
        file.write(head)
        for i in range(tensors):
            start = 2 * (i * 4099 % (1 << 20))
            piece = numbers[start:start + (2 << 20)]
            for _ in range(size // len(piece)):
                file.write(piece)
    return tensors * ROWS * COLUMNS


def encoder_speed(library, kind, effort):
    """Weights a second of processor time of the type's encoder in one thread, the best of three. That of
    e8_iq3 rotates the rows before."""

    class Options(ctypes.Structure):
        _fields_ = [("struct_size", ctypes.c_size_t), ("effort", ctypes.c_int), ("weighting", ctypes.c_int)]

    qp = ctypes.CDLL(library)
    rows = 256
    shape = ctypes.c_size_t(rows), ctypes.c_size_t(COLUMNS)
    halves = array.array("f", struct.unpack(f"<{1 << 20}e", normal_halves(1 << 20)))
    x = (ctypes.c_float * (rows * COLUMNS)).from_buffer(halves)
    options = Options(ctypes.sizeof(Options), effort, 0)

    def encode():
        if kind == "kaiju1":
            hi_frac = ctypes.c_uint32(HI_FRAC)
            size = ctypes.c_size_t(qp.qp_kaiju1_size(*shape, hi_frac))
            out = ctypes.create_string_buffer(size.value)
            return qp.qp_kaiju1_encode(x, *shape, None, hi_frac, ctypes.c_size_t(1), out, size)
        size = rows * COLUMNS // 256 * 98
        out = ctypes.create_string_buffer(size)
        if kind == "e8_iq3" and qp.qp_rotate(x, *shape) != 0:
            return 1
        return qp.qp_encode(2 if kind == "e8_iq3" else 1, x, *shape, None, out, ctypes.c_size_t(size),
                            ctypes.byref(options))

    qp.qp_kaiju1_size.restype = ctypes.c_size_t
    best = 0
    for _ in range(3):
        start = time.process_time()
        status = encode()
        best = max(best, rows * COLUMNS / (time.process_time() - start))
        assert status == 0
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--megabytes", type=float, default=1000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--type", default="iq3_xxs", choices=("iq3_xxs", "e8_iq3", "kaiju1"))
    parser.add_argument("--effort", default="default", choices=EFFORTS)
    given = parser.parse_args()
    quantproof = os.path.join(given.build, "tools", "quantproof")
    library = os.path.join(given.build, "fast", "libquantproof.so")
    with tempfile.TemporaryDirectory() as folder:
        model, out = os.path.join(folder, "model.gguf"), os.path.join(folder, "out")
        weights = write_model(model, given.megabytes)
        print(f"model: {os.path.getsize(model) / 1e6:.0f} MB, {weights / 1e6:.0f} million weights, "
              f"tensors of {2 * ROWS * COLUMNS / 1e6:.1f} MB")
        subprocess.run(["cat", model], stdout=subprocess.DEVNULL, check=True)  # to the page cache
        speed = encoder_speed(library, given.type, EFFORTS[given.effort])
        command = [quantproof, "quantize", model, out, "--type", given.type, "--effort", given.effort,
                   "--threads", str(given.threads)]
        read_time, read_cpu = timed(command + ["--plan", os.path.join(folder, "plan")])
        time_, cpu = timed(command)
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3
        size = os.path.getsize(model) / 1e9
        print(f"reading and hashing: {size / read_time:.2f} GB/s, {size / read_cpu:.2f} GB/s of processor time")
        print(f"encoder alone: {speed / 1e6:.2f} million weights per s of processor time")
        print(f"quantize, {given.threads} threads: {time_:.1f} s, {weights / time_ / 1e6:.2f} million weights/s; "
              f"{weights / cpu / 1e6:.2f} million per s of processor time = {100 * weights / cpu / speed:.0f} % "
              f"of the encoder alone; {100 * cpu / time_:.0f} % processor")
        print(f"most memory: {memory:.0f} MB")


def timed(command):
    """Seconds, and seconds of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


main()
