"""Two columns of tokens with a line for each weight, packed for the component that draws them.

Its arrays: what is visible, and the weights of the heads, as they are where they fit into
`EXACT_BYTES`, else one byte each (0 to 255).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from viz.component.assets import Assets, assets_of
from viz.component.payload import (
    SIGN_TEXTS,
    Array,
    TokenLabel,
    check_texts,
    check_weights,
    content_of,
    framed,
    read_label,
    unframed,
    written_label,
)
from viz.messages import N_

Column = Literal["query", "key"]
COLUMNS: tuple[Column, ...] = ("query", "key")
EXACT_BYTES = 900_000

# Every word that the component shows. A page may hand over its own; {names} are filled in.
DEFAULT_LINES_TEXTS: Mapping[str, str] = {
    **SIGN_TEXTS,
    "source": N_("source"),
    "target": N_("target"),
    "query": N_("query: the word that looks"),
    "query.decoder": N_("query: word fed → word predicted"),
    "key": N_("key: the word looked at"),
    "axis": N_("{side} · {role}"),
    "head": N_("head {head}"),
    "heads": N_("Heads: shown or hidden"),
    "threshold": N_("Lines under this weight are left out"),
    "left.out": N_("lines under {threshold} are left out: {n} of {total}"),
    "no.lines": N_("No weight reaches {threshold}: move the slider to the left."),
    "width": N_("line width: weight"),
    "mask": N_("pairs hidden by the mask have no line"),
    "scrolled": N_("lines between tokens of which neither is in view are not drawn"),
    "rounded": N_("numbers marked ≈ were rounded to 1 in 255 on the way, lines too"),
    "rest": N_("Rest the pointer on a token to see its lines alone; a click keeps them."),
    "help": (
        N_(
            "Up and down move from token to token, left and right to the other column; "
            "Enter keeps the lines of a token, Escape lets go."
        )
    ),
    "looks": N_("{token} looks at"),
    "looked": N_("{token} is looked at by"),
    "row.decoder": N_("fed {fed}, predicts {predicted}"),
    "nothing": N_("nothing: the mask hides it"),
    "said": N_("{token}: {partners}"),
    "about": N_("≈ {weight}"),
    "unknown": N_("never seen in training"),
    "png": N_("PNG"),
    "png.help": N_("Save as a picture: {title}"),
    "svg": N_("SVG"),
    "svg.help": N_("Save as a drawing: {title}"),
    "file": N_("lines"),
}

_LABELS = ("queries", "keys", "predicted")


@dataclass(frozen=True, kw_only=True)
class Lines:
    """What some heads of one layer looked at.

    Attributes:
        title: A sentence.
        weights_HQK: Each 0 to 1, and 0 wherever nothing is visible.
        visible_QK: True where a query may look at a key.
        heads: Which head each is: it decides the colour.
        queries: One label per query.
        keys: One label per key.
        sides: Whose tokens the queries and the keys are, source or target.
        predicted: What came out at each query of a decoder; empty for the encoder.
        threshold: Lines of smaller weights are left out.
        hidden: Heads without lines; never all.
        pinned: Column and index of the token whose lines are shown alone; None for all lines.
        spoken: The same of the token that is spoken of beside the lines: its own stand out among
            all lines.
        texts: Replacements for some of DEFAULT_LINES_TEXTS.

    Raises:
        ValueError: If shapes, labels, weights or choices contradict each other.
    """

    title: str
    weights_HQK: NDArray[np.float32]
    visible_QK: NDArray[np.bool_]
    heads: Sequence[int]
    queries: Sequence[TokenLabel]
    keys: Sequence[TokenLabel]
    sides: tuple[str, str]
    predicted: Sequence[TokenLabel] = ()
    threshold: float = 0.05
    hidden: frozenset[int] = frozenset()
    pinned: tuple[Column, int] | None = None
    spoken: tuple[Column, int] | None = None
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def exact(self) -> bool:
        """True where the component gets the weights as they are."""
        return self.weights_HQK.nbytes <= EXACT_BYTES

    def __post_init__(self) -> None:
        _check_weights(self)
        _check_choices(self)
        check_texts(self.texts, DEFAULT_LINES_TEXTS)


def _check_weights(lines: Lines) -> None:
    shape = len(lines.heads), len(lines.queries), len(lines.keys)
    check_weights(lines.weights_HQK, shape, lines.visible_QK)
    if len(lines.predicted) not in (0, len(lines.queries)):
        raise ValueError(f"{len(lines.queries)} queries, but {len(lines.predicted)} predicted")


def _check_choices(lines: Lines) -> None:
    if len(set(lines.heads)) != len(lines.heads) or min(lines.heads) < 0:
        raise ValueError(f"heads need different numbers from 0 on, got {list(lines.heads)}")
    if not lines.hidden < set(lines.heads):
        raise ValueError(f"hidden needs some of {list(lines.heads)}, not all: {lines.hidden}")
    if not 0.0 <= lines.threshold <= 1.0:
        raise ValueError(f"threshold needs 0 to 1, got {lines.threshold}")
    if not set(lines.sides) <= {"source", "target"}:
        raise ValueError(f"sides need source or target, got {lines.sides}")
    for column, index in filter(None, (lines.pinned, lines.spoken)):
        if (
            column not in COLUMNS
            or not 0 <= index < lines.weights_HQK.shape[1 + COLUMNS.index(column)]
        ):
            raise ValueError(f"there is no {column} {index} to mark")


def pack(lines: Lines, *, key: str = "", locale: str = "en") -> bytes:
    """Write the lines as the one block of bytes that the component reads.

    Args:
        lines: What is shown.
        key: The element's name; empty where there is but one.
        locale: The reader's language.
    """
    weights: Array = lines.weights_HQK
    if not lines.exact:
        scaled = np.rint(weights * np.float32(255.0))
        weights = np.minimum(scaled, 255.0, out=scaled).astype(np.uint8)
    arrays = [lines.visible_QK, weights]
    header = {
        "key": key,
        "locale": locale,
        "title": lines.title,
        "shape": lines.weights_HQK.shape,
        "exact": lines.exact,
        "heads": list(lines.heads),
        **{name: [written_label(label) for label in getattr(lines, name)] for name in _LABELS},
        "sides": list(lines.sides),
        "texts": {**DEFAULT_LINES_TEXTS, **lines.texts},
    }
    # Lets the component see that only a choice changed, and keep what it has drawn.
    content = content_of(header, arrays)
    return framed({**header, **_choices(lines), "content": content}, arrays)


def unpack(payload: bytes) -> Lines:
    """Read a packed block again, as the component does.

    Returns:
        The lines; where they were too many to be sent exactly, weights are within 1/510.
    """
    header, (visible, sent) = unframed(payload)
    shape = tuple(header["shape"])
    weights = sent.reshape(shape)
    return Lines(
        title=header["title"],
        weights_HQK=(weights if header["exact"] else weights / 255.0).astype(np.float32),
        visible_QK=visible.reshape(shape[1:]).astype(np.bool_),
        heads=tuple(header["heads"]),
        **{name: tuple(map(read_label, header[name])) for name in _LABELS},
        sides=tuple(header["sides"]),
        threshold=header["threshold"],
        hidden=frozenset(header["hidden"]),
        pinned=header["pinned"] and tuple(header["pinned"]),
        spoken=header["spoken"] and tuple(header["spoken"]),
        texts=header["texts"],
    )


def _choices(lines: Lines) -> dict[str, Any]:
    return {
        "threshold": lines.threshold,
        "hidden": sorted(lines.hidden),
        "pinned": lines.pinned,
        "spoken": lines.spoken,
    }


@cache
def component_assets() -> Assets:
    """Return the component's HTML, CSS and JS."""
    return assets_of("lines/lines")
