"""The residual stream through depth: what every sublayer adds to it, and what is left of the token.

S source length, T target length, K positions (either), L depths, D model width.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from core.batch import one_row
from core.describe import describe
from core.heads import Kind, Site, Stack
from core.messages import N_, Message
from core.model import Record, Step, Transformer

Measure = Literal["norm", "cosine", "added"]
"""What of a stream is asked for: one of the quantities of `Stream`."""
_SUBLAYERS = {
    "embedding": N_("embedding"),
    "self": Kind.ENCODER_SELF.sublayer_label,
    "cross": Kind.CROSS.sublayer_label,
    "recurrent": N_("recurrent unit"),
    "mixing": N_("mixing"),
    "feed_forward": N_("feed-forward"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """The vectors of one stack's positions, after the embedding and after each sublayer."""

    sites: tuple[Site, ...]
    """After which part each depth is; the embedding first."""
    norms_LK: NDArray[np.float64]
    """Euclidean norm of every position's vector. In a post-norm model a LayerNorm made it; in a
    pre-norm model the stack's last norm comes after the last depth, and is not in it."""
    cosines_LK: NDArray[np.float64]
    """Cosine with the same position's vector after the embedding; 0 where a vector is zero."""
    added_LK: NDArray[np.float64]
    """Norm of what was added at each depth, one row fewer: the embedding adds to nothing."""

    @property
    def most_added(self) -> int:
        """The depth, the embedding being 0, at which most was added on average."""
        return 1 + int(self.mean("added").argmax())

    @property
    def largest_addition(self) -> tuple[float, float]:
        """The mean norm of what was added where most was, and of what it was added to."""
        depth = self.most_added
        return float(self.mean("added")[depth - 1]), float(self.mean("norm")[depth - 1])

    def values(self, measure: Measure) -> NDArray[np.float64]:
        """Return values_LK of a measure."""
        return {"norm": self.norms_LK, "cosine": self.cosines_LK, "added": self.added_LK}[measure]

    def mean(self, measure: Measure) -> NDArray[np.float64]:
        """Return the mean of a measure over all positions at each depth, mean_L."""
        found: NDArray[np.float64] = self.values(measure).mean(axis=1)
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """Messages that call each depth by name: `embedding`, `self-attention 0` and so on."""
        return tuple(map(_depth, self.sites))


def _depth(site: Site) -> Message:
    # A sublayer that is not known here is called as its model calls it.
    sublayer = Message(_SUBLAYERS.get(site.sublayer, site.sublayer))
    if site.sublayer == "embedding":
        return sublayer
    return Message("{sublayer} {layer}", layer=site.layer, sublayer=sublayer)


@torch.inference_mode()
def residual_stream(
    model: Transformer, source_ids: Sequence[int], fed_ids: Sequence[int]
) -> Mapping[Stack, Stream]:
    """Follow every position of both stacks through one forward pass.

    Args:
        model: In evaluation mode.
        source_ids: The source, with EOS.
        fed_ids: What the decoder is fed, BOS first.
    """
    record = Record(frozenset({Step.STREAM_OUT, Step.ADDED}))
    model(one_row(source_ids), one_row(fed_ids), record)
    sites = describe(model, 1, 1).sites
    stacks = dict.fromkeys(site.stack for site in sites)
    return {
        stack: _stream(record, [site for site in sites if site.stack == stack]) for stack in stacks
    }


def _stream(record: Record, sites: Sequence[Site]) -> Stream:
    def vectors(sites: Sequence[Site], step: Step) -> NDArray[np.float64]:
        return np.stack([record.tensors[site, step][0].double().numpy() for site in sites])

    stream_LKD = vectors(sites, Step.STREAM_OUT)
    norms_LK = np.linalg.norm(stream_LKD, axis=-1)
    products_LK = (stream_LKD * stream_LKD[0]).sum(axis=-1)
    lengths_LK = norms_LK * norms_LK[0]
    nothing_LK = np.zeros_like(products_LK)
    return Stream(
        sites=tuple(sites),
        norms_LK=norms_LK,
        cosines_LK=np.divide(products_LK, lengths_LK, out=nothing_LK, where=lengths_LK > 0),
        added_LK=np.linalg.norm(vectors(sites[1:], Step.ADDED), axis=-1),
    )
