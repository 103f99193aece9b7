"""The link that opens a head's card."""

from core.heads import Head
from pages.frame import cached, links, session
from pages.frame.opening import Opened

CARD = "card"
"""Name of the view on the page Heads."""


def link(opened: Opened, head: Head, label: str) -> None:
    """Show a link that opens the card of a head, with the same sentence.

    Args:
        opened: The head's run, and the sentence.
        head: Whose card.
        label: What the link says.
    """
    paths = cached.run_paths()
    query = {
        session.TRIAL: CARD,
        session.MODEL: next((name for name, path in paths.items() if path == opened.path), ""),
        session.SENTENCE: opened.sentence,
        session.KIND: str(head.kind),
        session.LAYER: str(head.layer),
        session.HEAD: str(head.index),
    }
    links.link("heads", label, ":material/badge:", query)
