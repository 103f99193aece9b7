"""How a Transformer knows the order of words: sinusoids, learned waves, and none at all."""

from pages.frame import view
from pages.frame.needs import Need
from pages.frame.view import View
from pages.views.positions import dots, learned, norms, rotation, shuffle, table, waves

VIEWS = (
    View(
        "positions",
        "waves",
        waves.draw,
        of_sentence=False,
    ),
    View(
        "positions",
        "map",
        table.draw,
        of_sentence=False,
        older="check",
    ),
    View(
        "positions",
        "dots",
        dots.draw,
        of_sentence=False,
    ),
    View(
        "positions",
        "rotation",
        rotation.draw,
        of_sentence=False,
    ),
    View(
        "positions",
        "learned",
        learned.draw,
        of_sentence=False,
    ),
    View(
        "positions",
        "shuffle",
        shuffle.draw,
        needs=(Need.SOURCE,),
    ),
    View(
        "positions",
        "norms",
        norms.draw,
        needs=(Need.SOURCE, Need.SCALED_TOKENS),
    ),
)


def render() -> None:
    """Ask for a model, a sentence and a view, and show it."""
    view.of_sentence(VIEWS, "positions")


if __name__ == "__main__":
    from app import main

    main()
