"""Greedy decoding: always the most probable next token.

B batch, S source length, V vocabulary.
"""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from core.decoding.step import DecodeOptions, DecodeStep, Stepper, length_limit, steps
from core.model import Probe, Transformer

_NOTHING = -1
"""What stands after the end of a target: no token has this id."""


def most_probable(logits_V: Tensor) -> int:
    """Return the id with the highest score, the first of equal ones."""
    return int(logits_V.argmax())


def greedy_steps(
    model: Transformer,
    source_S: Tensor | None,
    options: DecodeOptions | None = None,
    prompt: Sequence[int] = (),
) -> Iterator[DecodeStep]:
    """Yield the steps of greedy decoding; see `core.decoding.step.steps`."""
    return steps(model, source_S, most_probable, options, prompt)


def decode_greedily(
    model: Transformer, source_BS: Tensor, probe: Probe | None = None
) -> list[tuple[int, ...]]:
    """Translate a batch, each sentence until its EOS or the limit of `length_limit`.

    Expects a model of encoder and decoder in evaluation mode.

    Returns:
        For each sentence its target's ids without BOS; EOS is the last unless the limit came first.
    """
    stepper = Stepper(model, source_BS, DecodeOptions(probe=probe, watch=False))
    # The first column is left out in the end: a model with one position writes no other.
    written = [source_BS.new_full((len(source_BS),), _NOTHING)]
    next_B = source_BS.new_full((len(source_BS),), *model.config.begins)
    end_E = source_BS.new_tensor(model.config.eos_ids)
    # Each has its own limit, whichever sentences are beside it.
    lengths_B = (source_BS != model.config.pad_id).sum(dim=1)
    limits_B = source_BS.new_tensor([length_limit(model, n) for n in lengths_B.tolist()])
    open_B = limits_B > 0
    while open_B.any():
        next_B = stepper.feed(next_B)[0].argmax(dim=-1)
        written.append(next_B.masked_fill(~open_B, _NOTHING))
        open_B &= ~torch.isin(next_B, end_E) & (limits_B >= len(written))
    rows = torch.stack(written, dim=1).tolist()
    return [tuple(i for i in row if i != _NOTHING) for row in rows]
