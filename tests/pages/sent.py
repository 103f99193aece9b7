"""What a page sends to the browser, element by element."""

from collections.abc import Iterator
from html import unescape

SHOWN_AS_THEY_ARE = {
    *("text", "code", "text_input", "text_area", "bidi_component"),
    *("arrow_data_frame", "arrow_vega_lite_chart", "vega_lite_chart", "dataframe"),
}
"""Elements that show a text as it is; all others read marks of Markdown or HTML in it.

What components do with marks, tests/browser looks at.
"""


def sent(at) -> Iterator[tuple[str, str]]:
    """Yield the kind of each element, and all that is sent of it as one text."""
    for kind, proto in _protos(at._tree):
        if kind == "selectbox":
            # What it offers it shows as it is; what it is called is Markdown.
            yield kind, "\n".join((proto.label, proto.help, proto.placeholder))
            continue
        yield kind, proto.SerializeToString().decode("utf-8", "replace")


def read(at) -> str:
    """Return all that is sent, as it is read: with what entities stand for."""
    return "\n".join(unescape(text) for _, text in sent(at))


def _protos(block):
    for child in getattr(block, "children", {}).values():
        if getattr(child, "proto", None) is not None:
            yield child.type, child.proto
        yield from _protos(child)
