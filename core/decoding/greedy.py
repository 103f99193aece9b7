"""Greedy decoding: always the most probable next token.

B batch, S source length, T target length, D model width.
"""

import math

import torch
from torch import Tensor

from core.masks import PAD, padding_mask
from core.model import Cache, Probe, Transformer
from core.tokenizer import BOS, EOS


def length_limit(model: Transformer, source_length: int) -> int:
    """Return after how many target tokens decoding stops even without EOS.

    Twice the source and some more is longer than any translation of it that makes sense, and
    the model has no positions beyond its table.
    """
    return min(model.config.max_positions - 1, 2 * source_length + 16)


@torch.inference_mode()
def decode_greedily(
    model: Transformer, source_BS: Tensor, probe: Probe | None = None
) -> list[tuple[int, ...]]:
    """Translate a batch, each sentence until its EOS or the limit of `length_limit`.

    The encoder runs once. Expects a model in evaluation mode.

    Returns:
        For each sentence its target's ids without BOS; EOS is the last unless the limit came first.
    """
    memory_BSD = model.encode(source_BS, probe)
    visible_B1S = padding_mask(source_BS)
    cache = Cache()
    written: list[Tensor] = []
    next_B = torch.full((len(source_BS),), BOS)
    open_B = torch.ones(len(source_BS), dtype=torch.bool)
    for _ in range(length_limit(model, source_BS.shape[1])):
        logits_B1V = model.decode(next_B[:, None], memory_BSD, visible_B1S, probe, cache)
        next_B = sayable(logits_B1V[:, -1]).argmax(dim=-1)
        written.append(next_B.masked_fill(~open_B, PAD))
        open_B &= next_B != EOS
        if not open_B.any():
            break
    return [tuple(i for i in row if i != PAD) for row in torch.stack(written, dim=1).tolist()]


def sayable(logits_KV: Tensor) -> Tensor:
    """Return the scores with −∞ for PAD and BOS, which are no words and never follow a word."""
    forbidden = torch.tensor([PAD, BOS], device=logits_KV.device)
    return logits_KV.index_fill(-1, forbidden, -math.inf)
