"""Wrong words put into a decoding, and what the model writes after each of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import torch

from ..decoding.generate import Ids, generate
from ..decoding.step import DecodeStep
from ..inspection import Inspection
from ..runs.run import Run

TRIED = 3
"""Wrong tokens that are tried at each step, the most probable ones."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A wrong token that a decoding is fed, and the text that comes of it."""

    step: int
    token: int
    written: Ids
    """The whole target: what came before, the token, and what the model writes after it."""
    n_lost: int
    """Words after the step that the model writes without the mistake, and not with it."""
    probability: float
    """Of the token, at its step."""


def telling_mistake(run: Run, inspection: Inspection, free: Sequence[DecodeStep]) -> Mistake | None:
    """Return the mistake that changes most of what follows it; None where none changes anything.

    Of equal ones it is the most probable. A mistake that only ends the text is none.

    Args:
        run: The run that was inspected.
        inspection: Of the sentence.
        free: The steps of its greedy decoding.
    """
    changing = [
        each
        for step in range(len(free) - 1)
        for each in _mistakes(run, inspection.translation.source_ids, free, step)
        if each.n_lost
    ]
    return max(changing, key=lambda each: (each.n_lost, each.probability), default=None)


def wrong_tokens(run: Run, step: DecodeStep) -> list[int]:
    """Return the most probable tokens that read otherwise than the one that a step writes."""
    decode, ends = run.target_tokenizer.decode, run.model.config.eos_ids
    read = {"", decode([step.chosen]).strip()}
    tokens = [token for token in step.most_probable(TRIED + 1) if token not in ends]
    return [token for token in tokens if decode([token]).strip() not in read]


def _mistakes(run: Run, source: Ids, free: Sequence[DecodeStep], step: int) -> list[Mistake]:
    """Return the mistakes at one step after which the model goes on."""
    tokens = wrong_tokens(run, free[step])
    if not tokens:
        return []
    limit = run.max_new_tokens
    rests = generate(
        run.model,
        torch.tensor([source] * len(tokens)) if source else None,
        prompt_BT=torch.tensor([(*free[step].prefix, token) for token in tokens]),
        max_new_tokens=None if limit is None else limit - step - 1,
    )
    own = [each.chosen for each in free]
    shares_V, ends = free[step].probabilities, run.model.config.eos_ids

    def words(ids: Sequence[int]) -> list[str]:
        # "␣animal" and "animal" are two tokens, and the same to a reader.
        return [run.target_tokenizer.decode([token]).strip() for token in ids]

    return [
        Mistake(
            step,
            token,
            (*own[:step], token, *rest),
            _n_lost(words(own[step + 1 :]), words(rest)),
            float(shares_V[token]),
        )
        for token, rest in zip(tokens, rests, strict=True)
        if rest and rest[0] not in ends
    ]


def _n_lost(own: Sequence[str], now: Sequence[str]) -> int:
    """Return how many words of a text another one lacks, in their order.

    >>> _n_lost(["a", "b", "c"], ["d", "c"]), _n_lost(["a"], ["a"])
    (2, 0)
    """
    blocks = SequenceMatcher(None, own, now, autojunk=False).get_matching_blocks()
    return len(own) - sum(block.size for block in blocks)
