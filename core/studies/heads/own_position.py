"""How often a token looks at itself most, in all heads of one kind of self-attention together.

It is sometimes told that a token's own position gets the largest weight by nature. Whether it does
is counted here. B batch, H heads, K positions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from core.batch import Pair, collate
from core.evaluate.evaluation import held_out_pairs
from core.evaluate.metrics import sorted_batches
from core.heads import Kind
from core.model import Record, Step, Transformer
from core.runs.run import Run

N_SENTENCES, SEED = 200, 0


@dataclass(frozen=True, slots=True)
class OwnPosition:
    """Rows of all heads of a kind, counted."""

    n_own: int
    """Rows whose largest weight is the one on their own position."""
    n_rows: int
    """Rows with a choice: two keys or more that they may see."""
    chance: float
    """The share that a head would have that picks any key it may see."""
    n_sentences: int

    @property
    def share(self) -> float:
        """Of the rows with a choice."""
        return self.n_own / self.n_rows if self.n_rows else 0.0


def own_position(run: Run, kind: Kind, n: int = N_SENTENCES, seed: int = SEED) -> OwnPosition:
    """Count it in up to `n` held-out sentences of a run; a decoder is fed the true targets.

    Raises:
        ValueError: The kind is no self-attention, or the model has none of it.
        RunError: The task is a file of pairs that cannot be used, or nothing fits the model.
    """
    return count_own(run.model, kind, held_out_pairs(run, n, seed))


@torch.inference_mode()
def count_own(model: Transformer, kind: Kind, pairs: Sequence[Pair]) -> OwnPosition:
    """Count it in some pairs.

    Raises:
        ValueError: The kind is no self-attention, or the model has none of it.
    """
    sites = [site for site in model.sites() if site.attention is kind]
    if not kind.is_self or not sites:
        raise ValueError(f"{kind}: there is no such self-attention")
    n_own, n_rows, chances = 0, 0, 0.0
    for group in sorted_batches(pairs):
        batch, record = collate(group, model.config.pad_id).to(model.device), Record()
        model(batch.source_BS, batch.fed_BT, record)
        ids_BK = batch.source_BS if kind.query_side == "source" else batch.fed_BT
        # Every site of a kind sees alike.
        visible_BKK = record.tensors[sites[0], Step.VISIBLE].expand(-1, ids_BK.shape[1], -1)
        n_visible_BK = visible_BKK.sum(dim=-1)
        counted_BK = (n_visible_BK > 1) & (ids_BK != model.config.pad_id)
        own_K = torch.arange(ids_BK.shape[1], device=ids_BK.device)
        for site in sites:
            largest_BHK = record.weights(site).argmax(dim=-1)
            counted_BHK = counted_BK[:, None].expand_as(largest_BHK)
            n_own += int(((largest_BHK == own_K) & counted_BHK).sum())
            n_rows += int(counted_BHK.sum())
            chances += float((counted_BK / n_visible_BK).sum()) * largest_BHK.shape[1]
    return OwnPosition(n_own, n_rows, chances / max(n_rows, 1), len(pairs))
