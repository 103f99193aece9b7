"""Two columns of tokens with a line for each weight, packed for the component that draws them.

Its arrays: what is visible, and the weights of the heads, as they are where they fit into
`EXACT_BYTES`, else one byte each (0 to 255).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

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

Column = Literal["query", "key"]
EXACT_BYTES = 900_000

# Every text of the component. A page may hand over its own; {names} are filled in.
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
    "scrolled": N_("lines between two tokens that are both out of view are not drawn"),
    "rounded": N_("numbers marked ≈ were rounded to 1 in 255 on the way, lines too"),
    "rest": N_("Rest the pointer on a token to see its lines alone; a click keeps them."),
    "help": N_(
        "Up and down move from token to token, left and right to the other column; "
        "Enter keeps the lines of a token, Escape lets go."
    ),
    "looks": N_("{token} looks at"),
    "looked": N_("{token} is looked at by"),
    "row.decoder": N_("fed {fed}, predicts {predicted}"),
    "nothing": N_("nothing: the mask hides it"),
    "reading": N_("{token}: {partners}"),
    "about": N_("≈ {weight}"),
    "unknown": N_("never seen in training"),
    **SAVE_TEXTS,
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
        spoken: Column and index of the token that the text beside the lines is about: its lines
            stand out among all.
        texts: Replacements for some of DEFAULT_LINES_TEXTS.

    Raises:
        ValueError: The weights cannot be drawn, or do not fit their labels.
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
        shape = len(self.heads), len(self.queries), len(self.keys)
        check_weights(self.weights_HQK, shape, self.visible_QK)


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
        "texts": complete(lines.texts, DEFAULT_LINES_TEXTS),
    }
    # Lets the component see that only a choice changed, and keep what it has drawn.
    content = content_of(header, arrays)
    choices = {
        "threshold": lines.threshold,
        "hidden": sorted(lines.hidden),
        "pinned": lines.pinned,
        "spoken": lines.spoken,
    }
    return framed({**header, **choices, "content": content}, arrays)
