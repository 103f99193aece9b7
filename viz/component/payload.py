"""What every component of our own shares on the Python side: labels and the payload.

A payload begins with the little-endian length of its header (4 bytes) and the header (JSON), whose
`arrays` lists the type and the size of each array that follows: 32-bit floats, 16-bit integers, or
single bytes. The header and every array are filled up with zeros to a multiple of 4 bytes.
"""

import hashlib
import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from viz.messages import N_

Array = NDArray[Any]

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

ROUNDING = 1e-4
"""So far beside 1 sums of 32-bit floats may end."""

# What is sent as it is; everything else is single bytes.
_TYPES = {"<f4": "f4", "<u2": "u2"}
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


def content_of(header: Mapping[str, Any], arrays: Sequence[Array]) -> str:
    """Return what lets the component see what is as it was, and leave that alone."""
    digest = hashlib.blake2b(json.dumps(header).encode(), digest_size=12)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def framed(header: Mapping[str, Any], arrays: Sequence[Array] = ()) -> bytes:
    """Write a payload.

    Raises:
        ValueError: A number of the header is NaN or infinite, which JSON cannot say.
    """
    types = [_TYPES.get(array.dtype.str, "u1") for array in arrays]
    sizes = [[kind, array.size] for kind, array in zip(types, arrays, strict=True)]
    written = json.dumps({**header, "arrays": sizes}, allow_nan=False).encode()
    blocks = [
        _padded(array.astype(f"<{kind}", copy=False).tobytes())
        for kind, array in zip(types, arrays, strict=True)
    ]
    return _padded(struct.pack("<I", len(written)) + written) + b"".join(blocks)


def unframed(payload: bytes) -> tuple[dict[str, Any], list[Array]]:
    """Read what `framed` wrote."""
    (length,) = struct.unpack_from("<I", payload)
    header = json.loads(payload[4 : 4 + length])
    at = 4 + length + -length % 4
    arrays = []
    for kind, size in header["arrays"]:
        array = np.frombuffer(payload, f"<{kind}", size, at)
        arrays.append(array)
        at += array.nbytes + -array.nbytes % 4
    return header, arrays


def _padded(block: bytes) -> bytes:
    """Fill up with zeros: 32-bit floats can only be read in place from a multiple of 4."""
    return block + b"\0" * (-len(block) % 4)


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


def check_weights(weights: Array, shape: Sequence[int], visible: Array | None = None) -> None:
    """Make sure that weights of attention can be drawn.

    Args:
        weights: 32-bit floats, each 0 to 1, and 0 wherever nothing is visible.
        shape: What they must have, nowhere 0.
        visible: Booleans of their last axes; None where everything is visible.

    Raises:
        ValueError: They cannot.
    """
    needed = tuple(shape)
    if weights.dtype != np.float32 or weights.shape != needed or 0 in needed:
        raise ValueError(f"weights need float32 {needed}, got {weights.dtype} {weights.shape}")
    low, high = float(weights.min()), float(weights.max())
    # Written so that NaN, which compares as False with everything, is refused too. Softmax in
    # 32-bit floats may end a little above 1, and a word's sum over its pieces too.
    if not (low >= 0.0 and high <= 1.0 + ROUNDING):
        raise ValueError(f"weights need 0 to 1, got {low} to {high}")
    if visible is None:
        return
    if visible.dtype != np.bool_ or visible.shape != needed[-visible.ndim :]:
        shown = needed[-visible.ndim :]
        raise ValueError(f"visible needs bool {shown}, got {visible.dtype} {visible.shape}")
    if not visible.all() and np.logical_and(weights, ~visible).any():
        raise ValueError("weights need 0 where visible is False, got more somewhere")
