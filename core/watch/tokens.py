"""Which tokens the rows and the columns of an attention map stand for.

A model is called with tokens, its attentions with vectors. A module's tokens are those of the
innermost module around it that was called with any.

B batch, T tokens of a sequence.
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import Tensor, nn

Text = Callable[[Tensor], list[str]]
"""Writes ids_T as one text for each token."""
_NO_TOKENS = re.compile("mask|position|type|label|segment")
"""Names of arguments that hold integers of the same shape."""


@dataclass(eq=False)
class Pass:
    """One call of the outermost module: a forward pass, or a step of `generate`."""

    number: int
    first: int = 0
    """Position of its first token: those before it are in the cache."""
    tokens: dict[str, list[Tensor]] = field(default_factory=dict)
    """Module → the ids_BT that it was called with, those of the source first."""


class Map(Protocol):
    """What the tokens of a map depend on; see `Call`."""

    @property
    def of_pass(self) -> Pass: ...
    @property
    def within(self) -> tuple[str, ...]: ...
    @property
    def crosses(self) -> bool: ...
    @property
    def is_causal(self) -> bool: ...
    @property
    def n_queries(self) -> int: ...
    @property
    def n_keys(self) -> int: ...


def token_arguments(
    module: nn.Module, args: Sequence[object], kwargs: Mapping[str, object]
) -> list[Tensor]:
    """Return the ids_BT among a module's arguments, in the order of its parameters."""
    if not any(_may_be_tokens(value) for value in (*args, *kwargs.values())):
        return []
    parameters = list(inspect.signature(module.forward).parameters)
    named = {**dict(zip(parameters, args, strict=False)), **kwargs}
    order = {name: place for place, name in enumerate(parameters)}
    return [
        value
        for name, value in sorted(named.items(), key=lambda item: order.get(item[0], len(order)))
        if isinstance(value, Tensor) and _may_be_tokens(value) and not _NO_TOKENS.search(name)
    ]


def _may_be_tokens(value: object) -> bool:
    integers = (torch.int64, torch.int32)
    return isinstance(value, Tensor) and value.dim() == 2 and value.dtype in integers


def rows_of(map_: Map, passes: Sequence[Pass]) -> Tensor | None:
    """Return the ids_BT of a map's queries, or None where they are unknown."""
    return next(iter(_rows(map_, passes).values()), None)


def columns_of(map_: Map, passes: Sequence[Pass]) -> Tensor | None:
    """Return the ids_BT of a map's keys, or None where they are unknown."""
    rows = _rows(map_, passes)
    if not map_.crosses:
        return next((ids_BT for ids_BT in rows.values() if ids_BT.shape[1] == map_.n_keys), None)
    for of_pass in reversed(passes[: map_.of_pass.number + 1]):
        # The encoder is not around the decoder's attention; a model called with both sequences is.
        for module in sorted(of_pass.tokens, key=lambda name: name in map_.within):
            for index in range(len(of_pass.tokens[module])):
                ids_BT = _sequence(module, index, passes[: of_pass.number + 1])
                if (module, index) not in rows and ids_BT.shape[1] == map_.n_keys:
                    return ids_BT
    return None


def _rows(map_: Map, passes: Sequence[Pass]) -> dict[tuple[str, int], Tensor]:
    """Return the ids_BT of a map's queries under the module and the number of its argument."""
    for module in reversed(map_.within):
        fitting = {
            (module, index): ids_BT
            for index in range(len(map_.of_pass.tokens.get(module, ())))
            for ids_BT in [_sequence(module, index, passes[: map_.of_pass.number + 1])]
            if ids_BT.shape[1] == map_.n_queries
        }
        if fitting:
            # Of two sequences of the same length the decoder has the second one.
            of_decoder = map_.crosses or (len(fitting) > 1 and map_.is_causal)
            return dict([list(fitting.items())[-1 if of_decoder else 0]])
    return {}


def _sequence(module: str, index: int, passes: Sequence[Pass]) -> Tensor:
    """Return the ids_BT of a module's argument in the last of the passes, with those cached."""
    parts: list[Tensor] = []
    for each in reversed(passes):
        if len(each.tokens.get(module, ())) > index:
            parts.append(each.tokens[module][index])
            if each.first == 0:
                break
    return torch.cat(parts[::-1], dim=1)


def writer(tokenizer: Any) -> Text:
    """Return a function that writes tokens.

    Args:
        tokenizer: Of `transformers`, a function from an id to its text, or None for numbers.
    """
    if hasattr(tokenizer, "convert_ids_to_tokens"):
        return lambda ids_T: [_written(tokenizer, int(i)) for i in ids_T]
    return lambda ids_T: [(tokenizer or str)(int(i)) for i in ids_T]


def _written(tokenizer: Any, token: int) -> str:
    """Return a token as it reads; without letters, as the vocabulary has it."""
    text = tokenizer.decode([token]).strip()
    return text or str(tokenizer.convert_ids_to_tokens(token))
