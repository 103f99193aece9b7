"""Does this head matter? Silence it, override it, score it."""

from pages.frame import selection, session
from pages.frame.needs import Need
from pages.frame.selection import Opened
from pages.frame.view import View, of_sentence
from pages.views.heads import attribution, head, override, patch, roles, silence, silence_sentence


def render() -> None:
    """Ask for a sentence and a view, and show it."""
    of_sentence(VIEWS, session.TRIAL, needs=selection.NEEDS_OF_HEADS)


VIEWS: tuple[View[Opened], ...] = (
    View(
        "heads",
        "silence",
        silence.draw,
        looks_into="attention",
        of_sentence=silence.asks_sentence,
        says_sentence=True,
        needs=(Need.WRITING,),
        telling=silence_sentence.telling,
    ),
    View("heads", "override", override.draw, looks_into="attention", needs=(Need.WRITING,)),
    View("heads", "patch", patch.draw, looks_into="attention", needs=(Need.WRITING,)),
    View("heads", "roles", roles.draw, looks_into="attention", of_sentence=False),
    View(
        "heads",
        selection.HEAD_VIEW,
        head.draw,
        looks_into="attention",
        of_sentence=False,
        needs=selection.NEEDS_OF_HEAD_VIEW,
    ),
    View(
        "heads",
        "attribution",
        attribution.draw,
        looks_into="attention",
        needs=(Need.ENCODER_SELF, Need.WRITING, Need.CROSS),
    ),
)


if __name__ == "__main__":
    from app import main

    main()
