"""All attention maps of one sentence: what a page shows, checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from viz.component.payload import (
    SIGN_TEXTS,
    ZOOM_TEXTS,
    Doubt,
    TokenLabel,
    check_texts,
    check_weights,
)
from viz.messages import N_
from viz.plane.panels import Pin, Side

Kind = Literal["encoder.self", "decoder.self", "decoder.cross"]

# Every word that the component shows. A page may hand over its own; {names} are filled in.
DEFAULT_MAPS_TEXTS: Mapping[str, str] = {
    **SIGN_TEXTS,
    "title.encoder.self": N_("Encoder layer {layer}, head {head}: where each word looks"),
    "title.decoder.self": N_("Decoder layer {layer}, head {head}: where each word looks back"),
    "title.decoder.cross": N_("Decoder layer {layer}, head {head}: where it looks in the source"),
    "grid": N_("All {n} heads"),
    "grid.one": N_("The one head"),
    "grid.help": N_("Arrow keys move from head to head, Enter shows the head large."),
    "head": N_("layer {layer}, head {head}"),
    "layer.short": N_("L{layer}"),
    "head.short": N_("H{head}"),
    "source": N_("source"),
    "target": N_("target"),
    "query": N_("query: the word that looks"),
    "query.decoder": N_("query: word fed → word predicted"),
    "key": N_("key: the word looked at"),
    "cell": N_("{query} → {key} {weight}"),
    "row.decoder": N_("fed {fed}, predicts {predicted}"),
    "about": N_("≈ {weight}"),
    "most": N_("at most {weight}"),
    "weight": N_("weight"),
    "hidden": N_("hidden by the mask"),
    "unknown": N_("never seen in training"),
    "pooled": N_("each pixel shows the largest of {n} × {n} weights"),
    "labels": N_("labels: every {nth}"),
    "nth.one": N_("{n}st"),
    "nth.two": N_("{n}nd"),
    "nth.few": N_("{n}rd"),
    "nth.other": N_("{n}th"),
    "map.help": N_("Arrow keys move from cell to cell."),
    "pin.help": N_("Space keeps the word of the row."),
    "picture.encoder.self": N_("Encoder self-attention, heads: {n}"),
    "picture.decoder.self": N_("Decoder self-attention, heads: {n}"),
    "picture.decoder.cross": N_("Decoder cross-attention, heads: {n}"),
    "png": N_("PNG"),
    "png.help": N_("Save as a picture: {title}"),
    "svg": N_("SVG"),
    "svg.help": N_("Save as a drawing: {title}"),
    "place": N_("row {row}, column {column}"),
    "zoom": N_("Zoom"),
    **ZOOM_TEXTS,
    "zoom.help": N_(
        "Arrow keys move from cell to cell. Plus and minus zoom around the cell, Enter "
        "zooms in until each word can be read, 0 shows all. Page up and page down, or Shift and an "
        "arrow key, go on by what is shown. Escape closes the number, then shows all."
    ),
}

Window = tuple[int, int, int, int]
"""A part of a map: its first row, its first column, how many rows, how many columns."""

_AHEAD: Mapping[Side, int] = {"source": 0, "target": 1}
"""How many of a side's tokens are predicted, and never fed."""


@dataclass(frozen=True, kw_only=True)
class AttentionMaps:
    """What every head of one kind of attention looked at, with all that is needed to show it.

    Rows of the target are counted by what is fed: row i is fed target[i] and predicts
    target[i + 1].

    Attributes:
        kind: Which attention: it says what the maps are called.
        sides: Whose tokens look, in the rows, and whose are looked at, in the columns.
        weights: (layers, heads, queries, keys), each 0 to 1, and 0 wherever nothing is visible.
        visible: (queries, keys), True where a query may look at a key.
        queries: One label per row.
        keys: One label per column.
        predicted: What each row of the target predicted; empty where the source looks, or where
            no row predicts a token.
        source: The source sentence's tokens.
        target: The target sentence's tokens, from BOS to EOS.
        translation: The target sentence as text to read.
        doubts: Its words that are marked, in their order.
        legend: What these marks mean, in a line; empty where there is none.
        finding: What is known about these heads; stands below the grid.
        selected: Layer and head shown large.
        zoom: The part of the large map that is shown; None for all of it.
        pin: Side and place of the word that is kept marked; None for none.
        spoken: Of the word that is spoken of beside the maps: marked where none is kept.
        texts: Replacements for some of DEFAULT_MAPS_TEXTS.

    Raises:
        ValueError: If shapes, labels, weights or texts contradict each other.
    """

    kind: Kind
    sides: tuple[Side, Side]
    weights: npt.NDArray[np.float32]
    visible: npt.NDArray[np.bool_]
    queries: Sequence[TokenLabel]
    keys: Sequence[TokenLabel]
    predicted: Sequence[TokenLabel] = ()
    source: Sequence[TokenLabel] = ()
    target: Sequence[TokenLabel] = ()
    translation: str = ""
    doubts: Sequence[Doubt] = ()
    legend: str = ""
    finding: str = ""
    selected: tuple[int, int] = (0, 0)
    zoom: Window | None = None
    pin: Pin | None = None
    spoken: Pin | None = None
    texts: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_shapes(self)
        _check_labels(self)
        check_texts(self.texts, DEFAULT_MAPS_TEXTS)


def _check_shapes(maps: AttentionMaps) -> None:
    n_labels = len(maps.queries), len(maps.keys)
    check_weights(maps.weights, (*maps.weights.shape[:2], *n_labels), maps.visible)
    layer, head = maps.selected
    layers, heads = maps.weights.shape[:2]
    if not (0 <= layer < layers and 0 <= head < heads):
        raise ValueError(f"layer {layer}, head {head} is not among {layers} layers × {heads} heads")
    if maps.zoom is not None and not is_window(maps.zoom, maps.weights.shape[2:]):
        raise ValueError(f"zoom {maps.zoom} is no part of a map of {maps.weights.shape[2:]}")


def is_window(zoom: Sequence[int], shape: Sequence[int]) -> bool:
    """Say whether row, column, rows and columns are a part of a map of this shape.

    >>> is_window((2, 0, 3, 7), (5, 7)), is_window((3, 0, 3, 7), (5, 7))
    (True, False)
    """
    row, column, rows, columns = zoom
    inside = row + rows <= shape[0] and column + columns <= shape[1]
    return inside and min(row, column) >= 0 and min(rows, columns) >= 1


def _words(maps: AttentionMaps) -> set[Pin]:
    """Return all words that have a row or a column, or are fed."""
    tokens: dict[Side, int] = {"source": len(maps.source), "target": len(maps.target) - 1}
    return {(side, at) for side, count in tokens.items() for at in range(count)}


def _check_labels(maps: AttentionMaps) -> None:
    if f"title.{maps.kind}" not in DEFAULT_MAPS_TEXTS:
        raise ValueError(f"{maps.kind!r} is no kind of attention that has a title")
    queries, keys = maps.sides
    n_queries, n_keys = len(maps.queries), len(maps.keys)
    expected = {"predicted": n_queries * _AHEAD[queries] if maps.predicted else 0}
    for side, count in ((keys, n_keys), (queries, n_queries)):
        expected[side] = count + _AHEAD[side]
    for word in (maps.pin, maps.spoken):
        if word is not None and word not in _words(maps):
            raise ValueError(f"there is no word {word} to mark")
    for name, count in expected.items():
        actual = len(getattr(maps, name))
        if actual != count:
            raise ValueError(f"{maps.kind} needs {count} {name} labels, got {actual}")
