"""Where every head of the model looks, in a sentence."""

from functools import partial

from pages.frame import session, view
from pages.frame.needs import Need
from pages.frame.view import View
from pages.views.attention import lines, maps, steps, word

into_attention = partial(View, "attention", looks_into="attention")
VIEWS = (
    into_attention("maps", maps.draw, needs=(Need.HEADS,)),
    into_attention("lines", lines.draw, needs=(Need.HEADS,)),
    into_attention("word", word.draw, needs=(Need.HEADS,)),
    into_attention("steps", steps.draw, needs=(Need.HEADS, Need.DOT_PRODUCTS)),
)


def render() -> None:
    """Ask for a model, a sentence and a view."""
    view.of_sentence(VIEWS, session.VIEW)


if __name__ == "__main__":
    from app import main

    main()
