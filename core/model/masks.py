"""Which query may look at which key. True always means: may look.

Shapes: B batch, Q queries, K keys, S source length, T target length; 1 broadcasts.
"""

import torch
from torch import Tensor

from ..vocabulary import PAD


def padding_mask(ids_BK: Tensor, pad_id: int = PAD) -> Tensor:
    """Return visible_B1K: no query may look at a padded key.

    Args:
        ids_BK: Tokens.
        pad_id: The token that fills up; −1 if there is none.

    >>> padding_mask(torch.tensor([[7, 8, PAD]])).tolist()
    [[[True, True, False]]]
    """
    return (ids_BK != pad_id)[:, None, :]


def causal_mask(length: int, device: torch.device | None = None) -> Tensor:
    """Return visible_TT, the look-ahead mask: position i may look at every j ≤ i.

    >>> causal_mask(3).int().tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()


def decoder_mask(target_BT: Tensor, pad_id: int = PAD, *, causal: bool = True) -> Tensor:
    """Return visible_BTT for decoder self-attention: the look-ahead and padding masks combined.

    Args:
        target_BT: Tokens.
        pad_id: The token that fills up; −1 if there is none.
        causal: False for a parallel decoder, which hides no later token: then visible_B1T.
    """
    visible_B1T = padding_mask(target_BT, pad_id)
    if not causal:
        return visible_B1T
    return visible_B1T & causal_mask(target_BT.shape[1], target_BT.device)


def later_rows(start: int, n_new: int, device: torch.device) -> Tensor | None:
    """Return the last rows of the look-ahead mask; None if a single new position sees all.

    >>> later_rows(1, 2, torch.device("cpu")).int().tolist()
    [[[1, 1, 0], [1, 1, 1]]]
    """
    return None if n_new == 1 else causal_mask(start + n_new, device)[None, start:]
