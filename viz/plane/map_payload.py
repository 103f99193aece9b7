"""All attention maps of one sentence, packed for the component that draws them.

The weights of all heads go as one byte each, 0 to 255, as fine as the scale of 256 colours; where
all heads have very many cells, the largest of `pool` × `pool` weights stands for them. The chosen
head's weights go once more, exactly. On a page those of a head that is chosen later come in an
element of their own, so that it does not send all heads again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from viz.component.payload import (
    Array,
    Doubt,
    content_of,
    framed,
    read_label,
    unframed,
    written_label,
)
from viz.plane import panels
from viz.plane.maps import DEFAULT_MAPS_TEXTS, AttentionMaps
from viz.plane.panels import Axis
from viz.plane.panels import component_assets as component_assets

MOST_CELLS = 1_000_000
"""Of all heads together; more are pooled, so that each sentence need not send them all."""

MOST_CELLS_OF_A_FILE = 16_000_000
"""Of all heads together where no server could send more: 48 heads of 512 tokens are whole."""

LARGEST_THUMBNAIL = 128
"""A head that stands alone is always exact: its thumbnail needs no more rows than this."""


class Options(TypedDict, total=False):
    """How maps are packed."""

    zooms: bool
    """Whether the page wants to know to which part the visitor zooms."""
    pins: bool
    """Whether the page keeps words that are clicked."""
    whole: bool
    """Whether there is no server from which another head's weights could come: then only more than
    MOST_CELLS_OF_A_FILE are pooled."""
    key: str
    """The element's name; without it there is but one."""
    locale: str
    """The reader's language; without it "en"."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What is the same whichever head is chosen."""

    header: Mapping[str, Any]
    arrays: Sequence[Array]

    @property
    def content(self) -> str:
        """What all of it is known by."""
        return str(self.header["content"])

    def packed(self, maps: AttentionMaps) -> bytes:
        """Write it with the head that is chosen of the maps."""
        head = _chosen(maps) | {"weights": len(self.arrays)}
        return framed({**self.header, "head": head}, [*self.arrays, _exact(maps)])


def pack(maps: AttentionMaps, **options: Unpack[Options]) -> bytes:
    """Write the maps as one block of bytes that the component reads; see `Options`."""
    return shared(maps, **options).packed(maps)


def pack_head(maps: AttentionMaps, content: str, *, key: str) -> bytes:
    """Write what was chosen of maps that are there already: head, zoom, and its exact weights.

    Args:
        maps: What is shown.
        content: Of what they share with those that are there.
        key: Name of the element of the maps.
    """
    named = {"key": key, "content": content, "weights": 0}
    return framed(_chosen(maps) | named, [_exact(maps)])


def _exact(maps: AttentionMaps) -> Array:
    """Return the chosen head's weights."""
    return maps.weights[maps.selected].ravel()


