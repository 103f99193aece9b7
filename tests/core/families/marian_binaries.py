"""Tiny Marian binaries with random weights, written as the Marian toolkit writes them."""

import struct

import numpy as np

from tests.core.families.folders import pieces, spm

D, F, H = 24, 40, 4
FLOAT, INT8, TEXT = 0x404, 0x4101, 0x101
STUDENT = {
    "dec-cell": "ssru",
    "dec-depth": 2,
    "dim-emb": D,
    "dim-vocabs": "\n  - 120\n  - 120",
    "enc-depth": 3,
    "layer-normalization": "false",
    "tied-embeddings-all": "true",
    "transformer-decoder-autoreg": "rnn",
    "transformer-dim-ffn": F,
    "transformer-ffn-activation": "relu",
    "transformer-heads": H,
    "transformer-postprocess": "dan",
    "transformer-postprocess-top": '""',
    "transformer-preprocess": '""',
    "type": "transformer",
}


def _norm(name):
    return {f"{name}_ln_scale": (1, D), f"{name}_ln_bias": (1, D)}


def _attention(name):
    matrices = {f"{name}_W{each}": (D, D) for each in "qkvo"}
    return matrices | {f"{name}_b{each}": (1, D) for each in "qkvo"} | _norm(f"{name}_Wo")


def _feed_forward(name):
    sizes = {"W1": (D, F), "b1": (1, F), "W2": (F, D), "b2": (1, D)}
    return {f"{name}_{each}": size for each, size in sizes.items()} | _norm(f"{name}_ffn")


def shapes(n, told=STUDENT):
    """Return the shape of every weight, as Marian says it: what comes in first."""
    found = {"Wemb": (n, D), "decoder_ff_logit_out_b": (1, n)}
    for layer in range(1, told["enc-depth"] + 1):
        start = f"encoder_l{layer}"
        found |= _attention(f"{start}_self") | _feed_forward(f"{start}_ffn")
    for layer in range(1, told["dec-depth"] + 1):
        start = f"decoder_l{layer}"
        if told["transformer-decoder-autoreg"] == "rnn":
            found |= {f"{start}_rnn_W": (D, D), f"{start}_rnn_Wf": (D, D)}
            found |= {f"{start}_rnn_bf": (1, D)} | _norm(f"{start}_rnn_ffn")
        else:
            found |= _attention(f"{start}_self")
        found |= _attention(f"{start}_context") | _feed_forward(f"{start}_ffn")
    return found


def drawn(n, told=STUDENT):
    """Return random weights by Marian's names."""
    random = np.random.default_rng(7)
    return {
        name: random.normal(0, 0.3, shape).astype(np.float32) + ("scale" in name)
        for name, shape in shapes(n, told).items()
    }


def quantised(values, scale=97.0, *, transposed=True):
    """Return whole numbers as they are written, with the scale behind the last."""
    whole = np.clip(np.rint(values * scale), -127, 127).astype(np.int8)
    return (whole.T if transposed else whole).tobytes() + struct.pack("<f", scale)


def item(name, values, kind=FLOAT):
    """Return a name, a type, a shape, and the bytes of an item."""
    whole = kind == INT8
    content = quantised(values, transposed=name != "Wemb") if whole else values.tobytes()
    # As Marian has it, each begins at a multiple of 256 bytes.
    return name, kind, values.shape, content + bytes(-len(content) % 256)


def settings(told=STUDENT):
    content = "".join(f"{name}: {value}\n" for name, value in told.items()).encode() + b"\0"
    return "special:model.yml", TEXT, (len(content),), content


def packed(items, version=1):
    """Return the bytes of a file."""
    names = [name.encode() + b"\0" for name, *_ in items]
    table = b"".join(
        struct.pack("<4Q", len(name), kind, len(shape), len(content))
        for name, (_, kind, shape, content) in zip(names, items, strict=True)
    )
    axes = b"".join(struct.pack(f"<{len(shape)}i", *shape) for _, _, shape, _ in items)
    begun = struct.pack("<2Q", version, len(items)) + table + b"".join(names) + axes
    gap = -(len(begun) + 8) % 256
    contents = b"".join(content for *_, content in items)
    return begun + struct.pack("<Q", gap) + bytes(gap) + contents


def items_of(weights, told=STUDENT):
    """Return matrices as whole numbers, vectors as they are, a factor for inputs, and settings."""
    return [
        *(
            item(name, values, INT8 if len(values) > 1 else FLOAT)
            for name, values in weights.items()
        ),
        item("encoder_l1_self_Wq_QuantMultA", np.ones((1, 1), np.float32)),
        settings(told),
    ]


def write_binary(path):
    """Write a folder as a student translator comes in; return the size of its vocabulary."""
    path.mkdir(parents=True, exist_ok=True)
    vocabulary = spm(eos_id=0, unk_id=1, bos_id=-1, pad_id=-1)
    n = len(pieces(vocabulary))
    (path / "vocab.enfr.spm").write_bytes(vocabulary)
    (path / "model.enfr.intgemm.alphas.bin").write_bytes(packed(items_of(drawn(n))))
    return n
