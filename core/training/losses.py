"""The losses of a step: words, guided head, and predicted length.

B batch, H heads, Q queries, K keys, R guided rows, N differences of length.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from ..batch import Batch
from ..config.training import GuideTo, TrainConfig
from ..evaluate.loss import token_loss
from ..heads import Head, Site
from ..model import Record, Step
from ..model.output import difference_classes

LENGTH_WEIGHT = 0.1
"""Weight of the predicted length's loss beside that of the words."""
Row = tuple[int, int, tuple[int, ...]]
"""Sentence, query, and the keys that a guided head should attend to."""


@dataclass
class Lengths:
    """A probe that keeps the scores of the target's length."""

    logits_BN: Tensor = field(init=False)

    def sees(self, site: Site) -> bool:
        """Only the length classifier, so that sublayers keep their fused kernels."""
        return site.sublayer == "length"

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Keep the scores."""
        self.logits_BN = tensor
        return tensor


@dataclass(frozen=True, slots=True)
class Auxiliary:
    """An auxiliary loss beside that of the words: guided attention, or the length of targets."""

    guide: Head | None
    n_rows: int
    """Number of guided rows in the whole batch."""
    predicts_length: bool
    weight: float
    """Weight of the auxiliary loss."""

    @classmethod
    def of(cls, batch: Batch, config: TrainConfig, *, predicts_length: bool) -> "Auxiliary":
        """Return the auxiliary loss of a whole batch."""
        guide = Head.parse(config.guide) if config.guide else None
        n_rows = len(guided_rows(batch, guide, config.guide_to)) if guide else 0
        weight = LENGTH_WEIGHT if predicts_length else config.guide_weight
        return cls(guide, n_rows, predicts_length, weight)


def losses(
    model: nn.Module, part: Batch, batch: Batch, config: TrainConfig, auxiliary: Auxiliary
) -> tuple[Tensor, Tensor]:
    """Return the cross-entropy of the words, and the auxiliary loss without its weight.

    Args:
        model: In training mode.
        part: A part of a batch, or all of it.
        batch: The whole batch: the losses of its parts sum to its own.
        config: Label smoothing, and where the guided head should attend to.
        auxiliary: The auxiliary loss; 0 if there is none.
    """
    guide = auxiliary.guide
    probe: Lengths | Record | None = None
    if auxiliary.predicts_length:
        probe = Lengths()
    elif guide is not None:
        probe = Record(frozenset({Step.WEIGHTS}), frozenset({guide.site}), keep_graph=True)
    logits_BTV = model(*part.inputs, probe)
    loss = token_loss(logits_BTV, part.labels_BT, config.label_smoothing, batch.n_tokens)
    if isinstance(probe, Lengths):
        return loss, length_loss(probe.logits_BN, part, len(batch.source_BS))
    if isinstance(probe, Record) and guide is not None:
        rows = guided_rows(part, guide, config.guide_to)
        return loss, guided_loss(probe.weights(guide.site), rows, guide, auxiliary.n_rows)
    return loss, loss.new_zeros(())


def guided_loss(
    weights_BHQK: Tensor, rows: Sequence[Row], head: Head, n_rows: int | None = None
) -> Tensor:
    """Return −log of the head's weight on the keys of each row, averaged over rows.

    Zero without rows.

    Args:
        weights_BHQK: Weights of the guided head's sublayer.
        rows: From `guided_rows`.
        head: The guided head.
        n_rows: Number of guided rows in the whole batch, if this is a part.
    """
    if not rows:
        # Still in the graph, so that every weight has a gradient in every part of a batch.
        return weights_BHQK.sum() * 0.0
    queries_R2 = torch.tensor([(sentence, query) for sentence, query, _ in rows])
    sentences_R, queries_R = queries_R2.to(weights_BHQK.device).unbind(1)
    mask_RK = torch.zeros(len(rows), weights_BHQK.shape[-1], device=weights_BHQK.device)
    for row, (_, _, keys) in enumerate(rows):
        mask_RK[row, list(keys)] = 1.0
    weight_R = (weights_BHQK[sentences_R, head.index, queries_R] * mask_RK).sum(dim=-1)
    return -weight_R.clamp_min(1e-9).log().sum() / (n_rows or len(rows))


def guided_rows(batch: Batch, head: Head, guide_to: GuideTo = "antecedent") -> list[Row]:
    """Return the rows in which a guided head should attend to certain keys.

    antecedent: the row of each pronoun in the encoder, and in cross-attention that of the step that
    writes it. alignment: the row of each step of cross-attention that writes a word, which attends
    to the source words that it comes from (Chen et al. 2016, guided alignment).
    """
    if guide_to == "alignment":
        return [
            (sentence, query, keys)
            for sentence, links in enumerate(batch.alignment)
            for query, keys in links
        ]
    return [
        (sentence, query, reference.antecedent)
        for sentence, references in enumerate(batch.references)
        for reference in references
        for query in reference.rows(head.site.side)
    ]


def length_loss(logits_BN: Tensor, batch: Batch, n_pairs: int | None = None) -> Tensor:
    """Return the cross-entropy of the targets' lengths in nats, the mean over sentences.

    Args:
        logits_BN: Scores for each difference of length.
        batch: A part of a batch, with as many places as target tokens.
        n_pairs: Number of sentences in the whole batch; None if this is the whole batch.
    """
    source_B = batch.said("source").sum(dim=1)
    # Inputs begin with BOS, and the last place is EOS.
    target_B = batch.said("target").sum(dim=1) - 1
    exact = torch.promote_types(logits_BN.dtype, torch.float32)
    classes_B = difference_classes(source_B, target_B)
    total = cross_entropy(logits_BN.to(exact), classes_B, reduction="sum")
    return total / (len(classes_B) if n_pairs is None else n_pairs)
