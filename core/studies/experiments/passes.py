"""The same trained model, measured with several numbers of passes over a target."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from torch import Tensor

from core.batch import Ids, Pair, pad
from core.decoding.generate import generate
from core.decoding.mask_predict import MaskPredict
from core.evaluate.evaluation import held_out_pairs
from core.evaluate.metrics import sorted_batches
from core.messages import N_
from core.model import Transformer
from core.runs.run import Run

N_MEASURED = 1000
"""Held-out sentences among which the right ones are counted."""
N_TIMED = 30
"""Those that are decoded one by one and timed."""
REPEATS = 7
"""How often each of these is decoded."""
PASSES = (1, 2, 4, 8)
AFTER_ONE_PASS = "right_1"
"""The measure of what is right before anything is written again."""
STEPS = "steps"
"""In the name of a measure, where a model takes as many passes as there are tokens."""


@dataclass(frozen=True, slots=True)
class PassMeasure:
    """One more number of each training."""

    name: str
    """In files."""
    label: str
    """What people call it; marked for translation."""
    unit: Literal["share", "seconds"]


def by_passes(run: Run) -> dict[str, float]:
    """Return the share of right sentences, and seconds for one, by number of passes.

    Of a causal decoder there is one of each: it makes a pass for each token.
    """
    pairs = held_out_pairs(run, N_MEASURED, 0)
    found = {}
    for name, decode in _decoders(run.model).items():
        right = sum(
            pair.is_right(said)
            for batch in sorted_batches(pairs)
            for pair, said in zip(batch, decode(batch), strict=True)
        )
        found[f"right_{name}"] = right / len(pairs)
        found[f"seconds_{name}"] = _seconds(decode, pairs[:N_TIMED])
    return found


def _decoders(model: Transformer) -> dict[str, Callable[[Sequence[Pair]], list[Ids]]]:
    """Return the ways in which a model can decode, by the names of their measures."""

    def sources(pairs: Sequence[Pair]) -> Tensor:
        return pad([pair.source for pair in pairs], pad_id=model.config.pad_id)

    if not model.config.is_parallel:
        return {STEPS: lambda pairs: generate(model, sources(pairs))}

    def filling(method: MaskPredict) -> Callable[[Sequence[Pair]], list[Ids]]:
        return lambda pairs: generate(model, sources(pairs), method)

    return {str(n): filling(MaskPredict(n)) for n in PASSES}


def _seconds(decode: Callable[[Sequence[Pair]], list[Ids]], pairs: Sequence[Pair]) -> float:
    """Return the median over sentences, one by one, of the seconds that each takes.

    Of each the smallest of several: what it takes where nothing else gets in its way.
    """
    found = sorted(min(_timed(decode, pair) for _ in range(REPEATS)) for pair in pairs)
    return found[len(found) // 2]


def _timed(decode: Callable[[Sequence[Pair]], list[Ids]], pair: Pair) -> float:
    started = time.perf_counter()
    decode([pair])
    return time.perf_counter() - started


_WAYS = {
    "1": N_("1 pass"),
    "2": N_("2 passes"),
    "4": N_("4 passes"),
    "8": N_("8 passes"),
    STEPS: N_("a pass for each token"),
}
SHARES = tuple(PassMeasure(f"right_{name}", label, "share") for name, label in _WAYS.items())
SECONDS = tuple(PassMeasure(f"seconds_{name}", label, "seconds") for name, label in _WAYS.items())
TITLE = N_("The same models in one pass or in several (n = {n})")
"""Above the picture of the shares."""
WHAT = N_("right sentences")
"""What the shares are shares of."""
