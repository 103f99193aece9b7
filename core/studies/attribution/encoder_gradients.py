"""Gradients in an encoder: how far the influence of a token reaches, and how much comes back.

B batch, S source length, D model width, X width of what the encoder hands over, R directions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ...batch import Pair, collate, pad
from ...evaluate.loss import token_loss
from ...model import Record, Step, Transformer
from .gradients import SOURCE, Embedded

DIRECTIONS = 8


@dataclass(frozen=True, slots=True)
class Influence:
    """What the tokens at one distance from a position do to what the encoder makes there."""

    distance: int
    pairs: int
    """Pairs of a position and a token so far before or after it, over all sentences."""
    norm: float
    """Root mean square of ‖∂h_i / ∂x_{i±k}‖ over the pairs, divided by that of k = 0."""


def influence_by_distance(
    model: Transformer,
    sources: Sequence[Sequence[int]],
    n_directions: int = DIRECTIONS,
    seed: int = 0,
) -> tuple[Influence, ...]:
    """Return the gradient norm of an encoder's output with respect to tokens around it.

    It is that of h_i, what the encoder hands over at position i, with respect to x_{i±k}, the
    vector of a token k positions away, and relative to that of the position's own token: so
    models whose vectors are of different lengths can be compared. The Frobenius norm is estimated
    from the gradients of h_i · u along random orthonormal u.

    Args:
        model: In evaluation mode, with an encoder.
        sources: Token ids of sentences, with EOS, without padding.
        n_directions: For each sentence; as many as h_i is wide give the norm exactly.
        seed: Of the directions.

    Returns:
        One for each distance, the first 0.
    """
    generator = torch.Generator().manual_seed(seed)
    longest = max(len(source) for source in sources)
    sums, pairs = [0.0] * longest, [0] * longest
    for source in sources:
        squares_SS = _squared_norms(model, source, n_directions, generator)
        for distance in range(len(source)):
            for side in {-distance, distance}:
                of_side = squares_SS.diagonal(side)
                sums[distance] += float(of_side.sum())
                pairs[distance] += len(of_side)
    means = [total / n for total, n in zip(sums, pairs, strict=True)]
    return tuple(
        Influence(distance, pairs[distance], (mean / means[0]) ** 0.5)
        for distance, mean in enumerate(means)
    )


@torch.enable_grad()
def _squared_norms(
    model: Transformer, source: Sequence[int], n_directions: int, generator: torch.Generator
) -> Tensor:
    """Return squares_SS: of position i (row) and token j (column), ‖∂h_i / ∂x_j‖²."""
    n = len(source)
    ids_1S = pad([source]).to(model.device)
    record = Record(frozenset({Step.TOKENS}), frozenset({SOURCE}))
    with torch.no_grad():
        width = model.encode(ids_1S, record).shape[-1]
    # One copy of the sentence for each position and direction, so that one pass has all gradients.
    n_directions = min(n_directions, width)
    n_copies = n * n_directions
    tokens_1SD = record.tensors[SOURCE, Step.TOKENS]
    tokens_BSD = tokens_1SD.expand(n_copies, -1, -1).clone().requires_grad_()
    random_XR = torch.randn(width, n_directions, generator=generator, dtype=torch.float64)
    along_RX = torch.linalg.qr(random_XR).Q.T.to(tokens_BSD)
    # cuDNN has no gradients of recurrent units in evaluation mode.
    with torch.backends.cudnn.flags(enabled=False):
        made_BSX = model.encode(ids_1S.expand(n_copies, -1), Embedded(tokens_BSD, SOURCE))
        made_RSSX = made_BSX.unflatten(0, (n_directions, n))
        made_RSX = made_RSSX.diagonal(dim1=1, dim2=2).transpose(1, 2)
        total = (made_RSX * along_RX[:, None]).sum()
        [gradient_BSD] = torch.autograd.grad(total, tokens_BSD)
    squares_RSS = gradient_BSD.double().square().sum(dim=-1).unflatten(0, (n_directions, n))
    return squares_RSS.sum(dim=0) * (width / n_directions)


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
