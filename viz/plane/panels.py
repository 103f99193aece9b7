"""Panels of rows × columns, which every payload of `viz.plane` holds.

The header holds everything but numbers: panels name their arrays by place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..component.payload import TokenLabel, written_label

Side = Literal["source", "target"]
Pin = tuple[Side, int]
"""A word that is kept marked: its side, and its place there."""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """What the rows or the columns of a panel are.

    Attributes:
        name: What they stand for, "key: the word looked at".
        labels: One per row or column. Rows of several panels with the same labels are marked
            together.
        side: Tint of the labels' chips; empty for numbers.
        differs: Positions whose labels are underlined: those of another axis are different.
        links: One number per label: positions of axes of the same side that have the same number
            are marked together, whatever their labels; empty where the labels say so.
        then: What each position leads to, one label each, or none.
    """

    name: str
    labels: Sequence[TokenLabel]
    side: Literal["source", "target", ""] = ""
    differs: Sequence[int] = ()
    links: Sequence[int] = ()
    then: Sequence[TokenLabel] = ()


def numbered(name: str, count: int, apart: int | None = None) -> Axis:
    """Return an axis whose labels count; its numbers are linked to no axis with another `apart`.

    >>> [label.text for label in numbered("position", 3).labels]
    ['0', '1', '2']
    """
    labels = tuple(TokenLabel(str(at)) for at in range(count))
    links = () if apart is None else range(apart * 10**6, apart * 10**6 + count)
    return Axis(name=name, labels=labels, links=links)


def written_panel(
    *, rows: Axis, columns: Axis, values: int | None, visible: int | None, **named: object
) -> dict[str, Any]:
    """Return a panel as it stands in a header.

    Args:
        rows: What its rows are.
        columns: What its columns are.
        values: Place of its values among the arrays; None if they come later.
        visible: Place of what can be seen; None if everything can.
        named: Everything else.
    """
    plain = {"scale": "weight", "limit": 1.0, "texts": None, "details": None, "note": ""}
    return {
        **plain,
        **{"hidden": "", "title": "", "heads": None},
        **named,
        "rows": _written_axis(rows),
        "columns": _written_axis(columns),
        "shape": (len(rows.labels), len(columns.labels)),
        "values": values,
        "visible": visible,
    }


def _written_axis(axis: Axis) -> dict[str, Any]:
    return {
        "name": axis.name,
        "side": axis.side,
        "labels": [written_label(label) for label in axis.labels],
        "then": [written_label(label) for label in axis.then],
        "differs": list(axis.differs),
        "links": list(axis.links),
    }
