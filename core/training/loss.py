"""What makes a guided head look at antecedents; all else is learned from `core.evaluate.loss`.

B batch, H heads, Q queries, K keys, R pronouns.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from core.batch import TokenReference
from core.heads import Head, Site


def guided_loss(
    weights_BHQK: Tensor,
    references: Sequence[Sequence[TokenReference]],
    head: Head,
    n_rows: int | None = None,
) -> Tensor:
    """Return −log of the weight that a head puts on the antecedent, averaged over the pronouns.

    The row that is guided is the pronoun's in the encoder, and in cross-attention that of the
    step that writes the pronoun. Zero where the batch has no pronoun.

    Args:
        weights_BHQK: Of the guided head's sublayer.
        references: The pronouns of each sentence.
        head: The guided one.
        n_rows: The guided rows of the whole batch, of which these are a part.
    """
    rows = guided_rows(references, head.site)
    if not rows:
        # In the graph all the same, so that every weight has a gradient in every part of a batch.
        return weights_BHQK.sum() * 0.0
    found = torch.tensor([(sentence, query) for sentence, query, _ in rows])
    sentences_R, queries_R = found.to(weights_BHQK.device).unbind(1)
    wanted_RK = torch.zeros(len(rows), weights_BHQK.shape[-1], device=weights_BHQK.device)
    for row, (_, _, keys) in enumerate(rows):
        wanted_RK[row, list(keys)] = 1.0
    on_antecedent_R = (weights_BHQK[sentences_R, head.index, queries_R] * wanted_RK).sum(dim=-1)
    return -on_antecedent_R.clamp_min(1e-9).log().sum() / (n_rows or len(rows))


def guided_rows(
    references: Sequence[Sequence[TokenReference]], site: Site
) -> list[tuple[int, int, tuple[int, ...]]]:
    """Return (sentence, query, antecedent's tokens) of each row of a site that can be guided."""
    return [
        (sentence, query, reference.antecedent)
        for sentence, found in enumerate(references)
        for reference in found
        for query in reference.rows(site.side)
    ]
