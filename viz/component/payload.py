"""What every component of our own shares on the Python side: labels and the payload's frame.

A payload begins with the little-endian length of its header (4 bytes) and the header (JSON), filled
up with zeros to a multiple of 4. What follows is each component's own.
"""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from viz.messages import N_

ZOOM_TEXTS: Mapping[str, str] = {
    "zoom.in": N_("Zoom in"),
    "zoom.out": N_("Zoom out"),
    "zoom.all": N_("Show all"),
    "zoom.all.short": N_("all"),
    "zoom.part": N_(
        "rows {first_row}–{last_row} of {n_rows}, "
        "columns {first_column}–{last_column} of {n_columns}"
    ),
    "zoom.whole": N_("all {n_rows} rows, all {n_columns} columns"),
    "zoom.hint": N_("Double-click, or turn the wheel with Ctrl, to zoom; drag to move."),
}
"""What components that can be zoomed say of it."""

SIGN_TEXTS: Mapping[str, str] = {
    "sign.ended": N_("{text}."),
    "sign.labelled": N_("{label}: {text}"),
    "sign.joined": N_("{said} {more}"),
    "sign.listed": N_(", "),
}
"""How the reader's language ends, introduces, joins and lists texts."""

# What CLDR calls the forms of a text.
_FORMS = ("zero", "one", "two", "few", "many", "other")


@dataclass(frozen=True, slots=True)
class TokenLabel:
    """How one token is shown.

    Attributes:
        text: What is written; any characters.
        special: True for tokens that are no words (BOS, EOS).
        unknown: True if the word was never seen in training.
        continues: True if it belongs to the same word as the token before it.
        given: True in a text that a model goes on from, for what was typed.
    """

    text: str
    special: bool = False
    unknown: bool = False
    continues: bool = False
    given: bool = False


@dataclass(frozen=True, slots=True)
class Doubt:
    """A word of a text of which a model is not sure, as it is marked.

    Attributes:
        start: Its first character in the text.
        end: One after its last.
        said: What is said of it on hover, and to a screen reader.
        unseen: True where it is marked for a source word that training never saw alone.
    """

    start: int
    end: int
    said: str
    unseen: bool = False


def written_label(label: TokenLabel) -> list[str | int]:
    """Return a label as it stands in a header."""
    flags = label.special | label.unknown << 1 | label.continues << 2 | label.given << 3
    return [label.text, flags]


def read_label(written: list[Any]) -> TokenLabel:
    """Return the label that `written_label` wrote."""
    text, flags = written
    return TokenLabel(text, *(bool(flags & 1 << bit) for bit in range(4)))


def padded(block: bytes) -> bytes:
    """Fill up with zeros: 32-bit floats can only be read in place from a multiple of 4."""
    return block + b"\0" * (-len(block) % 4)


def framed(header: Mapping[str, Any]) -> bytes:
    """Return the beginning of a payload.

    Raises:
        ValueError: A number is NaN or infinite, which JSON cannot say.
    """
    written = json.dumps(header, allow_nan=False).encode()
    return padded(struct.pack("<I", len(written)) + written)


def unframed(payload: bytes) -> tuple[dict[str, Any], int]:
    """Return a payload's header and where its own part begins."""
    (length,) = struct.unpack_from("<I", payload)
    return json.loads(payload[4 : 4 + length]), 4 + length + -length % 4


def check_texts(texts: Mapping[str, str], known: Mapping[str, str]) -> None:
    """Make sure that replaced texts are shown somewhere.

    A text that depends on a number may have more forms than English has: "grid.few" beside "grid".

    Raises:
        ValueError: Some are not.
    """
    forms = {f"{name.removesuffix('.other')}.{form}" for name in known for form in _FORMS}
    unknown = sorted(set(texts) - set(known) - forms)
    if unknown:
        raise ValueError(f"texts {unknown} are shown nowhere; known are {list(known)}")
