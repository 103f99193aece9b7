"""What each token of a source gives to a word, by the gradients of its log-probability.

A decoder alone has no source: there it is asked of what it was fed, the last of which writes the
word. B batch, S source length, D model width.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.batch import one_row, pad
from core.decoding.step import sayable
from core.heads import Site
from core.model import Record, Step, Transformer

SOURCE, FED = Site("encoder", 0, "embedding"), Site("decoder", 0, "embedding")


@dataclass(frozen=True, slots=True)
class Said:
    """A word that a model says, or might: the next one after a prefix."""

    source_ids: tuple[int, ...]
    """With EOS; none for a decoder alone."""
    fed_ids: tuple[int, ...]
    """What begins a target first; the last row writes the word."""
    token: int
    """The word's id."""

    @property
    def asked_ids(self) -> tuple[int, ...]:
        """The tokens that are asked what they have to do with the word."""
        return self.source_ids or self.fed_ids

    @property
    def embedding(self) -> Site:
        """Where their vectors come in."""
        return SOURCE if self.source_ids else FED


@dataclass(frozen=True, slots=True)
class Embedded:
    """A probe that puts other vectors in the place of some tokens'; positions stay."""

    tokens_BSD: Tensor
    embedding: Site
    """Of these tokens."""

    def sees(self, site: Site) -> bool:
        """The embedding."""
        return site == self.embedding

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Replace the tokens' vectors."""
        return self.tokens_BSD if step is Step.TOKENS else tensor


def log_probability_of_vectors(model: Transformer, said: Said) -> Callable[[Tensor], Tensor]:
    """Return a function from tokens_BSD to the word's log_probability_B after such a source."""
    source_1S, fed_1T = one_row(said.source_ids), pad([said.fed_ids])

    def log_probability_B(tokens_BSD: Tensor) -> Tensor:
        n = len(tokens_BSD)
        source_BS = None if source_1S is None else source_1S.expand(n, -1)
        logits_BTV = model(source_BS, fed_1T.expand(n, -1), Embedded(tokens_BSD, said.embedding))
        return sayable(logits_BTV[:, -1], model.config).log_softmax(dim=-1)[:, said.token]

    return log_probability_B


def token_vectors(model: Transformer, said: Said) -> Tensor:
    """Return tokens_1SD, what the model is given of the tokens asked beside the positions."""
    record = Record(frozenset({Step.TOKENS}), frozenset({said.embedding}))
    with torch.no_grad():
        model(one_row(said.source_ids), pad([said.fed_ids]), record)
    return record.tensors[said.embedding, Step.TOKENS].clone()


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
