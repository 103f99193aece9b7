"""What makes a guided head look where it is asked to; all else is `core.evaluate.loss`.

B batch, H heads, Q queries, K keys, R guided rows.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from core.batch import Batch
from core.heads import Head
from core.train_config import GuideTo

Row = tuple[int, int, tuple[int, ...]]
"""Sentence, query, and the keys that it is asked to look at."""


def guided_loss(
    weights_BHQK: Tensor,
    rows: Sequence[Row],
    head: Head,
    n_rows: int | None = None,
) -> Tensor:
    """Return −log of the weight that a head puts where it is asked to look, the mean over rows.

    Zero where the batch has no such row.

    Args:
        weights_BHQK: Of the guided head's sublayer.
        rows: From `guided_rows`.
        head: The guided one.
        n_rows: The guided rows of the whole batch, of which these are a part.
    """
    if not rows:
        # In the graph all the same, so that every weight has a gradient in every part of a batch.
        return weights_BHQK.sum() * 0.0
    found = torch.tensor([(sentence, query) for sentence, query, _ in rows])
    sentences_R, queries_R = found.to(weights_BHQK.device).unbind(1)
    wanted_RK = torch.zeros(len(rows), weights_BHQK.shape[-1], device=weights_BHQK.device)
    for row, (_, _, keys) in enumerate(rows):
        wanted_RK[row, list(keys)] = 1.0
    as_asked_R = (weights_BHQK[sentences_R, head.index, queries_R] * wanted_RK).sum(dim=-1)
    return -as_asked_R.clamp_min(1e-9).log().sum() / (n_rows or len(rows))


def guided_rows(batch: Batch, head: Head, guide_to: GuideTo = "antecedent") -> list[Row]:
    """Return the rows in which a head is asked to look somewhere.

    To the antecedent: the row of each pronoun in the encoder, and in cross-attention that of the
    step that writes it. By the alignment: the row of each step of cross-attention that writes a
    word, which looks at the source words that it comes from (Chen et al. 2016, guided alignment).
    """
    if guide_to == "alignment":
        return [
            (sentence, query, keys)
            for sentence, links in enumerate(batch.alignment)
            for query, keys in links
        ]
    return [
        (sentence, query, reference.antecedent)
        for sentence, found in enumerate(batch.references)
        for reference in found
        for query in reference.rows(head.site.side)
    ]
