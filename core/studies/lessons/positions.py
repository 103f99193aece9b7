"""Positions: the sinusoidal table and what it can do, and what positions do in a trained run.

Settings that cannot be are refused with ConfigError, which says why.

P positions of a table, S source length, D model width, E pairs of dimensions. The table is computed
in float64.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...batch import pad
from ...config import require
from ...decoding.sentence import fitting_source
from ...heads import Site
from ...model import Record, Step, Transformer, Unplace, build
from ...model.positional import exact_sinusoids, timescales
from ...runs.run import Run
from ...tokenizer.tokenizer import Token
from ..cells import Table, cells

Array = NDArray[np.float64]
LONGEST, WIDEST = 512, 1024
"""The most positions and dimensions of a table."""
FARTHEST = 1_000_000
"""No position and no shift is farther from 0."""
ROUNDING = 1e-6
"""By so much a cosine may be below 1 where nothing but the order of additions differs."""


@dataclass(frozen=True, slots=True)
class Sinusoids:
    """A table of sinusoidal positions by its three settings."""

    d_model: int
    length: int
    base: float = 10000.0

    def __post_init__(self) -> None:
        require(
            self.d_model % 2 == 0,
            "d_model is {d_model}: sinusoids come in pairs, a sine and a cosine "
            "for each frequency, so the width must be even.",
            d_model=self.d_model,
        )

    def encodings(self) -> Array:
        """Return positions_PD.

        >>> Sinusoids(8, 3).encodings()[2].round(4).tolist()
        [0.9093, -0.4161, 0.1987, 0.9801, 0.02, 0.9998, 0.002, 1.0]
        """
        return self.at(np.arange(self.length))

    def table(self) -> Table:
        """Return a row for each position and dimension."""
        return cells("position", "dimension", {"value": self.encodings()})

    def at(self, positions: NDArray[np.integer]) -> Array:
        """Return positions_PD for any positions: the formula has no end."""
        return exact_sinusoids(torch.from_numpy(positions), self.d_model, self.base).numpy()

    def wavelengths(self) -> Array:
        """Return for each dimension after how many positions it comes round again."""
        return np.repeat(2 * np.pi * timescales(self.d_model, self.base).numpy(), 2)


@dataclass(frozen=True, slots=True, eq=False)
class Waves:
    """Some dimensions of a table along its positions."""

    dimensions: tuple[int, ...]
    values_DP: Array
    wavelengths: tuple[float, ...]
    """Of each dimension, in positions."""

    def table(self) -> Table:
        """Return a row for each dimension and position."""
        found = cells("dimension", "position", {"value": self.values_DP})
        rows = found["dimension"]
        return found | {
            "dimension": [self.dimensions[row] for row in rows],
            "wavelength": [self.wavelengths[row] for row in rows],
        }


def waves(sinusoids: Sinusoids, every: int, count: int = 4) -> Waves:
    """Return dimension 0 and each `every` dimensions further, up to `count` of them."""
    dimensions = tuple(range(0, sinusoids.d_model, every))[:count]
    lengths = sinusoids.wavelengths()
    return Waves(
        dimensions,
        sinusoids.encodings().T[list(dimensions)],
        tuple(float(lengths[at]) for at in dimensions),
    )


@dataclass(frozen=True, slots=True)
class ClosestRows:
    """The two positions of a table that are hardest to tell apart."""

    first: int
    second: int
    distance: float
    """Euclidean."""


def closest_rows(table_PD: Array) -> ClosestRows | None:
    """Return two rows with the smallest distance, of equal ones the first; None of a single row.

    >>> closest_rows(np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 4.5]]))
    ClosestRows(first=1, second=2, distance=0.5)
    """
    if len(table_PD) < 2:
        return None
    first_N, second_N = np.triu_indices(len(table_PD), k=1)
    products_PP = table_PD @ table_PD.T
    squares_P = products_PP.diagonal()
    squared_N = squares_P[first_N] + squares_P[second_N] - 2 * products_PP[first_N, second_N]
    # Neighbours of a table of sinusoids are equally far from each other, but for rounding.
    at = int((squared_N <= squared_N.min() + 1e-9 * max(1.0, float(squares_P.max()))).argmax())
    first, second = int(first_N[at]), int(second_N[at])
    # Of near ones the difference of squares is rounding.
    return ClosestRows(first, second, float(np.linalg.norm(table_PD[first] - table_PD[second])))


@dataclass(frozen=True, slots=True, eq=False)
class Rotation:
    """What takes every PE(pos) to PE(pos + k)."""

    matrix_DD: Array
    """Block-diagonal: one rotation by k / base^(2i / d_model) for each pair of dimensions."""
    before_D: Array
    """PE(pos)"""
    after_D: Array
    """M_k PE(pos)"""
    wanted_D: Array
    """PE(pos + k), from the formula"""
    error: float
    """Largest |M_k PE(p) − PE(p + k)| over all positions p of the table."""
    degrees_E: Array
    """By how much each pair of dimensions turns; below 0 for a shift to the left."""

    def table(self) -> Table:
        """Return a row for each dimension of the vectors."""
        return {
            "dimension": list(range(len(self.before_D))),
            "before": self.before_D.tolist(),
            "turned": self.after_D.tolist(),
            "by_formula": self.wanted_D.tolist(),
            "degrees": np.repeat(self.degrees_E, 2).tolist(),
        }


def rotation(sinusoids: Sinusoids, position: int, shift: int) -> Rotation:
    """Build M_k for a shift of k, and apply it to the whole table.

    sin(a + b) = cos(b) sin(a) + sin(b) cos(a); cos(a + b) = −sin(b) sin(a) + cos(b) cos(a).
    """
    angle_E = shift / timescales(sinusoids.d_model, sinusoids.base).numpy()
    sine = np.arange(0, sinusoids.d_model, 2)
    matrix_DD = np.zeros((sinusoids.d_model, sinusoids.d_model))
    matrix_DD[sine, sine] = matrix_DD[sine + 1, sine + 1] = np.cos(angle_E)
    matrix_DD[sine, sine + 1] = np.sin(angle_E)
    matrix_DD[sine + 1, sine] = -np.sin(angle_E)
    table_PD = sinusoids.encodings()
    rotated_PD = table_PD @ matrix_DD.T
    places_P = np.arange(sinusoids.length) + shift
    wanted_PD = sinusoids.at(places_P)
    return Rotation(
        matrix_DD=matrix_DD,
        before_D=table_PD[position],
        after_D=rotated_PD[position],
        wanted_D=wanted_PD[position],
        error=float(np.abs(rotated_PD - wanted_PD).max()),
        degrees_E=np.degrees(angle_E),
    )


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

    def table(self) -> Table:
        """Return a row for each token."""
        return {
            "token": [token.text for token in self.tokens],
            "plain": self.plain_S.tolist(),
            "scaled": self.scaled_S.tolist(),
            "position": self.positions_S.tolist(),
        }


def norms(run: Run, sentence: str) -> Norms:
    """Measure the two summands of every token of a sentence."""
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
    with_positions_S: Array
    """The cosine of each token's two outputs, with positions."""
    without_positions_S: Array
    """The same without positions."""

    @property
    def notices_with(self) -> bool:
        """Whether an output changes with positions, by more than rounding."""
        return bool(self.with_positions_S.min() < 1 - ROUNDING)

    @property
    def notices_without(self) -> bool:
        """Whether an output changes without positions, by more than rounding."""
        return bool(self.without_positions_S.min() < 1 - ROUNDING)

    def table(self) -> Table:
        """Return a row for each token."""
        return {
            "token": [token.text for token in self.tokens],
            "shuffled_place": np.argsort(self.order_S).tolist(),
            "without_positions": self.without_positions_S.tolist(),
            "with_positions": self.with_positions_S.tolist(),
        }


