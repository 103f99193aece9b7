"""All attention maps of one sentence, packed for the component that draws them.

The component gets one block of bytes: little-endian length of the header (4 bytes), header (JSON),
zeros up to a multiple of 4, what is visible (1 byte per cell), the weights of all heads (1 byte
each, 0 to 255), zeros again, and the chosen head's weights once more as exact 32-bit floats.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from viz.payload import (
    Assets,
    assets_of,
    check_texts,
    framed,
    padded,
    read_label,
    unframed,
    written_label,
)
from viz.payload import TokenLabel as TokenLabel

Kind = Literal["encoder.self", "decoder.self", "decoder.cross"]

# Every word that the component shows. A page may hand over its own; {names} are filled in.
DEFAULT_TEXTS: Mapping[str, str] = {
    "title.encoder.self": "Encoder layer {layer}, head {head}: where each word looks",
    "title.decoder.self": "Decoder layer {layer}, head {head}: where each word looks back",
    "title.decoder.cross": "Decoder layer {layer}, head {head}: where it looks in the source",
    "grid": "All {n} heads",
    "grid.help": "Arrow keys move from head to head, Enter shows the head large.",
    "head": "layer {layer}, head {head}",
    "layer.short": "L{layer}",
    "head.short": "H{head}",
    "source": "source",
    "target": "target",
    "query": "query: the word that looks",
    "query.decoder": "query: word fed → word predicted",
    "key": "key: the word looked at",
    "cell": "{query} → {key} {weight}",
    "row.decoder": "fed {fed}, predicts {predicted}",
    "about": "≈ {weight}",
    "weight": "weight",
    "hidden": "hidden by the mask",
    "unknown": "never seen in training",
    "pooled": "each pixel shows the largest of {n} × {n} weights",
    "map.help": "Arrow keys move from cell to cell.",
}

_LABELS = ("queries", "keys", "predicted", "source", "target")

_SCRIPTS = (
    "shared_mount",
    "shared_text",
    "shared_scale",
    "shared_tokens",
    "shared_tooltip",
    "shared_plot",
    "shared_keys",
    "maps_payload",
    "maps_layout",
    "maps_drawing",
    "maps_tokens",
    "maps_events",
    "attention_maps",
)

# Softmax in 32-bit floats may end a little above 1.
_ROUNDING = 1e-4


@dataclass(frozen=True, kw_only=True)
class AttentionMaps:
    """What every head of one kind of attention looked at, with all that is needed to show it.

    Decoder rows are counted by what is fed: row i is fed target[i] and predicts target[i + 1].

    Attributes:
        kind: Which attention: it says whose tokens the rows and the columns are.
        weights: (layers, heads, queries, keys), each 0 to 1, and 0 wherever nothing is visible.
        visible: (queries, keys), True where a query may look at a key.
        queries: One label per row.
        keys: One label per column.
        predicted: What each decoder row predicted; empty for the encoder.
        source: The source sentence's tokens.
        target: The target sentence's tokens, from BOS to EOS.
        translation: The target sentence as text to read.
        finding: What is known about these heads; stands below the grid.
        selected: Layer and head shown large.
        texts: Replacements for some of DEFAULT_TEXTS.

    Raises:
        ValueError: If shapes, labels, weights or texts contradict each other.
    """

    kind: Kind
    weights: npt.NDArray[np.float32]
    visible: npt.NDArray[np.bool_]
    queries: Sequence[TokenLabel]
    keys: Sequence[TokenLabel]
    predicted: Sequence[TokenLabel] = ()
    source: Sequence[TokenLabel] = ()
    target: Sequence[TokenLabel] = ()
    translation: str = ""
    finding: str = ""
    selected: tuple[int, int] = (0, 0)
    texts: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_shapes(self)
        _check_weights(self)
        _check_labels(self)
        check_texts(self.texts, DEFAULT_TEXTS)


def _check_shapes(maps: AttentionMaps) -> None:
    if maps.weights.ndim != 4 or 0 in maps.weights.shape:
        raise ValueError(f"weights need (layers, heads, queries, keys), got {maps.weights.shape}")
    if maps.weights.dtype != np.float32:
        raise ValueError(f"weights need float32, got {maps.weights.dtype}")
    if maps.visible.dtype != np.bool_ or maps.visible.shape != maps.weights.shape[2:]:
        raise ValueError(
            f"visible needs bool {maps.weights.shape[2:]}, "
            f"got {maps.visible.dtype} {maps.visible.shape}"
        )
    layer, head = maps.selected
    layers, heads = maps.weights.shape[:2]
    if not (0 <= layer < layers and 0 <= head < heads):
        raise ValueError(f"layer {layer}, head {head} is not among {layers} layers × {heads} heads")


def _check_weights(maps: AttentionMaps) -> None:
    low, high = float(maps.weights.min()), float(maps.weights.max())
    # Written so that NaN, which compares as False with everything, is refused too.
    if not (low >= 0.0 and high <= 1.0 + _ROUNDING):
        raise ValueError(f"weights need 0 to 1, got {low} to {high}")
    if not maps.visible.all() and np.logical_and(maps.weights, ~maps.visible).any():
        raise ValueError("weights need 0 where visible is False, got more in some head")


def _check_labels(maps: AttentionMaps) -> None:
    n_queries, n_keys = maps.weights.shape[2:]
    expected = {"queries": n_queries, "keys": n_keys}
    if maps.kind == "encoder.self":
        expected |= {"keys": n_queries, "source": n_queries, "predicted": 0}
    else:
        expected |= {"target": n_queries + 1, "predicted": n_queries}
        expected |= {"keys": n_queries} if maps.kind == "decoder.self" else {"source": n_keys}
    if n_queries != n_keys and maps.kind != "decoder.cross":
        raise ValueError(f"{maps.kind} needs a square map, got {n_queries} × {n_keys}")
    for name, count in expected.items():
        actual = len(getattr(maps, name))
        if actual != count:
            raise ValueError(f"{maps.kind} needs {count} {name} labels, got {actual}")


def pack(maps: AttentionMaps) -> bytes:
    """Write the maps as the one block of bytes that the component reads.

    One byte per weight is as fine as the scale of 256 colours and keeps 48 heads small. The chosen
    head's exact weights go along for the number under the pointer.
    """
    scaled = np.rint(maps.weights * np.float32(255.0))
    cells = maps.visible.tobytes() + np.minimum(scaled, 255.0, out=scaled).astype("u1").tobytes()
    header = _header(maps)
    # Lets the component see that only the selection changed, and keep what it has drawn.
    content = hashlib.blake2b(json.dumps(header).encode() + cells, digest_size=12).hexdigest()
    exact = maps.weights[maps.selected].astype("<f4").tobytes()
    frame = framed(header | {"content": content, "selected": list(maps.selected)})
    return frame + padded(cells) + exact


def unpack(payload: bytes) -> AttentionMaps:
    """Read a packed block again, as the component does.

    Returns:
        The maps; the chosen head's weights are exact, all others are within 1/510.
    """
    header, at = unframed(payload)
    layers, heads, queries, keys = shape = tuple(header["shape"])
    cells = np.frombuffer(payload, "u1", queries * keys * (1 + layers * heads), at)
    exact = np.frombuffer(payload, "<f4", queries * keys, at + cells.size + -cells.size % 4)
    weights = (cells[queries * keys :].reshape(shape) / 255.0).astype(np.float32)
    layer, head = header["selected"]
    weights[layer, head] = exact.reshape(queries, keys)
    return AttentionMaps(
        kind=header["kind"],
        weights=weights,
        visible=cells[: queries * keys].reshape(queries, keys).astype(np.bool_),
        **{name: tuple(map(read_label, header[name])) for name in _LABELS},
        translation=header["translation"],
        finding=header["finding"],
        selected=(layer, head),
        texts=header["texts"],
    )


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
    return assets_of("attention_maps", _SCRIPTS, styles=("shared_plot",))
