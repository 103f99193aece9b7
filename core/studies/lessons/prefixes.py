"""The growing prefix of a target, row by row and in one masked pass.

T target length, V vocabulary.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from core.batch import one_row, pad
from core.model import Transformer


@dataclass(frozen=True, slots=True)
class PrefixCheck:
    """How a pass for each prefix compares with one masked pass over the whole target."""

    largest_difference: float
    """Between a logit of prefix i computed alone and the same of row i of the masked pass."""
    positions_alone: int
    """Decoder positions computed by the passes over the prefixes: 1 + 2 + … + T."""
    positions_together: int
    """Decoder positions computed by the masked pass: T."""


@torch.inference_mode()
def compare_prefixes(
    model: Transformer, source_ids: Sequence[int], fed_ids: Sequence[int]
) -> PrefixCheck:
    """Run "BOS", "BOS y₁", "BOS y₁ y₂" … alone, and the whole target once, masked."""
    source_1S = one_row(source_ids)
    together_TV = model(source_1S, pad([fed_ids]))[0]
    memory_1SD = None if source_1S is None else model.encode(source_1S)
    largest = 0.0
    for row in range(len(fed_ids)):
        prefix_1T = pad([fed_ids[: row + 1]])
        alone_V = model.decode(prefix_1T, memory_1SD, None, source_BS=source_1S)[0, -1]
        largest = max(largest, float((alone_V - together_TV[row]).abs().max()))
    n = len(fed_ids)
    return PrefixCheck(
        largest_difference=largest,
        positions_alone=n * (n + 1) // 2,
        positions_together=n,
    )
