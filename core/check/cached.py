"""How a model reads a text step by step and keeps keys and values, as when it generates.

T positions of a target.
"""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from torch import nn

from ..model import Cache, Transformer
from ..model.masks import padding_mask
from .inputs import POSITIONS, Inputs

CACHES = ("cache", "past_key_values")
"""What `transformers` calls a cache, since version 5.24 and before: an argument, and a result."""
N_STEPS = 3
"""Tokens that are read one by one."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a decoder: new tokens after those in its cache."""

    first: int
    """Position of the first new token."""
    length: int
    """Number of new tokens."""
    run: Callable[[], object]


def steps_with_cache(model: nn.Module, inputs: Inputs) -> Iterator[Step]:
    """Yield the steps of reading a text; each is run before the next one is taken.

    Only a model of this project or of the interface of Hugging Face has more than one step.
    """
    length = inputs.lengths["target"]
    starts = [0, *range(length - N_STEPS, length)]
    parts = list(zip(starts, [*starts[1:], length], strict=True))
    if isinstance(model, Transformer):
        yield from _own_steps(model, inputs, parts)
        return
    names = inspect.signature(model.forward).parameters
    for cache in [name for name in CACHES if name in names and "use_cache" in names][:1]:
        yield from _hugging_face_steps(model, inputs, parts, cache)


def _own_steps(model: Transformer, inputs: Inputs, parts: list[tuple[int, int]]) -> Iterator[Step]:
    cache = Cache()
    source_BS, memory_BSD, visible_B1S = inputs.arguments.get("source_BS"), None, None
    if source_BS is not None:
        memory_BSD = model.encode(source_BS)
        visible_B1S = padding_mask(source_BS, model.config.pad_id)
    for first, end in parts:
        new_BT = inputs.tokens("target")[:, first:end]
        run = partial(
            model.decode, new_BT, memory_BSD, visible_B1S, cache=cache, source_BS=source_BS
        )
        yield Step(first, end - first, run)


def _hugging_face_steps(
    model: nn.Module, inputs: Inputs, parts: list[tuple[int, int]], cache: str
) -> Iterator[Step]:
    kept: dict[str, Any] = {}
    mask = inputs.padding_masks.get("target")
    for first, end in parts:
        new = inputs.cut("target", first, end - first)
        arguments = {**new.arguments, "use_cache": True, **kept}
        # The model is to count them itself.
        arguments.pop(POSITIONS, None)
        if mask:
            # It covers what is in the cache, too.
            arguments[mask] = inputs.arguments[mask][:, :end]
        results: list[Any] = []
        run = partial(_run, replace(new, arguments=arguments), model, results)
        yield Step(first, end - first, run)
        past = getattr(results[0], cache, None)
        if past is None:
            return
        kept[cache] = past
        if "source" in inputs.lengths:
            kept["encoder_outputs"] = (results[0].encoder_last_hidden_state,)


def _run(inputs: Inputs, model: nn.Module, results: list[Any]) -> None:
    results.append(inputs(model))
