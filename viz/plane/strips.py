"""One word through all heads: a strip of cells for each, packed for the component that draws them.

The component gets one block of bytes: the frame of `viz.payload`, then for each group of strips the
weights as exact little-endian 32-bit floats in the order in which they are drawn, then for each
group one byte for each column, 1 where the cells can be seen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from viz.component import payload
from viz.component.assets import Assets, assets_of, shared
from viz.component.payload import TokenLabel
from viz.messages import N_

Kind = Literal["encoder.self", "decoder.self", "decoder.cross"]
Side = Literal["source", "target"]

# Every word that the component shows. A page may hand over its own; {names} are filled in.
DEFAULT_STRIPS_TEXTS: Mapping[str, str] = {
    "source": N_("source"),
    "target": N_("target"),
    "title.at.encoder.self": N_("Encoder self-attention: what “{token}” looks at"),
    "title.at.decoder.self": N_("Decoder self-attention: what “{token}” looks back at"),
    "title.at.decoder.cross": N_("Cross-attention: what “{token}” looks at in the source"),
    "title.by.encoder.self": N_("Encoder self-attention: what looks at “{token}”"),
    "title.by.decoder.self": N_("Decoder self-attention: what looks back at “{token}”"),
    "title.by.decoder.cross": N_("Cross-attention: what looks at “{token}” from the target"),
    "name.encoder.self": N_("encoder layer {layer}, head {head}"),
    "name.decoder.self": N_("decoder layer {layer}, head {head}"),
    "name.decoder.cross": N_("decoder layer {layer}, head {head}"),
    "hint": N_("Click a word to follow it through every head."),
    "open": N_("{name}: show it in the maps"),
    "axis.at": N_("key: the word looked at"),
    "axis.by.source": N_("query: the word that looks"),
    "axis.by.target": N_("query: the word fed"),
    "cell": N_("{query} → {key} {weight}"),
    "weight": N_("weight"),
    "hidden": N_("hidden by the mask"),
    "unknown": N_("never seen in training"),
    "last": N_("only predicted, never fed: it looks at nothing"),
    "pooled": N_("each cell shows the largest of {n} weights"),
    "picture.at": N_("What “{token}” looks at, in every head"),
    "picture.by": N_("What looks at “{token}”, in every head"),
    "png": N_("PNG"),
    "png.help": N_("Save as a picture: {title}"),
    "svg": N_("SVG"),
    "svg.help": N_("Save as a drawing: {title}"),
    "file": N_("word"),
    "words.help": N_("{side}: arrow keys move from word to word, Enter follows one."),
    "cells.help": N_("{title}. Arrow keys move from cell to cell."),
}

_SIDES: Mapping[str, tuple[Side, Side]] = {
    "encoder.self": ("source", "source"),
    "decoder.self": ("target", "target"),
    "decoder.cross": ("target", "source"),
}

_SCRIPTS = (
    *shared(
        "mount",
        "text",
        "scale",
        "tokens",
        "tooltip",
        "plot",
        "keys",
        "measure",
        "save",
        "svg",
        "figure",
        "figure_cells",
    ),
    *(
        f"plane/{name}"
        for name in (
            "strips_payload",
            "strips_layout",
            "strips_words",
            "strips_group",
            "strips_marks",
            "strips_picture",
            "strips_events",
            "strips",
        )
    ),
)

# Softmax in 32-bit floats may end a little above 1, and a word's sum over its pieces too.
_ROUNDING = 1e-4


@dataclass(frozen=True, kw_only=True)
class StripGroup:
    """What every head of one kind of attention does with one token.

    Attributes:
        kind: Which attention.
        heads: Layer and head of each strip.
        weights: (strips, tokens), each 0 to 1, and 0 wherever nothing is visible.
        visible: (tokens,), True where the token may look, or be looked at from.

    Raises:
        ValueError: If shapes or weights contradict each other.
    """

    kind: Kind
    heads: Sequence[tuple[int, int]]
    weights: NDArray[np.float32]
    visible: NDArray[np.bool_]

    def __post_init__(self) -> None:
        _check_group(self)

    def largest_first(self) -> "StripGroup":
        """Return the same strips by their largest weights; equal ones stay in order."""
        order = np.argsort(-self.weights.max(axis=1), kind="stable")
        heads = tuple(self.heads[strip] for strip in order)
        return StripGroup(
            kind=self.kind, heads=heads, weights=self.weights[order], visible=self.visible
        )


@dataclass(frozen=True, kw_only=True)
class Strips:
    """A token that is followed through all heads.

    Attributes:
        source: The source sentence's tokens.
        target: The target sentence's tokens, from BOS to EOS; the last is never fed.
        side: Whose token is followed.
        index: Which one.
        direction: `at` shows what it looks at, `by` what looks at it.
        groups: One for each kind of attention that it takes part in, drawn as they are.
        note: One line between the sentences and the strips.
        texts: Replacements for some of DEFAULT_STRIPS_TEXTS.

    Raises:
        ValueError: If tokens, groups or texts contradict each other.
    """

    source: Sequence[TokenLabel]
    target: Sequence[TokenLabel]
    side: Side
    index: int
    direction: Literal["at", "by"]
    groups: Sequence[StripGroup]
    note: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_strips(self)
        payload.check_texts(self.texts, DEFAULT_STRIPS_TEXTS)


def _check_group(group: StripGroup) -> None:
    weights = group.weights
    if group.kind not in _SIDES:
        raise ValueError(f"kind needs one of {list(_SIDES)}, got {group.kind!r}")
    if weights.ndim != 2 or 0 in weights.shape:
        raise ValueError(f"weights need (strips, tokens), got {weights.shape}")
    if weights.dtype != np.float32:
        raise ValueError(f"weights need float32, got {weights.dtype}")
    if group.visible.dtype != np.bool_ or group.visible.shape != weights.shape[1:]:
        raise ValueError(
            f"visible needs bool {weights.shape[1:]}, "
            f"got {group.visible.dtype} {group.visible.shape}"
        )
    if len(group.heads) != len(weights):
        raise ValueError(f"{len(weights)} strips need as many heads, got {len(group.heads)}")
    low, high = float(weights.min()), float(weights.max())
    # Written so that NaN, which compares as False with everything, is refused too.
    if not (low >= 0.0 and high <= 1.0 + _ROUNDING):
        raise ValueError(f"weights need 0 to 1, got {low} to {high}")
    if weights[:, ~group.visible].any():
        raise ValueError("weights need 0 where visible is False, got more in some strip")


def _check_strips(strips: Strips) -> None:
    fed = {"source": len(strips.source), "target": len(strips.target) - 1}
    if strips.side not in fed or not 0 <= strips.index < fed[strips.side]:
        raise ValueError(f"{strips.side} {strips.index} is not among the tokens {fed}")
    if strips.direction not in ("at", "by"):
        raise ValueError(f"direction needs at or by, got {strips.direction!r}")
    for group in strips.groups:
        queries, keys = _SIDES[group.kind]
        followed, across = (queries, keys) if strips.direction == "at" else (keys, queries)
        if followed != strips.side:
            raise ValueError(f"{group.kind} has no {strips.side} token for {strips.direction!r}")
        if group.weights.shape[1] != fed[across]:
            raise ValueError(
                f"{group.kind} needs {fed[across]} {across} tokens, got {group.weights.shape[1]}"
            )


def pack(strips: Strips, *, picks: bool = False) -> bytes:
    """Write the strips as the one block of bytes that the component reads.

    Args:
        strips: What is shown.
        picks: True if there is a page that answers when a word or a strip's name is clicked.
    """
    header = {
        "picks": picks,
        **{name: getattr(strips, name) for name in ("side", "index", "direction", "note")},
        "source": [payload.written_label(label) for label in strips.source],
        "target": [payload.written_label(label) for label in strips.target],
        "groups": [
            {"kind": group.kind, "heads": [list(head) for head in group.heads]}
            | {"shape": group.weights.shape, "across": _across(strips, group)}
            for group in strips.groups
        ],
        "texts": {**DEFAULT_STRIPS_TEXTS, **strips.texts},
    }
    weights = b"".join(group.weights.astype("<f4").tobytes() for group in strips.groups)
    visible = b"".join(group.visible.tobytes() for group in strips.groups)
    return payload.framed(header) + weights + visible


def unpack(packed: bytes) -> Strips:
    """Read a packed block again, as the component does."""
    header, at = payload.unframed(packed)
    shapes = [group["shape"] for group in header["groups"]]
    seen = at + 4 * sum(strips * tokens for strips, tokens in shapes)
    groups = []
    for written, (strips, tokens) in zip(header["groups"], shapes, strict=True):
        weights = np.frombuffer(packed, "<f4", strips * tokens, at).astype(np.float32)
        groups.append(
            StripGroup(
                kind=written["kind"],
                heads=tuple((layer, head) for layer, head in written["heads"]),
                weights=weights.reshape(strips, tokens),
                visible=np.frombuffer(packed, "?", tokens, seen),
            )
        )
        at += 4 * strips * tokens
        seen += tokens
    sentences: dict[str, Any] = {
        side: tuple(map(payload.read_label, header[side])) for side in ("source", "target")
    }
    others = {name: header[name] for name in ("side", "index", "direction", "note", "texts")}
    return Strips(groups=tuple(groups), **sentences, **others)


def _across(strips: Strips, group: StripGroup) -> Side:
    queries, keys = _SIDES[group.kind]
    return keys if strips.direction == "at" else queries


@cache
def component_assets() -> Assets:
    """Return the component's HTML, CSS and JS."""
    return assets_of("plane/strips", _SCRIPTS, styles=shared("plot"))
