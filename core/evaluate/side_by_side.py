"""Free running beside teacher forcing: what a model thinks at each step on either side."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import torch
from torch import Tensor

from core.decoding.step import DecodeStep, entropies, logits_of, most_probable
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
        n: So many tokens are named for each step, two at least.
        goes_on: True where the true words are a text that has no end, so that one side may be
            longer than the other.
    """
    appended, true = ([step.chosen for step in side] for side in (free, forced))
    best = [row for each in logits_of(forced) for [row] in most_probable(each, 1)]
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
    """Return the numbers of all steps; there may be fewer or more true tokens."""
    found: list[StepFigures] = []
    for logits_TV in logits_of(steps):
        part = slice(len(found), len(found) + len(logits_TV))
        found += _of_rows(logits_TV, predicted[part], true[part], n)
    return tuple(found)


def _of_rows(
    logits_TV: Tensor, predicted: Sequence[int], true: Sequence[int], n: int
) -> list[StepFigures]:
    probabilities_TV = logits_TV.softmax(dim=-1)
    predicted_T = torch.tensor(predicted)
    of_predicted = _in_columns(probabilities_TV, predicted_T[:, None])
    true_T1 = torch.tensor(true, dtype=torch.long)[:, None]
    known_TV = logits_TV[: len(true)]
    of_true = _in_columns(probabilities_TV[: len(true)], true_T1)
    ranks: list[int] = (known_TV > known_TV.gather(-1, true_T1)).sum(dim=-1).tolist()
    tokens = most_probable(logits_TV, n)
    for row, best in enumerate(tokens):
        chance = {predicted[row]: of_predicted[row][0]}
        if row < len(true):
            chance[true[row]] = of_true[row][0]
        late = sorted(chance.keys() - set(best), key=lambda token: -chance[token])
        others = [token for token in best if token not in chance]
        left_out = set(others[len(others) - len(late) :])
        tokens[row] = [*(token for token in best if token not in left_out), *late]
    named = _in_columns(probabilities_TV, torch.tensor(tokens))
    return [
        StepFigures(
            predicted=predicted[row],
            predicted_probability=of_predicted[row][0],
            tokens=tuple(tokens[row]),
            probabilities=tuple(named[row]),
            # Rounding must not make the rest negative.
            others=max(0.0, 1.0 - sum(named[row])),
            entropy=entropy,
            true=true[row] if row < len(true) else None,
            true_probability=of_true[row][0] if row < len(true) else None,
            true_rank=ranks[row] if row < len(true) else None,
        )
        for row, entropy in enumerate(entropies(logits_TV).tolist())
    ]


def _in_columns(values_TV: Tensor, token_TN: Tensor) -> list[list[float]]:
    found: list[list[float]] = values_TV.gather(-1, token_TN).tolist()
    return found
