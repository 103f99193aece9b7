"""What can be computed about sinusoidal positions: the table, its waves, its numbers.

P positions of a table, D model width. All of it in float64.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from core.config import require
from core.model.positional import exact_sinusoids, timescales

Array = NDArray[np.float64]
LONGEST, WIDEST = 512, 1024
"""A table has at most so many positions, and so many dimensions."""
FARTHEST = 1_000_000
"""No position and no shift is farther from 0."""

CHECK_WIDTH, CHECK_POSITION = 8, 2
CHECK_PRINTED = ("0.9093", "−0.4161", "0.1987", "0.9801", "0.0200", "0.9998", "0.0020", "0.999998")
"""PE(2) for d_model 8 in textbooks, rounded."""


@dataclass(frozen=True, slots=True)
class Sinusoids:
    """A table of sinusoidal positions by its three settings.

    Raises:
        ConfigError: A setting cannot be; the message says why.
    """

    d_model: int
    length: int
    base: float = 10000.0

    def __post_init__(self) -> None:
        require(
            self.d_model >= 2, "d_model is {d_model}: the smallest width is 2", d_model=self.d_model
        )
        require(
            self.d_model % 2 == 0,
            "d_model is {d_model}: sinusoids come in pairs, a sine and a cosine "
            "for each frequency, so the width must be even.",
            d_model=self.d_model,
        )
        require(
            self.d_model <= WIDEST,
            "d_model is {d_model}: at most {widest} here",
            d_model=self.d_model,
            widest=WIDEST,
        )
        require_length(self.length)
        require(
            math.isfinite(self.base) and self.base >= 1,
            "base is {base}: not 1 or more",
            base=self.base,
        )

    def table(self) -> Array:
        """Return positions_PD."""
        return self.at(np.arange(self.length))

    def at(self, positions: NDArray[np.integer]) -> Array:
        """Return positions_PD for any positions: the formula has no end."""
        return exact_sinusoids(torch.from_numpy(positions), self.d_model, self.base).numpy()

    def wavelengths(self) -> Array:
        """Return for each dimension after how many positions it comes round again."""
        return np.repeat(2 * np.pi * timescales(self.d_model, self.base).numpy(), 2)


def chosen_dimensions(d_model: int, first: int, every: int, count: int) -> list[int]:
    """Return up to `count` dimensions from `first` on, as far as the width goes.

    Raises:
        ConfigError: There is no such dimension, or nothing is chosen.

    >>> chosen_dimensions(20, 0, 8, 4)
    [0, 8, 16]
    """
    require(
        0 <= first < d_model,
        "first dimension is {first}: d_model {d_model} has 0 to {value}",
        first=first,
        d_model=d_model,
        value=d_model - 1,
    )
    require(every >= 1, "every is {every}: at least 1", every=every)
    require(1 <= count <= 8, "curves is {count}: from 1 to 8", count=count)
    return list(range(first, d_model, every))[:count]


def require_length(length: int) -> None:
    """Make sure that a table can have so many positions.

    Raises:
        ConfigError: It cannot.
    """
    require(length >= 1, "length is {length}: a table has at least 1 position", length=length)
    require(
        length <= LONGEST,
        "length is {length}: at most {longest} here",
        length=length,
        longest=LONGEST,
    )


def require_position(position: int, length: int) -> None:
    """Make sure that a position stands in the table.

    Raises:
        ConfigError: It does not.
    """
    require(
        0 <= position < length,
        "position is {position}: a table of length {length} has 0 to {value}",
        position=position,
        length=length,
        value=length - 1,
    )


@dataclass(frozen=True, slots=True)
class Dimension:
    """One number of a position's vector, and where it comes from."""

    index: int
    function: Literal["sin", "cos"]
    wavelength: float
    angle: float
    """In radians."""
    value: float


def dimensions(sinusoids: Sinusoids, position: int) -> list[Dimension]:
    """Compute PE(pos) dimension by dimension; the position may be beyond the table.

    Raises:
        ConfigError: The position is below 0 or too far.
    """
    require(
        0 <= position <= FARTHEST,
        "position is {position}: from 0 to {farthest}",
        position=position,
        farthest=FARTHEST,
    )
    angle_D = position / np.repeat(timescales(sinusoids.d_model, sinusoids.base).numpy(), 2)
    values_D = sinusoids.at(np.array([position]))[0]
    return [
        Dimension(i, "cos" if i % 2 else "sin", float(wavelength), float(angle), float(value))
        for i, (wavelength, angle, value) in enumerate(
            zip(sinusoids.wavelengths(), angle_D, values_D, strict=True)
        )
    ]


def agrees(value: float, printed: str) -> bool:
    """Say whether a value, rounded to as many digits as are printed, is what is printed.

    >>> agrees(-0.41614, "−0.4161"), agrees(-0.4163, "−0.4161")
    (True, False)
    """
    digits = len(printed.partition(".")[2])
    return abs(value - float(printed.replace("−", "-"))) <= 0.5 * 10**-digits


def agreeing(found: Sequence[Dimension], printed: Sequence[str]) -> int:
    """Return how many dimensions have the value that is printed for them."""
    return sum(agrees(one.value, digits) for one, digits in zip(found, printed, strict=True))
