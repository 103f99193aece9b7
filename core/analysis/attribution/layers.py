"""The stream from layer to layer of an encoder, and the gradient on its way back.

B batch, S source length, D model width.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from core.batch import Pair, collate
from core.evaluate.loss import token_loss
from core.heads import Site
from core.model import Step, Transformer


@dataclass(frozen=True, slots=True)
class AtLayer:
    """The stream between two layers of an encoder."""

    gradient: float
    """‖∂L / ∂x‖ relative to that behind the last layer; L is the cross-entropy per token."""
    apart: float
    """How far the vectors of a sentence are from their mean: root mean square of ‖x_i − x̄‖
    divided by that of ‖x_i‖. 0 where all positions have the same vector, so that nothing after
    them can tell the words apart (Dong et al. 2021, "Attention is not all you need")."""


@dataclass(frozen=True, slots=True)
class _Streams:
    """A probe that keeps the stream between layers as it is, so that gradients reach it."""

    into: Site
    """The first sublayer."""
    out_of: tuple[Site, ...]
    """The last sublayer of each layer."""
    found: list[Tensor] = field(default_factory=list)
    """stream_BSD before the first layer, then after each."""

    def sees(self, site: Site) -> bool:
        """Those at the borders of layers."""
        return site == self.into or site in self.out_of

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Keep what goes into the first layer, and what comes out of each."""
        if (site, step) == (self.into, Step.STREAM_IN) or (
            step is Step.STREAM_OUT and site in self.out_of
        ):
            self.found.append(tensor)
        return tensor


@torch.enable_grad()
def by_layer(model: Transformer, pairs: Sequence[Pair]) -> tuple[AtLayer, ...]:
    """Return what the stream is like between the layers of an encoder, all sentences together.

    Args:
        model: In evaluation mode, with an encoder of layers.
        pairs: Sentences with their targets.

    Returns:
        The embeddings, which go into the first layer, then what each layer hands on. All
        gradients are 0 where nothing of the encoder reaches the loss.
    """
    blocks = [layer.blocks() for layer in model.layers()[: len(model.encoder)]]
    streams = _Streams(blocks[0][0][0].site, tuple(each[-1][0].site for each in blocks))
    batch = collate(pairs)
    loss = token_loss(model(batch.source_BS, batch.fed_BT, streams), batch.labels_BT)
    gradients = torch.autograd.grad(loss, streams.found)
    norms = [float(each_BSD.double().norm()) for each_BSD in gradients]
    real_BS = batch.source_BS != model.config.pad_id
    return tuple(
        AtLayer(norm / norms[-1] if norms[-1] else 0.0, _apart(stream_BSD, real_BS))
        for norm, stream_BSD in zip(norms, streams.found, strict=True)
    )


@torch.no_grad()
def _apart(stream_BSD: Tensor, real_BS: Tensor) -> float:
    real_BS1 = real_BS[..., None].double()
    kept_BSD = stream_BSD.double() * real_BS1
    mean_B1D = kept_BSD.sum(dim=1, keepdim=True) / real_BS1.sum(dim=1, keepdim=True)
    return float(((kept_BSD - mean_B1D) * real_BS1).norm() / kept_BSD.norm())
