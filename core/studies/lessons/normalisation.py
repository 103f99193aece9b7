"""What a LayerNorm does to each position's vector, and what BatchNorm would do in its place.

B batch, S source length, K positions, D model width.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from core.batch import one_row, pad
from core.heads import Site
from core.model import Record, Step, Transformer

EPS = 1e-5
"""What both norms add to a variance before its root is taken."""


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """One vector for each position, with what LayerNorm looks at."""

    vectors_KD: NDArray[np.float64]
    mean_K: NDArray[np.float64]
    """Mean over the features."""
    deviation_K: NDArray[np.float64]
    """Standard deviation over the features, dividing by D as LayerNorm does."""


@dataclass(frozen=True, slots=True, eq=False)
class AroundNorm:
    """A LayerNorm's input and output at every position."""

    before: Vectors
    bare: Vectors
    """Before gain and bias: mean 0, and deviation 1 but for `EPS` (a little less)."""
    after: Vectors
    """What the model goes on with."""
    gain_D: NDArray[np.float64]
    bias_D: NDArray[np.float64]


@torch.inference_mode()
def around_norm(
    model: Transformer, site: Site, source_ids: Sequence[int], fed_ids: Sequence[int]
) -> AroundNorm:
    """Read what goes into a sublayer's LayerNorm and what comes out, in one forward pass.

    The vectors before and after are the model's own; `bare` follows from the one before in float64.

    Args:
        model: In evaluation mode.
        site: Any sublayer. An embedding has no norm.
        source_ids: The source, with EOS.
        fed_ids: What the decoder is fed, BOS first.

    Raises:
        ValueError: The model has no norm there.
    """
    norm = _norm_of(model, site)
    record = Record(frozenset({Step.BEFORE_NORM, Step.AFTER_NORM}), frozenset({site}))
    model(one_row(source_ids), one_row(fed_ids), record)
    before_KD = _vectors(record.tensors[site, Step.BEFORE_NORM])[0]
    centred_KD = before_KD - before_KD.mean(axis=-1, keepdims=True)
    return AroundNorm(
        before=_described(before_KD),
        bare=_described(centred_KD / np.sqrt(before_KD.var(axis=-1, keepdims=True) + EPS)),
        after=_described(_vectors(record.tensors[site, Step.AFTER_NORM])[0]),
        gain_D=_vectors(norm.weight),
        bias_D=_vectors(norm.bias),
    )


def batch_norm(
    x_BKD: NDArray[np.float64], counted_BK: NDArray[np.bool_], eps: float = EPS
) -> NDArray[np.float64]:
    """Return what BatchNorm makes of a batch in training: normed_BKD, without gain and bias.

    Every feature is brought to mean 0 and variance 1 over positions (Ioffe & Szegedy 2015,
    algorithm 1); the variance divides by how many there are.

    Args:
        x_BKD: All positions of all sentences.
        counted_BK: True where a position goes into mean and variance; the others are normalised
            with what those have.
        eps: Added to the variance.

    Raises:
        ValueError: No position counts.
    """
    if not counted_BK.any():
        raise ValueError("no position counts: there is no mean")
    counted = x_BKD[counted_BK]
    return (x_BKD - counted.mean(axis=0)) / np.sqrt(counted.var(axis=0) + eps)


@dataclass(frozen=True, slots=True, eq=False)
class NormStudy:
    """How far a sentence's normalised vectors move when other sentences stand beside it.

    Mean absolute change per position, relative to the sentence alone. A bare feature's standard
    deviation is about 1, so that 1 would be a large change.
    """

    layer_norm_K: NDArray[np.float64]
    """The model's own LayerNorm, with gain and bias, in a padded batch: 0 but for rounding. It
    counts no other position, so that padding makes no second case."""
    batch_norm_K: NDArray[np.float64]
    """BatchNorm over the tokens of all the sentences."""
    batch_norm_padded_K: NDArray[np.float64]
    """BatchNorm over all positions of the batch, padding counted."""
    n_alone: int
    """Positions that BatchNorm counts for the sentence alone, …"""
    n_together: int
    """… with the other sentences, …"""
    n_padded: int
    """… and with padding."""


@torch.inference_mode()
def study_norms(
    model: Transformer, site: Site, source_ids: Sequence[int], others: Sequence[Sequence[int]]
) -> NormStudy:
    """Compare LayerNorm with BatchNorm on the vectors that a site's norm gets in the model.

    Two passes of the encoder, or of a decoder alone: the sentence alone, and the sentence as the
    first of a batch.

    Args:
        model: In evaluation mode.
        site: A sublayer of the encoder, or of a decoder alone.
        source_ids: The sentence, as that reads it, without padding.
        others: Other sentences of the batch, alike.

    Raises:
        ValueError: The model has no norm there, or it is that of a decoder beside an encoder.
    """
    if site.stack != model.config.stacks[0]:
        raise ValueError(f"{site} is not a sublayer of the stack that reads")
    _norm_of(model, site)
    alone_B1 = pad([source_ids])
    # A model without a token that fills up is a decoder alone, which sees nothing of what follows.
    together_BS = pad([source_ids, *others], pad_id=max(model.config.pad_id, 0))
    before_alone, after_alone = _encoded(model, site, alone_B1)
    before, after = _encoded(model, site, together_BS)
    lengths_B = np.array([len(ids) for ids in (source_ids, *others)])
    tokens_BS = np.arange(together_BS.shape[1]) < lengths_B[:, None]
    everything_BS = np.ones_like(tokens_BS)
    length = len(source_ids)
    reference_KD = batch_norm(before_alone, everything_BS[:1, :length])[0]

    def change(normed_BSD: NDArray[np.float64], alone_KD: NDArray[np.float64]) -> NDArray[Any]:
        return np.abs(normed_BSD[0, :length] - alone_KD).mean(axis=-1)

    return NormStudy(
        layer_norm_K=change(after, after_alone[0]),
        batch_norm_K=change(batch_norm(before, tokens_BS), reference_KD),
        batch_norm_padded_K=change(batch_norm(before, everything_BS), reference_KD),
        n_alone=length,
        n_together=int(tokens_BS.sum()),
        n_padded=tokens_BS.size,
    )


def _norm_of(model: Transformer, site: Site) -> nn.LayerNorm:
    _, residual = model.block(site)
    if isinstance(residual.norm, nn.LayerNorm):
        return residual.norm
    raise ValueError(f"the model has no norm at {site} that is a LayerNorm")


def _encoded(
    model: Transformer, site: Site, source_BS: Tensor
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return before_BSD and after_BSD the norm."""
    record = Record(frozenset({Step.BEFORE_NORM, Step.AFTER_NORM}), frozenset({site}))
    if site.in_encoder:
        model.encode(source_BS, record)
    else:
        model.decode(source_BS, None, None, record)
    before_BSD, after_BSD = (
        _vectors(record.tensors[site, step]) for step in (Step.BEFORE_NORM, Step.AFTER_NORM)
    )
    return before_BSD, after_BSD


def _described(vectors_KD: NDArray[np.float64]) -> Vectors:
    return Vectors(vectors_KD, vectors_KD.mean(axis=-1), vectors_KD.std(axis=-1))


def _vectors(tensor: Tensor) -> NDArray[np.float64]:
    return tensor.detach().double().numpy()
