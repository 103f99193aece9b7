"""What changes when a model is fed its own words instead of the true ones.

V vocabulary, T target length.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch

from core.batch import Pair, collate
from core.decoding.step import DecodeStep, require_next
from core.evaluate.evaluation import held_out_pairs
from core.evaluate.metrics import sorted_batches
from core.model import Transformer
from core.objective import translations
from core.runs.run import Run


def divergences(free: Iterable[DecodeStep], forced: Iterable[DecodeStep]) -> tuple[float, ...]:
    """Return for each common step KL(forced ‖ free) of the distributions, in nats.

    0 where both sides were fed the same; how much the model's own words mislead it after that.
    """
    return tuple(
        _divergence(one.probabilities.double(), other.probabilities.double())
        for one, other in zip(forced, free, strict=False)
    )


def _divergence(p_V: torch.Tensor, q_V: torch.Tensor) -> float:
    # Tokens of no probability add nothing: x log x → 0; rounding must not make the sum negative.
    possible_V = p_V > 0
    terms = p_V[possible_V] * (p_V[possible_V].log() - q_V[possible_V].clamp_min(1e-300).log())
    return max(0.0, float(terms.sum()))


def first_difference(free: Sequence[int], forced: Sequence[int]) -> int | None:
    """Return the first step at which other tokens are fed or appended; None where there is none.

    >>> first_difference([5, 6, 7], [5, 8, 7]), first_difference([5], [5])
    (1, None)
    """
    for step, (one, other) in enumerate(zip(free, forced, strict=False)):
        if one != other:
            return step
    return None if len(free) == len(forced) else min(len(free), len(forced))


@dataclass(frozen=True, slots=True)
class PositionAccuracy:
    """How often the token of one target position is right."""

    position: int
    forced: float
    """Share that is most probable after the true prefix."""
    free: float
    """Share that the model writes there when it is fed its own words."""
    n: int
    """Targets that are so long."""


def exposure(model: Transformer, pairs: Sequence[Pair]) -> list[PositionAccuracy]:
    """Return the accuracy of each target position, EOS included, forced against free.

    Where the two part, early mistakes are fed back (exposure bias).

    Raises:
        ConfigError: The decoder is parallel, and is fed nothing that it said before.
    """
    require_next(model.config)
    longest = max(len(pair.target) - 1 for pair in pairs)
    right = {"forced": [0] * longest, "free": [0] * longest}
    counts = [0] * longest
    for group in sorted_batches(pairs):
        forced = _forced_tokens(model, group)
        for pair, fed_true, fed_own in zip(group, forced, translations(model, group), strict=True):
            for position, token in enumerate(pair.target[1:]):
                counts[position] += 1
                right["forced"][position] += fed_true[position] == token
                right["free"][position] += fed_own[position : position + 1] == (token,)
    return [
        PositionAccuracy(position, right["forced"][position] / n, right["free"][position] / n, n)
        for position, n in enumerate(counts)
    ]


def held_out_exposure(run: Run, n: int) -> list[PositionAccuracy]:
    """Return the accuracy of each position over `n` held-out sentences of a run's task.

    Raises:
        RunError: The task is a file of pairs that is gone.
    """
    return exposure(run.model, held_out_pairs(run, n, seed=0))


def overall(positions: Sequence[PositionAccuracy]) -> PositionAccuracy:
    """Return the accuracy over all tokens, whatever their position; its position is -1.

    >>> overall([PositionAccuracy(0, 1.0, 1.0, 3), PositionAccuracy(1, 1.0, 0.0, 1)]).free
    0.75
    """
    n = sum(each.n for each in positions)
    return PositionAccuracy(
        -1,
        sum(each.forced * each.n for each in positions) / n,
        sum(each.free * each.n for each in positions) / n,
        n,
    )


@torch.inference_mode()
def _forced_tokens(model: Transformer, pairs: Sequence[Pair]) -> list[list[int]]:
    """Return the most probable token of each position after the true prefix."""
    batch = collate(pairs, model.config.pad_id).to(model.device)
    tokens_BT = model(batch.source_BS, batch.fed_BT).argmax(dim=-1)
    return tokens_BT.masked_fill(~batch.predicted_BT, batch.pad_id).tolist()
