"""What a model of one stack loses without some heads, in lines of text that somebody gives.

N lines, K tokens, V vocabulary; the 2 of an axis: a sum, and what it is a sum over.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy

from core.batch import Pair, collate
from core.evaluate.evaluation import held_out_pairs
from core.evaluate.intervals import Difference, mean_difference
from core.heads import Head
from core.model import Probe, Silence
from core.objective import held_out_as_learned
from core.runs.own_text import LEAST_LINES
from core.runs.run import Run
from core.studies.effects.repetition_cost import SILENCED, control_heads
from core.studies.heads.own_lines import lines_as_ids, measure_lines
from core.studies.heads.repeated_tokens import TextRole
from core.studies.heads.texts import pairs_read

N_LINES, SEED = 20, 0
"""In which one head is silenced: each is read once more for every head."""
N_OTHERS = 3
"""So many heads are silenced in its place, one at a time."""


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


@dataclass(frozen=True, slots=True)
class HeadCost:
    """What a model loses without a head, and what without another of its layer instead.

    −log p of each token that it is to predict, in nats per token; `n` counts texts.
    """

    silenced: Difference
    others: Difference | None
    """The mean over up to `N_OTHERS` other heads of its layer; None where there is none."""


def cost_of_head(run: Run, head: Head, n: int = N_LINES, seed: int = SEED) -> HeadCost | None:
    """Return what silencing one head of a model of one stack costs in up to `n` texts.

    A decoder alone predicts each next token, an encoder alone that was trained here those that are
    masked as in its training.

    Returns:
        None for an opened encoder alone: nobody knows which tokens it is to predict.

    Raises:
        RunError: As in `pairs_read`.
    """
    config = run.model.config
    if not knows_labels(run):
        return None
    if run.settings.is_opened:
        pairs = pairs_read(run, n, seed)
    else:
        pairs = held_out_as_learned(held_out_pairs(run, n, seed), config, run.tokenizer)
    before, after = (_losses(run, pairs, each) for each in ((), (head,)))
    others = [_losses(run, pairs, (other,)) for other in others_of_layer(head, config.n_heads)]
    return HeadCost(
        silenced=_difference(before, after),
        others=_difference(before, np.mean(others, axis=0)) if others else None,
    )


def knows_labels(run: Run) -> bool:
    """Say whether it is known which tokens a model of one stack is to predict."""
    return run.settings.model.is_decoder_alone or not run.settings.is_opened


def others_of_layer(head: Head, n_heads: int) -> tuple[Head, ...]:
    """Return the heads of a layer that are silenced in the place of one: those after it, in turn.

    >>> [other.index for other in others_of_layer(Head.parse("decoder.0.self:2"), 4)]
    [3, 0, 1]
    """
    heads = list(head.site.heads(n_heads))
    return (*heads[head.index + 1 :], *heads[: head.index])[:N_OTHERS]


def costs_on_lines(run: Run, role: TextRole) -> dict[int, LineCost]:
    """Return what silencing so many heads with most of a role costs a decoder alone.

    The heads are chosen by every other line, and what they cost is measured on those between.

    Returns:
        Number of heads → cost; empty where the model writes nothing or has no other heads, or
        where only one line has two tokens.
    """
    lines = lines_as_ids(run)
    between = [Pair(source=(), target=ids) for ids in lines[1::2]]
    if not run.model.config.is_decoder_alone or len(lines) < LEAST_LINES:
        return {}
    found, costs = measure_lines(run, lines[::2]), dict[int, LineCost]()
    before = _losses(run, between, ())
    for n in SILENCED if role in found.scores else ():
        heads = found.best(role, n)
        try:
            others = control_heads(found, role, heads)
        except ValueError:
            # So small a model has no other heads to compare with.
            continue
        silenced, control = (
            _difference(before, _losses(run, between, each)) for each in (heads, others)
        )
        costs[n] = LineCost(heads, others, silenced, control)
    return costs


@torch.inference_mode()
def _losses(run: Run, lines: Sequence[Pair], heads: Sequence[Head]) -> NDArray[np.float64]:
    """Return, for each line, the sum of −log p of what is to be predicted, and how many that is."""
    return np.array([_loss(run, line, Silence.of(heads)) for line in lines])


def _loss(run: Run, line: Pair, probe: Probe) -> tuple[float, int]:
    pad_id = run.model.config.pad_id
    # A line that was not learned has no labels, and may have what elsewhere fills up.
    known_K = torch.tensor([not line.labels or label != pad_id for label in line.predicted])
    batch = collate([line], pad_id).to(run.model.device)
    logits_KV = run.model(*batch.inputs, probe)[0, known_K].double()
    labels_K = batch.labels_BT[0, known_K]
    return float(cross_entropy(logits_KV, labels_K, reduction="sum")), int(known_K.sum())


def _difference(before_N2: NDArray[np.float64], after_N2: NDArray[np.float64]) -> Difference:
    return mean_difference(before_N2[:, 0], after_N2[:, 0], before_N2[:, 1])
