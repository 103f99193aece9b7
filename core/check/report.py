"""What a check found: faults, each with its module, its first position and a sentence."""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from ..messages import N_, Message

SHOWN = 3
"""Faults of one kind that a report prints; the others are counted."""


class Kind(StrEnum):
    """What can be wrong with what a model sees; each is a message to translate."""

    DROPOUT = N_("dropout")
    FUTURE = N_("future leak")
    PADDING = N_("padding leak")
    SOURCE_PADDING = N_("source padding leak")
    CACHE = N_("cache")
    ROWS = N_("rows of weights")
    BLIND = N_("blind row")
    LABELS = N_("labels")

    @property
    def sound(self) -> str:
        """What was tried and holds where there is no fault; a message to translate."""
        return _SOUND[self]


_SOUND = {
    Kind.DROPOUT: N_("Two passes over the same text are equal in evaluation mode."),
    Kind.FUTURE: N_("No output changes when a later token is replaced."),
    Kind.PADDING: N_("The outputs are the same for a text alone and in a padded batch."),
    Kind.SOURCE_PADDING: N_("The decoder’s outputs are the same with and without source padding."),
    Kind.CACHE: N_("The outputs are the same token by token with a cache and all at once."),
    Kind.ROWS: N_("The attention weights of each query sum to 1."),
    Kind.BLIND: N_("Every query sees a key, and no output is NaN."),
    Kind.LABELS: N_("The label of each position is the next token."),
}


@dataclass(frozen=True, slots=True, eq=False)
class Fault:
    """One module that does what it must not do."""

    kind: Kind
    module: str
    """Its name in `model.named_modules()`; of the model itself its class."""
    position: int
    """The first position, counted from 0, whose output is wrong."""
    message: Message
    """What is wrong, in one sentence; a page can translate it."""
    visible_QK: NDArray[np.bool_] | None = None
    """True where the module let a position see another one; None where that is not known."""

    @property
    def sentence(self) -> str:
        """What is wrong, in one English sentence."""
        return str(self.message)


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """What was tried on a model, and what was found."""

    model: str
    """Its class."""
    tried: tuple[Kind, ...]
    """In the order in which they were tried."""
    faults: tuple[Fault, ...]
    left_out: Mapping[Kind, str] = field(default_factory=dict)
    """What was not tried → why; messages to translate."""

    @property
    def ok(self) -> bool:
        """Whether no fault was found."""
        return not self.faults

    def of(self, kind: Kind) -> tuple[Fault, ...]:
        """Return the faults of a kind, in the order in which the modules run."""
        return tuple(fault for fault in self.faults if fault.kind is kind)

    def table(self) -> Mapping[str, Sequence[object]]:
        """Return a row for each kind that was tried and has no fault, and for each fault."""
        rows: list[tuple[object, ...]] = []
        for kind in self.tried:
            found = self.of(kind)
            rows += [(str(kind), each.module, each.position, each.sentence) for each in found]
            rows += [] if found else [(str(kind), None, None, kind.sound)]
        names = ("kind", "module", "position", "sentence")
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))

    def __str__(self) -> str:
        return "\n".join([self._headline(), *(f"{sign} {text}" for sign, text in self._lines())])

    def _headline(self) -> str:
        n = len(self.faults)
        found = "1 fault" if n == 1 else f"{n} faults" if n else "no fault in what was tried"
        return f"{self.model}: {found}"

    def _lines(self) -> list[tuple[str, str]]:
        lines = []
        for kind in self.tried:
            found = self.of(kind)
            lines += [("✗", f"{kind}: {each.sentence}") for each in found[:SHOWN]]
            if found[SHOWN:]:
                lines.append(("✗", f"{kind}: {len(found) - SHOWN} more modules"))
            if not found:
                lines.append(("✓", f"{kind}: {kind.sound}"))
        return [*lines, *(("–", f"{kind}: {why}") for kind, why in self.left_out.items())]

    def _repr_html_(self) -> str:
        lines = "".join(f"<li>{sign} {html.escape(text)}</li>" for sign, text in self._lines())
        pictures = "".join(_picture(each) for each in self.faults[:SHOWN])
        return (
            f"<p><b>{html.escape(self._headline())}</b></p>"
            f'<ul style="list-style: none; padding: 0">{lines}</ul>{pictures}'
        )


CELL = 12
"""Side of a cell of a mask's picture, in pixels."""


def _picture(fault: Fault) -> str:
    """Return the mask of a fault as SVG: a cell is filled where a row saw a column."""
    if fault.visible_QK is None:
        return ""
    n_queries, n_keys = fault.visible_QK.shape
    cells = "".join(
        f'<rect x="{key * CELL}" y="{query * CELL}" width="{CELL - 1}" height="{CELL - 1}" '
        f'opacity="{0.75 if fault.visible_QK[query, key] else 0.1}"/>'
        for query in range(n_queries)
        for key in range(n_keys)
    )
    title = f"{fault.module}: filled where a row (query) saw a column (key)"
    return (
        f"<figure><figcaption>{html.escape(title)}</figcaption>"
        f'<svg width="{n_keys * CELL}" height="{n_queries * CELL}" fill="currentColor">'
        f"{cells}</svg></figure>"
    )
