"""Dropout, with as few random bits as it needs."""

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

_STEPS = 2**16
"""On a CPU the share of zeros is a multiple of 1 / _STEPS."""


class Dropout(nn.Module):
    """Sets a share of values to 0 in training and scales the others up, so that the mean stays.

    On a CPU most of dropout's time goes into random numbers. 16 bits a value are enough to decide
    whether it stays, and four values share one draw; `torch.nn.Dropout` draws one number each.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, x: Tensor) -> Tensor:
        """Return x with some values left out, or x itself when nothing is to be left out."""
        if not self.training or self.share == 0:
            return x
        if x.device.type != "cpu":
            return dropout(x, self.share)
        return x * _factors(x.shape, self.share)


def _factors(shape: torch.Size, share: float) -> Tensor:
    """Return 0 for what is left out and 1 / (share of the others) for the rest."""
    n_dropped = min(round(share * _STEPS), _STEPS - 1)
    n_values = shape.numel()
    draws = torch.empty((n_values + 3) // 4, dtype=torch.int64).random_(-(2**63), None)
    levels = draws.view(torch.int16)[:n_values].view(shape)
    kept = levels >= n_dropped - _STEPS // 2
    return kept.float().mul_(_STEPS / (_STEPS - n_dropped))
