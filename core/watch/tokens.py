"""What a module is called with: tokens, or sequences of vectors; and how tokens are written.

B batch, T tokens of a sequence, D width of a vector.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

Text = Callable[[Tensor], list[str]]
"""Writes ids_T as one text for each token."""
_NO_TOKENS = re.compile("mask|position|type|label|segment")
"""Names of arguments that hold other integers (B, T)."""
_NO_SEQUENCE = re.compile("residual|alibi|bias|pos|mask")
"""Names of arguments that hold other numbers with three axes."""


@runtime_checkable
class Tokenizer(Protocol):
    """A tokenizer of `transformers`."""

    def decode(self, token_ids: list[int]) -> str:
        """Return the text of tokens."""
        ...

    def convert_ids_to_tokens(self, ids: int) -> str:
        """Return a token as the vocabulary has it."""
        ...


@dataclass(eq=False)
class Pass:
    """One call of the outermost module: a forward pass, or a step of `generate`."""

    number: int
    first: int | Tensor = 0
    """Position of its first token: those before it are in the cache."""
    has_cache: bool = False
    tokens: dict[str, list[Tensor]] = field(default_factory=dict)
    """Module → the ids_BT that it was called with, those of the source first."""


def tokens_among(arguments: Mapping[str, object]) -> list[Tensor]:
    """Return the ids_BT among a module's arguments, those of the source first."""
    return [
        value
        for name, value in arguments.items()
        if isinstance(value, Tensor)
        and value.dim() == 2
        and value.dtype in (torch.int64, torch.int32)
        and not _NO_TOKENS.search(name)
    ]


def n_sequences_among(arguments: Mapping[str, object]) -> int:
    """Return the number of different sequences of vectors (B, T, D) among a module's arguments."""
    return len(
        {
            id(value)
            for name, value in arguments.items()
            if isinstance(value, Tensor)
            and value.dim() == 3
            and value.is_floating_point()
            and not _NO_SEQUENCE.search(name)
        }
    )


def writer(tokenizer: Tokenizer | Callable[[int], str] | None) -> Text:
    """Return a function that writes tokens; without a tokenizer, as their numbers."""
    if isinstance(tokenizer, Tokenizer):
        tokenizer = partial(_written, tokenizer)
    write = tokenizer or str
    return lambda ids_T: [write(token) for token in ids_T.tolist()]


def _written(tokenizer: Tokenizer, token: int) -> str:
    """Return a token as it reads; one without any letters as the vocabulary has it."""
    text = tokenizer.decode([token]).strip()
    return text or tokenizer.convert_ids_to_tokens(token)
