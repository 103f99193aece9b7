"""The texts of which a component is made: HTML, CSS and JS, read from the folders of `viz`."""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from viz import theme

_VIZ = Path(__file__).parents[1]
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


def lent(assets: Assets, name: str) -> Assets:
    """Return a component whose script the page has, by that name: see `lending`.

    Streamlit sends a component's script with each change of its data.
    """
    return replace(assets, js=_read("component/lent.js").replace("NAME", name))


def lending(scripts: Mapping[str, str]) -> str:
    """Return a script that gives a page what its components are, so that they come once.

    Args:
        scripts: Modules of components, by the names under which they are `lent`.
    """
    modules = (
        f'lend("{name}", (() => {{\n{with_named_export(js)}\nreturn mountComponent;\n}})());'
        for name, js in scripts.items()
    )
    return "\n".join(
        ("(() => {", '"use strict";', _read("component/lending.js"), *modules, "})();")
    )


def with_named_export(js: str) -> str:
    """Return a module's script whose default export is named `mountComponent` instead.

    Raises:
        ValueError: It does not export exactly one function as its default.
    """
    script, exports = re.subn(
        r"^export default\b", "const mountComponent =", js, flags=re.MULTILINE
    )
    if exports != 1:
        raise ValueError(f"a component has one default export, this script has {exports}")
    return script


def without_tags(js: str) -> str:
    r"""Return a script in which nothing can be taken for a tag: it stands in an element.

    What looks like one can only be in a string there, where the two spell the same.

    >>> without_tags("a = '</script>'; // <!-- b")
    "a = '\\x3c/script>'; // \\x3c!-- b"
    """
    return re.sub(r"<(?=[/\w!])", r"\\x3c", js)


def shared(*names: str) -> tuple[str, ...]:
    """Return the places of scripts or styles that all components share."""
    return tuple(f"component/{name}" for name in names)


def _read(name: str) -> str:
    return (_VIZ / name).read_text(encoding="utf-8")
