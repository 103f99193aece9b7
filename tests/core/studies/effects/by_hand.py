"""A model in plain steps, one head at a time, each with a term of its own in the sum of W^O."""

from dataclasses import dataclass, field
from types import MappingProxyType

import torch

from core.model import build

NOTHING = MappingProxyType({})


@dataclass
class Pass:
    """What came of one pass."""

    given: dict = field(default_factory=dict)
    """Site → what its queries, its keys and its values are computed from."""
    weights: dict = field(default_factory=dict)
    terms: dict = field(default_factory=dict)
    """Head → what it adds to the stream."""
    added: dict = field(default_factory=dict)
    logits_V: torch.Tensor | None = None


def drawn(config, seed=0):
    """Return a model in float64 in which no weight, bias or gain is as it usually begins."""
    model = build(config).double().eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for tensor in model.parameters():
            noise = torch.randn(tensor.shape, generator=generator, dtype=torch.float64)
            tensor.copy_(noise * (0.4 if tensor.dim() > 1 else 0.2) + (tensor.dim() == 1))
    return model


@torch.no_grad()
def run(model, source, target, added=NOTHING, given=NOTHING):
    """Return a pass over one sentence.

    Args:
        model: In float64.
        source: Token ids; none for a decoder alone.
        target: Token ids; none for an encoder alone.
        added: Site → what it adds in the place of what it would add.
        given: Head and "query", "key" or "value" → what that is computed from instead.
    """
    found, memory_SD, x_KD = Pass(), None, None
    if source:
        x_KD = model.source_embedding(torch.tensor([source]))[0]
        x_KD = memory_SD = model.encoder_norm(
            _stack(model.encoder, x_KD, None, found, added, given)
        )
    if target:
        x_KD = model.target_embedding(torch.tensor([target]))[0]
        x_KD = _stack(model.decoder, x_KD, memory_SD, found, added, given)
        x_KD = model.decoder_norm(x_KD)
    found.logits_V = model.output(x_KD[-1])
    return found


def _stack(layers, x_KD, memory_SD, found, added, given):
    for layer in layers:
        for sublayer, residual in layer.blocks():
            site, norm = residual.site, residual.norm
            x_in_KD = norm(x_KD) if residual.pre_norm else x_KD
            if site.is_attention:
                looked_at_KD = x_in_KD if site.is_self else memory_SD
                found.given[site] = {"query": x_in_KD, "key": looked_at_KD, "value": looked_at_KD}
                sum_KD = _attention(sublayer, found, given)
            else:
                sum_KD = sublayer.contract(sublayer.expand(x_in_KD).clamp(min=0))
            found.added[site] = added.get(site, sum_KD)
            x_KD = x_KD + found.added[site]
            x_KD = x_KD if residual.pre_norm else norm(x_KD)
    return x_KD


def _attention(sublayer, found, given):
    site, n_heads = sublayer.site, sublayer.n_heads
    sum_QD = sublayer.output.bias.expand(len(found.given[site]["query"]), -1)
    for head in site.heads(n_heads):
        shared = head.index * sublayer.n_kv_heads // n_heads
        parts = {"query": (head.index, sublayer.d_k), "key": (shared, sublayer.d_k)}
        parts["value"] = (shared, sublayer.d_v)
        query_QE, key_KE, value_KE = (
            _projected(getattr(sublayer, part), given.get((head, part), usual_KD), *which)
            for (part, which), usual_KD in zip(
                parts.items(), found.given[site].values(), strict=True
            )
        )
        if sublayer.rotary is not None:
            query_QE, key_KE = _turned(query_QE), _turned(key_KE)
        scores_QK = query_QE @ key_KE.T / sublayer.d_k**0.5
        if site.attention.causal:
            later_QK = torch.ones_like(scores_QK).triu(diagonal=1).bool()
            scores_QK = scores_QK.masked_fill(later_QK, -torch.inf)
        found.weights[head] = scores_QK.softmax(dim=-1)
        mixed_QE = found.weights[head] @ value_KE
        start, end = head.index * sublayer.d_v, (head.index + 1) * sublayer.d_v
        found.terms[head] = mixed_QE @ sublayer.output.weight[:, start:end].T
        sum_QD = sum_QD + found.terms[head]
    return sum_QD


def _projected(linear, x_KD, number, width):
    """Return the projection of one head by a layer that has all of them in one matrix."""
    rows = slice(number * width, (number + 1) * width)
    return x_KD @ linear.weight[rows].T + linear.bias[rows]


def _turned(vectors_KE):
    """Turn dimensions i and i + d/2 of position p by p / 10000^(2i/d), as a complex number."""
    one_KN, other_KN = vectors_KE.chunk(2, dim=-1)
    n_pairs = one_KN.shape[-1]
    place_K = torch.arange(len(vectors_KE), dtype=torch.float64)
    angle_KN = place_K[:, None] / 10000.0 ** (torch.arange(n_pairs) / n_pairs)
    turned_KN = torch.complex(one_KN, other_KN) * torch.exp(1j * angle_KN)
    return torch.cat([turned_KN.real, turned_KN.imag], dim=-1)
