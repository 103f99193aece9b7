"""What may happen to a file: each takes a random generator, the file, and those beside it.

They return the files whose names a sentence about the damage may say.
"""


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
