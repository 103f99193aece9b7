"""Norms, which keep the vectors of the residual stream within bounds.

B batch, K positions, Q queries, D model width, N positions that are no padding.
"""

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional

from ..config import ModelConfig


class LayerNorm(nn.LayerNorm):
    """Brings each position's vector to mean 0 and variance 1, then learned gain and bias.

    (x - μ) / √(σ² + ε) ⊙ g + b over the features (Ba, Kiros & Hinton 2016).
    """

    count = "2 d"

    def of_term(self, x_D: Tensor, term_D: Tensor) -> Tensor:
        """Return what comes out for one of the terms of x_D, with its mean and scale held fixed.

        All terms and the bias sum to the output.
        """
        scale = (x_D.var(correction=0) + self.eps).rsqrt()
        return (term_D - term_D.mean()) * scale * self.weight.double()


class RMSNorm(nn.RMSNorm):
    """Divides each position's vector by its root mean square, then learned gain: no mean, no bias.

    x / √(mean(x²) + ε) ⊙ g over the features (Zhang & Sennrich 2019).
    """

    count = "d"

    def of_term(self, x_D: Tensor, term_D: Tensor) -> Tensor:
        """Return what comes out for one of the terms of x_D; see `LayerNorm.of_term`."""
        assert self.eps is not None
        return term_D * (x_D.square().mean() + self.eps).rsqrt() * self.weight.double()


class BatchNorm(nn.Module):
    """Brings each feature to mean 0 and variance 1 over the batch, then learned gain and bias.

    (x - μ) / √(σ² + ε) ⊙ g + b, with μ and σ² of each feature over all positions of a batch but
    padding; in evaluation over the running means of training (Ioffe & Szegedy 2015).
    Shen et al. 2020 ("PowerNorm") found that in text the statistics of batches fluctuate widely all
    through training, which makes it unstable and much worse than LayerNorm.

    In a batch that is computed in parts, or by several processes, each part has its own statistics.
    """

    count = "2 d"
    momentum = 0.1
    """Weight of a new batch in the running means."""
    running_mean: Tensor
    running_var: Tensor

    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.register_buffer("running_mean", torch.zeros(width))
        self.register_buffer("running_var", torch.ones(width))

    def forward(self, x_BKD: Tensor, visible_BQK: Tensor | None = None) -> Tensor:
        """Return normed_BKD; padding is normalised with the statistics of the other positions.

        Args:
            x_BKD: Vectors.
            visible_BQK: Which positions are no padding: those that the last query may look at. None
                if nothing is padding; ignored in evaluation.
        """
        if not self.training:
            found = (self.running_mean, self.running_var, self.weight, self.bias)
            normed_ND = functional.batch_norm(x_BKD.flatten(0, -2), *found, eps=self.eps)
            return normed_ND.view_as(x_BKD)
        counted_ND = x_BKD.flatten(0, 1) if visible_BQK is None else x_BKD[visible_BQK[:, -1]]
        mean_D, variance_D = counted_ND.mean(dim=0), counted_ND.var(dim=0, correction=0)
        with torch.no_grad():
            n = len(counted_ND)
            self.running_mean.lerp_(mean_D.to(self.running_mean), self.momentum)
            # As torch's, the variance of everything is estimated without its bias.
            unbiased_D = variance_D * (n / max(1, n - 1))
            self.running_var.lerp_(unbiased_D.to(self.running_var), self.momentum)
        normed_BKD = (x_BKD - mean_D) * (variance_D + self.eps).rsqrt()
        return normed_BKD * self.weight + self.bias

    def of_term(self, _x_D: Tensor, term_D: Tensor) -> Tensor:
        """Return what comes out for one of the terms of the input; see `LayerNorm.of_term`.

        The running mean is taken off the sum once, as a bias.
        """
        return term_D * (self.running_var.double() + self.eps).rsqrt() * self.weight.double()


def normalise(norm: nn.Module, x_BKD: Tensor, visible_BQK: Tensor | None) -> Tensor:
    """Apply a norm to vectors; only BatchNorm uses the padding mask.

    Args:
        norm: Any norm.
        x_BKD: Vectors.
        visible_BQK: As in `BatchNorm.forward`.
    """
    normed_BKD: Tensor = norm(x_BKD, visible_BQK) if isinstance(norm, BatchNorm) else norm(x_BKD)
    return normed_BKD


NORM_KINDS: Mapping[str, type[nn.Module]] = {
    "layer": LayerNorm,
    "rms": RMSNorm,
    "batch": BatchNorm,
}
"""Setting → norm."""


def norm_of(config: ModelConfig) -> nn.Module:
    """Return the configured norm of width d_model; nn.Identity for none."""
    if config.norm_kind == "none":
        return nn.Identity()
    return NORM_KINDS[config.norm_kind](config.d_model, eps=config.norm_eps)
