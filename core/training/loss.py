"""What is learned beside the words: where a guided head looks, how long a target will be.

The loss of the words is in `core.evaluate.loss`.

B batch, H heads, Q queries, K keys, R guided rows, N differences of length.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from core.batch import Batch
from core.config.training import GuideTo
from core.heads import Head, Site
from core.model.output import difference_classes
from core.model.probe import Step

LENGTH_WEIGHT = 0.1
"""Of the predicted length's loss beside that of the words."""
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


@dataclass
class Lengths:
    """A probe that keeps what a model says of the target's length, to learn it; nothing else."""

    logits_BN: Tensor = field(init=False)

    def sees(self, site: Site) -> bool:
        """Only there; all sublayers stay as fast as they are."""
        return site.sublayer == "length"

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Keep the scores."""
        self.logits_BN = tensor
        return tensor


def length_loss(logits_BN: Tensor, batch: Batch, n_pairs: int | None = None) -> Tensor:
    """Return the cross-entropy of the targets' lengths in nats, the mean over sentences.

    Args:
        logits_BN: Scores for each difference of length.
        batch: A part of a batch, whose places are as many as its targets have tokens.
        n_pairs: The sentences of the whole batch; None where it is this one.
    """
    source_B = batch.said("source").sum(dim=1)
    # What is fed begins with BOS, and its last place is EOS.
    target_B = batch.said("target").sum(dim=1) - 1
    exact = torch.promote_types(logits_BN.dtype, torch.float32)
    classes_B = difference_classes(source_B, target_B)
    total = cross_entropy(logits_BN.to(exact), classes_B, reduction="sum")
    return total / (len(classes_B) if n_pairs is None else n_pairs)
