"""Labelled matrices side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..component.payload import (
    NTH_TEXTS,
    SAVE_TEXTS,
    SIGN_TEXTS,
    ZOOM_TEXTS,
    Array,
    complete,
    content_of,
    framed,
)
from ..messages import N_
from .panels import Axis as Axis
from .panels import Pin, written_panel
from .panels import numbered as numbered

# Every text of the component. A page may hand over its own; {names} are filled in.
DEFAULT_MATRICES_TEXTS: Mapping[str, str] = {
    **SIGN_TEXTS,
    "cell": N_("{row} → {column} {value}"),
    "hidden": N_("hidden by the mask"),
    "unknown": N_("never seen in training"),
    "pooled.weight": N_("each pixel shows the largest of {n} × {n} values"),
    "pooled.mask": N_("each pixel stands for {n} × {n} values"),
    "pooled.signed": N_("each pixel shows, of {n} × {n} values, the one farthest from 0"),
    **NTH_TEXTS,
    "labels.rows": N_("row labels: every {nth}"),
    "labels.columns": N_("column labels: every {nth}"),
    "help": N_("Arrow keys move from cell to cell."),
    "pin.help": N_("Space keeps the word of the row."),
    "help.pick": N_("Arrow keys move from cell to cell, Enter chooses one."),
    "size": N_("{rows} rows, {columns} columns"),
    **SAVE_TEXTS,
    "legend": N_("{name}: {title}"),
    "place": N_("row {row}, column {column}"),
    "zoom": N_("Zoom: {title}"),
    **ZOOM_TEXTS,
    "zoom.help": N_(
        "Plus and minus zoom around the cell, 0 shows all. Page up and page down, or "
        "Shift and an arrow key, go on by what is shown. Escape closes the number, then shows all."
    ),
    "zoom.enter": N_("Enter zooms in until each label can be read."),
    "file": N_("matrix"),
}


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """One matrix with everything that it takes to read it.

    Attributes:
        title: A sentence.
        values: (rows, columns), finite; beyond the limit the colour stays that of the limit, and
            the number shown is the value.
        rows: What the rows are.
        columns: What the columns are.
        visible: (rows, columns), False where a cell is hatched; None shows all.
        scale: weight goes from 0 to limit, signed from -limit to limit with grey at 0; mask shows
            where there is anything, in one colour.
        limit: End of the scale.
        texts: A word inside each cell, by row and column; None for none.
        details: A line for each cell, shown below its value instead of its word when it is pointed
            at; None for none.
        hidden: What hidden cells are called; empty for the text of that name.
        grey_words: True if hidden cells have their words, too, on the hatch alone.
        note: One line on how to read it.
        value_name: What the values are, for the legend.

    Raises:
        ValueError: A value is not finite, or shapes do not fit.
    """

    title: str
    values: NDArray[np.float32]
    rows: Axis
    columns: Axis
    visible: NDArray[np.bool_] | None = None
    scale: Literal["weight", "signed", "mask"] = "weight"
    limit: float = 1.0
    texts: Sequence[Sequence[str]] | None = None
    details: Sequence[Sequence[str]] | None = None
    hidden: str = ""
    grey_words: bool = False
    note: str = ""
    value_name: str = ""

    def __post_init__(self) -> None:
        shape = len(self.rows.labels), len(self.columns.labels)
        shapes = {
            "values": self.values.shape,
            "visible": shape if self.visible is None else self.visible.shape,
            "texts": shape if self.texts is None else np.shape(self.texts),
            "details": shape if self.details is None else np.shape(self.details),
        }
        if set(shapes.values()) != {shape} or 0 in shape:
            raise ValueError(f"{self.title!r} needs {shape}, got {shapes}")
        # Written so that NaN is refused, too.
        if not (np.isfinite(self.values).all() and 0.0 < self.limit < np.inf):
            raise ValueError(f"{self.title!r} needs finite values and a limit above 0")


@dataclass(frozen=True, kw_only=True)
class Matrices:
    """Matrices that belong together.

    Attributes:
        panels: From left to right, wrapped where the window is narrow.
        selected: Panel, row and column of the cell that has a frame; without a panel, in each.
        pin: Side and place of the word that is kept marked; None for none.
        texts: Replacements for some of DEFAULT_MATRICES_TEXTS.
    """

    panels: Sequence[Matrix]
    selected: tuple[int | None, int, int] | None = None
    pin: Pin | None = None
    texts: Mapping[str, str] = field(default_factory=dict)


def scaled_rows(values: ArrayLike) -> NDArray[np.float32]:
    """Return each row divided by its largest magnitude; a row of zeros stays one.

    >>> scaled_rows([[1.0, -4.0], [0.0, 0.0]]).tolist()
    [[0.25, -1.0], [0.0, 0.0]]
    """
    exact = np.asarray(values, dtype=np.float64)
    largest = np.abs(exact).max(axis=1, keepdims=True)
    return (exact / np.where(largest == 0, 1.0, largest)).astype(np.float32)


def pack(
    matrices: Matrices,
    *,
    picks: bool = False,
    pins: bool = False,
    key: str = "",
    locale: str = "en",
) -> bytes:
    """Write the matrices as the one block of bytes that the component reads.

    Args:
        matrices: What is shown.
        picks: True if the page wants to know which cell was clicked. The frame stays around what
            the page selects.
        pins: True if the page keeps words that are clicked.
        key: The element's name; empty where there is but one.
        locale: The reader's language.
    """
    arrays: list[Array] = []
    header = {
        "layout": "matrices",
        "panels": [_written(panel, arrays) for panel in matrices.panels],
        "selected": matrices.selected,
        "picks": picks,
        "pin": matrices.pin,
        "pins": pins,
        "key": key,
        "locale": locale,
        "texts": complete(matrices.texts, DEFAULT_MATRICES_TEXTS),
    }
    return framed(header, arrays)


_WRITTEN_AS_THEY_ARE = (
    *("title", "scale", "texts", "details", "hidden", "note"),
    *("value_name", "grey_words"),
)


def _written(matrix: Matrix, arrays: list[Array]) -> dict[str, Any]:
    own = [matrix.values] if matrix.visible is None else [matrix.values, matrix.visible]
    header = written_panel(
        **{name: getattr(matrix, name) for name in _WRITTEN_AS_THEY_ARE},
        limit=float(matrix.limit),
        rows=matrix.rows,
        columns=matrix.columns,
        values=0,
        visible=None if matrix.visible is None else 1,
        chips=True,
    )
    content = content_of(header, own)
    indices = {
        name: header[name] if header[name] is None else header[name] + len(arrays)
        for name in ("values", "visible")
    }
    arrays += own
    return header | indices | {"content": content}
