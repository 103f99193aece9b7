"""What core says, errors among it, in the reader's language."""

from core.messages import Message
from pages.frame.language import _, number


def explained(what: str | Exception) -> str:
    """Return a `Message`, or that of an error, in the reader's language; else the text itself."""
    text = what.args[0] if isinstance(what, Exception) and what.args else what
    if not isinstance(text, Message):
        return str(text)
    values = {
        name: number(value) if isinstance(value, int) else explained(value)
        for name, value in text.values.items()
    }
    return _(text.template).format(**values)


def reason(error: Exception) -> str:
    """Return why something failed; of the system's errors what it says, without paths.

    >>> reason(OSError(28, "No space left on device", "/a/path")), reason(ValueError("why"))
    ('No space left on device', 'why')
    """
    system = error.strerror if isinstance(error, OSError) else None
    return system or explained(error)
