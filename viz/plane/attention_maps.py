"""All attention maps of one sentence, packed for the component that draws them.

The component gets one block of bytes: little-endian length of the header (4 bytes), header (JSON),
zeros up to a multiple of 4, what is visible (1 byte per cell), the weights of all heads (1 byte
each, 0 to 255), zeros again, and the chosen head's weights once more as exact 32-bit floats. Where
all heads have very many cells, the largest of `pool` × `pool` weights stands for them, except for
the chosen head's exact ones.
"""

import hashlib
import json
import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from viz.component.assets import Assets, assets_of, shared
from viz.component.payload import TokenLabel as TokenLabel
from viz.component.payload import framed, padded, read_label, unframed, written_label
from viz.plane.attention_maps_view import DEFAULT_TEXTS as DEFAULT_TEXTS
from viz.plane.attention_maps_view import AttentionMaps as AttentionMaps
from viz.plane.attention_maps_view import Kind as Kind
from viz.plane.attention_maps_view import Window as Window
from viz.plane.attention_maps_view import is_window as is_window

MOST_CELLS = 1_000_000
"""Of all heads together; more are pooled, so that each click need not send them all again."""

MOST_CELLS_OF_A_FILE = 16_000_000
"""Of all heads together where no server could send more: 48 heads of 512 tokens are whole."""

_LABELS = ("queries", "keys", "predicted", "source", "target")

_SCRIPTS = (
    *shared(
        "mount",
        "text",
        "scale",
        "tokens",
        "tooltip",
        "plot",
        "keys",
        "zoom",
        "measure",
        "save",
        "svg",
        "figure",
        "figure_cells",
    ),
    *(
        f"plane/{name}"
        for name in (
            "maps_payload",
            "maps_layout",
            "maps_drawing",
            "maps_tokens",
            "maps_zoom",
            "maps_zoom_events",
            "maps_picture",
            "maps_placing",
            "maps_pointing",
            "maps_events",
            "attention_maps",
        )
    ),
)


def pack(maps: AttentionMaps, *, zooms: bool = False, whole: bool = False) -> bytes:
    """Write the maps as the one block of bytes that the component reads.

    One byte per weight is as fine as the scale of 256 colours and keeps 48 heads small. The chosen
    head's exact weights go along for the number under the pointer.

    Args:
        maps: What is shown.
        zooms: True if the page wants to know to which part the visitor zooms.
        whole: True if there is no server from which another head's weights could come: then only
            more than MOST_CELLS_OF_A_FILE are pooled.
    """
    scaled = np.rint(maps.weights * np.float32(255.0))
    numbers = np.minimum(scaled, 255.0, out=scaled).astype("u1")
    pool = pool_of(numbers.shape, MOST_CELLS_OF_A_FILE if whole else MOST_CELLS)
    cells = maps.visible.tobytes() + _pooled(numbers, pool).tobytes()
    header = _header(maps) | {"pool": pool}
    # Lets the component see that only the selection changed, and keep what it has drawn.
    content = hashlib.blake2b(json.dumps(header).encode() + cells, digest_size=12).hexdigest()
    exact = maps.weights[maps.selected].astype("<f4").tobytes()
    view = {"selected": maps.selected, "zoom": maps.zoom, "zooms": zooms}
    frame = framed(header | {"content": content} | view)
    return frame + padded(cells) + exact


def unpack(payload: bytes) -> AttentionMaps:
    """Read a packed block again, as the component does.

    Returns:
        The maps; the chosen head's weights are exact, all others are within 1/510 of the largest
        that was pooled with them.
    """
    header, at = unframed(payload)
    layers, heads, queries, keys = header["shape"]
    n_cells, pool = queries * keys, header["pool"]
    pooled = (layers, heads, -(-queries // pool), -(-keys // pool))
    cells = np.frombuffer(payload, "u1", n_cells + math.prod(pooled), at)
    exact = np.frombuffer(payload, "<f4", n_cells, at + cells.size + -cells.size % 4)
    numbers = cells[n_cells:].reshape(pooled).repeat(pool, 2).repeat(pool, 3)
    visible = cells[:n_cells].reshape(queries, keys).astype(np.bool_)
    weights = (numbers[:, :, :queries, :keys] * visible / 255.0).astype(np.float32)
    layer, head = header["selected"]
    weights[layer, head] = exact.reshape(queries, keys)
    return AttentionMaps(
        kind=header["kind"],
        weights=weights,
        visible=visible,
        **{name: tuple(map(read_label, header[name])) for name in _LABELS},
        translation=header["translation"],
        finding=header["finding"],
        selected=(layer, head),
        zoom=header["zoom"] and tuple(header["zoom"]),
        texts=header["texts"],
    )


def pool_of(shape: Sequence[int], most: int = MOST_CELLS) -> int:
    """Return how many weights of a row are pooled, and of a column, so that few enough are left.

    >>> pool_of((6, 8, 128, 128)), pool_of((6, 8, 512, 512))
    (1, 4)
    """
    layers, heads, queries, keys = shape
    pool = 1
    while layers * heads * -(-queries // pool) * -(-keys // pool) > most and pool < queries:
        pool += 1
    return pool


def _pooled(numbers: npt.NDArray[np.uint8], pool: int) -> npt.NDArray[np.uint8]:
    """Return the largest of each pool × pool numbers of the last two axes."""
    if pool == 1:
        return numbers
    layers, heads, queries, keys = numbers.shape
    padding = ((0, 0), (0, 0), (0, -queries % pool), (0, -keys % pool))
    padded_numbers = np.pad(numbers, padding)
    down, across = (size // pool for size in padded_numbers.shape[2:])
    blocks = padded_numbers.reshape(layers, heads, down, pool, across, pool)
    return np.asarray(blocks.max((3, 5)), np.uint8)


def _header(maps: AttentionMaps) -> dict[str, Any]:
    return {
        "kind": maps.kind,
        "shape": maps.weights.shape,
        **{name: [written_label(label) for label in getattr(maps, name)] for name in _LABELS},
        "translation": maps.translation,
        "finding": maps.finding,
        "texts": {**DEFAULT_TEXTS, **maps.texts},
    }


@cache
def component_assets() -> Assets:
    """Return the component's HTML, CSS and JS."""
    return assets_of("plane/attention_maps", _SCRIPTS, styles=shared("plot", "zoom"))
