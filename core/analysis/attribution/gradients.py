"""What each source token gives to a word, by the gradients of its log-probability.

B batch, S source length, D model width.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.batch import pad
from core.decoding.step import sayable
from core.heads import Site
from core.model import Record, Step, Transformer

SOURCE = Site("encoder", 0, "embedding")


@dataclass(frozen=True, slots=True)
class Said:
    """A word that a model says, or might: the next one after a prefix."""

    source_ids: tuple[int, ...]
    """With EOS."""
    fed_ids: tuple[int, ...]
    """BOS first; the last row writes the word."""
    token: int
    """The word's id."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """A probe that puts other vectors in the place of the source tokens'; positions stay."""

    tokens_BSD: Tensor

    def sees(self, site: Site) -> bool:
        """The source's embedding."""
        return site == SOURCE

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Replace the tokens' vectors."""
        return self.tokens_BSD if step is Step.TOKENS else tensor


def log_probability_of_vectors(model: Transformer, said: Said) -> Callable[[Tensor], Tensor]:
    """Return a function from tokens_BSD to the word's log_probability_B after such a source."""
    source_1S, fed_1T = pad([said.source_ids]), pad([said.fed_ids])

    def log_probability_B(tokens_BSD: Tensor) -> Tensor:
        n = len(tokens_BSD)
        logits_BTV = model(source_1S.expand(n, -1), fed_1T.expand(n, -1), Embedded(tokens_BSD))
        return sayable(logits_BTV[:, -1], model.config).log_softmax(dim=-1)[:, said.token]

    return log_probability_B


def token_vectors(model: Transformer, said: Said) -> Tensor:
    """Return tokens_1SD, what the encoder is given of the source beside the positions."""
    record = Record(frozenset({Step.TOKENS}), frozenset({SOURCE}))
    with torch.no_grad():
        model.encode(pad([said.source_ids]), record)
    return record.tensors[SOURCE, Step.TOKENS].clone()


@torch.enable_grad()
def gradient_times_input(model: Transformer, said: Said) -> NDArray[np.float64]:
    """Return scores_S: the gradient of the log-probability, times the token's vector.

    It is what the log-probability would lose without the token if it were a linear function.

    Source: Shrikumar et al., "Not Just a Black Box" (2016).
    """
    from captum.attr import InputXGradient  # Here, for it takes a second that few need.

    method = InputXGradient(log_probability_of_vectors(model, said))
    tokens_1SD = token_vectors(model, said).requires_grad_()
    scores_1SD = method.attribute(tokens_1SD)
    return scores_1SD[0].detach().double().sum(dim=-1).numpy()
