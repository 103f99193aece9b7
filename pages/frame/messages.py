"""What core says, errors among it, in the reader's language and without the server's folders."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from core.installed import ROOT
from core.messages import Message, reason
from pages.frame import cached
from pages.frame.language import _, number
from pages.frame.service import VISITORS


def explained(what: str | Exception) -> str:
    """Return a `Message`, or that of an error, in the reader's language; else the text itself.

    Of the system's errors it is what the system says. Folders are called what the app calls them.

    >>> explained(OSError(28, "No space left on device", "/a/path")), explained(ValueError("why"))
    ('No space left on the disk', 'why')
    """
    if isinstance(what, OSError) and what.strerror:
        what = reason(what)
    text = what.args[0] if isinstance(what, Exception) and what.args else what
    if not isinstance(text, Message):
        return _placed(str(text))
    if not text.values:
        # What stands for no text in a catalogue is about the catalogue itself.
        return _placed(_(text.template)) if text else ""
    values = {
        name: number(value) if isinstance(value, int) else explained(value)
        for name, value in text.values.items()
    }
    return _(text.template).format(**values)


def _placed(text: str) -> str:
    """Return a text that tells nobody where on the server a folder of the app is."""
    # Most texts name none, and are asked for often.
    if os.sep not in text:
        return text
    for folder, name in _folders():
        inside = re.escape(str(folder)) + r"(?=[/\\\s:;,'\"]|$)"
        text = re.sub(inside, name.replace("\\", r"\\"), text)
    return text.replace(f"{_HERE}{os.sep}", "").replace(_HERE, ".")


_HERE = "\0"
"""In the place of the project's folder for a moment: no text holds it."""


def _folders() -> Iterator[tuple[Path, str]]:
    """Yield folders, the inner before the outer, with what the app calls them."""
    for parent in (cached.OWN / VISITORS, cached.OWN, cached.GALLERY, ROOT):
        name = {cached.GALLERY: "gallery", ROOT: _HERE}.get(parent, "runs")
        # A process is handed the folder that a link leads to.
        for folder in dict.fromkeys((parent, parent.resolve())):
            if folder.name:
                yield folder, name
