"""Labelled matrices side by side, packed for the component that draws them.

The component gets one block of bytes: the frame of `viz.payload`, whose header holds everything but
numbers, then the values of all panels as little-endian 32-bit floats, then, for each panel that
hides something, one byte per cell, 1 where it is visible.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from viz import payload
from viz.payload import Assets, TokenLabel

# Every word that the component shows. A page may hand over its own; {names} are filled in.
DEFAULT_MATRICES_TEXTS: Mapping[str, str] = {
    "cell": "{row} → {column} {value}",
    "hidden": "hidden by the mask",
    "unknown": "never seen in training",
    "pooled.weight": "each pixel shows the largest of {n} × {n} values",
    "pooled.mask": "each pixel stands for {n} × {n} values",
    "pooled.signed": "each pixel shows, of {n} × {n} values, the one farthest from 0",
    "help": "Arrow keys move from cell to cell.",
    "help.pick": "Arrow keys move from cell to cell, Enter chooses one.",
    "size": "{rows} rows, {columns} columns",
    "png": "PNG",
    "png.help": "Save as a picture: {title}",
    "csv": "CSV",
    "csv.help": "Save as a table: {title}",
    "legend": "{name}: {title}",
    "file": "matrix",
}

# Joined in this order.
_SHARED = ("mount", "text", "scale", "tokens", "tooltip", "plot", "keys", "save")
_OWN = (
    *("payload", "layout", "drawing", "legend", "panel", "marks", "events"),
    *("picture", "picture_axes", "files"),
)


@dataclass(frozen=True, kw_only=True)
class Axis:
    """What the rows or the columns of a matrix are.

    Attributes:
        name: What they stand for, "key: the word looked at".
        labels: One per row or column. Rows of several matrices with the same labels are marked
            together.
        side: Tint of the labels' chips; empty for numbers.
    """

    name: str
    labels: Sequence[TokenLabel]
    side: Literal["source", "target", ""] = ""

    def __post_init__(self) -> None:
        if self.side not in ("source", "target", ""):
            raise ValueError(f"side of {self.name!r} needs source, target or '', got {self.side!r}")


def numbered(name: str, count: int, start: int = 0) -> Axis:
    """Return an axis whose labels count.

    >>> [label.text for label in numbered("position", 3).labels]
    ['0', '1', '2']
    """
    return Axis(name=name, labels=tuple(TokenLabel(str(start + i)) for i in range(count)))


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
        hidden: What hidden cells are called; empty for the text of that name.
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
    hidden: str = ""
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
        texts: Replacements for some of DEFAULT_MATRICES_TEXTS.

    Raises:
        ValueError: If there is no panel, the selected cell does not exist or a text is not known.
    """

    panels: Sequence[Matrix]
    selected: tuple[int, int, int] | None = None
    texts: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        payload.check_texts(self.texts, DEFAULT_MATRICES_TEXTS)
        if not self.panels:
            raise ValueError("matrices need at least one panel, got none")
        if self.selected is not None:
            _check_selected(self.panels, *self.selected)


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
    if matrix.texts is not None:
        lengths = [len(row) for row in matrix.texts]
        if lengths != [shape[1]] * shape[0]:
            raise ValueError(f"texts of {matrix.title!r} need {shape}, got rows of {lengths}")


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


def _check_selected(panels: Sequence[Matrix], panel: int, row: int, column: int) -> None:
    if not 0 <= panel < len(panels):
        raise ValueError(f"panel {panel} is not among {len(panels)} panels")
    rows, columns = panels[panel].values.shape
    if not (0 <= row < rows and 0 <= column < columns):
        raise ValueError(
            f"row {row}, column {column} is not in panel {panel} of {rows} × {columns}"
        )


def pack(matrices: Matrices, *, picks: bool = False) -> bytes:
    """Write the matrices as the one block of bytes that the component reads.

    Args:
        matrices: What is shown.
        picks: True if the page wants to know which cell was clicked. The frame stays around what
            the page selects.
    """
    cells = [_cells(panel) for panel in matrices.panels]
    header = {
        "panels": [_header(*both) for both in zip(matrices.panels, cells, strict=True)],
        "selected": matrices.selected,
        "picks": picks,
        "texts": {**DEFAULT_MATRICES_TEXTS, **matrices.texts},
    }
    values, visible = (b"".join(part) for part in zip(*cells, strict=True))
    return payload.framed(header) + values + visible


def unpack(packed: bytes) -> Matrices:
    """Read a packed block again, as the component does."""
    header, at = payload.unframed(packed)
    sizes = [rows * columns for rows, columns in (panel["shape"] for panel in header["panels"])]
    masked = at + 4 * sum(sizes)
    panels = []
    for written, size in zip(header["panels"], sizes, strict=True):
        values = np.frombuffer(packed, "<f4", size, at).astype(np.float32)
        visible = np.frombuffer(packed, "?", size, masked) if written["masked"] else None
        panels.append(_panel(written, values, visible))
        at += 4 * size
        masked += size * written["masked"]
    selected = header["selected"] and tuple(header["selected"])
    return Matrices(panels=tuple(panels), selected=selected, texts=header["texts"])


_WRITTEN_AS_THEY_ARE = ("title", "scale", "limit", "texts", "hidden", "note", "value_name")


def _header(matrix: Matrix, cells: tuple[bytes, bytes]) -> dict[str, Any]:
    header = {name: getattr(matrix, name) for name in _WRITTEN_AS_THEY_ARE} | {
        "limit": float(matrix.limit),
        "rows": _written_axis(matrix.rows),
        "columns": _written_axis(matrix.columns),
        "shape": matrix.values.shape,
        "masked": bool(cells[1]),
    }
    # Lets the component see which panels are as they were, and leave those alone.
    content = hashlib.blake2b(json.dumps(header).encode() + b"".join(cells), digest_size=12)
    return header | {"content": content.hexdigest()}


def _cells(matrix: Matrix) -> tuple[bytes, bytes]:
    visible = b"" if matrix.visible is None else matrix.visible.tobytes()
    return matrix.values.astype("<f4").tobytes(), visible


def _written_axis(axis: Axis) -> dict[str, Any]:
    labels = [payload.written_label(label) for label in axis.labels]
    return {"name": axis.name, "labels": labels, "side": axis.side}


def _read_axis(written: dict[str, Any]) -> Axis:
    return Axis(**written | {"labels": tuple(map(payload.read_label, written["labels"]))})


def _panel(
    written: dict[str, Any], values: NDArray[np.float32], visible: NDArray[np.bool_] | None
) -> Matrix:
    shape = written["shape"]
    return Matrix(
        values=values.reshape(shape),
        visible=None if visible is None else visible.reshape(shape),
        rows=_read_axis(written["rows"]),
        columns=_read_axis(written["columns"]),
        **{name: written[name] for name in _WRITTEN_AS_THEY_ARE},
    )


@cache
def component_assets() -> Assets:
    """Return the component's HTML, CSS and JS."""
    scripts = (*(f"shared_{name}" for name in _SHARED), *(f"matrices_{name}" for name in _OWN))
    return payload.assets_of("matrices", (*scripts, "matrices"), styles=("shared_plot",))
