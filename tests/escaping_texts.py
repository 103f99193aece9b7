"""Finds texts that reach the screen without going through the reader's language.

What is found by reading the source, file by file:

- words in a literal that nothing translates: of two words or more anywhere, of one where an element
  or a picture takes a text (`label`, `title`, `help` …); what comes there by way of a variable, the
  drawings of all views in a language that marks each text find, as they find what is translated
  when a module is imported, and what is put together so that no catalogue can hold it;
- messages of core that are handed other values than they have places for;
- numbers written with a format, which are English in every language, also by Streamlit's columns;
- charts that nobody tells how the reader's language writes numbers.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

from pages.locales.catalogues import ERRORS

ROOT = Path(__file__).resolve().parents[1]
MARKS = {"_", "N_", "n_", "forms", "translated"}
TEXTS = {
    *("label", "title", "page_title", "heading", "tabs", "caption", "captions", "alt", "note"),
    *("help", "help_text", "placeholder", "body", "text", "error", "value_name"),
    *("question", "tries", "how_to_read", "offered"),
}
"""Parameters that take a text."""
OLD_NAMES = "older"
"""The parameter, or the variable, that holds what old links called a thing."""
NO_TEXTS = {"html", "code", "latex", "write", "json", "markdown_code"}
"""Elements whose body is no text of ours, or may be anything."""

WORDS = re.compile(r"[^\W\d_]{2,}[,;:.)”’]?(?: +\{\w*\}[,;:.]?)* +[(“‘]?[^\W\d_]{2,}")
WORD = re.compile(r"[A-Za-z]*(?:[a-z][A-Za-z]|[A-Za-z][a-z])")
"""Abbreviations and signs are the same in every language."""
NAME = re.compile(r"\w+([./_]\w+)+")
"""Of a file, a key or a module."""
ICON = re.compile(r":material/\w+:|&\w+;")
CODE = re.compile(
    r"[\[\]=\\<>]|\w\(|\b\w+ -m \w+|^ {4}|^\s*(from \S+ import|import|for \w+ in|def|return)\b"
)
"""Formulas, styles, addresses and lines of Python."""
FORMAT = re.compile(r"[-+ #z0-9]*[,_.][\d,_.]*[fgGe%d]?")
PRINTF = re.compile(r"%[-+ #0,]*\d*(\.\d+)?[dfgei]( ?%%)?")
OF_STREAMLIT = {
    *("plain", "localized", "percent", "dollar", "euro", "yen", "accounting", "compact"),
    *("scientific", "engineering", "bytes", "duration"),
}
"""Formats of columns, in English or in the browser's language, which need not be the reader's."""
CHARTS_OF_STREAMLIT = {"altair_chart", "vega_lite_chart", "plotly_chart", "line_chart", "bar_chart"}
"""`pages/frame/charts.py` shows them, and tells them how the reader's language writes numbers."""

TEMPLATE_AT = {"Message": 0, "require": 1, **dict.fromkeys(ERRORS, 0)}
"""What is made of a template and values → where the template stands."""

Found = tuple[int, str]
"""Line, and what is wrong there."""


def escaping(file: Path) -> list[Found]:
    """Return the words of a module that nobody translates."""
    return sorted({*_sentences(_tree(file)), *_labels(_tree(file))})


def formatted(file: Path) -> list[Found]:
    """Return where numbers are written in English whatever the language."""
    tree, found = _tree(file), []
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            spec = getattr(node.format_spec, "values", [])
            written = "".join(v.value if isinstance(v, ast.Constant) else "0" for v in spec)
            if FORMAT.fullmatch(written):
                found.append((node.lineno, ast.unparse(node)))
        elif isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
            found += [(node.lineno, name) for name in names if name == "three_digits"]
    return found


def written_by_streamlit(file: Path) -> list[Found]:
    """Return where Streamlit would write numbers that do not follow the reader's language."""
    tree, found = _tree(file), []
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if PRINTF.fullmatch(text):
                found.append((node.lineno, text))
            case ast.keyword(arg="format", value=ast.Constant(value=text)) if text in OF_STREAMLIT:
                found.append((node.value.lineno, text))
            case ast.Attribute(attr=name) if name in CHARTS_OF_STREAMLIT:
                found.append((node.lineno, name))
    return found


def filled_otherwise(file: Path) -> list[Found]:
    """Return the messages that are handed other values than they have places for."""
    return [
        (call.lineno, ast.unparse(call)[:60])
        for call, text in _made(_tree(file))
        if isinstance(text, ast.Constant)
        and {name for _, name, _, _ in Formatter().parse(text.value) if name is not None}
        != {keyword.arg for keyword in call.keywords}
    ]


def has_words(text: str) -> bool:
    """Return whether there is something to translate in a text that is shown."""
    return bool(WORD.search(text)) and not NAME.fullmatch(text)


@cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text())


def _name(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _sentences(tree: ast.Module) -> Iterator[Found]:
    """Yield what stands in two words or more, wherever it goes."""
    docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    docstrings = {each for each in docstrings if isinstance(each, ast.Constant)}

    def inside(node: ast.AST) -> Iterator[Found]:
        if node in docstrings or _is_no_text(node):
            return
        if isinstance(node, ast.Constant | ast.JoinedStr):
            text = _words(node)
            if WORDS.search(text) and not CODE.search(text):
                yield node.lineno, text
        if not isinstance(node, ast.Constant):
            # What stands in square brackets is a key, a heading of a view's words for example.
            keys = [node.slice] if isinstance(node, ast.Subscript) else []
            for child in ast.iter_child_nodes(node):
                said = isinstance(node, ast.JoinedStr) and isinstance(child, ast.Constant)
                if child not in keys and not said:
                    yield from inside(child)

    return inside(tree)


def _is_no_text(node: ast.AST) -> bool:
    """Return whether what is in it is marked, or only a name."""
    match node:
        case ast.Call(func=function):
            return _name(function) in MARKS
        case (
            ast.keyword(arg=name)
            | ast.Assign(targets=[ast.Name(id=name)])
            | ast.AnnAssign(target=ast.Name(id=name))
            | ast.AugAssign(target=ast.Name(id=name))
        ):
            return name == OLD_NAMES
    return False


def _words(node: ast.Constant | ast.JoinedStr) -> str:
    """Return a literal's text, without what is filled in."""
    if isinstance(node, ast.Constant):
        return ICON.sub("", node.value) if isinstance(node.value, str) else ""
    parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return ICON.sub("", "".join(map(str, parts)))


def _labels(tree: ast.Module) -> Iterator[Found]:
    """Yield the words that are handed, as they are written, to what shows a text."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and _name(call.func) not in MARKS | NO_TEXTS:
            for text in _texts_of(call):
                if isinstance(text, ast.Constant | ast.JoinedStr):
                    words = _words(text)
                    if has_words(words) and not CODE.search(words):
                        yield text.lineno, words


def _texts_of(call: ast.Call) -> Iterator[ast.expr]:
    """Yield the arguments of a call that are texts: Streamlit takes them first."""
    match call.func:
        case ast.Attribute(value=ast.Name(id="st")):
            yield from call.args[:1]
    yield from (each.value for each in call.keywords if each.arg in TEXTS)


def _made(tree: ast.Module) -> Iterator[tuple[ast.Call, ast.expr]]:
    """Yield each call that makes a message, with its template."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            at = TEMPLATE_AT.get(call.func.id)
            if at is not None and at < len(call.args):
                yield call, call.args[at]
