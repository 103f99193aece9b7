"""What a decoder alone loses without some heads, in lines of text that somebody gives.

N lines, T tokens, V vocabulary; the 2 of an axis: a sum, and what it is a sum over.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy

from core.analysis.effects.repetition_cost import SILENCED, control_heads
from core.analysis.heads.own_lines import lines_as_ids, measure_lines
from core.analysis.heads.repeated_tokens import TextRole
from core.evaluate.intervals import Difference, mean_difference
from core.heads import Head
from core.model import Probe, Silence
from core.runs.own_text import LEAST_LINES
from core.runs.run import Run


@dataclass(frozen=True, slots=True)
class LineCost:
    """What a decoder loses without the heads that have most of a role, and without others instead.

    −log p of each next token, in nats per token; `n` counts lines, which are not those that the
    heads were chosen by.
    """

    heads: tuple[Head, ...]
    others: tuple[Head, ...]
    silenced: Difference
    """Without the heads."""
    control: Difference
    """Without the others."""


def costs_on_lines(run: Run, role: TextRole) -> dict[int, LineCost]:
    """Return what silencing so many heads with most of a role costs a decoder alone.

    The heads are chosen by every other line, and what they cost is measured on those between.

    Returns:
        Number of heads → cost; empty where the model writes nothing or has no other heads, or
        where only one line has two tokens.
    """
    lines = lines_as_ids(run)
    if not run.model.config.is_decoder_alone or len(lines) < LEAST_LINES:
        return {}
    found, costs = measure_lines(run, lines[::2]), dict[int, LineCost]()
    before = _losses(run, lines[1::2], ())
    for n in SILENCED if role in found.scores else ():
        heads = found.best(role, n)
        try:
            others = control_heads(found, role, heads)
        except ValueError:
            # So small a model has no other heads to compare with.
            continue
        silenced, control = (
            _difference(before, _losses(run, lines[1::2], each)) for each in (heads, others)
        )
        costs[n] = LineCost(heads, others, silenced, control)
    return costs


@torch.inference_mode()
def _losses(
    run: Run, lines: Sequence[tuple[int, ...]], heads: Sequence[Head]
) -> NDArray[np.float64]:
    """Return, for each line, the sum of −log p of its tokens but the first, and how many."""
    return np.array([_loss(run, ids, Silence.of(heads)) for ids in lines])


def _loss(run: Run, ids: Sequence[int], probe: Probe) -> tuple[float, int]:
    ids_T = torch.tensor(ids, device=run.model.device)
    logits_TV = run.model(None, ids_T[None], probe)[0, :-1]
    return float(cross_entropy(logits_TV.double(), ids_T[1:], reduction="sum")), len(ids) - 1


def _difference(before_N2: NDArray[np.float64], after_N2: NDArray[np.float64]) -> Difference:
    return mean_difference(before_N2[:, 0], after_N2[:, 0], before_N2[:, 1])
