"""What the words of a target lose when a part of the source is hidden: leave one out.

What is hidden is out of sight of all rows, as padding is; the rest keeps its places. Of a decoder
alone parts of what it was fed are hidden.

B batch, S source length, T target length, V vocabulary, P parts of the source: its tokens, or its
words.
"""

from collections.abc import Sequence
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...batch import pad
from ...decoding.step import mask_special_tokens
from ...heads import Kind
from ...model import Remask, Transformer
from ...model.masks import causal_mask
from .gradients import Prediction

SOURCES_AT_ONCE = 64
FEW_TOKENS = 64
"""Up to this length of the source all words are asked about within a second or so."""


def leave_one_out(
    model: Transformer, target: Prediction, words: Sequence[int] | None = None
) -> NDArray[np.float64]:
    """Return scores_P: what a word's log-probability loses when a part of the source is hidden.

    Args:
        model: In evaluation mode.
        target: The word, and what it follows.
        words: Which word each source token belongs to, counted from 0: all tokens of a word are
            hidden together. None hides them one by one.
    """
    return np.asarray(_lost(model, target.source_ids, target.fed_ids, (target.token,), words)[0])


def telling_step(
    model: Transformer,
    source_ids: Sequence[int],
    target_ids: Sequence[int],
    among: Sequence[int] = (),
) -> int:
    """Return the word that hangs most on a single source token, as its step, counted from 0.

    It is the first one where the source is longer than `FEW_TOKENS`, for which asking takes long.

    Args:
        model: In evaluation mode.
        source_ids: With EOS; none for a decoder alone.
        target_ids: Without BOS; EOS may be asked about where it is there.
        among: Source positions: only how much hangs on one of these counts. Empty for all.
    """
    if len(source_ids) > FEW_TOKENS:
        return 0
    fed_ids = (*model.config.begins, *target_ids[:-1])
    lost_TP = _lost(model, source_ids, fed_ids, target_ids, None, among)
    return int(lost_TP.max(axis=1).argmax())


@torch.inference_mode()
def _lost(
    model: Transformer,
    source_ids: Sequence[int],
    fed_ids: Sequence[int],
    predicted_ids: Sequence[int],
    words: Sequence[int] | None,
    among: Sequence[int] = (),
) -> NDArray[np.float64]:
    """Return lost_TP of the words that the last rows write, for all parts or those among some."""
    asked_ids = source_ids or fed_ids
    part_S = torch.arange(len(asked_ids)) if words is None else torch.tensor(words)
    hidden_PS = torch.arange(int(part_S.max()) + 1)[:, None] == part_S
    if among:
        hidden_PS = hidden_PS[list(among)]
    # In the first row nothing is hidden.
    hidden_BS = torch.cat([torch.zeros(1, len(asked_ids), dtype=torch.bool), hidden_PS])
    fed_1T, predicted_1T1 = pad([fed_ids]), torch.tensor(predicted_ids)[None, :, None]

    def log_probability_BT(some_BS: Tensor) -> Tensor:
        n = len(some_BS)
        logits_BTV = _logits(model, source_ids, fed_1T.expand(n, -1), some_BS)
        log_p_BTV = mask_special_tokens(
            logits_BTV[:, -len(predicted_ids) :], model.config
        ).log_softmax(-1)
        return log_p_BTV.gather(-1, predicted_1T1.expand(n, -1, -1))[..., 0].double()

    parts = hidden_BS.split(SOURCES_AT_ONCE)
    found_BT = torch.cat([log_probability_BT(some_BS) for some_BS in parts])
    return np.asarray((found_BT[0] - found_BT[1:]).T.numpy())


def _logits(
    model: Transformer, source_ids: Sequence[int], fed_BT: Tensor, hidden_BS: Tensor
) -> Tensor:
    """Return logits_BTV with some tokens of a source out of sight, or of what a decoder is fed."""
    if not source_ids:
        # There may be no token that stands for none.
        visible_BTT = causal_mask(fed_BT.shape[1]) & ~hidden_BS[:, None, :]
        return cast(Tensor, model(None, fed_BT, Remask({Kind.DECODER_SELF: visible_BTT})))
    source_BS = pad([source_ids]).expand(len(hidden_BS), -1)
    return cast(Tensor, model(source_BS.masked_fill(hidden_BS, model.config.pad_id), fed_BT))
