"""What every component of our own shares on the Python side: labels, the payload's frame, assets.

A payload begins with the little-endian length of its header (4 bytes) and the header (JSON), filled
up with zeros to a multiple of 4. What follows is each component's own.
"""

import base64
import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from viz import theme

ZOOM_TEXTS: Mapping[str, str] = {
    "zoom.in": "Zoom in",
    "zoom.out": "Zoom out",
    "zoom.all": "Show all",
    "zoom.all.short": "all",
    "zoom.part": "rows {first_row}–{last_row} of {n_rows}, "
    "columns {first_column}–{last_column} of {n_columns}",
    "zoom.whole": "all {n_rows} rows, all {n_columns} columns",
    "zoom.hint": "Double-click, or turn the wheel with Ctrl, to zoom; drag to move.",
}
"""What components that can be zoomed say of it."""
_FOLDER = Path(__file__).parent / "components"


@dataclass(frozen=True, slots=True)
class TokenLabel:
    """How one token is shown.

    Attributes:
        text: What is written; any characters.
        special: True for tokens that are no words (BOS, EOS).
        unknown: True if the word was never seen in training.
        continues: True if it belongs to the same word as the token before it.
    """

    text: str
    special: bool = False
    unknown: bool = False
    continues: bool = False


def written_label(label: TokenLabel) -> list[str | int]:
    """Return a label as it stands in a header."""
    return [label.text, label.special | label.unknown << 1 | label.continues << 2]


def read_label(written: list[Any]) -> TokenLabel:
    """Return the label that `written_label` wrote."""
    text, flags = written
    return TokenLabel(text, bool(flags & 1), bool(flags & 2), bool(flags & 4))


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

    Raises:
        ValueError: Some are not.
    """
    unknown = sorted(set(texts) - set(known))
    if unknown:
        raise ValueError(f"texts {unknown} are shown nowhere; known are {list(known)}")


@dataclass(frozen=True, slots=True)
class Assets:
    """The three texts of which a Streamlit component is made."""

    html: str
    css: str
    js: str


def assets_of(name: str, scripts: Sequence[str], styles: Sequence[str] = ()) -> Assets:
    """Read a component's files; colours and the scales come from `viz.theme`.

    Args:
        name: Of its HTML and CSS.
        scripts: Joined in this order into one module: without a build step there is nothing that
            could import.
        styles: Of others, before its own CSS.
    """
    joined = "\n".join(_read(f"{script}.js") for script in scripts)
    tables = {
        "SCALE_AS_BASE64": theme.scale_table(),
        "DIVERGING_AS_BASE64": theme.diverging_table(),
        "MAY_LOOK_AS_BASE64": theme.scale_table((theme.MAY_LOOK, theme.MAY_LOOK)),
    }
    for placeholder, table in tables.items():
        joined = joined.replace(placeholder, base64.b64encode(table.tobytes()).decode())
    return Assets(
        html=_read(f"{name}.html"),
        css=theme.css_variables()
        + "".join(_read(f"{css}.css") for css in ("shared", *styles, name)),
        js=joined,
    )


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
