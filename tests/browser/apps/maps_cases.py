"""Maps whose every number is known, for the browser tests and for looking at."""

import numpy as np

from core.heads import Kind
from viz.component.payload import TokenLabel
from viz.plane.maps import AttentionMaps

ENGLISH = "The animal did n't cross the street because it was too tired ."
FRENCH = "L' animal n' a pas traversé la rue parce qu' il était trop fatigué ."
BOS, EOS = TokenLabel("BOS", special=True), TokenLabel("EOS", special=True)
HOSTILE = (
    "<script>window.hurt=1</script>",
    "<img src=x onerror=window.hurt=1>",
    "</s>",
    "{key}",
    "🐈‍⬛",
    "مرحبا",
    "",
)


def labels(words, last=None):
    return tuple(TokenLabel(word) for word in words.split()[:last])


def softmax(scores):
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    return (exponentials / exponentials.sum(-1, keepdims=True)).astype(np.float32)


def plausible(layers, heads, queries, keys, visible, seed=0):
    """Weights as heads have them: diagonals, first or last words, blocks, and mixtures."""
    random = np.random.default_rng(seed)
    rows, columns = np.arange(queries)[:, None], np.arange(keys)[None, :]
    along = rows * (keys - 1) / max(queries - 1, 1)
    weights = np.empty((layers, heads, queries, keys), np.float32)
    for layer in range(layers):
        for head in range(heads):
            shift, width = random.integers(-2, 3), random.choice([0.4, 0.8, 2.0, 6.0])
            scores = -(((columns - along - shift) / width) ** 2) + random.normal(
                0, random.choice([0.3, 1.0, 2.0]), (queries, keys)
            )
            scores[:, random.integers(0, keys)] += random.choice([0.0, 0.0, 2.5, 5.0])
            weights[layer, head] = softmax(np.where(visible, scores, -np.inf))
    return weights


def many(layers=6, heads=8, tokens=24):
    """A large model's encoder."""
    words = (*(labels(ENGLISH) * tokens)[: tokens - 1], EOS)
    visible = np.ones((tokens, tokens), np.bool_)
    return AttentionMaps(
        kind="encoder.self",
        sides=Kind.ENCODER_SELF.sides,
        weights=plausible(layers, heads, tokens, tokens, visible, seed=7),
        visible=visible,
        queries=words,
        keys=words,
        source=words,
        target=(BOS, *labels(FRENCH), EOS),
        selected=(2, 5),
    )


def known():
    """Cross attention, 2 × 3 heads, 5 × 7 cells with a hidden column and a zero beside it."""
    visible = np.ones((5, 7), np.bool_)
    visible[:, 6] = False
    weights = np.random.default_rng(11).random((2, 3, 5, 7), np.float32)
    weights[..., 6] = 0.0
    weights[..., 5] = 0.0
    weights[1, 2, 3, 4] = 0.97265
    target = (BOS, *labels("le chat dort là"), EOS)
    source = (*labels("the big black cat sleeps here"), EOS)
    return AttentionMaps(
        kind="decoder.cross",
        sides=Kind.CROSS.sides,
        weights=weights,
        visible=visible,
        queries=target[:-1],
        keys=source,
        predicted=target[1:],
        source=source,
        target=target,
        selected=(1, 2),
    )


def hostile():
    """Tokens that would run, vanish or be filled in, were they not treated as plain text."""
    words = tuple(map(TokenLabel, HOSTILE))
    n = len(words)
    return AttentionMaps(
        kind="encoder.self",
        sides=Kind.ENCODER_SELF.sides,
        weights=np.full((1, 2, n, n), 1 / n, np.float32),
        visible=np.ones((n, n), np.bool_),
        queries=words,
        keys=words,
        source=words,
        target=(),
        selected=(0, 0),
    )


def vast(kind="decoder.cross", rows=512, columns=500, layers=1, heads=2):
    """As long as a sentence gets; no two weights of a head are the same."""
    source = tuple(TokenLabel(f"s{i}") for i in range(columns))
    target = tuple(TokenLabel(f"t{i}") for i in range(rows + 1))
    scores = np.random.default_rng(13).normal(0, 3, (layers, heads, rows, columns))
    near = np.abs(np.arange(rows)[:, None] * columns / rows - np.arange(columns)) < 6
    return AttentionMaps(
        kind=kind,
        sides=Kind(kind).sides,
        weights=softmax(scores + 8 * near),
        visible=np.ones((rows, columns), np.bool_),
        queries=target[:-1],
        keys=source,
        predicted=target[1:],
        source=source,
        target=target,
        selected=(0, 1),
    )


CASES = {each.__name__: each for each in (known, many, hostile, vast)}
