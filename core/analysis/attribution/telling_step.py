"""Which word of a translation is worth asking about first."""

from collections.abc import Sequence

from core.analysis.attribution.leaving_out import lost_without
from core.model import Transformer

FEW_TOKENS = 64
"""With so many source tokens at most all words are asked about within a second or so."""


def telling_step(model: Transformer, source_ids: Sequence[int], target_ids: Sequence[int]) -> int:
    """Return the word that hangs most on a single source token, as its step, counted from 0.

    It is the first one where the source is longer than `FEW_TOKENS`, for which asking takes long.
    """
    if len(source_ids) > FEW_TOKENS:
        return 0
    return int(lost_without(model, source_ids, target_ids).max(axis=1).argmax())
