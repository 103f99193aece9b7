"""All attention maps of one sentence, packed for the component that draws them.

The weights of all heads go as one byte each, 0 to 255, as fine as the scale of 256 colours; where
all heads have very many cells, the largest of `pool` × `pool` weights stands for them. The chosen
head's weights go once more, exactly; on a page, if it has more than `MOST_EXACT`, as a byte each,
and exactly in the part that is zoomed to. Those of a head that is chosen later come in an element
of their own, so that all heads need not be sent again.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..component.payload import (
    NTH_TEXTS,
    SAVE_TEXTS,
    SIGN_TEXTS,
    ZOOM_TEXTS,
    Array,
    TokenLabel,
    check_weights,
    complete,
    content_of,
    framed,
    written_label,
)
from ..messages import N_
from .panels import Axis, Pin, Side, written_panel

Kind = Literal["encoder.self", "decoder.self", "decoder.cross"]

# Every text of the component. A page may hand over its own; {names} are filled in.
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
    **NTH_TEXTS,
    "map.help": N_("Arrow keys move from cell to cell."),
    "pin.help": N_("Space keeps the word of the row."),
    "picture.encoder.self": N_("Encoder self-attention, heads: {n}"),
    "picture.decoder.self": N_("Decoder self-attention, heads: {n}"),
    "picture.decoder.cross": N_("Decoder cross-attention, heads: {n}"),
    **SAVE_TEXTS,
    "place": N_("row {row}, column {column}"),
    "patches": N_("What {query} looks at in the image: the brightest patch has {weight}"),
    "patches.left": N_("Of this head, {query} is in the saved file only."),
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

MOST_CELLS = 1_000_000
"""Cells of all heads together; more are pooled, so that not every sentence sends them all."""

MOST_CELLS_OF_A_FILE = 16_000_000
"""The same in a file, which no server can complete: 48 heads of 512 tokens are whole."""

MOST_EXACT = 1 << 16
"""Weights of a head that a page gets exactly: of 512 × 512 tokens, nobody can read each number."""

LARGEST_THUMBNAIL = 128
"""A single head is always exact: its thumbnail needs no more rows than this."""


@dataclass(frozen=True, slots=True)
class Patches:
    """The patches of an image that the last columns of a map stand for.

    Attributes:
        shape: How many patches stand one below the other, and how many side by side.
        image_YX3: Red, green and blue of each pixel; None where the image is unknown.
    """

    shape: tuple[int, int]
    image_YX3: NDArray[np.uint8] | None = None


@dataclass(frozen=True, kw_only=True)
class AttentionMaps:
    """The attention weights of every head of one kind, and the sentence that they belong to.

    Rows of the target are counted by what is fed: row i is fed target[i] and predicts
    target[i + 1].

    Attributes:
        kind: Which attention; it chooses the titles.
        sides: Whose tokens the queries and the keys are.
        weights: (layers, heads, queries, keys), each 0 to 1, and 0 wherever nothing is visible.
        visible: (queries, keys), True where a query may attend to a key.
        queries: One label per row.
        keys: One label per column.
        predicted: What each row of the target predicted; empty where the source looks, or where
            no row predicts a token.
        source: The source sentence's tokens.
        target: The target sentence's tokens, from BOS to EOS.
        finding: What is known about these heads; stands below the grid.
        selected: Layer and head shown large.
        zoom: The part of the large map that is shown; None for all of it.
        pin: Side and place of the word that is kept marked; None for none.
        spoken: The word that the text beside the maps is about: marked where none is pinned.
        patches: Where the keys are patches of an image.
        texts: Replacements for some of DEFAULT_MAPS_TEXTS.

    Raises:
        ValueError: The weights cannot be drawn, or do not fit their labels.
    """

    kind: Kind
    sides: tuple[Side, Side]
    weights: NDArray[np.float32]
    visible: NDArray[np.bool_]
    queries: Sequence[TokenLabel]
    keys: Sequence[TokenLabel]
    predicted: Sequence[TokenLabel] = ()
    source: Sequence[TokenLabel] = ()
    target: Sequence[TokenLabel] = ()
    finding: str = ""
    selected: tuple[int, int] = (0, 0)
    zoom: Window | None = None
    pin: Pin | None = None
    spoken: Pin | None = None
    patches: Patches | None = None
    texts: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shape = (*self.weights.shape[:2], len(self.queries), len(self.keys))
        check_weights(self.weights, shape, self.visible)


def is_window(zoom: Sequence[int], shape: Sequence[int]) -> bool:
    """Return whether row, column, rows and columns are a part of a map of this shape.

    >>> is_window((2, 0, 3, 7), (5, 7)), is_window((3, 0, 3, 7), (5, 7))
    (True, False)
    """
    row, column, rows, columns = zoom
    inside = row + rows <= shape[0] and column + columns <= shape[1]
    return inside and min(row, column) >= 0 and min(rows, columns) >= 1


@dataclass(frozen=True, slots=True)
class Shared:
    """The part of a payload that is the same whichever head is chosen."""

    header: Mapping[str, Any]
    arrays: Sequence[Array]

    @property
    def content(self) -> str:
        """A hash of all of it."""
        return str(self.header["content"])

    def packed(self, maps: AttentionMaps, *, whole: bool = False) -> bytes:
        """Write it with the head that is chosen of the maps; `whole` as in `shared`."""
        head = _chosen(maps) | {"weights": len(self.arrays)}
        return framed({**self.header, "head": head}, [*self.arrays, *_weights(maps, whole=whole)])


def pack(maps: AttentionMaps, *, whole: bool = False, locale: str = "en") -> bytes:
    """Write the maps as one block of bytes that the component reads; options as in `shared`."""
    return shared(maps, whole=whole, locale=locale).packed(maps, whole=whole)


def pack_head(maps: AttentionMaps, content: str, *, key: str) -> bytes:
    """Write what was chosen of maps that are there already: head, zoom, and its exact weights.

    Args:
        maps: What is shown.
        content: The hash of what they share with those that are there.
        key: Name of the element of the maps.
    """
    named = {"key": key, "content": content, "weights": 0}
    return framed(_chosen(maps) | named, _weights(maps))


def shared(
    maps: AttentionMaps,
    *,
    zooms: bool = False,
    pins: bool = False,
    whole: bool = False,
    key: str = "",
    locale: str = "en",
) -> Shared:
    """Return what is the same whichever head is chosen.

    Args:
        maps: What is shown.
        zooms: Whether the page wants to know to which part the visitor zooms.
        pins: Whether the page keeps words that are clicked.
        whole: Whether there is no server from which another head's weights could come: then only
            more than MOST_CELLS_OF_A_FILE are pooled.
        key: The element's name; empty where there is but one.
        locale: The reader's language.
    """
    most = MOST_CELLS_OF_A_FILE if whole else MOST_CELLS
    pool = pool_of(maps.weights.shape, most)
    # A mask that hides nothing need not be sent.
    masks = [] if maps.visible.all() else [maps.visible]
    arrays = [*masks, _tiles(maps.weights, pool)]
    texts = complete(maps.texts, DEFAULT_MAPS_TEXTS)
    source = [written_label(label) for label in maps.source]
    header = {
        "layout": "maps",
        "kind": maps.kind,
        "shape": maps.weights.shape,
        "pool": pool,
        "tiles": len(masks),
        "source": source,
        "target": [written_label(label) for label in maps.target],
        "finding": maps.finding,
        "panels": [_large_map(maps, texts, source)],
        "texts": texts,
    }
    if maps.patches:
        written, more = _patches(maps, maps.patches, most)
        header |= {"patches": written | {"arrays": len(arrays)}}
        arrays += more
    header |= {"content": content_of(header, arrays)}
    own = {"zooms": zooms, "pins": pins, "key": key, "locale": locale}
    return Shared(header | own, arrays)


def _patches(
    maps: AttentionMaps, patches: Patches, most: int
) -> tuple[dict[str, Any], list[Array]]:
    """Return the weights of all heads on the patches, and the image.

    A weight is a byte, as a share of the largest of its row: among many patches, all are small.
    Where that is too much, it is the first row only, often that of the class token.
    """
    n_rows = maps.weights.shape[2] if maps.weights.size <= most else 1
    weights = maps.weights[:, :, :n_rows, -math.prod(patches.shape) :]
    largest = weights.max(-1, keepdims=True)
    shares = weights / np.maximum(largest, np.finfo(np.float32).tiny)
    arrays: list[Array] = [np.rint(255 * shares).astype(np.uint8).ravel(), largest.ravel()]
    image = patches.image_YX3
    if image is not None:
        arrays.append(image.ravel())
    size = None if image is None else image.shape[:2]
    return {"shape": patches.shape, "rows": n_rows, "image": size}, arrays


def _chosen(maps: AttentionMaps) -> dict[str, Any]:
    return {"selected": maps.selected, "zoom": maps.zoom, "pin": maps.pin, "spoken": maps.spoken}


def _weights(maps: AttentionMaps, *, whole: bool = False) -> list[Array]:
    """Return the chosen head's weights, exactly, or as bytes and those of the zoom exactly."""
    weights_QK = maps.weights[maps.selected]
    if whole or weights_QK.size <= MOST_EXACT or maps.patches:
        return [weights_QK.ravel()]
    row, column, rows, columns = maps.zoom or (0, 0, 0, 0)
    part = weights_QK[row : row + rows, column : column + columns].ravel()
    bytes_QK = _tiles(weights_QK[None, None], 1).ravel()
    return [bytes_QK, part if part.size <= MOST_EXACT else part[:0]]


