"""Strips whose every number is known, for the browser tests and for looking at."""

import numpy as np

from core.heads import Kind
from tests.browser.apps.maps_cases import BOS, ENGLISH, EOS, FRENCH, labels
from viz.plane.strips import StripGroup, Strips

SOURCE = (*labels("the big black cat sleeps"), EOS)
TARGET = (BOS, *labels("le chat dort là"), EOS)


def random_group(kind, layers, heads, tokens, hidden=(), seed=0):
    """Random weights for every head, none of them on what is hidden."""
    visible = np.ones(tokens, np.bool_)
    visible[list(hidden)] = False
    weights = np.random.default_rng(seed).random((layers * heads, tokens), np.float32)
    return StripGroup(
        kind=kind,
        sides=Kind(kind).sides,
        heads=[(strip // heads, strip % heads) for strip in range(layers * heads)],
        weights=weights * visible,
        visible=visible,
    )


def source(index=3):
    """A source word and the encoder's heads, by their largest weights."""
    group = random_group("encoder.self", 3, 2, len(SOURCE), seed=index)
    group.weights[3] = 0.0
    group.weights[3, 1] = 0.97265
    return Strips(
        source=SOURCE,
        target=TARGET,
        side="source",
        index=index,
        direction="at",
        groups=[group.largest_first()],
        note="Click a word.",
    )


def target(index=2):
    """A target word, with what comes after it hidden, and the source."""
    fed = len(TARGET) - 1
    return Strips(
        source=SOURCE,
        target=TARGET,
        side="target",
        index=index,
        direction="at",
        groups=[
            random_group("decoder.self", 2, 3, fed, hidden=range(index + 1, fed), seed=1),
            random_group("decoder.cross", 2, 3, len(SOURCE), seed=2),
        ],
    )


def followed(side, index):
    """What a click on a word brings."""
    return source(index) if side == "source" else target(index)


def many(tokens=512, layers=12, heads=16):
    """A large model and a sentence of so many tokens."""
    words = (*(labels(ENGLISH) * tokens)[: tokens - 1], EOS)
    fed = (BOS, *(labels(FRENCH) * tokens)[: tokens - 1])
    return Strips(
        source=words,
        target=(*fed, EOS),
        side="target",
        index=tokens // 2,
        direction="at",
        groups=[
            random_group(
                "decoder.self", layers, heads, tokens, hidden=range(tokens // 2 + 1, tokens)
            ),
            random_group("decoder.cross", layers, heads, tokens, seed=1),
        ],
    )


CASES = {
    "source": source,
    "target": target,
    "many": many,
}
