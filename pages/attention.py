"""Type a sentence, read its translation, and see where every head of the model looks."""

from pages.frame import session, view
from pages.frame.needs import Need
from pages.frame.tour import own_tour
from pages.frame.view import View
from pages.views.attention import forward_pass, lines, maps, start, steps, word

VIEWS = (
    View("attention", "maps", maps.draw, looks_into="attention", needs=(Need.HEADS,)),
    View("attention", forward_pass.VIEW, forward_pass.draw),
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
    """Begin with one head and one word; then ask for a model, a sentence and a view."""
    paper = own_tour()
    if first := start.first_screen(paper):
        start.draw(first, paper)
    else:
        # The bare address is that of the start.
        view.of_sentence(VIEWS, session.VIEW, named=True)


if __name__ == "__main__":
    from app import main

    main()
