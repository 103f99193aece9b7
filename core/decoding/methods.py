"""The ways of decoding, as values: what a command line or a page lets people choose from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.decoding.beam import Beam, beam_steps
from core.decoding.choosing import Greedy, Sampling
from core.decoding.forced import forced_steps
from core.decoding.step import DecodeOptions, DecodeStep, decode_steps
from core.model import Transformer


@dataclass(frozen=True, slots=True)
class Forced:
    """The true target, fed whatever the model says."""

    target: tuple[int, ...]
    """Ids without BOS and EOS; of a decoder alone what comes after the prompt."""


Method = Greedy | Sampling | Beam | Forced


def decode(
    model: Transformer,
    source: Sequence[int],
    method: Method,
    overrides: Mapping[int, int] | None = None,
    prompt: Sequence[int] = (),
    *,
    max_new_tokens: int | None = None,
) -> list[DecodeStep]:
    """Return all steps of decoding one source, or of going on from a prompt.

    A beam search gives the steps of its best hypothesis.

    Args:
        model: In evaluation mode.
        source: Ids with EOS; none for a decoder alone.
        method: How the next token is found.
        overrides: Step → id that is appended there whatever the model says; teacher forcing has
            none. A beam search goes on from the last of them.
        prompt: What the decoder is fed first; nothing for what the model always begins with.
        max_new_tokens: After how many tokens it stops; None for `length_limit`.

    Raises:
        ConfigError: The method's settings cannot be.
    """
    source_S = torch.tensor(source) if source else None
    fed = tuple(prompt) or model.config.begins
    if isinstance(method, Forced):
        return list(forced_steps(model, source_S, method.target, prompt=fed))
    options = DecodeOptions(overrides or {}, watch=False, max_new_tokens=max_new_tokens)
    written = _written(model, source_S, method, options, fed)
    # One pass over what was written gives the very steps that led there.
    return list(forced_steps(model, source_S, written, prompt=fed, ends=False))


def _written(
    model: Transformer,
    source_S: Tensor | None,
    method: Greedy | Sampling | Beam,
    options: DecodeOptions,
    prompt: tuple[int, ...],
) -> tuple[int, ...]:
    """Return what a model writes after a prompt, EOS included where it came."""
    if isinstance(method, Beam):
        return _best_of_beam(model, source_S, method, options, prompt)
    return tuple(step.chosen for step in decode_steps(model, source_S, options, prompt, method))


def _best_of_beam(
    model: Transformer,
    source_S: Tensor | None,
    method: Beam,
    options: DecodeOptions,
    prompt: tuple[int, ...],
) -> tuple[int, ...]:
    """Return the tokens of the best hypothesis, EOS included where it is finished."""

    def best(prefix: tuple[int, ...]) -> tuple[int, ...]:
        steps = beam_steps(model, source_S, method, prefix, prompt, options.max_new_tokens)
        found = list(steps)
        # There are no steps where the prefix reaches the limit.
        return found[-1].best.tokens if found else prefix

    tokens = best(())
    for step, token in sorted(options.overrides.items()):
        if step < len(tokens):
            beginning = (*tokens[:step], token)
            tokens = beginning if token in model.config.eos_ids else best(beginning)
    return tokens
