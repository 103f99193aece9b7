"""Masks: which query may look at which key, why, and what happens without."""

from pages.frame import view
from pages.frame.needs import Need
from pages.frame.view import View
from pages.views.masks import masks, prefixes, scores, without

VIEWS = (
    View(
        "masks",
        "masks",
        masks.draw,
    ),
    View(
        "masks",
        "prefixes",
        prefixes.draw,
        needs=(Need.WRITING, Need.NEXT, Need.DECODER_SELF),
    ),
    View(
        "masks",
        "scores",
        scores.draw,
        needs=(Need.DOT_PRODUCTS,),
    ),
    View(
        "masks",
        "without",
        without.draw,
        needs=(Need.NEXT, Need.DECODER_SELF),
    ),
)


def render() -> None:
    """Ask for a model, a sentence and a view, and show it."""
    view.of_sentence(VIEWS, "masks", needs=(Need.HEADS,))


if __name__ == "__main__":
    from app import main

    main()
