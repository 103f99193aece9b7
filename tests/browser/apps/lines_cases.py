"""Lines whose every weight is known, for the browser tests and for looking at."""

import numpy as np

from tests.browser.apps.maps_cases import BOS, ENGLISH, EOS, FRENCH, labels, plausible, softmax
from viz.component.payload import TokenLabel
from viz.lines.lines import Lines

LONG = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen"


def known(heads=1):
    """Cross attention of 5 × 7 tokens, one of them hidden; numbers that are easy to tell apart."""
    weights = softmax(np.random.default_rng(4).normal(0, 1.4, (heads, 5, 7)))
    weights[..., 6] = 0.0
    weights[0, 3, 4] = 0.97265
    visible = np.ones((5, 7), np.bool_)
    visible[:, 6] = False
    target = (BOS, *labels("le chat dort là"), EOS)
    return Lines(
        title="Decoder layer 1, head 2: where it looks in the source",
        weights_HQK=weights,
        visible_QK=visible,
        heads=range(heads) if heads > 1 else [2],
        queries=target[:-1],
        keys=(*labels("the big black cat sleeps here"), EOS),
        sides=("target", "source"),
        predicted=target[1:],
    )


def several():
    """The same with three heads."""
    return known(3)


def sentence(heads=4):
    """An encoder's heads; all of them, as a page would show them."""
    words = (*labels(ENGLISH), EOS)
    visible = np.ones((len(words), len(words)), np.bool_)
    return Lines(
        title=f"Encoder layer 1, all {heads} heads: where each word looks",
        weights_HQK=plausible(1, heads, len(words), len(words), visible, seed=3)[0],
        visible_QK=visible,
        heads=range(heads),
        queries=words,
        keys=words,
        sides=("source", "source"),
    )


def back():
    """A decoder's heads, which see nothing of what comes later."""
    target = (BOS, *labels(FRENCH), EOS)
    n = len(target) - 1
    visible = np.tril(np.ones((n, n), np.bool_))
    return Lines(
        title="Decoder layer 0, all 16 heads: where each word looks back",
        weights_HQK=plausible(1, 16, n, n, visible, seed=5)[0],
        visible_QK=visible,
        heads=range(16),
        queries=target[:-1],
        keys=target[:-1],
        sides=("target", "target"),
        predicted=target[1:],
    )


def long(heads=4, queries=512, keys=512):
    """As many tokens as a model may take, too many for exact weights."""
    visible = np.ones((queries, keys), np.bool_)
    return Lines(
        title=f"Encoder layer 0, all {heads} heads: where each word looks",
        weights_HQK=plausible(1, heads, queries, keys, visible, seed=9)[0],
        visible_QK=visible,
        heads=range(heads),
        queries=tuple(TokenLabel(f"q{i}") for i in range(queries)),
        keys=tuple(TokenLabel(f"k{i}") for i in range(keys)),
        sides=("target", "source"),
    )


def odd():
    """Long tokens, other ways of writing, the same token again and again, and no token at all."""
    words = (
        *labels(f"{LONG} مرحبا שלום the the the"),
        TokenLabel(""),
        TokenLabel("<b>{token}</b>"),
    )
    n = len(words)
    visible = np.ones((n, n), np.bool_)
    return Lines(
        title="Encoder layer 0, head 0: where each word looks",
        weights_HQK=plausible(1, 1, n, n, visible, seed=2)[0],
        visible_QK=visible,
        heads=[0],
        queries=words,
        keys=words,
        sides=("source", "source"),
        predicted=words,
    )


CASES = {each.__name__: each for each in (known, several, sentence, back, long, odd)}
