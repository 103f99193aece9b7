"""The units of the feed-forward layers: which tokens each one fires on.

K positions, F feed-forward width, L layers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.batch import one_row
from core.heads import Site, Stack
from core.model import Record, Step, Transformer


@dataclass(frozen=True, slots=True, eq=False)
class Firing:
    """How many units of one stack's layers fire, that is, are above 0 after the activation."""

    firing_LK: NDArray[np.float64]
    """Share of the units that fire at each position."""
    dead_L: NDArray[np.float64]
    """Share of the units that fire at no position of this sentence."""
    always_L: NDArray[np.float64]
    """Share of the units that fire at every position of this sentence."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit that fires on a token."""

    unit: int
    activation: float
    """Its value at the token."""
    others: tuple[tuple[int, float], ...]
    """The other positions on which it fires most, each with the value there, largest first."""


@torch.inference_mode()
def hidden_units(
    model: Transformer, source_ids: Sequence[int], fed_ids: Sequence[int]
) -> Mapping[Site, NDArray[np.float32]]:
    """Return hidden_KF after the activation for every feed-forward layer, from one forward pass.

    Args:
        model: In evaluation mode.
        source_ids: The source, with EOS.
        fed_ids: What the decoder is fed, BOS first.
    """
    record = Record(frozenset({Step.HIDDEN}))
    model(one_row(source_ids), one_row(fed_ids), record)
    return {site: hidden_BKF[0].numpy() for (site, _), hidden_BKF in record.tensors.items()}


def firing(hidden: Mapping[Site, NDArray[np.float32]], stack: Stack) -> Firing:
    """Count the units that fire in every layer of a stack.

    Args:
        hidden: From `hidden_units`.
        stack: Encoder or decoder.
    """
    sites = sorted(site for site in hidden if site.stack == stack)
    fires_LKF = np.stack([hidden[site] > 0 for site in sites])
    return Firing(
        firing_LK=fires_LKF.mean(axis=2),
        dead_L=(~fires_LKF.any(axis=1)).mean(axis=1),
        always_L=fires_LKF.all(axis=1).mean(axis=1),
    )


def top_units(
    hidden_KF: NDArray[np.float32], position: int, n: int = 10, n_others: int = 3
) -> tuple[Unit, ...]:
    """Return the units with the largest activation at a position, largest first.

    Args:
        hidden_KF: One layer of `hidden_units`.
        position: Whose token is asked for.
        n: How many units at most; units that do not fire there are left out.
        n_others: How many other positions at most; those where the unit does not fire are left out.
    """
    return tuple(
        Unit(
            unit,
            float(hidden_KF[position, unit]),
            tuple(
                (other, float(hidden_KF[other, unit]))
                for other in _largest(np.delete(hidden_KF[:, unit], position), n_others, position)
            ),
        )
        for unit in _largest(hidden_KF[position], n)
    )


def _largest(values: NDArray[np.float32], n: int, left_out: int | None = None) -> list[int]:
    """Return the places of the n largest positive values, as counted with the one left out."""
    # Stable: among equals the first comes first.
    order = [int(place) for place in np.argsort(-values, kind="stable")[:n] if values[place] > 0]
    if left_out is None:
        return order
    return [place + (place >= left_out) for place in order]
