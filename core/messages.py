"""Texts that core names and a page shows: marked here, translated there."""

import errno
from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any, Self


def N_(text: str) -> str:  # noqa: N802
    """Return a text as it is; the mark lets the extraction of messages find it.

    Translated is it when it is shown, in the language of whoever looks.

    >>> N_("encoder self")
    'encoder self'
    """
    return text


class Message(str):
    """A marked text with values filled in: English by itself, and a page can say it otherwise.

    >>> said = Message("{n} tokens, not {other}", n=1200, other="two")
    >>> said, said.template, said.values["n"]
    ('1,200 tokens, not two', '{n} tokens, not {other}', 1200)
    """

    template: str
    values: Mapping[str, int | str]
    """Whole numbers are written as a language writes them; what is text may be a message."""

    def __new__(cls, template: str, /, **values: object) -> Self:
        """Fill the values in: whole numbers with commas between thousands, all else as text."""
        kept = {
            name: each if isinstance(each, str) or type(each) is int else str(each)
            for name, each in values.items()
        }
        written = {name: f"{n:,}" if isinstance(n, int) else n for name, n in kept.items()}
        message = super().__new__(cls, template.format(**written) if written else template)
        message.template, message.values = template, kept
        return message

    def __reduce__(self) -> tuple[Callable[..., "Message"], tuple[str, dict[str, int | str]]]:
        return _again, (self.template, dict(self.values))


class SaidError(Exception):
    """An error whose text a page can say otherwise.

    >>> str(SaidError("{n} tokens", n=1200)), said(SaidError("none {n}"))
    ('1,200 tokens', 'none {n}')
    """

    def __init__(self, text: str = "", /, **values: object) -> None:
        """Keep a `Message`: one that is there, or made of a template and values."""
        super().__init__(text if isinstance(text, Message) else Message(text, **values))


def said(error: BaseException) -> str:
    """Return what an error says, which a page can say otherwise where it is a `Message`.

    >>> said(ValueError(Message("{n} tokens", n=1200))).template, said(KeyError("a"))
    ('{n} tokens', "'a'")
    >>> said(OSError(28, "No space left on device", "run.json"))
    'No space left on the disk: run.json'
    """
    if isinstance(error, OSError) and error.strerror:
        why = reason(error)
        return why if error.filename is None else Message(_OF_FILE, why=why, path=error.filename)
    return error.args[0] if error.args and isinstance(error.args[0], Message) else str(error)


def reason(error: OSError) -> str:
    """Return why the system refused something, without the file that it was about."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return Message("No space left on the disk") if full else str(error.strerror)


_OF_FILE = N_("{why}: {path}")


def as_told(text: str) -> dict[str, Any]:
    """Return what one process writes of a text, as JSON holds it, and another reads.

    >>> said_in(as_told(Message("{n} tokens", n=1200))).template, said_in(as_told("none"))
    ('{n} tokens', 'none')
    """
    return {"message": str(text)} | ({"said": _parts(text)} if isinstance(text, Message) else {})


def said_in(told: Mapping[str, Any]) -> str:
    """Return the text that was told; nothing where none was, or what is written there is none."""
    return _whole(told.get("said")) or str(told.get("message", ""))


def _parts(value: int | str) -> dict[str, Any] | int | str:
    if not isinstance(value, Message):
        return value
    values = {name: _parts(each) for name, each in value.values.items()}
    return {"template": value.template, "values": values}


def _whole(parts: object) -> "Message | None":
    match parts:
        case {"template": str(template), "values": dict(values)}:
            filled = {name: _whole(each) or each for name, each in values.items()}
        case _:
            return None
    if not all(type(each) in (int, str, Message) for each in filled.values()):
        return None
    try:
        # Nothing but plain places: a width, for one, could ask for any amount of memory.
        places = [place[1:] for place in Formatter().parse(template) if place[1] is not None]
    except ValueError:
        return None
    plain = {(name, "", None) for name in filled}
    return Message(template, **filled) if set(places) <= plain else None


def _again(template: str, values: Mapping[str, int | str]) -> Message:
    return Message(template, **values)
