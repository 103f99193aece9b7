"""Decodings whose every number is known, for the browser tests and for looking at."""

from dataclasses import replace

import numpy as np

from tests.browser.apps.maps_cases import BOS, ENGLISH, EOS, FRENCH, HOSTILE, labels, softmax
from viz.component.payload import TokenLabel
from viz.stepper.decoding import Alternative, DecodingView, SideView, StepView

EXTRA = "le elle large fatiguée traverse route animaux une parc chat chien dort là ici noir grand"
TOP = 10


def weights(layers, heads, queries, keys, seed=0, visible=True):
    scores = np.random.default_rng(seed).normal(0, 1.4, (layers, heads, queries, keys))
    return softmax(np.where(visible, scores, -np.inf))


def causal(layers, heads, n, seed=1):
    return weights(layers, heads, n, n, seed, np.tri(n, dtype=np.bool_))


def distribution(vocabulary, likely, surprise, seed):
    """Probabilities over a vocabulary: `likely` first, the more surely the less the surprise."""
    scores = np.random.default_rng(seed).normal(0, 1.4, len(vocabulary))
    for rank, word in enumerate(likely):
        scores[vocabulary.index(word)] = scores.max() + (1.2 if rank else surprise)
    return softmax(scores).astype(float)


def step(vocabulary, probabilities, chosen, true, overridden=False):
    order = np.argsort(-probabilities, kind="stable")[:TOP]
    top = tuple(
        Alternative(int(i), label_of(vocabulary[i]), float(probabilities[i])) for i in order
    )
    at = vocabulary.index(true)
    return StepView(
        chosen=label_of(chosen),
        chosen_probability=float(probabilities[vocabulary.index(chosen)]),
        top=top,
        others=max(0.0, 1.0 - sum(each.probability for each in top)),
        true=label_of(true),
        true_probability=float(probabilities[at]),
        true_rank=int((probabilities > probabilities[at]).sum()),
        overridden=overridden,
        chosen_token=vocabulary.index(chosen),
        true_token=at,
    )


def label_of(word):
    return EOS if word == "EOS" else TokenLabel(word)


def side(vocabulary, said, true, distributions, shape, by_hand=()):
    """A side that appends `said` step by step, where `true` would be right."""
    layers, heads, source = shape
    n = len(said)
    return SideView(
        fed=(BOS, *map(label_of, said[:-1])),
        steps=tuple(
            step(vocabulary, *each, at in by_hand)
            for at, each in enumerate(zip(distributions, said, true, strict=True))
        ),
        cross=weights(layers, heads, n, source, seed=3),
        self_=causal(layers, heads, n, seed=4),
    )


def sentence(layers=3, heads=4):
    """The wrong pronoun at step 10 is fed back, and the adjective follows it."""
    true = [*FRENCH.split(), "EOS"]
    said = [*FRENCH.replace("il", "elle").replace("fatigué", "fatiguée").split(), "EOS"]
    vocabulary = sorted({*true, *EXTRA.split()})
    forced = [distribution(vocabulary, [word], 3.0, seed=i) for i, word in enumerate(true)]
    later = [distribution(vocabulary, [word], 3.0, seed=90 + i) for i, word in enumerate(said)]
    free = [*forced[:10], *later[10:]]
    forced[10] = free[10] = distribution(vocabulary, ["il", "elle"], 0.35, seed=10)
    source = (*labels(ENGLISH), EOS)
    both = layers, heads, len(source)
    right = side(vocabulary, true, true, forced, both)
    # What teacher forcing predicts is the most probable token, whatever comes next.
    predicted = tuple(
        replace(
            each,
            chosen=each.top[0].label,
            chosen_probability=each.top[0].probability,
            chosen_token=each.top[0].token,
        )
        for each in right.steps
    )
    return DecodingView(
        source=source,
        free=side(vocabulary, said, true, free, both),
        forced=replace(right, steps=predicted),
        first_difference=10,
    )


def known():
    """5 steps, 2 × 3 heads, 4 source tokens: parts at step 2, where a word was put in by hand."""
    true, said = ["le", "chat", "noir", "dort", "EOS"], ["le", "chat", "chien", "ici", "EOS"]
    vocabulary = sorted({*true, *EXTRA.split()})
    forced = [distribution(vocabulary, [word], 3.0, seed=i) for i, word in enumerate(true)]
    free = [*forced[:3], *(distribution(vocabulary, [w], 3.0, seed=9) for w in said[3:])]
    both = 2, 3, 4
    return DecodingView(
        source=(*labels("the black cat"), EOS),
        free=side(vocabulary, said, true, free, both, by_hand=(2,)),
        forced=side(vocabulary, true, true, forced, both),
        first_difference=2,
        about="small: the black cat",
    )


def many(layers=3, heads=8, steps=60, source=60):
    """As much as a page will ever send."""
    words = [f"mot{i}" for i in range(steps - 1)]
    vocabulary = [*words, "EOS", "autre"]
    said = [*words, "EOS"]
    wrong = [*words[:20], *(["autre"] * (steps - 21)), "EOS"]
    made = [distribution(vocabulary, [word], 3.0, seed=i) for i, word in enumerate(said)]
    both = layers, heads, source
    return DecodingView(
        source=(*labels(" ".join(f"word{i}" for i in range(source - 1))), EOS),
        free=side(vocabulary, wrong, said, made, both),
        forced=side(vocabulary, said, said, made, both),
        first_difference=20,
    )


def hostile():
    """Tokens that would run, vanish or be filled in, were they not treated as plain text."""
    words = tuple(map(TokenLabel, HOSTILE))
    n = len(words)
    share = 1.0 / n
    top = tuple(Alternative(i, label, share) for i, label in enumerate(words))
    steps = tuple(
        StepView(label, share, top, 0.0, label, share, 0, chosen_token=i, true_token=i)
        for i, label in enumerate(words)
    )
    one = SideView((BOS, *words[:-1]), steps, weights(1, 2, n, n), causal(1, 2, n))
    return DecodingView(source=words, free=one, forced=one)


def cross_only():
    """A decoder in which nothing looks back."""
    view = known()
    sides = (view.free, view.forced)
    free, forced = (replace(each, self_=None) for each in sides)
    return replace(view, free=free, forced=forced)


def prompt():
    """A decoder alone goes on from "the black cat": it has no source, and looks back alone."""
    view, given = known(), labels("the black cat")

    def after(side, seed):
        n = len(side.steps)
        seen = causal(2, 3, n + 2, seed)[:, :, 2:]
        return SideView((*given, *side.fed[1:]), side.steps, None, seen)

    return replace(view, source=(), free=after(view.free, 6), forced=after(view.forced, 7))


CASES = {
    "known": known,
    "sentence": sentence,
    "cross_only": cross_only,
    "prompt": prompt,
    "many": many,
    "hostile": hostile,
}
