"""One word through all heads: a strip of cells for each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..component.payload import (
    SAVE_TEXTS,
    SIGN_TEXTS,
    Array,
    TokenLabel,
    check_weights,
    complete,
    content_of,
    framed,
    written_label,
)
from ..messages import N_
from .maps import Kind
from .panels import Axis, Side, written_panel

# Every text of the component. A page may hand over its own; {names} are filled in.
DEFAULT_STRIPS_TEXTS: Mapping[str, str] = {
    **SIGN_TEXTS,
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
    **SAVE_TEXTS,
    "file": N_("word"),
    "words.help": N_("{side}: arrow keys move from word to word, Enter follows one."),
    "cells.help": N_("{title}. Arrow keys move from cell to cell."),
}


@dataclass(frozen=True, kw_only=True)
class StripGroup:
    """What every head of one kind of attention does with one token.

    Attributes:
        kind: Which attention: it says what the strips are called.
        sides: Whose tokens look, and whose are looked at.
        heads: Layer and head of each strip.
        weights: (strips, tokens), each 0 to 1, and 0 wherever nothing is visible.
        visible: (tokens,), True where the token may look, or be looked at from.

    Raises:
        ValueError: The weights cannot be drawn, or do not fit heads and tokens.
    """

    kind: Kind
    sides: tuple[Side, Side]
    heads: Sequence[tuple[int, int]]
    weights: NDArray[np.float32]
    visible: NDArray[np.bool_]

    def __post_init__(self) -> None:
        check_weights(self.weights, (len(self.heads), len(self.visible)), self.visible)

    def largest_first(self, last: int | None = None) -> "StripGroup":
        """Return the same strips by their largest weights; equal ones stay in order.

        Args:
            last: A token: strips that have their largest weight there come after the others.
        """
        order = np.lexsort((-self.weights.max(axis=1), self.weights.argmax(axis=1) == last))
        heads = tuple(self.heads[strip] for strip in order)
        return replace(self, heads=heads, weights=self.weights[order])


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
    """

    source: Sequence[TokenLabel]
    target: Sequence[TokenLabel]
    side: Side
    index: int
    direction: Literal["at", "by"]
    groups: Sequence[StripGroup]
    note: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)


def pack(strips: Strips, *, picks: bool = False, key: str = "", locale: str = "en") -> bytes:
    """Write the strips as the one block of bytes that the component reads.

    Args:
        strips: What is shown.
        picks: True if there is a page that answers when a word or a strip's name is clicked.
        key: The element's name; empty where there is but one.
        locale: The reader's language.
    """
    texts = complete(strips.texts, DEFAULT_STRIPS_TEXTS)
    arrays: list[Array] = []
    header = {
        "layout": "strips",
        "picks": picks,
        "key": key,
        "locale": locale,
        **{name: getattr(strips, name) for name in ("side", "index", "direction", "note")},
        "source": [written_label(label) for label in strips.source],
        "target": [written_label(label) for label in strips.target],
        "panels": [_written(strips, group, texts, arrays) for group in strips.groups],
        "texts": texts,
    }
    return framed(header, arrays)


def _written(
    strips: Strips, group: StripGroup, texts: Mapping[str, str], arrays: list[Array]
) -> dict[str, Any]:
    queries, keys = group.sides
    across = keys if strips.direction == "at" else queries
    tokens = strips.source if across == "source" else strips.target[:-1]
    axis = "axis.at" if strips.direction == "at" else f"axis.by.{across}"
    name = texts[f"name.{group.kind}"]
    names = [TokenLabel(name.format(layer=layer, head=head)) for layer, head in group.heads]
    shown = np.broadcast_to(group.visible, group.weights.shape).astype(np.uint8)
    followed = {"side": strips.side, "index": strips.index, "direction": strips.direction}
    header = written_panel(
        rows=Axis(name="", labels=names),
        columns=Axis(name=texts[axis], labels=tokens, side=across),
        values=len(arrays),
        visible=len(arrays) + 1,
        kind=group.kind,
        heads=[list(head) for head in group.heads],
        value_name=texts["weight"],
    )
    own: list[Array] = [group.weights, shown]
    arrays += own
    return header | {"content": content_of(header | followed, own)}
