"""Texts that core marks and pages translate."""

import errno
from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any, Self


def N_(text: str) -> str:  # noqa: N802
    """Return a text unchanged; marks it for the extraction of messages.

    A page translates it when it shows it.

    >>> N_("encoder self")
    'encoder self'
    """
    return text


class Message(str):
    """A marked text with values filled in: English by itself, and a page can translate it.

    >>> message = Message("{n} tokens, not {other}", n=1200, other="two")
    >>> message, message.template, message.values["n"]
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


class MessageError(Exception):
    """An error whose text a page can translate.

    >>> str(MessageError("{n} tokens", n=1200)), error_text(MessageError("none {n}"))
    ('1,200 tokens', 'none {n}')
    """

    def __init__(self, text: str = "", /, **values: object) -> None:
        """Keep a `Message`: a given one, or one made of a template and values."""
        super().__init__(text if isinstance(text, Message) else Message(text, **values))


def error_text(error: BaseException) -> str:
    """Return the text of an error: a `Message` if it has one, which a page can translate.

    >>> error_text(ValueError(Message("{n} tokens", n=1200))).template, error_text(KeyError("a"))
    ('{n} tokens', "'a'")
    >>> error_text(OSError(28, "No space left on device", "run.json"))
    'No space left on the disk: run.json'
    """
    if isinstance(error, OSError) and error.strerror:
        why = reason(error)
        return why if error.filename is None else Message(_OF_FILE, why=why, path=error.filename)
    return error.args[0] if error.args and isinstance(error.args[0], Message) else str(error)


def reason(error: OSError) -> str:
    """Return the operating system's reason for an error, without the name of the file."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return Message("No space left on the disk") if full else str(error.strerror)


_OF_FILE = N_("{why}: {path}")


def message_to_json(text: str) -> dict[str, Any]:
    """Return a text as JSON, for another process to read.

    >>> message_from_json(message_to_json(Message("{n} tokens", n=1200))).template
    '{n} tokens'
    >>> message_from_json(message_to_json("none"))
    'none'
    """
    return {"message": str(text)} | ({"said": _parts(text)} if isinstance(text, Message) else {})


def message_from_json(written: Mapping[str, Any]) -> str:
    """Return the text that `message_to_json` wrote, or "" if there is none."""
    return _whole(written.get("said")) or str(written.get("message", ""))


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
        # Plain fields only: a width, for example, could request any amount of memory.
        places = [place[1:] for place in Formatter().parse(template) if place[1] is not None]
    except ValueError:
        return None
    plain = {(name, "", None) for name in filled}
    return Message(template, **filled) if set(places) <= plain else None


def _again(template: str, values: Mapping[str, int | str]) -> Message:
    return Message(template, **values)
