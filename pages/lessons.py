"""Lessons: one question about the Transformer each, in the order of the paper."""

from pages.frame.needs import Need
from pages.frame.view import View, of_sentence
from pages.views.lessons import (
    counts,
    embedding,
    exposure,
    layers,
    leaks,
    learned,
    masks,
    mixing,
    norm,
    parts,
    positions,
    scaling,
    shuffle,
    units,
)

VIEWS = (
    View("lessons", "embedding", embedding.draw),
    View("lessons", "positions", positions.draw, of_sentence=False),
    View("lessons", "learned", learned.draw, of_sentence=False),
    View("lessons", "shuffle", shuffle.draw, needs=(Need.SOURCE,)),
    View("lessons", "masks", masks.draw, needs=(Need.HEADS,)),
    View("lessons", "leaks", leaks.draw, needs=(Need.HEADS, Need.NEXT, Need.DECODER_SELF)),
    View("lessons", "scaling", scaling.draw, of_sentence=False),
    View("lessons", "layers", layers.draw),
    View("lessons", "norm", norm.draw, needs=(Need.NORM, Need.LAYER_NORM)),
    View("lessons", "units", units.draw, needs=(Need.FEED_FORWARD,)),
    View("lessons", "mixing", mixing.draw, needs=(Need.ENCODER_SELF, Need.FEED_FORWARD)),
    View("lessons", "parts", parts.draw),
    View("lessons", "counts", counts.draw, of_sentence=False),
    View(
        "lessons",
        "exposure",
        exposure.draw,
        of_sentence=False,
        needs=(Need.TASK, Need.BOTH, Need.NEXT),
    ),
)


def render() -> None:
    """Ask for a model, a sentence and a lesson, and show it."""
    of_sentence(VIEWS, "lessons")


if __name__ == "__main__":
    from app import main

    main()
