"""Passes whose every number is known, for the tests of the component and for looking at."""

from dataclasses import replace

import numpy as np

from tests.browser.apps.maps_cases import BOS, ENGLISH, EOS, FRENCH, labels, plausible
from viz.whole.whole import Sublayer, Whole

LABELS = {
    "self": "self-attention",
    "cross": "cross-attention",
    "feed_forward": "feed-forward",
    "recurrent": "recurrent unit",
}


SIDES = {"encoder": "source", "decoder": "target"}


def stack(name, kinds, layers, source, target, heads):
    """The sublayers of a stack on so many tokens."""
    queries = source if name == "encoder" else target
    chance = np.random.default_rng(7)
    for layer in range(layers):
        for kind in kinds:
            keys = source if kind == "cross" else queries
            visible = np.ones((queries, keys), np.bool_)
            if kind == "self" and name == "decoder":
                visible = np.tril(visible)
            attends = kind in ("self", "cross")
            yield Sublayer(
                site=f"{name}.{layer}.{kind}",
                side=SIDES[name],
                keys=(SIDES["encoder"] if kind == "cross" else SIDES[name]) if attends else None,
                layer=layer,
                label=LABELS[kind],
                name=f"{name}, layer {layer}: {LABELS[kind]}",
                size=f"{queries} tokens",
                added_K=np.round(chance.uniform(1, 9, queries), 3),
                weights_HQK=plausible(1, heads, queries, keys, visible, seed=layer)[0]
                if attends
                else None,
            )


def made(source, fed, encoder, decoder, heads=4):
    """A pass of these tokens; of each stack its kinds of sublayers and how many layers it has."""
    sublayers = [
        *stack("encoder", *encoder, len(source), len(fed), heads),
        *stack("decoder", *decoder, len(source), len(fed), heads),
    ]
    norms = {}
    for name, tokens in (("encoder", source), ("decoder", fed)):
        own = [each for each in sublayers if each.side == SIDES[name]]
        if tokens:
            norms[SIDES[name]] = np.full((1 + len(own), len(tokens)), 10.0)
    written = [label.text for label in (*fed[1:], EOS)] if fed else []
    best = [[(word, 0.9), *((f"other{i}", 0.02) for i in range(4))] for word in written]
    guesses = [
        [(word, round(0.9 * (1 + at) / decoder[1], 5)) for word in written]
        for at in range(decoder[1])
    ]
    return Whole(
        title="A sentence on its way through the model",
        source=source,
        fed=fed,
        sublayers=sublayers,
        norms=norms,
        guesses=guesses if fed else [],
        best=best,
        step=min(3, len(best)),
        focus=1 if source else None,
        focus_step=min(3, len(best)) if source and fed else None,
    )


SOURCE, FED = (*labels(ENGLISH), EOS), (BOS, *labels(FRENCH))
SELF, BOTH = ("self", "feed_forward"), ("self", "cross", "feed_forward")


def known():
    """An encoder of three layers, a decoder of two."""
    return made(SOURCE, FED, (SELF, 3), (BOTH, 2))


def deep():
    """Six layers of eight heads on each side, thirty words."""
    words = labels(" ".join(f"word{i}" for i in range(29)))
    return made((*words, EOS), (BOS, *words), (SELF, 6), (BOTH, 6), 8)


def deepest():
    """A decoder alone of thirty layers."""
    return made((), FED, (SELF, 0), (SELF, 30), 8)


def alone():
    """A decoder alone."""
    return made((), FED, (SELF, 0), (SELF, 2))


def encoder():
    """An encoder alone: nothing is written."""
    return made(SOURCE, (), (SELF, 2), (SELF, 0))


def recurrent():
    """Recurrent units, which have no heads."""
    return made(SOURCE, FED, (("recurrent",), 2), (("recurrent", "cross"), 2), 1)


def parallel():
    """A decoder that writes all words at once."""
    return replace(known(), best=[], guesses=[], step=0)


def forced():
    """The same sentence twice: as it was written, and on a given text of as many words."""
    free, given = known(), ("x" if i == 4 else label.text for i, label in enumerate(FED[1:]))
    fed = (BOS, *labels(" ".join(given)))
    true = made(SOURCE, fed, (SELF, 3), (BOTH, 2))
    truth = [(label.text, 0.25) for label in (*fed[1:], EOS)]
    return replace(free, forced=replace(true, truth=truth))


CASES = {
    "forced": forced,
    "known": known,
    "deep": deep,
    "alone": alone,
    "deepest": deepest,
    "encoder": encoder,
    "recurrent": recurrent,
    "parallel": parallel,
}
