"""A language that marks every text: what is shown without marks went past the catalogues.

Every text stands in brackets and is longer than in English by 40 %, as many languages are.
"""

import html
import json
import math
import re
import shutil
import tomllib
from collections.abc import Collection, Iterator

import pyarrow as pa
from babel.messages.catalog import Catalog

from pages.frame import cached, texts
from pages.frame.language import LOCALES
from pages.locales import catalogues
from tests.escaping_texts import ICON, has_words
from tests.pages.data_texts import LINKS
from tests.viz.unpacked import unframed

LANGUAGE = "qps"
CHINESE = LOCALES / "zh_CN" / "LC_MESSAGES" / "app.po"
LONGER = 0.4
FILLED_IN = re.compile(r"\{\w*\}|\(data:[^)]*\)")
NUMBERED = re.compile(r"^\d+ ")
"""A token is named after its position."""
TAGS = re.compile(r"</?span[^>]*>")
MARKED = re.compile(r"⟦[^⟦⟧]*⟧")
TEXTS = ("label", "body", "help", "placeholder", "caption", "alt", "text", "title", "delta")
"""Fields of Streamlit's elements in which a text may stand."""
NO_TEXTS = {"latex", "code", "html"}
IN_PICTURES = ("title", "note", "value_name", "label", "caption")
"""Fields of what our own components draw; a list in their place is a token and what it is."""
AXES = ("rows", "columns")
"""Fields that hold an axis, which has a name."""
WORDS = re.compile(r"[^\W\d_]{2,}")
NAMES = frozenset({"masked", "pointer", "bfloat16", "float32", "copy-tiny", "output", "softmax"})
"""The same everywhere: number formats, a run, parts of a model as in the code, a formula."""
MARKDOWN = re.compile(r":(?:small|primary|gray)(?=\[)|\$[^$]+\$|\*\*")


def marked(text: str) -> str:
    """Return a text as the language has it.

    >>> marked("five layers")
    '⟦five layers·····⟧'
    """
    return f"⟦{text}{'·' * math.ceil(LONGER * len(text))}⟧"


def write_texts(folder):
    """Copy the texts that are files to a folder, and write each in this language beside them."""
    shutil.copytree(texts.TEXTS / "en", folder / "en")
    for file in (folder / "en").rglob("*.*"):
        text = file.read_text("utf-8")
        if file.suffix == ".toml":
            lines = marked_entries(tomllib.loads(text))
        else:
            lines = map(marked_line, text.splitlines())
        other = folder / LANGUAGE / file.relative_to(folder / "en")
        other.parent.mkdir(parents=True, exist_ok=True)
        other.write_text("\n".join(lines), "utf-8")


def marked_entries(entries, path=()) -> Iterator[str]:
    """Yield the lines of a TOML file as the language has it; what is no text is left out."""
    yield f"[{'.'.join(path)}]" if path else ""
    texts = {name: entry for name, entry in entries.items() if name not in LINKS}
    tables = {name: entry for name, entry in texts.items() if isinstance(entry, dict)}
    for name, entry in texts.items():
        if name not in tables:
            shown = marked(entry) if isinstance(entry, str) else list(map(marked, entry))
            # Strings and lists of them are written alike in both formats.
            yield f"{name} = {json.dumps(shown, ensure_ascii=False)}"
    for name, entry in tables.items():
        yield from marked_entries(entry, (*path, name))


def marked_line(line):
    """Return a line of Markdown as the language has it; headings of sections stay.

    >>> marked_line("# maps"), marked_line("## How to read"), marked_line("")
    ('# ⟦maps··⟧', '## How to read', '')
    """
    begin, text = re.fullmatch(r"(# |- |  |)(.*)", line).groups()
    kept = not text.strip() or text.startswith(("##", "$$", "|"))
    return line if kept else begin + marked(text)


