"""The stream from layer to layer of an encoder, and the gradient on its way back.

B batch, S source length, D model width.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.batch import Pair, collate
from core.evaluate.loss import token_loss
from core.model import Record, Step, Transformer


@dataclass(frozen=True, slots=True)
class AtLayer:
    """The stream between two layers of an encoder."""

    gradient: float
    """‖∂L / ∂x‖ relative to that behind the last layer; L is the cross-entropy per token."""
    apart: float
    """How far the vectors of a sentence are from their mean: root mean square of ‖x_i − x̄‖
    divided by that of ‖x_i‖. 0 where all positions have the same vector, so that nothing after
    them can tell the words apart (Dong et al. 2021, "Attention is not all you need")."""


@torch.enable_grad()
def by_layer(model: Transformer, pairs: Sequence[Pair]) -> tuple[AtLayer, ...]:
    """Return what the stream is like between the layers of an encoder, all sentences together.

    Returns:
        The embeddings, which go into the first layer, then what each layer hands on. All
        gradients are 0 where nothing of the encoder reaches the loss.
    """
    blocks = [layer.blocks() for layer in model.layers()[: len(model.encoder)]]
    into, out_of = blocks[0][0][0].site, [each[-1][0].site for each in blocks]
    steps, sites = frozenset({Step.STREAM_IN, Step.STREAM_OUT}), frozenset({into, *out_of})
    record = Record(steps, sites, keep_graph=True)
    batch = collate(pairs)
    loss = token_loss(model(batch.source_BS, batch.fed_BT, record), batch.labels_BT)
    streams = [record.tensors[into, Step.STREAM_IN]]
    streams += [record.tensors[site, Step.STREAM_OUT] for site in out_of]
    gradients = torch.autograd.grad(loss, streams)
    norms = [float(each_BSD.double().norm()) for each_BSD in gradients]
    real_BS = batch.source_BS != model.config.pad_id
    return tuple(
        AtLayer(norm / norms[-1] if norms[-1] else 0.0, _apart(stream_BSD, real_BS))
        for norm, stream_BSD in zip(norms, streams, strict=True)
    )


@torch.no_grad()
def _apart(stream_BSD: Tensor, real_BS: Tensor) -> float:
    real_BS1 = real_BS[..., None].double()
    kept_BSD = stream_BSD.double() * real_BS1
    mean_B1D = kept_BSD.sum(dim=1, keepdim=True) / real_BS1.sum(dim=1, keepdim=True)
    return float(((kept_BSD - mean_B1D) * real_BS1).norm() / kept_BSD.norm())
