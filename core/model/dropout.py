"""Dropout, with as few random bits as it needs."""

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

_STEPS = 2**16
"""On a CPU the share of zeros is a multiple of 1 / _STEPS."""


class Dropout(nn.Module):
    """Sets a share of values to 0 in training and scales up the others, so that the mean is kept.

    On a CPU most of dropout's time goes into random numbers. Here four values share one draw, with
    16 bits each; `torch.nn.Dropout` draws one number per value.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, x: Tensor) -> Tensor:
        """Return x with dropout applied, or x itself if there is nothing to drop."""
        if not self.training or self.share == 0:
            return x
        if x.device.type != "cpu":
            return dropout(x, self.share)
        return x * _factors(x.shape, self.share)


def _factors(shape: torch.Size, share: float) -> Tensor:
    """Return factors: 0 for dropped values, 1 / (share of kept values) for the rest."""
    n_dropped = min(round(share * _STEPS), _STEPS - 1)
    n_values = shape.numel()
    draws = torch.empty((n_values + 3) // 4, dtype=torch.int64).random_(-(2**63), None)
    levels = draws.view(torch.int16)[:n_values].view(shape)
    kept = levels >= n_dropped - _STEPS // 2
    return kept.float().mul_(_STEPS / (_STEPS - n_dropped))
