"""Decoding: how a model writes a sentence, step by step, and what that costs."""

from functools import partial

from pages.frame.needs import Need
from pages.frame.view import View, of_sentence
from pages.views.decoding import alignment, cost, steps, tree

into_output = partial(View, "decoding", looks_into="output", says_sentence=True)
VIEWS = (
    into_output("steps", steps.draw, needs=(Need.WRITING,)),
    into_output("tree", tree.draw, needs=(Need.WRITING, Need.NEXT), telling=tree.telling),
    View(
        "decoding",
        "alignment",
        alignment.draw,
        looks_into="attention",
        needs=(Need.BOTH, Need.NEXT, Need.HEADS),
    ),
    into_output("cost", cost.draw, needs=(Need.WRITING, Need.NEXT, Need.DECODER_SELF)),
)


def render() -> None:
    """Ask for a sentence and a view, and show it."""
    of_sentence(VIEWS, "decoding")


if __name__ == "__main__":
    from app import main

    main()
