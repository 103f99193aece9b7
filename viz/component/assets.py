"""HTML, CSS and JS of the components, read from the folders of `viz`."""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from .. import theme

_VIZ = Path(__file__).resolve().parents[1]
_TABLES = _VIZ / "component/tables.js"
_COMMENTS = re.compile(r"^[ \t]*(?://.*|/\*\*(?s:.*?)\*/)\n", re.MULTILINE)
_IMPORT = re.compile(r'^import (?:{[^}]*} from )?"(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


_WHOLE = ("descent", "whole")
"""The components that draw the whole model: they have CSS in common."""


@dataclass(frozen=True, slots=True)
class Assets:
    """HTML, CSS and JS of a Streamlit component."""

    html: str
    css: str
    js: str


@cache
def assets_of(name: str) -> Assets:
    """Read a component's files, which have the name of their folder.

    Args:
        name: Of a folder of `viz`: "lines".
    """
    own = f"{name}/{name}"
    of_whole = ("whole/stage.css",) if name in _WHOLE else ()
    styles = map(text_of, ("component/shared.css", *of_whole, f"{own}.css"))
    return Assets(
        html=text_of(f"{own}.html"),
        css=theme.css_variables() + "".join(styles),
        js=joined(own),
    )


@cache
def part_assets() -> Assets:
    """Return the component that shows nothing: it brings a part of a plane's payload."""
    css = ":host { display: none; }"
    return Assets(html='<i class="part" hidden></i>', css=css, js=joined("plane/part"))


def joined(name: str) -> str:
    """Return a module and all that it imports as one script.

    Streamlit hands a component's script to the browser as text, from where no other can be
    imported. All modules of a component share one scope: a test holds their names apart.

    Args:
        name: Its place below `viz`: "lines/lines".
    """
    scripts: dict[Path, str] = {}
    _collect(_VIZ / f"{name}.js", scripts, set())
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in scripts.values())


def _collect(path: Path, scripts: dict[Path, str], visited: set[Path]) -> None:
    """Add a module after those that it imports, in the order in which a browser runs them."""
    visited.add(path)
    text = tables_module() if path == _TABLES else text_of(str(path.relative_to(_VIZ)))
    for imported in _IMPORT.findall(text):
        each = (path.parent / imported).resolve()
        if each not in visited:
            _collect(each, scripts, visited)
    scripts[path] = text


def tables_module() -> str:
    """Return the module component/tables.js, which no file holds: the scales of `viz.theme`."""
    tables = {
        "SCALE_AS_BASE64": theme.scale_table(),
        "DIVERGING_AS_BASE64": theme.diverging_table(),
        "MAY_LOOK_AS_BASE64": theme.scale_table((theme.MAY_LOOK, theme.MAY_LOOK)),
    }
    return "".join(
        f'export const {name} = "{base64.b64encode(table.tobytes()).decode()}";\n'
        for name, table in tables.items()
    )


def lent(assets: Assets, name: str) -> Assets:
    """Return a component whose script the page has, by that name: see `lending`.

    Streamlit sends a component's script with each change of its data.
    """
    return replace(assets, js=text_of("component/lent.js").replace("NAME", name))


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
        ("(() => {", '"use strict";', text_of("component/lending.js"), *modules, "})();")
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


def text_of(name: str) -> str:
    """Return the text of a file, without comments that stand in lines of their own if it is JS.

    Args:
        name: Its place below `viz`: "lines/lines.html".
    """
    text = (_VIZ / name).read_text(encoding="utf-8")
    return _COMMENTS.sub("", text) if name.endswith(".js") else text
