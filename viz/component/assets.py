"""The texts of which a component is made: HTML, CSS and JS, read from the folders of `viz`."""

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from viz import theme

_VIZ = Path(__file__).parents[1]
# Streamlit sends the script with every change of the data.
_COMMENTS = re.compile(r"^[ \t]*(?://.*|/\*\*(?s:.*?)\*/)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Assets:
    """The three texts of which a Streamlit component is made."""

    html: str
    css: str
    js: str


def assets_of(name: str, scripts: Sequence[str], styles: Sequence[str] = ()) -> Assets:
    """Read a component's files; colours and the scales come from `viz.theme`.

    Args:
        name: Of its HTML and CSS, as its place below `viz`: "lines/lines".
        scripts: Named in the same way, joined in this order into one module: without a build step
            there is nothing that could import.
        styles: Of others, before its own CSS.
    """
    joined = "\n".join(_COMMENTS.sub("", _read(f"{script}.js")) for script in scripts)
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
        + "".join(_read(f"{css}.css") for css in ("component/shared", *styles, name)),
        js=joined,
    )


def shared(*names: str) -> tuple[str, ...]:
    """Return the places of scripts or styles that all components share."""
    return tuple(f"component/{name}" for name in names)


def _read(name: str) -> str:
    return (_VIZ / name).read_text(encoding="utf-8")
