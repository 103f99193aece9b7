"""The way from a head that is spoken about to its map."""

from core.heads import Head
from pages.frame import cached, links, notes, session
from pages.frame.opening import Opened
from pages.frame.text import ATTENTIONS, _


def to_map(opened: Opened, head: Head) -> None:
    """Show a link that opens a head on the page of attention, with the same sentence."""
    paths = cached.run_paths()
    links.link(
        "",
        _("{where}: its map").format(where=notes.site_and_head(head)),
        ":material/grid_view:",
        {
            session.MODEL: next((n for n, path in paths.items() if path == opened.path), ""),
            session.SENTENCE: opened.sentence,
            # The URL has what is shown.
            session.KIND: ATTENTIONS[head.kind],
            session.LAYER: str(head.layer),
            session.HEAD: str(head.index),
        },
    )
