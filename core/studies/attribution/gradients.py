"""What each token of a source gives to a word, by the gradients of its log-probability.

A decoder alone has no source: there the tokens that it was fed are asked; the last of them writes
the word. B batch, S source length, D model width, N pieces of the way from no source to the source.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...batch import one_row, pad
from ...decoding.step import mask_special_tokens
from ...heads import Site
from ...model import Record, Step, Transformer

SOURCE, FED = Site("encoder", 0, "embedding"), Site("decoder", 0, "embedding")
WITHIN = 0.01
"""The largest gap, as a share, between the sum of the scores and the difference."""
SMALLEST_DIFFERENCE = 0.1
"""In nats; a smaller difference is judged like this one, for hardly anything is to be shared."""
PIECES, GRADIENTS_PER_PIECE = 8, 4
MOST_ROUNDS = 50
"""A piece is halved less often than this. RMSNorm makes vectors of any length alike, so that next
to zero the log-probability bends within the first 1e-12 of the way."""
SHORTEST = 0.02
"""A piece of the way may miss its share of the allowed gap; a shorter one is judged like this."""
POSITIONS_AT_ONCE = 2**14


@dataclass(frozen=True, slots=True)
class Prediction:
    """A token and the prefix after which a model predicts it."""

    source_ids: tuple[int, ...]
    """With EOS; none for a decoder alone."""
    fed_ids: tuple[int, ...]
    """What begins a target first; the last row writes the word."""
    token: int

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


def log_probability_of_vectors(
    model: Transformer, target: Prediction
) -> Callable[[Tensor], Tensor]:
    """Return a function from tokens_BSD to the word's log_probability_B after such a source."""
    source_1S, fed_1T = one_row(target.source_ids), pad([target.fed_ids])

    def log_probability_B(tokens_BSD: Tensor) -> Tensor:
        n = len(tokens_BSD)
        source_BS = None if source_1S is None else source_1S.expand(n, -1)
        logits_BTV = model(source_BS, fed_1T.expand(n, -1), Embedded(tokens_BSD, target.embedding))
        return mask_special_tokens(logits_BTV[:, -1], model.config).log_softmax(dim=-1)[
            :, target.token
        ]

    return log_probability_B


def token_vectors(model: Transformer, target: Prediction) -> Tensor:
    """Return tokens_1SD, what the model is given of the tokens asked beside the positions."""
    record = Record(frozenset({Step.TOKENS}), frozenset({target.embedding}))
    with torch.no_grad():
        model(one_row(target.source_ids), pad([target.fed_ids]), record)
    return record.tensors[target.embedding, Step.TOKENS].clone()


@torch.enable_grad()
def gradient_times_input(model: Transformer, target: Prediction) -> NDArray[np.float64]:
    """Return scores_S: the gradient of the log-probability, times the token's vector.

    It is what the log-probability would lose without the token if it were a linear function.

    Source: Shrikumar et al., "Not Just a Black Box" (2016).
    """
    from captum.attr import InputXGradient  # Here, for it takes a second that few need.

    method = InputXGradient(log_probability_of_vectors(model, target))
    tokens_1SD = token_vectors(model, target).requires_grad_()
    scores_1SD = method.attribute(tokens_1SD)
    return scores_1SD[0].detach().double().sum(dim=-1).numpy()


@dataclass(frozen=True, slots=True, eq=False)
class IntegratedGradients:
    """Gradients averaged on the way from no source to the source, times the source."""

    scores_S: NDArray[np.float64]
    difference: float
    """What the scores should add up to: the log-probability of the word, less that after a source
    of nothing but zero vectors (and positions)."""

    @property
    def total(self) -> float:
        """What the scores add up to."""
        return float(self.scores_S.sum())


class _Way:
    """The straight way from zero vectors (0) to the source's (1)."""

    def __init__(self, model: Transformer, target: Prediction) -> None:
        from captum.attr import IntegratedGradients as Method  # Here, for it takes a second.

        self._log_probability_B = log_probability_of_vectors(model, target)
        self._tokens_1SD = token_vectors(model, target)
        self._method = Method(self._log_probability_B)

    def gained(self, pieces_N2: Tensor) -> Tensor:
        """Return gained_N, what the log-probability gains from a piece's beginning to its end."""
        with torch.no_grad():
            before_B, after_B = (self._log_probability_B(self._at(end)) for end in pieces_N2.T)
        return (after_B - before_B).double()

    def scores(self, pieces_N2: Tensor) -> Tensor:
        """Return scores_NS, what the gradients on each piece say that each token gives there."""
        begin_NSD, end_NSD = (self._at(end) for end in pieces_N2.T)
        at_once = max(len(pieces_N2), POSITIONS_AT_ONCE // self._tokens_1SD.shape[1])
        scores_NSD = self._method.attribute(
            end_NSD.requires_grad_(),
            baselines=begin_NSD,
            n_steps=GRADIENTS_PER_PIECE,
            internal_batch_size=at_once,
        )
        return scores_NSD.detach().double().sum(dim=-1)

    def _at(self, at_N: Tensor) -> Tensor:
        return at_N[:, None, None] * self._tokens_1SD


@torch.enable_grad()
def integrated_gradients(model: Transformer, target: Prediction) -> IntegratedGradients:
    """Return what each source token gives to a word's log-probability.

    On every piece of the way the scores should add up to what is gained there. Pieces on which
    they miss it are halved, so that most gradients are computed where the log-probability bends
    most, until all of them together come within 1 %.
    """
    way = _Way(model, target)
    difference = float(way.gained(torch.tensor([[0.0, 1.0]])))
    allowed = WITHIN * max(abs(difference), SMALLEST_DIFFERENCE)
    scores_S = torch.zeros(len(target.asked_ids), dtype=torch.float64)
    missed = 0.0
    ends_P = torch.linspace(0, 1, PIECES + 1)
    pieces_N2 = torch.stack([ends_P[:-1], ends_P[1:]], dim=1)
    for rounds_left in reversed(range(MOST_ROUNDS)):
        scores_NS = way.scores(pieces_N2)
        missed_N = (scores_NS.sum(dim=1) - way.gained(pieces_N2)).abs()
        length_N = pieces_N2[:, 1] - pieces_N2[:, 0]
        bent_N = missed_N > allowed * length_N.clamp_min(SHORTEST)
        if missed + float(missed_N.sum()) <= allowed or not rounds_left:
            bent_N[:] = False
        scores_S += scores_NS[~bent_N].sum(dim=0)
        missed += float(missed_N[~bent_N].sum())
        if not bent_N.any():
            break
        pieces_N2 = _halved(pieces_N2[bent_N])
    return IntegratedGradients(scores_S.numpy(), difference)


def _halved(pieces_N2: Tensor) -> Tensor:
    begin_N, end_N = pieces_N2.T
    middle_N = (begin_N + end_N) / 2
    first_N2, second_N2 = torch.stack([begin_N, middle_N], 1), torch.stack([middle_N, end_N], 1)
    return torch.cat([first_N2, second_N2])
