"""The link that opens what is known of a head."""

from core.heads import Head
from pages.frame import cached, links, session
from pages.frame.needs import Need, why_not
from pages.frame.opening import Opened

HEAD = "head"
"""Name of the view on the page Heads."""
OF_PAGE = (Need.HEADS, Need.NEXT)
"""What all views of that page need of a model."""
OF_HEAD = (Need.TEXTS,)
"""What that view needs beside it."""


def link(opened: Opened, head: Head, label: str) -> None:
    """Show a link that opens what is known of a head, with the same sentence.

    There is none where nothing can be measured: where nobody knows the task, for example.

    Args:
        opened: The head's run, and the sentence.
        head: Which.
        label: What the link says.
    """
    if why_not(opened.run, (*OF_PAGE, *OF_HEAD)):
        return
    paths = cached.run_paths()
    query = {
        session.TRIAL: HEAD,
        session.MODEL: next((name for name, path in paths.items() if path == opened.path), ""),
        session.SENTENCE: opened.sentence,
        session.KIND: str(head.kind),
        session.LAYER: str(head.layer),
        session.HEAD: str(head.index),
    }
    links.link("heads", label, ":material/badge:", query)