def _large_map(
    maps: AttentionMaps, texts: Mapping[str, str], source: Sequence[Any]
) -> dict[str, Any]:
    queries, keys = maps.sides
    name = texts["query.decoder" if maps.predicted else "query"]
    return written_panel(
        rows=Axis(name=name, labels=maps.queries, side=queries, then=maps.predicted),
        columns=Axis(name=texts["key"], labels=maps.keys, side=keys),
        values=None,
        visible=None if maps.visible.all() else 0,
        value_name=texts["weight"],
        squares=True,
        # A zoom stays while the model makes other words of the same sentence.
        zoom_of=content_of(
            {"kind": maps.kind, "shape": maps.weights.shape[2:], "source": source}, []
        ),
    )


def pool_of(shape: Sequence[int], most: int = MOST_CELLS) -> int:
    """Return how many weights of a row, and of a column, are pooled to one.

    >>> pool_of((6, 8, 128, 128)), pool_of((6, 8, 512, 512)), pool_of((1, 1, 512, 512))
    (1, 4, 4)
    """
    layers, heads, queries, keys = shape
    pool = 1
    if layers * heads == 1:
        return -(-max(queries, keys) // LARGEST_THUMBNAIL)
    while layers * heads * -(-queries // pool) * -(-keys // pool) > most and pool < queries:
        pool += 1
    return pool


def _tiles(weights: NDArray[np.float32], pool: int) -> NDArray[np.uint8]:
    """Return the largest of each pool × pool weights of the last two axes, as bytes."""
    layers, heads, queries, keys = weights.shape
    tiles = np.empty((layers, heads, -(-queries // pool), -(-keys // pool)), np.uint8)
    # Layer by layer: each stays in the processor's cache.
    for layer, tile in zip(weights, tiles, strict=True):
        scaled = _largest(layer, pool) * np.float32(255.0)
        np.rint(scaled, out=scaled)
        tile[:] = np.minimum(scaled, 255.0, out=scaled)
    return tiles


def _largest(weights: NDArray[np.float32], pool: int) -> NDArray[np.float32]:
    """Return the largest of each pool × pool weights of the last two axes."""
    if pool == 1:
        return weights
    # Whole rows first, which are done many numbers at a time.
    rows = _largest_of(np.ascontiguousarray(weights), pool)
    return _largest_of(rows.swapaxes(1, 2), pool).swapaxes(1, 2)


def _largest_of(weights: NDArray[np.float32], pool: int) -> NDArray[np.float32]:
    """Return the largest of each `pool` lines of the middle axis."""
    largest = weights[:, ::pool].copy()
    for i in range(1, pool):
        others = weights[:, i::pool]
        first = largest[:, : others.shape[1]]
        np.maximum(first, others, out=first)
    return largest
