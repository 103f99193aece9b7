"""Labelled matrices side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from viz.component.payload import (
    SIGN_TEXTS,
    ZOOM_TEXTS,
    Array,
    check_texts,
    content_of,
    framed,
    unframed,
)
from viz.messages import N_
from viz.plane import panels
from viz.plane.panels import Axis as Axis
from viz.plane.panels import Pin
from viz.plane.panels import component_assets as component_assets
from viz.plane.panels import numbered as numbered

# Every word that the component shows. A page may hand over its own; {names} are filled in.
DEFAULT_MATRICES_TEXTS: Mapping[str, str] = {
    **SIGN_TEXTS,
    "cell": N_("{row} → {column} {value}"),
    "hidden": N_("hidden by the mask"),
    "unknown": N_("never seen in training"),
    "pooled.weight": N_("each pixel shows the largest of {n} × {n} values"),
    "pooled.mask": N_("each pixel stands for {n} × {n} values"),
    "pooled.signed": N_("each pixel shows, of {n} × {n} values, the one farthest from 0"),
    "labels": N_("labels: every {nth}"),
    "labels.rows": N_("row labels: every {nth}"),
    "labels.columns": N_("column labels: every {nth}"),
    "nth.one": N_("{n}st"),
    "nth.two": N_("{n}nd"),
    "nth.few": N_("{n}rd"),
    "nth.other": N_("{n}th"),
    "help": N_("Arrow keys move from cell to cell."),
    "pin.help": N_("Space keeps the word of the row."),
    "help.pick": N_("Arrow keys move from cell to cell, Enter chooses one."),
    "size": N_("{rows} rows, {columns} columns"),
    "png": N_("PNG"),
    "png.help": N_("Save as a picture: {title}"),
    "svg": N_("SVG"),
    "svg.help": N_("Save as a drawing: {title}"),
    "all.png": N_("PNG of all"),
    "all.png.help": N_("Save all of them as one picture"),
    "all.svg": N_("SVG of all"),
    "all.svg.help": N_("Save all of them as one drawing"),
    "csv": N_("CSV"),
    "csv.help": N_("Save as a table: {title}"),
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
        hidden_value: What stands for them in the table that is saved.
        grey_words: True if hidden cells have their words, too, on the hatch alone.
        note: One line on how to read it.
        value_name: What the values are, for the legend.

    Raises:
        ValueError: If shapes, labels, values or the scale contradict each other.
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
    hidden_value: str = ""
    grey_words: bool = False
    note: str = ""
    value_name: str = ""

    def __post_init__(self) -> None:
        _check_shapes(self)
        _check_values(self)


@dataclass(frozen=True, kw_only=True)
class Matrices:
    """Matrices that belong together.

    Attributes:
        panels: From left to right, wrapped where the window is narrow.
        selected: Panel, row and column of the cell that has a frame.
        pin: Side and place of the word that is kept marked; None for none.
        texts: Replacements for some of DEFAULT_MATRICES_TEXTS.

    Raises:
        ValueError: If there is no panel, the selected cell does not exist or a text is not known.
    """

    panels: Sequence[Matrix]
    selected: tuple[int, int, int] | None = None
    pin: Pin | None = None
    texts: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_texts(self.texts, DEFAULT_MATRICES_TEXTS)
        if not self.panels:
            raise ValueError("matrices need at least one panel, got none")
        if self.selected is not None:
            _check_selected(self.panels, *self.selected)


def scaled_rows(values: ArrayLike) -> NDArray[np.float32]:
    """Return each row divided by its largest magnitude; a row of zeros stays one.

    >>> scaled_rows([[1.0, -4.0], [0.0, 0.0]]).tolist()
    [[0.25, -1.0], [0.0, 0.0]]
    """
    exact = np.asarray(values, dtype=np.float64)
    largest = np.abs(exact).max(axis=1, keepdims=True)
    return (exact / np.where(largest == 0, 1.0, largest)).astype(np.float32)


def _check_shapes(matrix: Matrix) -> None:
    shape = matrix.values.shape
    if len(shape) != 2 or 0 in shape:
        raise ValueError(f"values of {matrix.title!r} need (rows, columns), got {shape}")
    if matrix.values.dtype != np.float32:
        raise ValueError(f"values of {matrix.title!r} need float32, got {matrix.values.dtype}")
    labels = len(matrix.rows.labels), len(matrix.columns.labels)
    if labels != shape:
        raise ValueError(f"{matrix.title!r} needs labels for {shape}, got {labels}")
    visible = matrix.visible
    if visible is not None and (visible.dtype != np.bool_ or visible.shape != shape):
        raise ValueError(
            f"visible of {matrix.title!r} needs bool {shape}, got {visible.dtype} {visible.shape}"
        )
    for name, lines in (("texts", matrix.texts), ("details", matrix.details)):
        lengths = None if lines is None else [len(line) for line in lines]
        if lengths is not None and lengths != [shape[1]] * shape[0]:
            raise ValueError(f"{name} of {matrix.title!r} need {shape}, got rows of {lengths}")


def _check_values(matrix: Matrix) -> None:
    if matrix.scale not in ("weight", "signed", "mask"):
        raise ValueError(f"scale needs weight, signed or mask, got {matrix.scale!r}")
    # Written so that NaN, which compares as False with everything, is refused too.
    if not 0.0 < matrix.limit < np.inf:
        raise ValueError(f"limit of {matrix.title!r} needs a number above 0, got {matrix.limit}")
    _refuse(matrix, ~np.isfinite(matrix.values), "to be finite")
    if matrix.scale == "weight":
        shown = True if matrix.visible is None else matrix.visible
        _refuse(matrix, (matrix.values < 0.0) & shown, "0 or more on the scale weight")


def _refuse(matrix: Matrix, wrong: NDArray[np.bool_], needed: str) -> None:
    if wrong.any():
        row, column = (int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(
            f"values of {matrix.title!r} need {needed}, "
            f"got {matrix.values[row, column]} at row {row}, column {column}"
        )


def _check_selected(shown: Sequence[Matrix], panel: int, row: int, column: int) -> None:
    if not 0 <= panel < len(shown):
        raise ValueError(f"panel {panel} is not among {len(shown)} panels")
    rows, columns = shown[panel].values.shape
    if not (0 <= row < rows and 0 <= column < columns):
        raise ValueError(
            f"row {row}, column {column} is not in panel {panel} of {rows} × {columns}"
        )


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
        "texts": {**DEFAULT_MATRICES_TEXTS, **matrices.texts},
    }
    return framed(header, arrays)


def unpack(packed: bytes) -> Matrices:
    """Read a packed block again, as the component does."""
    header, arrays = unframed(packed)
    selected = header["selected"] and tuple(header["selected"])
    shown = tuple(_read(written, arrays) for written in header["panels"])
    pin = header["pin"] and tuple(header["pin"])
    return Matrices(panels=shown, selected=selected, pin=pin, texts=header["texts"])


_WRITTEN_AS_THEY_ARE = (
    *("title", "scale", "texts", "details", "hidden", "hidden_value", "note"),
    *("value_name", "grey_words"),
)


def _written(matrix: Matrix, arrays: list[Array]) -> dict[str, Any]:
    own = [matrix.values] if matrix.visible is None else [matrix.values, matrix.visible]
    header = panels.written_panel(
        **{name: getattr(matrix, name) for name in _WRITTEN_AS_THEY_ARE},
        limit=float(matrix.limit),
        rows=matrix.rows,
        columns=matrix.columns,
        values=0,
        visible=None if matrix.visible is None else 1,
        chips=True,
    )
    content = content_of(header, own)
    places = {
        name: header[name] if header[name] is None else header[name] + len(arrays)
        for name in ("values", "visible")
    }
    arrays += own
    return header | places | {"content": content}


def _read(written: dict[str, Any], arrays: list[Array]) -> Matrix:
    shape, seen = written["shape"], written["visible"]
    return Matrix(
        values=arrays[written["values"]].reshape(shape),
        visible=None if seen is None else arrays[seen].reshape(shape).astype(np.bool_),
        rows=panels.read_axis(written["rows"]),
        columns=panels.read_axis(written["columns"]),
        limit=written["limit"],
        **{name: written[name] for name in _WRITTEN_AS_THEY_ARE},
    )
