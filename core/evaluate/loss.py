"""Cross-entropy of the true tokens, which training minimises and evaluation reports.

B batch, T target length, V vocabulary.
"""

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from ..vocabulary import PAD


def token_loss(
    logits_BTV: Tensor,
    labels_BT: Tensor,
    label_smoothing: float = 0.0,
    n_tokens: int | None = None,
    pad_id: int = PAD,
) -> Tensor:
    """Return the mean cross-entropy per token in nats; EOS counts, padding does not.

    With label smoothing ε the true token should get 1 − ε of the probability and all tokens
    share the rest evenly (Szegedy et al. 2016; section 5.4 of the paper).

    Args:
        logits_BTV: Scores for the next token.
        labels_BT: The next token.
        label_smoothing: ε.
        n_tokens: Tokens of the whole batch, if this is a part of it: the losses of all parts then
            sum to that of the batch.
        pad_id: Label of positions without loss.
    """
    # Half precision is too coarse for a logarithm; float64 stays.
    exact = torch.promote_types(logits_BTV.dtype, torch.float32)
    total = cross_entropy(
        logits_BTV.flatten(0, 1).to(exact),
        labels_BT.flatten(),
        ignore_index=pad_id,
        label_smoothing=label_smoothing,
        reduction="sum",
    )
    return total / (int((labels_BT != pad_id).sum()) if n_tokens is None else n_tokens)
