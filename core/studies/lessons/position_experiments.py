"""What positions do in a trained run: how large they are, what they cost to lose, what was learned.

P positions of a table, S source length, D model width.
"""

import random
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.batch import pad
from core.decoding.sentence import fitting_source
from core.heads import Site
from core.model import Record, Step, Transformer, Unplace, build
from core.runs.run import Run
from core.tokenizer import Token

Array = NDArray[np.float64]
ROUNDING = 1e-6
"""By so much a cosine may be below 1 where nothing but the order of additions differs."""


@dataclass(frozen=True, slots=True, eq=False)
class Norms:
    """The lengths of the vectors that the encoder's embedding adds up."""

    tokens: tuple[Token, ...]
    plain_S: Array
    """Of the token's vector."""
    scaled_S: Array
    """Of the token's vector times √d_model."""
    positions_S: Array
    """Of the position's vector."""

    @property
    def means(self) -> tuple[float, float, float]:
        """Over the sentence: plain, scaled, positions."""
        plain, scaled, positions = (
            float(norms_S.mean()) for norms_S in (self.plain_S, self.scaled_S, self.positions_S)
        )
        return plain, scaled, positions

    @property
    def ratios(self) -> tuple[float, float]:
        """How many times as long as the token's vector the position's is: plain, scaled."""
        plain, scaled, positions = self.means
        return positions / plain, positions / scaled


def norms(run: Run, sentence: str) -> Norms:
    """Measure the two summands of every token of a sentence.

    Raises:
        SentenceError: There is no text.
    """
    source_ids, _ = fitting_source(run, sentence)
    record = Record(frozenset({Step.TOKENS, Step.POSITIONS}))
    with torch.inference_mode():
        run.model.encode(pad([source_ids]), record)
    site = Site("encoder", 0, "embedding")
    scaled_S = record.tensors[site, Step.TOKENS][0].double().norm(dim=-1).numpy()
    return Norms(
        tokens=run.tokenizer.describe(source_ids),
        plain_S=scaled_S / run.model.source_embedding.scale,
        scaled_S=scaled_S,
        positions_S=record.tensors[site, Step.POSITIONS].double().norm(dim=-1).numpy(),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Shuffled:
    """A sentence in another order, and what the encoder makes of both orders."""

    tokens: tuple[Token, ...]
    """In the order of the sentence, EOS last."""
    order_S: tuple[int, ...]
    """Which token of the sentence stands at each place of the shuffled one."""
    cosines_with_SS: Array
    """Outputs of the sentence (rows) and of the shuffled one (columns), with positions."""
    cosines_without_SS: Array
    difference_with: float
    """Largest |difference| of two outputs of the same token, with positions."""
    difference_without: float

    @property
    def with_positions_S(self) -> Array:
        """The cosine of each token's two outputs, with positions."""
        return self.cosines_with_SS[np.arange(len(self.order_S)), np.argsort(self.order_S)]

    @property
    def without_positions_S(self) -> Array:
        """The cosine of each token's two outputs, without positions."""
        return self.cosines_without_SS[np.arange(len(self.order_S)), np.argsort(self.order_S)]

    @property
    def notices_with(self) -> bool:
        """Whether an output changes with positions, by more than rounding."""
        return bool(self.with_positions_S.min() < 1 - ROUNDING)

    @property
    def notices_without(self) -> bool:
        """Whether an output changes without positions, by more than rounding."""
        return bool(self.without_positions_S.min() < 1 - ROUNDING)


def shuffled(run: Run, sentence: str, seed: int) -> Shuffled | None:
    """Encode a sentence and the same words in another order, with and without positions.

    Tokens of one word stay together, and EOS stays last.

    Returns:
        None where there is only one word.

    Raises:
        SentenceError: There is no text.
    """
    source_ids, _ = fitting_source(run, sentence)
    tokens = run.tokenizer.describe(source_ids)
    order_S = shuffled_order([token.word for token in tokens], seed)
    if order_S is None:
        return None
    shuffled_ids = [source_ids[place] for place in order_S]
    cosines, differences = [], []
    for probe in (None, Unplace()):
        with torch.inference_mode():
            one_SD = run.model.encode(pad([source_ids]), probe)[0].double()
            other_SD = run.model.encode(pad([shuffled_ids]), probe)[0].double()
        unit = torch.nn.functional.normalize
        cosines.append((unit(one_SD) @ unit(other_SD).T).numpy())
        differences.append(float((one_SD[list(order_S)] - other_SD).abs().max()))
    return Shuffled(tokens, order_S, cosines[0], cosines[1], differences[0], differences[1])


def shuffled_order(words: list[int], seed: int) -> tuple[int, ...] | None:
    """Return another order of a sentence's tokens: word by word, and the last one where it is.

    Args:
        words: Which word each token belongs to; the last token is EOS.
        seed: The same seed gives the same order.

    Returns:
        Token by token, where it stood; None where there is only one word.

    >>> shuffled_order([0, 1, 1, 2, 3], seed=0)
    (0, 3, 1, 2, 4)
    """
    *before, end = range(len(words))
    groups: dict[int, list[int]] = {}
    for place in before:
        groups.setdefault(words[place], []).append(place)
    original = list(groups.values())
    if len(original) < 2:
        return None
    mixed, rng = list(original), random.Random(seed)
    while mixed == original:
        rng.shuffle(mixed)
    return (*(place for group in mixed for place in group), end)


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """The encoder's learned positions, as far as they are looked at."""

    table_PD: Array
    norms_P: Array
    """Of all positions of the model, not only those looked at."""
    untouched_P: NDArray[np.bool_]
    """True where a position of the model still has the numbers that it began with."""

    @property
    def trained(self) -> int | None:
        """The number of positions at the beginning that training changed; None where unknown.

        Known only where the beginning can be made again from the seed: then what training never
        reached shows by not having moved.
        """
        if not self.untouched_P.any():
            return None
        return int(self.untouched_P.argmax())

    @property
    def mean_norm_trained(self) -> float | None:
        """Of the positions that training changed; None where it changed none."""
        if self.untouched_P.all():
            return None
        return float(self.norms_P[~self.untouched_P].mean())

    @property
    def mean_norm_untouched(self) -> float:
        """Of the others; there must be some."""
        return float(self.norms_P[self.untouched_P].mean())


def learned(run: Run, length: int) -> Learned:
    """Return the first positions of a run that learned them: of its encoder where it has one.

    Raises:
        ValueError: The run has sinusoids.
    """
    config = run.settings.model
    if config.positions != "learned":
        raise ValueError(f"{run.name} has {config.positions} positions, not learned ones")
    table_PD = _table(run.model)
    began_PD = _table(build(config, run.settings.training.seed))
    # Runs that are given away are written in half precision.
    untouched_P = (table_PD == began_PD).all(dim=1) | (table_PD == began_PD.half()).all(dim=1)
    return Learned(
        table_PD=table_PD[:length].double().numpy(),
        norms_P=table_PD.double().norm(dim=1).numpy(),
        untouched_P=untouched_P.numpy(),
    )


def _table(model: Transformer) -> Tensor:
    both = "encoder" in model.config.stacks
    embedding = model.source_embedding if both else model.target_embedding
    return embedding.table.detach()


def cosines(table_PD: Array, position: int) -> Array:
    """Return the dot product of a position with every other, all vectors brought to length 1."""
    unit_PD = table_PD / np.linalg.norm(table_PD, axis=1, keepdims=True)
    cosines_P: Array = unit_PD @ unit_PD[position]
    return cosines_P
