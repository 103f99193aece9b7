"""Decoding: how a model writes a sentence, step by step, and what that costs."""

from pages.frame.needs import Need
from pages.frame.view import View, of_sentence
from pages.views.decoding import copying, cost, exposure, output, passes, steps, tree

VIEWS = (
    View(
        "decoding",
        "steps",
        steps.draw,
        says_sentence=True,
        needs=(Need.WRITING, Need.NEXT, Need.HEADS),
    ),
    View(
        "decoding",
        "tree",
        tree.draw,
        needs=(Need.WRITING, Need.NEXT),
    ),
    View(
        "decoding",
        "output",
        output.draw,
        needs=(Need.WRITING, Need.NEXT),
    ),
    View(
        "decoding",
        "copying",
        copying.draw,
        needs=(Need.POINTER,),
    ),
    View(
        "decoding",
        "cost",
        cost.draw,
        says_sentence=True,
        needs=(Need.WRITING, Need.NEXT, Need.DECODER_SELF),
    ),
    View(
        "decoding",
        "exposure",
        exposure.draw,
        of_sentence=False,
        needs=(Need.TASK, Need.BOTH, Need.NEXT),
    ),
    View(
        "decoding",
        "passes",
        passes.draw,
        says_sentence=True,
        needs=(Need.PARALLEL,),
    ),
)


def render() -> None:
    """Ask for a sentence and a view, and show it."""
    of_sentence(VIEWS, "decoding")


if __name__ == "__main__":
    from app import main

    main()
