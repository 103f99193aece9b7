"""Greedy decoding: always the most probable next token.

B batch, S source length, V vocabulary.
"""

from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor

from core.decoding.limit import length_limit
from core.decoding.step import DecodeOptions, DecodeStep, Stepper, steps
from core.model import Probe, Transformer

ChooseAll = Callable[[Tensor], Tensor]
"""From logits_BV to ids_B, the next tokens of all sentences."""
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


def next_tokens(logits_BV: Tensor) -> Tensor:
    """Return ids_B, the most probable of each row."""
    return logits_BV.argmax(dim=-1)


def decode_greedily(
    model: Transformer, source_BS: Tensor, probe: Probe | None = None
) -> list[tuple[int, ...]]:
    """Translate a batch, each sentence until its EOS or the limit of `length_limit`.

    Expects a model of encoder and decoder in evaluation mode.

    Returns:
        For each sentence its target's ids without BOS; EOS is the last unless the limit came first.
    """
    return decode_by(next_tokens, model, source_BS, probe)


def decode_by(
    choose: ChooseAll, model: Transformer, source_BS: Tensor, probe: Probe | None = None
) -> list[tuple[int, ...]]:
    """Translate a batch as `decode_greedily` does, by another choice of the next tokens.

    Args:
        choose: How they follow from the scores.
        model: Of encoder and decoder, in evaluation mode.
        source_BS: Padded.
        probe: Looks at the attention sublayers or changes them.

    Returns:
        For each sentence its target's ids without BOS; EOS is the last unless the limit came first.
    """
    stepper = Stepper(model, source_BS, DecodeOptions(probe=probe, watch=False))
    begins_BT = source_BS.new_tensor([model.config.begins]).expand(len(source_BS), -1)
    # Each has its own limit, whichever sentences are beside it.
    lengths_B = (source_BS != model.config.pad_id).sum(dim=1)
    limits_B = source_BS.new_tensor([length_limit(model, n) for n in lengths_B.tolist()])
    return _written(stepper, begins_BT, limits_B, choose)


def continue_greedily(
    model: Transformer, prompt_BT: Tensor, probe: Probe | None = None
) -> list[tuple[int, ...]]:
    """Go on from a batch of prompts, each until its EOS or the limit of `length_limit`.

    Expects a decoder alone in evaluation mode.

    Args:
        model: Who writes.
        prompt_BT: As it is fed, BOS included; none is longer than another.
        probe: Looks at the attention sublayers or changes them.

    Returns:
        For each prompt the ids after it; EOS is the last unless the limit came first.
    """
    n, length = prompt_BT.shape
    stepper = Stepper(model, None, DecodeOptions(probe=probe, watch=False), n)
    limit = length_limit(model, 0, length)
    return _written(stepper, prompt_BT.to(model.device), prompt_BT.new_full((n,), limit))


def _written(
    stepper: Stepper,
    begins_BT: Tensor,
    limits_B: Tensor,
    choose: ChooseAll = next_tokens,
) -> list[tuple[int, ...]]:
    """Return what follows, token by token, after what is fed first."""
    limits_B = limits_B.to(begins_BT.device)
    # The first column is left out in the end: a model with one position writes no other.
    written = [begins_BT.new_full(limits_B.shape, _NOTHING)]
    end_E = begins_BT.new_tensor(stepper.model.config.eos_ids)
    open_B = limits_B > 0
    next_B = begins_BT[:, -1]
    while open_B.any():
        first = len(written) == 1 and begins_BT.shape[1] > 1
        scores_BV, _ = stepper.feed_all(begins_BT) if first else stepper.feed(next_B)
        next_B = choose(scores_BV)
        written.append(next_B.masked_fill(~open_B, _NOTHING))
        open_B &= ~torch.isin(next_B, end_E) & (limits_B >= len(written))
    rows = torch.stack(written, dim=1).tolist()
    return [tuple(i for i in row if i != _NOTHING) for row in rows]
