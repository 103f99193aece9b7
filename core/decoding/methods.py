"""The ways of decoding, as values: what a command line or a page lets people choose from."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.decoding.beam import beam_steps
from core.decoding.forced import forced_steps
from core.decoding.greedy import greedy_steps
from core.decoding.sampling import Sampling, sampled_steps
from core.decoding.step import DecodeStep
from core.model import Transformer
from core.tokenizer import EOS


@dataclass(frozen=True, slots=True)
class Greedy:
    """Always the most probable token."""


@dataclass(frozen=True, slots=True)
class Beam:
    """The best of several prefixes that are kept side by side."""

    beam: int
    alpha: float = 0.6
    """Exponent of the length penalty."""


@dataclass(frozen=True, slots=True)
class Forced:
    """The true target, fed whatever the model says."""

    target: tuple[int, ...]
    """Ids without BOS and EOS."""


Method = Greedy | Sampling | Beam | Forced


def decode(model: Transformer, source: Sequence[int], method: Method) -> list[DecodeStep]:
    """Return all steps of decoding one source.

    A beam search gives the steps of its best hypothesis.

    Args:
        model: In evaluation mode.
        source: Ids with EOS.
        method: How the next token is found.

    Raises:
        ConfigError: The method's settings cannot be.
    """
    source_S = torch.tensor(source)
    match method:
        case Greedy():
            return list(greedy_steps(model, source_S))
        case Sampling():
            return list(sampled_steps(model, source_S, method))
        case Beam():
            return _best_of_beam(model, source_S, method)
        case Forced():
            return list(forced_steps(model, source_S, method.target))


def _best_of_beam(model: Transformer, source_S: Tensor, method: Beam) -> list[DecodeStep]:
    *_, final = beam_steps(model, source_S, method.beam, method.alpha)
    tokens = final.kept[0].tokens
    # One pass over what was found gives the very steps that led there.
    words = [token for token in tokens if token != EOS]
    return list(forced_steps(model, source_S, words))[: len(tokens)]
