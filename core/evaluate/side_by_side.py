"""Free running beside teacher forcing: what a model thinks at each step on either side."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from core.decoding.step import DecodeStep
from core.evaluate.exposure import divergences, first_difference

SHOWN = 10
"""So many of the most probable tokens are named for each step."""


@dataclass(frozen=True, slots=True)
class StepFigures:
    """One step of one side in numbers."""

    predicted: int
    """What was appended; with teacher forcing, the most probable token."""
    predicted_probability: float
    tokens: tuple[int, ...]
    """The most probable ones, best first; the predicted and the true one are always among them."""
    probabilities: tuple[float, ...]
    """Of `tokens`."""
    others: float
    """The probability of all tokens that are not named."""
    entropy: float
    """How undecided the model is, in nats."""
    true: int | None = None
    """The reference's token; None where it has none for this step."""
    true_probability: float | None = None
    true_rank: int | None = None
    """How many tokens are more probable than the true one."""


@dataclass(frozen=True, slots=True)
class SideBySide:
    """A sentence decoded on the model's own words and, where there is a reference, on the true."""

    free: tuple[StepFigures, ...]
    forced: tuple[StepFigures, ...]
    """Empty without a reference."""
    divergence: tuple[float, ...]
    """KL(forced ‖ free) of each common step, in nats."""
    first_difference: int | None
    """The first step at which the two sides differ; None where none does."""


def side_by_side(
    free: Sequence[DecodeStep],
    forced: Sequence[DecodeStep],
    n: int = SHOWN,
    *,
    goes_on: bool = False,
) -> SideBySide:
    """Compare a free decoding with teacher forcing.

    Args:
        free: The model on its own words.
        forced: The model on the true words; empty where there is no reference.
        n: So many tokens are named for each step.
        goes_on: True where the true words are a text that has no end, so that one side may be
            longer than the other.
    """
    appended, true = ([step.chosen for step in side] for side in (free, forced))
    best = [step.most_probable(1)[0] for step in forced]
    common = min(len(appended), len(true)) if goes_on else None
    return SideBySide(
        _figures(free, appended, true, n),
        _figures(forced, best, true, n),
        divergences(free, forced),
        first_difference(appended[:common], true[:common]) if forced else None,
    )


def running_losses(forced: Sequence[DecodeStep]) -> list[tuple[float, float]]:
    """Return each step's loss, −log p of the true token in nats, and the sum of those up to it.

    The last sum is what training makes smaller, for this sentence: the cross-entropy to its end.
    """
    losses = [-step.log_probability for step in forced]
    return list(zip(losses, accumulate(losses), strict=True))


def _figures(
    steps: Sequence[DecodeStep], predicted: Sequence[int], true: Sequence[int], n: int
) -> tuple[StepFigures, ...]:
    return tuple(
        _of_step(step, predicted[index], true[index] if index < len(true) else None, n)
        for index, step in enumerate(steps)
    )


def _of_step(step: DecodeStep, predicted: int, true: int | None, n: int) -> StepFigures:
    probability = step.probabilities.tolist()
    best = step.most_probable(n)
    late = sorted(
        {token for token in (predicted, true) if token is not None} - set(best),
        key=lambda token: -probability[token],
    )
    tokens = (*best[: n - len(late)], *late)
    probabilities = tuple(probability[token] for token in tokens)
    return StepFigures(
        predicted=predicted,
        predicted_probability=probability[predicted],
        tokens=tokens,
        probabilities=probabilities,
        # Rounding must not make the rest negative.
        others=max(0.0, 1.0 - sum(probabilities)),
        entropy=step.entropy,
        true=true,
        true_probability=None if true is None else probability[true],
        true_rank=None if true is None else step.rank(true),
    )
