"""One step of gradient descent on one sentence and its true translation.

T positions of the decoder that have a true next token, R learning rates.
"""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ...batch import one_row
from ...decoding.sentence import Translation, target_as_translation
from ...heads import Site
from ...model import Transformer
from ...runs.run import Run
from ..cells import Table, cells, stacked

RATES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3)
"""Learning rates: from far too small to too large for any of the gallery's models."""


@dataclass(frozen=True, slots=True)
class BlockGradient:
    """The gradient of all parameters of one block."""

    site: Site | None
    """A sublayer with its norm, or an embedding; None for the output, where it has weights of its
    own."""
    gradient_norm: float
    weight_norm: float

    @property
    def relative(self) -> float:
        """The gradient's norm divided by that of the weights."""
        return self.gradient_norm / self.weight_norm


@dataclass(frozen=True, slots=True, eq=False)
class GradientStep:
    """Loss and gradient on one pair, and the loss after an update at several learning rates.

    The loss is the mean of −ln p over the true tokens, without dropout and label smoothing. The
    update is θ ← θ − η·g for all parameters θ at once.
    """

    tokens: tuple[str, ...]
    """The true next token of each position."""
    first: int
    """The position that predicts the first of them; positions before it belong to a prompt."""
    log_probabilities_T: NDArray[np.float64]
    blocks: tuple[BlockGradient, ...]
    """Those with parameters, in the order of the data; a shared matrix counts where it is first."""
    rates: tuple[float, ...]
    updated_RT: NDArray[np.float64]
    """The log-probabilities after an update at each rate."""

    @property
    def probabilities_T(self) -> NDArray[np.float64]:
        """Of the true tokens, before the update."""
        return np.exp(self.log_probabilities_T)

    @property
    def updated_probabilities_RT(self) -> NDArray[np.float64]:
        """Of the true tokens, after an update at each rate."""
        return np.exp(self.updated_RT)

    @property
    def loss(self) -> float:
        """Mean loss before the update, in nats."""
        return -float(self.log_probabilities_T.mean())

    @property
    def updated_losses(self) -> tuple[float, ...]:
        """Mean loss after an update at each rate, in nats."""
        return tuple((-self.updated_RT.mean(axis=1)).tolist())

    def table(self) -> Table:
        """Return a row for each position, for each block, and for each position at each rate."""
        positions: Table = {
            "position": [self.first + at for at in range(len(self.tokens))],
            "true_token": list(self.tokens),
            "probability": self.probabilities_T.tolist(),
            "loss": (-self.log_probabilities_T).tolist(),
        }
        blocks: Table = {
            "block": [str(each.site or "output") for each in self.blocks],
            "gradient_norm": [each.gradient_norm for each in self.blocks],
            "weight_norm": [each.weight_norm for each in self.blocks],
        }
        after = {"probability_after": self.updated_probabilities_RT}
        updated = cells("rate", "position", after)
        updated["rate"] = [self.rates[at] for at in updated["rate"]]
        updated["position"] = [self.first + at for at in updated["position"]]
        return stacked(positions, blocks, updated)


def gradient_step(
    run: Run, sentence: str, target: str, rates: Sequence[float] = RATES
) -> GradientStep:
    """Take one step of gradient descent on a pair at each of several rates, in a copied model.

    Raises:
        SentenceError: There is no text.
    """
    translation = target_as_translation(run, sentence, target)
    # All sessions share the run's model.
    model = copy.deepcopy(run.model).requires_grad_(True)
    log_probabilities_T = _log_probabilities(model, translation)
    (-log_probabilities_T.mean()).backward()
    first = translation.n_given
    described = run.target_tokenizer.describe(
        (*translation.fed_ids[: 1 + first], *translation.written_ids)
    )
    return GradientStep(
        tokens=tuple(token.text for token in described[1 + first :]),
        first=first,
        log_probabilities_T=log_probabilities_T.detach().numpy(),
        blocks=tuple(_blocks(model)),
        rates=tuple(rates),
        updated_RT=np.stack([each.numpy() for each in _updated(model, translation, rates)]),
    )


def _log_probabilities(model: Transformer, translation: Translation) -> Tensor:
    """Return the log-probabilities of the true next tokens, log_probabilities_T."""
    source_1S, fed_1T = one_row(translation.source_ids), one_row(translation.fed_ids)
    labels_T = torch.tensor(translation.written_ids)
    logits_TV = model(source_1S, fed_1T)[0, translation.n_given :][: len(labels_T)]
    return logits_TV.double().log_softmax(dim=-1).gather(1, labels_T[:, None])[:, 0]


@torch.no_grad()
def _updated(
    model: Transformer, translation: Translation, rates: Sequence[float]
) -> Iterator[Tensor]:
    """Yield the log-probabilities after an update at each rate, each from the same weights."""
    learned = [(each, each.clone(), each.grad) for each in model.parameters()]
    for rate in rates:
        for parameter, before, gradient in learned:
            if gradient is not None:
                parameter.copy_(before - rate * gradient)
        yield _log_probabilities(model, translation)


def _blocks(model: Transformer) -> Iterator[BlockGradient]:
    """Yield the gradient of each block with parameters, after a backward pass."""
    counted: set[nn.Parameter] = set()
    for site, modules in _modules(model):
        each_once = dict.fromkeys(each for module in modules for each in module.parameters())
        own = [each for each in each_once if each not in counted]
        counted.update(own)
        if own:
            gradients = [each.grad for each in own if each.grad is not None]
            yield BlockGradient(site, _norm(gradients), _norm(own))


def _modules(model: Transformer) -> Iterator[tuple[Site | None, tuple[nn.Module, ...]]]:
    """Yield each block with its modules; a stack's final norm counts with its last sublayer."""
    for stack in model.config.stacks:
        yield Site(stack, 0, "embedding"), (model.embedding(stack),)
        blocks = [
            block
            for layer in model.layers()
            for block in layer.blocks()
            if block[1].site.stack == stack
        ]
        for sublayer, residual in blocks:
            is_last = residual is blocks[-1][1]
            final = (model.final_norm(stack),) if is_last else ()
            yield residual.site, (cast(nn.Module, sublayer), residual, *final)
    yield None, (model,)


def _norm(tensors: Sequence[Tensor]) -> float:
    """Return the Euclidean norm of all numbers of some tensors together."""
    return float(sum(each.detach().double().pow(2).sum() for each in tensors)) ** 0.5
