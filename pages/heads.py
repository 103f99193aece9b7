"""Does this head matter? Silence it, override it, score it."""

from functools import partial

from pages.frame import selection, session
from pages.frame.needs import Need
from pages.frame.view import View, of_sentence
from pages.views.heads import attribution, head, override, patch, roles, silence, silence_sentence


def render() -> None:
    """Ask for a sentence and a view, and show it."""
    of_sentence(VIEWS, session.TRIAL, needs=selection.NEEDS_OF_HEADS)


into_heads = partial(View, "heads", looks_into="attention")
VIEWS = (
    into_heads(
        "silence",
        silence.draw,
        of_sentence=silence.asks_sentence,
        says_sentence=True,
        needs=(Need.WRITING,),
        telling=silence_sentence.telling,
    ),
    into_heads("override", override.draw, needs=(Need.WRITING,)),
    into_heads("patch", patch.draw, needs=(Need.WRITING,)),
    into_heads("roles", roles.draw, of_sentence=False),
    into_heads(
        selection.HEAD_VIEW, head.draw, of_sentence=False, needs=selection.NEEDS_OF_HEAD_VIEW
    ),
    into_heads(
        "attribution", attribution.draw, needs=(Need.ENCODER_SELF, Need.WRITING, Need.CROSS)
    ),
)


if __name__ == "__main__":
    from app import main

    main()
