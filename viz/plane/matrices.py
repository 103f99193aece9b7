"""Labelled matrices side by side, packed for the component that draws them.

The component gets one block of bytes: the frame of `viz.payload`, whose header holds everything but
numbers, then the values of all panels as little-endian 32-bit floats, then, for each panel that
hides something, one byte per cell, 1 where it is visible.
"""

import hashlib
import json
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from viz.component import payload
from viz.component.assets import Assets, assets_of, shared
from viz.plane.matrices_view import DEFAULT_MATRICES_TEXTS, Axis, Matrices, Matrix

# Joined in this order.
_SHARED = (
    *("mount", "text", "scale", "tokens", "tooltip", "plot", "keys", "zoom", "measure"),
    *("save", "svg", "figure", "figure_cells"),
)
_OWN = (
    *("payload", "cells", "layout", "zoom", "drawing", "legend", "panel", "marks"),
    *("pointing", "zoom_events", "events"),
    *("picture", "picture_axes", "files"),
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


_WRITTEN_AS_THEY_ARE = (
    "title",
    "scale",
    "limit",
    "texts",
    "details",
    "hidden",
    "hidden_value",
    "note",
    "value_name",
)


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
    marks = {"differs": list(axis.differs), "links": list(axis.links)}
    return {"name": axis.name, "labels": labels, "side": axis.side, **marks}


def _read_axis(written: dict[str, Any]) -> Axis:
    labels = tuple(map(payload.read_label, written["labels"]))
    marks = {name: tuple(written[name]) for name in ("differs", "links")}
    return Axis(**written | {"labels": labels} | marks)


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
    scripts = (*shared(*_SHARED), *(f"plane/matrices_{name}" for name in _OWN))
    return assets_of("plane/matrices", (*scripts, "plane/matrices"), styles=shared("plot", "zoom"))
