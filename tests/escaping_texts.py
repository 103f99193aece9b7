"""Finds texts that reach the screen without going through the reader's language.

What is found by reading the source, file by file:

- words in a literal that nothing translates: of two words or more anywhere, of one where an element
  or a picture takes a text (`label`, `title`, `help` …); what comes there by way of a variable, the
  drawings of all views in a language that marks each text find;
- constants that are translated when a module is imported, for whoever came first;
- `_` of something that no catalogue can hold, as it is put together when the page runs, and within
  an f-string, where extraction does not look;
- numbers written with a format, which are English in every language, also by Streamlit's columns;
- charts that nobody tells how the reader's language writes numbers.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

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
PICTURES_TEXTS = re.compile(r"(\w+_)?TEXTS")
OWN_FORMAT = re.compile(r"\{\w*:[^{}]*\}")

Found = tuple[int, str]
"""Line, and what is wrong there."""


def escaping(file: Path) -> list[Found]:
    """Return the words of a module that nobody translates."""
    return sorted({*_sentences(_tree(file)), *_labels(_tree(file))})


def frozen(file: Path) -> list[Found]:
    """Return what is translated when a module is imported."""
    return [
        (call.lineno, ast.unparse(call)[:60])
        for call in _outside_of_functions(_tree(file))
        if isinstance(call, ast.Call) and _name(call.func) in MARKS - {"N_"}
    ]


def put_together(file: Path) -> list[Found]:
    """Return the texts that no catalogue can hold, and those that format numbers themselves."""
    found = []
    for call in ast.walk(_tree(file)):
        if isinstance(call, ast.Call) and _name(call.func) in MARKS - {"translated"}:
            texts = call.args[:2] if _name(call.func) in {"n_", "forms"} else call.args[:1]
            for text in texts:
                if not _is_whole(text, marks_only=_name(call.func) == "N_"):
                    found.append((call.lineno, ast.unparse(call)[:60]))
    return found


def in_f_strings(file: Path) -> list[Found]:
    """Return the texts that no extraction sees: Babel does not read what an f-string computes."""
    return [
        (call.lineno, ast.unparse(call)[:60])
        for string in ast.walk(_tree(file))
        if isinstance(string, ast.JoinedStr)
        for call in ast.walk(string)
        if isinstance(call, ast.Call)
        and _name(call.func) in MARKS
        and any(isinstance(text, ast.Constant) for text in call.args)
    ]


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
    typed = _typed(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if PRINTF.fullmatch(text) and node not in typed:
                found.append((node.lineno, text))
            case ast.keyword(arg="format", value=ast.Constant(value=text)) if text in OF_STREAMLIT:
                found.append((node.value.lineno, text))
            case ast.Attribute(attr=name) if name in CHARTS_OF_STREAMLIT:
                found.append((node.lineno, name))
    return found


def _typed(tree: ast.Module) -> set[ast.AST]:
    """Return what belongs to fields for numbers: what is typed has the signs that Python reads."""
    fields = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {
        part
        for field in fields
        if _name(field.func) == "number_input"
        for keyword in field.keywords
        if keyword.arg == "format"
        for part in ast.walk(keyword)
    }


def unmarked(file: Path) -> list[Found]:
    """Return the texts of a picture that extraction does not see."""
    found = []
    for name, values in _assigned(_tree(file)).items():
        texts = [part for value in values if isinstance(value, ast.Dict) for part in value.values]
        for text in texts if PICTURES_TEXTS.fullmatch(name) else ():
            if isinstance(text, ast.Constant | ast.JoinedStr):
                found.append((text.lineno, _words(text)))
    return found


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


def _outside_of_functions(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is evaluated when a module is imported, defaults and decorators too."""
    for name, value in ast.iter_fields(node):
        if isinstance(node, ast.FunctionDef | ast.Lambda) and name == "body":
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child
                yield from _outside_of_functions(child)


def _is_whole(text: ast.expr, *, marks_only: bool) -> bool:
    """Return whether a text is as it was written, here or where it was marked."""
    if isinstance(text, ast.Constant):
        return isinstance(text.value, str) and not OWN_FORMAT.search(text.value)
    return not marks_only and isinstance(text, ast.Name | ast.Attribute | ast.Subscript)


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


def _assigned(tree: ast.Module) -> dict[str, list[ast.expr]]:
    """Return what each name of a module's top is given."""
    found: dict[str, list[ast.expr]] = {}
    for node in tree.body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                found.setdefault(name, []).append(value)
    return found
