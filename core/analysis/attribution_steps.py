"""Which words of a translation hang on which source tokens: leave one out, for all words at once.

B batch, S source length, T target length, V vocabulary.
"""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.analysis.attribution import SENTENCES_AT_ONCE
from core.batch import pad
from core.decoding.step import sayable
from core.masks import PAD
from core.model import Transformer
from core.tokenizer import BOS

FEW_TOKENS = 64
"""With so many source tokens at most all words are asked about within a second or so."""


@torch.inference_mode()
def lost_without(
    model: Transformer, source_ids: Sequence[int], target_ids: Sequence[int]
) -> NDArray[np.float64]:
    """Return lost_TS: what each word's log-probability loses when a source token is hidden.

    A row is what `core.analysis.attribution.leave_one_out` says of that word after the words before
    it. No row of a decoder sees later words, so one pass for each hidden token asks about all.

    Args:
        model: In evaluation mode.
        source_ids: With EOS.
        target_ids: Without BOS; EOS may be asked about where it is there.
    """
    without_SS = pad([source_ids]).repeat(len(source_ids), 1).fill_diagonal_(PAD)
    fed_1T = pad([(BOS, *target_ids[:-1])])
    said_T = torch.tensor(target_ids)

    def log_probability_BT(some_BS: Tensor) -> Tensor:
        logits_BTV = sayable(model(some_BS, fed_1T.expand(len(some_BS), -1)))
        found_BT1 = logits_BTV.log_softmax(-1).gather(
            -1, said_T.expand(len(some_BS), -1)[..., None]
        )
        return found_BT1[..., 0].double()

    whole_1T = log_probability_BT(pad([source_ids]))
    parts = [log_probability_BT(some_BS) for some_BS in without_SS.split(SENTENCES_AT_ONCE)]
    return np.asarray((whole_1T - torch.cat(parts)).T.numpy())


def telling_step(model: Transformer, source_ids: Sequence[int], target_ids: Sequence[int]) -> int:
    """Return the word that hangs most on a single source token, as its step, counted from 0.

    It is the first one where the source is longer than `FEW_TOKENS`, for which asking takes long.
    """
    if len(source_ids) > FEW_TOKENS:
        return 0
    return int(lost_without(model, source_ids, target_ids).max(axis=1).argmax())
