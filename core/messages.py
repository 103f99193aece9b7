"""Texts that core names and a page shows: marked here, translated there."""

from collections.abc import Callable, Mapping
from typing import Self


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

    def __new__(cls, template: str, **values: int | str) -> Self:
        """Fill the values in: those that are numbers with commas between thousands."""
        written = {name: f"{n:,}" if isinstance(n, int) else n for name, n in values.items()}
        message = super().__new__(cls, template.format(**written))
        message.template, message.values = template, values
        return message

    def __reduce__(self) -> tuple[Callable[..., "Message"], tuple[str, dict[str, int | str]]]:
        return _again, (self.template, dict(self.values))


def said(error: BaseException) -> str:
    """Return what an error says, which a page can say otherwise where it is a `Message`.

    >>> said(ValueError(Message("{n} tokens", n=1200))).template, said(KeyError("a"))
    ('{n} tokens', "'a'")
    """
    return error.args[0] if error.args and isinstance(error.args[0], Message) else str(error)


def _again(template: str, values: Mapping[str, int | str]) -> Message:
    return Message(template, **values)