def write(locales):
    """Write the catalogue of all texts: those that the Chinese one has, which lacks none."""
    catalogue = Catalog(header_comment="")
    catalogue.mime_headers = [("Plural-Forms", "nplurals=2; plural=(n != 1)")]
    for text in catalogues.read(CHINESE):
        if text.id:
            plural = not isinstance(text.id, str)
            catalogue.add(text.id, tuple(map(marked, text.id)) if plural else marked(text.id))
    file = locales / LANGUAGE / "LC_MESSAGES" / "app.mo"
    file.parent.mkdir(parents=True)
    catalogues.compile_texts(file, catalogue)


def left_in_english(at, own: Collection[str] = ()) -> list[str]:
    """Return what of a page's texts is not in the language, each after its element.

    Args:
        at: The page.
        own: Words of the visitor's or of the model, which are in no catalogue.
    """
    names = {*cached.run_paths(), *NAMES, *own}
    found = {
        f"{kind}: {unmarked(text)}"
        for kind, text in texts_of(at)
        if not {NUMBERED.sub("", text), unmarked(text)} & names
        and has_words(unmarked(text, names))
        and not set(WORDS.findall(unmarked(text))) <= names
    }
    return sorted(found)


def texts_of(at) -> Iterator[tuple[str, str]]:
    """Yield a page's texts, each with the element that shows it."""
    for element in _elements(at._tree):
        if element.type not in NO_TEXTS:
            yield from ((element.type, text) for text in _texts(element))


def unmarked(text: str, names: Collection[str] = ()) -> str:
    """Return what of a text stands outside of all marks.

    Args:
        text: As it is shown.
        names: What may stand before a colon: a chart of each of two runs says which it is.

    >>> unmarked("⟦layer ⟦one··⟧··⟧ and 2")
    ' and 2'
    >>> unmarked("copy: ⟦layer··⟧", {"copy"})
    ''
    """
    while text != (rest := MARKED.sub("", text)):
        text = rest
    text = MARKDOWN.sub("", ICON.sub("", FILLED_IN.sub("", text)))
    text = html.unescape(TAGS.sub("", text))
    of, colon, rest = text.partition(": ")
    return rest if colon and of in names else text


def _elements(block) -> Iterator:
    for child in getattr(block, "children", {}).values():
        yield child
        yield from _elements(child)


def _texts(element) -> Iterator[str]:
    proto = element.proto
    if element.type == "bidi_component":
        header, _rest = unframed(proto.bytes)
        yield from header.pop("texts", {}).values()
        yield from _titles(header, IN_PICTURES)
    elif proto is not None:
        # A block keeps its fields in that of its kind: a tab, an expander.
        kind = proto.WhichOneof("type") if "type" in proto.DESCRIPTOR.oneofs_by_name else None
        for holder in filter(None, (proto, kind and getattr(proto, kind))):
            yield from (str(getattr(holder, name, "") or "") for name in TEXTS)
            yield from (each for each in getattr(holder, "options", ()) if isinstance(each, str))
        yield from _titles(json.loads(getattr(proto, "spec", "") or "{}"))
        yield from _columns(proto) if element.type in {"dataframe", "table"} else ()


def _titles(spec, fields=TEXTS) -> Iterator[str]:
    """Yield what stands in a picture beside its data."""
    for name, value in spec.items() if isinstance(spec, dict) else enumerate(spec):
        if name in fields and isinstance(value, str):
            yield value
        elif isinstance(value, dict | list) and name != "datasets":
            if name in AXES and isinstance(value, dict):
                yield str(value.get("name", ""))
            yield from _titles(value, fields)


def _columns(proto) -> Iterator[str]:
    """Yield what the columns of a table are called; some are not shown."""
    schema = pa.ipc.open_stream(getattr(proto, "arrow_data", proto).data).schema
    indices = json.loads((schema.metadata or {}).get(b"pandas", b"{}")).get("index_columns", ())
    asked = json.loads(getattr(proto, "columns", "") or "{}")
    for name in schema.names:
        column = asked.get("_index" if name in indices else name, {})
        if not column.get("hidden"):
            yield column.get("label") or name
