"""The protocol of an experiment: which trainings it takes to answer its question.

1. Each variant is trained with each of `RATES` and the first seed, and judged with the one that
   did best on held-out sentences (`chosen_rates`).
2. The base is trained `LONGER` times as long, too. Nothing is decided unless it reaches nearly as
   much without that (`verdicts.ENOUGH`).
3. Each variant has `SEEDS` seeds. Where these decide nothing, there are `MOST_SEEDS`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .experiment import BASE, LONGER, MOST_SEEDS, RATES, SEEDS, Experiment, Variant
from .findings import Reason, findings
from .results import Results, Trained, Tried


@dataclass(frozen=True, slots=True)
class Training:
    """One training of a variant."""

    variant: str
    seed: int = 0
    rate: float = 1.0
    """Times the learning rate of the experiment's settings."""
    times: int = 1
    """Times as many steps."""

    @property
    def name(self) -> str:
        """In files."""
        rate = f"-rate-{self.rate:g}" if self.rate != 1 else ""
        return f"{self.variant}-{self.seed}{rate}" + (f"-{self.times}x" if self.times > 1 else "")

    @classmethod
    def of(cls, trained: Trained) -> "Training":
        """Return which training was measured."""
        return cls(trained.variant, trained.seed, trained.rate, trained.times)


def missing(experiment: Experiment, done: Sequence[Trained]) -> list[Training]:
    """Return the trainings that come next, none where the protocol is at its end.

    Args:
        experiment: The question.
        done: What was measured so far.
    """
    ordered = [each.name for each in in_order(experiment)]
    grid = [Training(name, rate=rate) for name in ordered for rate in RATES]
    if left := _left(grid, done):
        return left
    rates = chosen_rates(experiment, done)
    seeds = [Training(name, seed, rates[name]) for seed in range(1, SEEDS) for name in ordered]
    if left := _left([Training(BASE, 0, rates[BASE], LONGER), *seeds], done):
        return left
    of_first = results_of(experiment, [each for each in done if each.seed < SEEDS])
    measure = experiment.measure(experiment.judged_by)
    undecided = [
        experiment.variant(each.name)
        for each in findings(experiment, of_first, measure)
        if each.judged is not None and each.judged.reason is Reason.BOTH
    ]
    again = {name for each in undecided for name in (each.name, each.against, each.start)}
    again |= {experiment.variant(name).start for name in again if name}
    more = range(SEEDS, MOST_SEEDS)
    wanted = [Training(name, n, rates[name]) for n in more for name in ordered if name in again]
    return _left(wanted, done)


def in_order(experiment: Experiment) -> list[Variant]:
    """Return the variants, first those whose weights others start from."""
    return sorted(experiment.variants, key=lambda each: bool(each.start))


def chosen_rates(experiment: Experiment, done: Sequence[Trained]) -> dict[str, float]:
    """Return variant → the learning rate that did best on held-out sentences.

    Where the claim is about steps, the fewest are best.
    """
    measure = experiment.measure(experiment.judged_by)

    def worth(trained: Trained) -> tuple[float, float]:
        first = 0.0
        if measure is not None and measure.fewer_is_better:
            first = trained.value(measure.name) or math.inf
        elif not experiment.by_loss:
            first = -trained.curve.get("held_out_exact_match", [0.0])[-1]
        return first, held_out_loss(trained)

    first = [each for each in done if each.seed == 0 and each.times == 1]
    # Of equals the last is overwritten by the best.
    ranked = sorted(first, key=worth, reverse=True)
    return {each.variant: each.rate for each in ranked}


def held_out_loss(trained: Trained) -> float:
    """Return the loss at the end of training, in nats per token; infinite where it failed."""
    loss = trained.curve.get("held_out_loss", [math.inf])[-1]
    return loss if math.isfinite(loss) else math.inf


def results_of(
    experiment: Experiment, done: Sequence[Trained], tried: Sequence[Tried] = ()
) -> Results:
    """Return the results of the trainings at the chosen rates, and what else was tried.

    Args:
        experiment: The question.
        done: What was measured.
        tried: What was tried elsewhere, where rates and length are taken from there.
    """
    rates = chosen_rates(experiment, done)
    kept = [each for each in done if each.times == 1 and each.rate == rates[each.variant]]
    others = tuple(
        Tried(
            each.variant,
            each.rate,
            each.times,
            held_out_loss(each),
            each.value(experiment.judged_by),
        )
        for each in done
        if each not in kept
    )
    return Results(experiment.name, tuple(kept), tried=(*tried, *others))


def _left(wanted: Sequence[Training], done: Sequence[Trained]) -> list[Training]:
    found = {Training.of(each) for each in done}
    return [each for each in wanted if each not in found]
