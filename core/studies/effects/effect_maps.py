"""What silencing each head changes, laid out as the heads stand in the model.

L layers, H heads.
"""

import math
from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.evaluate.intervals import Difference
from core.heads import Kind
from core.studies.effects.head_effects import HeadEffect, HeadEffects

Figure = Literal["exact_match", "pronoun", "loss"]
_ENDS = (1.0, 2.0, 5.0, 10.0)
_LEAST = 0.01


def figure_of(effect: HeadEffect, figure: Figure) -> Difference | None:
    """Return one figure of a head's effect; None where it was not measured."""
    return {
        "exact_match": effect.exact_match,
        "pronoun": effect.pronoun,
        "loss": effect.loss,
    }[figure]


def figures(effects: HeadEffects) -> list[Figure]:
    """Return the figures that were measured of every head."""
    offered: tuple[Figure, ...] = ("exact_match", "pronoun", "loss")
    return [
        figure
        for figure in offered
        if all(figure_of(each, figure) is not None for each in effects.heads)
    ]


def costliest_first(effects: HeadEffects, figure: Figure) -> list[HeadEffect]:
    """Return all heads, the one first whose silencing makes a figure worst."""

    def cost(effect: HeadEffect) -> float:
        found = figure_of(effect, figure)
        if found is None:
            return 0.0
        # More of a loss is worse, more of a share is better.
        return found.change if figure == "loss" else -found.change

    return sorted(effects.heads, key=cost, reverse=True)


def effect_maps(effects: HeadEffects, figure: Figure) -> Mapping[Kind, NDArray[np.float32]]:
    """Return how much a figure changes: kind of attention → changes_LH.

    Raises:
        ValueError: The figure was not measured.
    """
    rows: dict[Kind, dict[int, list[float]]] = {}
    for each in effects.heads:
        found = figure_of(each, figure)
        if found is None:
            raise ValueError(f"{figure} was not measured")
        rows.setdefault(each.head.kind, {}).setdefault(each.head.layer, []).append(found.change)
    return {
        kind: np.array([layers[layer] for layer in sorted(layers)], np.float32)
        for kind, layers in rows.items()
    }


def end_of(maps: Mapping[Kind, NDArray[np.float32]]) -> float:
    """Return a round number that no change exceeds, for the end of a scale.

    >>> end_of({Kind.ENCODER_SELF: np.array([[-0.34, 0.02]])})
    0.5
    """
    largest = max((float(np.abs(values_LH).max()) for values_LH in maps.values()), default=0.0)
    if largest <= _LEAST:
        return _LEAST
    power = math.floor(math.log10(largest))
    # Not one further for what is only rounding.
    factor = next(each for each in _ENDS if each * 10.0**power >= largest * (1 - 1e-6))
    return factor * 10.0**power if power >= 0 else factor / 10.0**-power
