"""At what length decoding stops."""

import math

from core.model import Transformer

CONTINUATION = 24
"""So many tokens a decoder alone writes on."""


def length_limit(
    model: Transformer, source_length: int, n_fed: int = 1, max_new_tokens: int | None = None
) -> int:
    """Return after how many new tokens decoding stops even without EOS.

    No target that was learned is longer. Where nothing is known of them, twice the source and some
    more is longer than most translations, and a text has no natural end. The model has no positions
    beyond its table.

    Args:
        model: Who writes.
        source_length: 0 for a decoder alone.
        n_fed: So many tokens stand before the new ones.
        max_new_tokens: The limit that somebody asked for; None for the usual one.
    """
    ratio = model.config.target_ratio
    if max_new_tokens is not None:
        longest = max_new_tokens
    elif source_length or ratio:
        # A decoder alone is fed the source as a prompt.
        longest = math.ceil(max(2.0, ratio) * (source_length or n_fed)) + 16
    else:
        longest = CONTINUATION
    return max(0, min(model.config.max_positions - n_fed, longest))