def shuffled(run: Run, sentence: str, seed: int | None) -> Shuffled | None:
    """Encode a sentence and the same words in another order, with and without positions.

    Tokens of one word stay together, and EOS stays last.

    Args:
        run: A loaded run.
        sentence: As typed.
        seed: Of the order; None for the sentence's own.

    Returns:
        None where there is only one word.
    """
    source_ids, _ = fitting_source(run, sentence)
    tokens = run.tokenizer.describe(source_ids)
    order_S = shuffled_order([token.word for token in tokens], seed or 0)
    if order_S is None:
        return None
    if seed is None:
        order_S = tuple(range(len(tokens)))
    shuffled_ids = [source_ids[place] for place in order_S]
    cosines = []
    for probe in (None, Unplace()):
        with torch.inference_mode():
            one_SD = run.model.encode(pad([source_ids]), probe)[0].double()
            other_SD = run.model.encode(pad([shuffled_ids]), probe)[0].double()
        here_SD = other_SD[np.argsort(order_S)]
        cosine_S = torch.nn.functional.cosine_similarity(one_SD, here_SD, dim=-1)
        cosines.append(cosine_S.numpy())
    return Shuffled(tokens, order_S, cosines[0], cosines[1])


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


def learned(run: Run, length: int) -> Learned:
    """Return the first positions of a run that learned them: of its encoder where it has one."""
    config = run.settings.model
    if config.positions != "learned":
        raise ValueError(f"{run.name} has {config.positions} positions, not learned ones")
    table_PD = _table(run.model)
    began_PD = _table(build(config, run.settings.training.seed))
    # Runs that are given away are written in half precision.
    untouched_P = (table_PD == began_PD).all(dim=1) | (table_PD == began_PD.half()).all(dim=1)
    return Learned(
        table_PD=table_PD[:length].double().numpy(),
        untouched_P=untouched_P.numpy(),
    )


@dataclass(frozen=True, slots=True, eq=False)
class LearnedBeside:
    """Learned positions beside sinusoids of the same width, and what looks like one of them."""

    learned: Learned
    cosines: Mapping[str, tuple[float, ...]]
    """"learned", and "sinusoids" where there are any of that width → the cosine of each position
    with the chosen one."""

    def table(self) -> Table:
        """Return a row for each position."""
        n = len(self.cosines["learned"])
        return {"position": list(range(n))} | {
            name: list(values) for name, values in self.cosines.items()
        }


def learned_beside(run: Run, length: int, position: int) -> LearnedBeside:
    """Compare a run's learned positions with sinusoids; see `learned`."""
    found = learned(run, length)
    tables, d_model = {"learned": found.table_PD}, run.settings.model.d_model
    if d_model % 2 == 0 and d_model <= WIDEST:
        tables["sinusoids"] = Sinusoids(d_model, length).encodings()
    alike = {name: tuple(cosines(each, position).tolist()) for name, each in tables.items()}
    return LearnedBeside(found, alike)


def _table(model: Transformer) -> Tensor:
    both = "encoder" in model.config.stacks
    embedding = model.source_embedding if both else model.target_embedding
    return embedding.table.detach()


def cosines(table_PD: Array, position: int) -> Array:
    """Return the dot product of a position with every other, all vectors brought to length 1."""
    unit_PD = table_PD / np.linalg.norm(table_PD, axis=1, keepdims=True)
    cosines_P: Array = unit_PD @ unit_PD[position]
    return cosines_P
