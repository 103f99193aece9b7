"""How the heads of a layer form in the course of a training."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...heads import Head
from ...inspection import Inspection
from ...runs.metrics import columns_of
from .evenness import evenness
from .maps import AttentionPicture, Maps, maps_of_heads

SHARP = 0.25
"""A head that spreads its weights less evenly looks at little but one token."""


@dataclass(frozen=True, slots=True, eq=False)
class Forming:
    """A head at one step of a training, and how evenly the heads of its layer spread at each."""

    head: Head
    step: int
    map: Maps
    """Of the head at the step."""
    evenness: Mapping[int, tuple[float, ...]]
    """Step → evenness of each head of the layer; see `core.studies.heads.evenness`."""

    @property
    def sharp_from(self) -> int | None:
        """The first step from which on all heads of the layer are sharp; None where none is."""
        found = None
        for step, heads in reversed(list(self.evenness.items())):
            if max(heads) >= SHARP:
                break
            found = step
        return found

    def attention(self) -> AttentionPicture:
        """Return what `seq2see.attention` shows: weights, rows, columns, and the head."""
        return self.map.attention()

    def table(self) -> Mapping[str, Sequence[object]]:
        """Return a row for each cell of the map, then one for each head of the layer and step.

        The entropy is a share of the largest possible, which even rows have.
        """
        cells = {**self.map.table(), "head": [str(self.head)] * self.map.visible_QK.size}
        return columns_of(
            [
                *(
                    {"step": self.step, **dict(zip(cells, row, strict=True))}
                    for row in zip(*cells.values(), strict=True)
                ),
                *(
                    {"step": step, "head": str(Head(self.head.site, index)), "entropy": value}
                    for step, heads in self.evenness.items()
                    for index, value in enumerate(heads)
                ),
            ]
        )


def forming(
    inspections: Sequence[Inspection], steps: Sequence[int], head: Head, step: int
) -> Forming:
    """Return how the heads of a layer form."""
    found = dict(zip(steps, inspections, strict=True))
    spread = {}
    for at, inspection in found.items():
        attention = inspection.attention[head.site]
        spread[at] = tuple(
            evenness(weights_QK, attention.even_QK) for weights_QK in attention.weights_HQK
        )
    return Forming(head, step, maps_of_heads(found[step], (head,)), spread)
