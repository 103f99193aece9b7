"""A language that marks every text: what is shown without marks went past the catalogues.

Every text stands in brackets and is longer than in English by 40 %, as many languages are.
"""

import json
import math
import re
from collections.abc import Iterator

import pyarrow as pa
from babel.messages.catalog import Catalog

from pages.frame import cached
from pages.locales import catalogues
from tests.escaping_texts import ICON, has_words
from viz.component.payload import unframed

LANGUAGE = "qps"
LONGER = 0.4
FILLED_IN = re.compile(r"\{\w*\}")
MARKED = re.compile(r"⟦[^⟦⟧]*⟧")
TEXTS = ("label", "body", "help", "placeholder", "caption", "alt", "text", "title", "delta")
"""Fields of Streamlit's elements in which a text may stand."""
NO_TEXTS = {"latex", "code", "html"}


def marked(text: str) -> str:
    """Return a text as the language has it.

    >>> marked("five layers")
    '⟦five layers·····⟧'
    """
    return f"⟦{text}{'·' * math.ceil(LONGER * len(text))}⟧"


def write(locales):
    """Write the catalogue of all texts that extraction finds."""
    texts = catalogues.collected()
    catalogue = Catalog(header_comment="")
    catalogue.mime_headers = [("Plural-Forms", "nplurals=2; plural=(n != 1)")]
    for text in texts:
        if text.id:
            plural = not isinstance(text.id, str)
            catalogue.add(text.id, tuple(map(marked, text.id)) if plural else marked(text.id))
    file = locales / LANGUAGE / "LC_MESSAGES" / "app.mo"
    file.parent.mkdir(parents=True)
    catalogues.compile_texts(file, catalogue)


def left_in_english(at) -> list[str]:
    """Return what of a page's texts is not in the language, each after its element."""
    names = cached.run_paths()
    found = {
        f"{element.type}: {unmarked(text)}"
        for element in _elements(at._tree)
        if element.type not in NO_TEXTS
        for text in _texts(element)
        if text not in names and has_words(unmarked(text))
    }
    return sorted(found)


def unmarked(text: str) -> str:
    """Return what of a text stands outside of all marks.

    >>> unmarked("⟦layer ⟦one··⟧··⟧ and 2")
    ' and 2'
    """
    while text != (rest := MARKED.sub("", text)):
        text = rest
    return ICON.sub("", FILLED_IN.sub("", text))


def _elements(block) -> Iterator:
    for child in getattr(block, "children", {}).values():
        yield child
        yield from _elements(child)


def _texts(element) -> Iterator[str]:
    proto = element.proto
    if element.type == "bidi_component":
        header, _rest = unframed(proto.bytes)
        yield from header.get("texts", {}).values()
    elif proto is not None:
        # A block keeps its fields in that of its kind: a tab, an expander.
        kind = proto.WhichOneof("type") if "type" in proto.DESCRIPTOR.oneofs_by_name else None
        for holder in filter(None, (proto, kind and getattr(proto, kind))):
            yield from (str(getattr(holder, name, "") or "") for name in TEXTS)
            yield from (each for each in getattr(holder, "options", ()) if isinstance(each, str))
        yield from _titles(json.loads(getattr(proto, "spec", "") or "{}"))
        yield from _columns(proto) if element.type == "dataframe" else ()


def _titles(spec) -> Iterator[str]:
    """Yield what stands in a chart beside its data."""
    for name, value in spec.items() if isinstance(spec, dict) else enumerate(spec):
        if name in TEXTS and isinstance(value, str):
            yield value
        elif isinstance(value, dict | list) and name != "datasets":
            yield from _titles(value)


def _columns(proto) -> Iterator[str]:
    """Yield what the columns of a table are called."""
    held = getattr(proto, "arrow_data", proto).data
    labels = json.loads(getattr(proto, "columns", "") or "{}")
    for name in pa.ipc.open_stream(held).schema.names:
        yield labels.get(name, {}).get("label") or name
