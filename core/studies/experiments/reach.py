"""How far influence reaches in the encoder of each variant, and how fast it falls."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from core.studies.experiments.results import Estimate, Results


@dataclass(frozen=True, slots=True)
class Fall:
    """What is left of the influence of a token, from near to far."""

    variant: str
    near: float
    """Gradient norm relative to a position's own token, mean over seeds."""
    far: float
    reach: int
    """The farthest distance at which anything is left."""

    @property
    def times(self) -> float:
        """How many times less the far one is; infinite where nothing is left."""
        return self.near / self.far if self.far else math.inf


def fall(results: Results, variant: str, near: int, far: int) -> Fall:
    """Return how much less a token does at one distance than at another, mean over seeds."""
    found = results.by_distance(variant)
    reach = max(distance for distance, (_n, norm) in found.items() if norm)
    return Fall(variant, found[near][1], found[far][1], min(reach, far))


def right_though_fading(results: Results, base: str, variants: Sequence[str]) -> list[str]:
    """Return those variants of which more sentences are right than of the base, beyond chance.

    By the interval over seeds of the difference.
    """
    return [each for each in variants if each != base and results.more(each, base).low > 0]


VANISHED = 0.1
"""A gradient of which less than this is left has vanished."""


def vanishes(results: Results, variant: str, name: str) -> bool | None:
    """Say whether a variant's gradient vanishes on its way back to the embeddings.

    Returns:
        None where it does in some trainings alone.
    """
    found = {each.by_layer[name][0] < VANISHED for each in results.of(variant)}
    return found.pop() if len(found) == 1 else None


def falls_more(results: Results, variant: str, other: str, near: int, far: int) -> bool | None:
    """Say whether a variant's influence falls more than another's, by the interval over seeds.

    Factors are compared by their logarithms, seed by seed.

    Returns:
        None where the interval allows both, or nothing is left of one of them.
    """
    logs = []
    for one, two in zip(results.of(variant), results.of(other), strict=False):
        norms = [{distance: norm for distance, _n, norm in each.by_distance} for each in (one, two)]
        if not all(each[far] for each in norms):
            return None
        first, second = (math.log(each[near] / each[far]) for each in norms)
        logs.append(first - second)
    found = Estimate.of(logs)
    if found.low > 0:
        return True
    return False if found.high < 0 else None
