"""Texts that core names and a page shows: marked here, translated there."""


def N_(text: str) -> str:  # noqa: N802
    """Return a text as it is; the mark lets the extraction of messages find it.

    Translated is it when it is shown, in the language of whoever looks.

    >>> N_("encoder self")
    'encoder self'
    """
    return text
