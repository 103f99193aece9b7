"""What all components share on the Python side: texts, labels and the format of a payload.

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

from ..messages import N_

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
"""Zooming."""

SIGN_TEXTS: Mapping[str, str] = {
    "sign.ended": N_("{text}."),
    "sign.labelled": N_("{label}: {text}"),
    "sign.joined": N_("{said} {more}"),
    "sign.listed": N_(", "),
}
"""How the reader's language ends, introduces, joins and lists texts."""

SAVE_TEXTS: Mapping[str, str] = {
    "png": N_("PNG"),
    "png.help": N_("Save as a picture: {title}"),
    "svg": N_("SVG"),
    "svg.help": N_("Save as a drawing: {title}"),
}
"""The buttons that save a picture."""

NTH_TEXTS: Mapping[str, str] = {
    "labels": N_("labels: every {nth}"),
    "nth.one": N_("{n}st"),
    "nth.two": N_("{n}nd"),
    "nth.few": N_("{n}rd"),
    "nth.other": N_("{n}th"),
}
"""Which labels of an axis there is room for."""

ROUNDING = 1e-4
"""How far above 1 a sum of 32-bit floats may end."""

# Types that are sent as they are; all others become single bytes.
_TYPES = {"<f4": "f4", "<u2": "u2"}
# The plural categories of CLDR.
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


def written_label(label: TokenLabel) -> list[str | int]:
    """Return a label as it stands in a header."""
    flags = label.special | label.unknown << 1 | label.continues << 2 | label.given << 3
    return [label.text, flags]


def content_of(header: Mapping[str, Any], arrays: Sequence[Array]) -> str:
    """Return a hash by which the component sees that nothing has changed."""
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


def _padded(block: bytes) -> bytes:
    """Fill up with zeros: a Float32Array needs an offset that is a multiple of 4."""
    return block + b"\0" * (-len(block) % 4)


def complete(texts: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    """Return all texts of a picture, some of them replaced.

    A text that depends on a number may have more forms than English has: "grid.few" beside "grid".

    Raises:
        ValueError: A replacement is shown nowhere.
    """
    forms = {f"{name.removesuffix('.other')}.{form}" for name in known for form in _FORMS}
    unknown = sorted(set(texts) - set(known) - forms)
    if unknown:
        raise ValueError(f"texts {unknown} are shown nowhere; known are {list(known)}")
    return {**known, **texts}


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
