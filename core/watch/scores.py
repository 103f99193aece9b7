"""The weights of scaled dot-product attention, computed beside the kernel that hides them.

B batch, H heads, Q queries, K keys, E width of one head.
"""

import math
from dataclasses import dataclass, replace
from typing import Self

import torch
from torch import Tensor

from .follower import HIDDEN


@dataclass(frozen=True)
class Scores:
    """The arguments of `torch.nn.functional.scaled_dot_product_attention` that its weights need."""

    query_BHQE: Tensor
    key_BHKE: Tensor
    """Possibly with fewer heads, each of which serves several heads of the queries."""
    mask: Tensor | None
    """True where a query may look, or what is added to the scores; broadcasts to BHQK."""
    is_causal: bool
    scale: float | None
    """None for 1/√E."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(B, H, Q, K)."""
        n_sentences = max(len(self.query_BHQE), len(self.key_BHKE))
        return (n_sentences, *self.query_BHQE.shape[1:-1], self.key_BHKE.shape[-2])

    def are_of_a_whole_text(self) -> bool:
        """Whether queries are not far fewer than keys, as they are where a cache has the others."""
        *_, n_queries, n_keys = self.shape
        return 2 * n_queries >= n_keys

    def weights(self) -> Tensor:
        """Return weights_BHQK in 32 bits at least, also where the model runs in half precision."""
        precise = torch.promote_types(self.query_BHQE.dtype, torch.float32)
        query_BHQE, key_BHKE = self.query_BHQE.to(precise), self.key_BHKE.to(precise)
        scale = 1 / math.sqrt(query_BHQE.shape[-1]) if self.scale is None else self.scale
        with torch.autocast(query_BHQE.device.type, enabled=False):
            scores_BHQK = (query_BHQE * scale) @ self.for_each_head(key_BHKE).transpose(-2, -1)
        if self.is_causal:
            scores_BHQK = scores_BHQK.masked_fill(~self._causal_QK(), -math.inf)
        if self.mask is not None and self.mask.dtype == torch.bool:
            scores_BHQK = scores_BHQK.masked_fill(~self.mask, -math.inf)
        elif self.mask is not None:
            scores_BHQK = scores_BHQK + self.mask
        # A query that may look at nothing gets zeros, as from the kernels.
        return scores_BHQK.softmax(-1).nan_to_num()

    def for_each_head(self, tensor_BHKE: Tensor) -> Tensor:
        """Return keys or values, repeated where several heads of the queries share them."""
        n_shared = self.query_BHQE.shape[1] // tensor_BHKE.shape[1]
        return tensor_BHKE.repeat_interleave(n_shared, dim=1) if n_shared > 1 else tensor_BHKE

    def detached(self) -> Self:
        """Return the same scores without the graph of their gradients."""
        mask = None if self.mask is None else self.mask.detach()
        query_BHQE, key_BHKE = self.query_BHQE.detach(), self.key_BHKE.detach()
        return replace(self, query_BHQE=query_BHQE, key_BHKE=key_BHKE, mask=mask)

    def visible(self) -> Tensor:
        """Return visible_BHQK, True where the mask lets a query look at a key."""
        visible = torch.ones((1, 1), dtype=torch.bool, device=self.query_BHQE.device)
        if self.is_causal:
            visible = visible & self._causal_QK()
        if self.mask is not None:
            visible = visible & (self.mask if self.mask.dtype == torch.bool else self.mask > HIDDEN)
        return visible.expand(self.shape)

    def _causal_QK(self) -> Tensor:
        device = self.query_BHQE.device
        return torch.ones(self.shape[-2:], dtype=torch.bool, device=device).tril()