def unpack(packed: bytes, head: bytes | None = None) -> AttentionMaps:
    """Read packed blocks again, as the component does.

    Args:
        packed: The maps.
        head: What was chosen of them since they came.

    Returns:
        The maps; the chosen head's weights are exact, all others are within 1/510 of the largest
        that was pooled with them.
    """
    header, arrays = unframed(packed)
    chosen, brought = (header["head"], arrays) if head is None else unframed(head)
    layers, heads, queries, keys = header["shape"]
    pool = header["pool"]
    pooled = (layers, heads, -(-queries // pool), -(-keys // pool))
    numbers = arrays[header["tiles"]].reshape(pooled).repeat(pool, 2).repeat(pool, 3)
    panel = header["panels"][0]
    seen = panel["visible"]
    shown = np.ones(queries * keys) if seen is None else arrays[seen]
    visible = shown.reshape(queries, keys).astype(np.bool_)
    weights = (numbers[:, :, :queries, :keys] * visible / 255.0).astype(np.float32)
    layer, index = chosen["selected"]
    weights[layer, index] = brought[chosen["weights"]].reshape(queries, keys)
    rows, columns = (panels.read_axis(panel[name]) for name in ("rows", "columns"))
    return AttentionMaps(
        kind=header["kind"],
        sides=(panel["rows"]["side"], panel["columns"]["side"]),
        weights=weights,
        visible=visible,
        queries=rows.labels,
        keys=columns.labels,
        predicted=rows.then,
        source=tuple(map(read_label, header["source"])),
        target=tuple(map(read_label, header["target"])),
        translation=header["translation"],
        doubts=tuple(Doubt(*doubt) for doubt in header["doubts"]),
        legend=header["legend"],
        finding=header["finding"],
        selected=(layer, index),
        zoom=chosen["zoom"] and tuple(chosen["zoom"]),
        pin=chosen["pin"] and tuple(chosen["pin"]),
        spoken=chosen["spoken"] and tuple(chosen["spoken"]),
        texts=header["texts"],
    )


_USUAL = {"zooms": False, "pins": False, "key": "", "locale": "en"}


def _chosen(maps: AttentionMaps) -> dict[str, Any]:
    return {"selected": maps.selected, "zoom": maps.zoom, "pin": maps.pin, "spoken": maps.spoken}


def shared(maps: AttentionMaps, **options: Unpack[Options]) -> Shared:
    """Return what is the same whichever head is chosen; see `Options`."""
    most = MOST_CELLS_OF_A_FILE if options.get("whole") else MOST_CELLS
    pool = pool_of(maps.weights.shape, most)
    # A mask that hides nothing need not be sent.
    masks = [] if maps.visible.all() else [maps.visible]
    arrays = [*masks, _tiles(maps.weights, pool)]
    texts = {**DEFAULT_MAPS_TEXTS, **maps.texts}
    source = [written_label(label) for label in maps.source]
    header = {
        "layout": "maps",
        "kind": maps.kind,
        "shape": maps.weights.shape,
        "pool": pool,
        "tiles": len(masks),
        "source": source,
        "target": [written_label(label) for label in maps.target],
        "translation": maps.translation,
        "doubts": [astuple(doubt) for doubt in maps.doubts],
        "legend": maps.legend,
        "finding": maps.finding,
        "panels": [_large_map(maps, texts, source)],
        "texts": texts,
    }
    header |= {"content": content_of(header, arrays)}
    own = {name: options.get(name, usual) for name, usual in _USUAL.items()}
    return Shared(header | own, arrays)


def _large_map(
    maps: AttentionMaps, texts: Mapping[str, str], source: Sequence[Any]
) -> dict[str, Any]:
    queries, keys = maps.sides
    name = texts["query.decoder" if maps.predicted else "query"]
    return panels.written_panel(
        rows=Axis(name=name, labels=maps.queries, side=queries, then=maps.predicted),
        columns=Axis(name=texts["key"], labels=maps.keys, side=keys),
        values=None,
        visible=None if maps.visible.all() else 0,
        value_name=texts["weight"],
        # As Python rounds: the colours of exact weights are those of all heads.
        rounds=True,
        squares=True,
        # A zoom stays while the model makes other words of the same sentence.
        zoom_of=content_of(
            {"kind": maps.kind, "shape": maps.weights.shape[2:], "source": source}, []
        ),
    )


def pool_of(shape: Sequence[int], most: int = MOST_CELLS) -> int:
    """Return how many weights of a row are pooled, and of a column, so that few enough are left.

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


def _tiles(weights: npt.NDArray[np.float32], pool: int) -> npt.NDArray[np.uint8]:
    """Return the largest of each pool × pool weights of the last two axes, as bytes."""
    layers, heads, queries, keys = weights.shape
    tiles = np.empty((layers, heads, -(-queries // pool), -(-keys // pool)), np.uint8)
    # Layer by layer: what is done to one stays in the processor's cache.
    for layer, tile in zip(weights, tiles, strict=True):
        scaled = _largest(layer, pool) * np.float32(255.0)
        np.rint(scaled, out=scaled)
        tile[:] = np.minimum(scaled, 255.0, out=scaled)
    return tiles


def _largest(weights: npt.NDArray[np.float32], pool: int) -> npt.NDArray[np.float32]:
    """Return the largest of each pool × pool weights of the last two axes."""
    if pool == 1:
        return weights
    # Whole rows first, which are done many numbers at a time.
    rows = _largest_of(np.ascontiguousarray(weights), pool)
    return _largest_of(rows.swapaxes(1, 2), pool).swapaxes(1, 2)


def _largest_of(weights: npt.NDArray[np.float32], pool: int) -> npt.NDArray[np.float32]:
    """Return the largest of each `pool` lines of the middle axis."""
    largest = weights[:, ::pool].copy()
    for i in range(1, pool):
        others = weights[:, i::pool]
        first = largest[:, : others.shape[1]]
        np.maximum(first, others, out=first)
    return largest
