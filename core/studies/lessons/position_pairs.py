"""What two sinusoidal positions have to do with each other: their dot product, and a rotation.

P positions of a table, D model width, E pairs of dimensions. All of it in float64.
"""

from dataclasses import dataclass

import numpy as np

from core.config import require
from core.model.positional import timescales
from core.studies.lessons.positions import FARTHEST, Array, Sinusoids, require_position


@dataclass(frozen=True, slots=True, eq=False)
class DotProducts:
    """The dot product of any two positions."""

    products_PP: Array
    curve_P: Array
    """The chosen position with every position of the table."""
    asymmetry: float | None
    """Largest |PE(p)·PE(p + k) − PE(p)·PE(p − k)|; None where there is no such k in the table."""
    spread: float
    """Largest difference between two products of the same distance."""


def dot_products(table_PD: Array, position: int) -> DotProducts:
    """Multiply every position with every other; look closer at one.

    Raises:
        ConfigError: The position is not in the table.
    """
    length = len(table_PD)
    require_position(position, length)
    products_PP = table_PD @ table_PD.T
    curve_P = products_PP[position]
    both = min(position, length - 1 - position)
    left, right = curve_P[position - both : position][::-1], curve_P[position + 1 :][:both]
    return DotProducts(
        products_PP=products_PP,
        curve_P=curve_P,
        asymmetry=float(np.abs(right - left).max()) if both else None,
        spread=max(float(np.ptp(np.diagonal(products_PP, k))) for k in range(length)),
    )


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
    outside: int
    """So many positions of the table are taken to a place beyond its ends."""
    degrees_E: Array
    """By how much each pair of dimensions turns; below 0 for a shift to the left."""


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


def rotation(sinusoids: Sinusoids, position: int, shift: int) -> Rotation:
    """Build M_k for a shift of k, and apply it to the whole table.

    sin(a + b) = cos(b) sin(a) + sin(b) cos(a); cos(a + b) = −sin(b) sin(a) + cos(b) cos(a).

    Raises:
        ConfigError: The position is not in the table, or the shift is too far.
    """
    require_position(position, sinusoids.length)
    require(
        abs(shift) <= FARTHEST,
        "k is {shift}: at most {farthest} to either side",
        shift=shift,
        farthest=FARTHEST,
    )
    angle_E = shift / timescales(sinusoids.d_model, sinusoids.base).numpy()
    sine = np.arange(0, sinusoids.d_model, 2)
    matrix_DD = np.zeros((sinusoids.d_model, sinusoids.d_model))
    matrix_DD[sine, sine] = matrix_DD[sine + 1, sine + 1] = np.cos(angle_E)
    matrix_DD[sine, sine + 1] = np.sin(angle_E)
    matrix_DD[sine + 1, sine] = -np.sin(angle_E)
    table_PD = sinusoids.table()
    rotated_PD = table_PD @ matrix_DD.T
    places_P = np.arange(sinusoids.length) + shift
    wanted_PD = sinusoids.at(places_P)
    return Rotation(
        matrix_DD=matrix_DD,
        before_D=table_PD[position],
        after_D=rotated_PD[position],
        wanted_D=wanted_PD[position],
        error=float(np.abs(rotated_PD - wanted_PD).max()),
        outside=int(((places_P < 0) | (places_P >= sinusoids.length)).sum()),
        degrees_E=np.degrees(angle_E),
    )
