"""What may happen to a file: each takes a random generator, the file, and those beside it.

They return the files whose names a sentence about the damage may say.
"""

import os

HUGE = 8 << 30
"""Bytes; nothing of them is on the disk."""


def truncate(rng, file, _others):
    os.truncate(file, rng.randrange(file.stat().st_size))
    return [file]


def flip(rng, file, _others):
    content = bytearray(file.read_bytes())
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    file.write_bytes(content)
    return [file]


def zero(rng, file, _others):
    content = bytearray(file.read_bytes())
    begin = rng.randrange(len(content))
    end = min(len(content), begin + rng.randint(1, 2000))
    content[begin:end] = bytes(end - begin)
    file.write_bytes(content)
    return [file]


def remove(_rng, file, _others):
    file.rename(file.with_name("kept.by.somebody"))
    return [file]


def rename(rng, file, others):
    other = rng.choice(others)
    if file.suffix == ".safetensors" and rng.random() < 0.5:
        other = file.with_name("step-00000077.safetensors")
    os.replace(file, other)
    return [file, other]


def lengthen(rng, file, _others):
    with file.open("ab") as opened:
        opened.write(rng.randbytes(rng.randint(1, 1000)))
    return [file]


def swell(_rng, file, _others):
    os.truncate(file, HUGE)
    return [file]


DAMAGES = [truncate, flip, zero, remove, rename, lengthen, swell]
