"""Where every head of the model looks, in a sentence."""

from pages.frame import session, view
from pages.frame.needs import Need
from pages.frame.view import View
from pages.views.attention import lines, maps, steps, word

VIEWS = (
    View("attention", "maps", maps.draw, looks_into="attention", needs=(Need.HEADS,)),
    View("attention", "lines", lines.draw, looks_into="attention", needs=(Need.HEADS,)),
    View("attention", "word", word.draw, looks_into="attention", needs=(Need.HEADS,)),
    View(
        "attention",
        "steps",
        steps.draw,
        looks_into="attention",
        needs=(Need.HEADS, Need.DOT_PRODUCTS),
    ),
)


def render() -> None:
    """Ask for a model, a sentence and a view."""
    view.of_sentence(VIEWS, session.VIEW)


if __name__ == "__main__":
    from app import main

    main()
