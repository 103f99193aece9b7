"""Lessons: one question about the Transformer each, in the order of the paper."""

from functools import partial

from pages.frame import links
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
    positions,
    scaling,
    shuffle,
    units,
)

lesson = partial(View, "lessons")
VIEWS = (
    lesson("embedding", embedding.draw, looks_into="words"),
    lesson("positions", positions.draw, looks_into="words", of_sentence=False),
    lesson("learned", learned.draw, looks_into="words", of_sentence=False),
    lesson("shuffle", shuffle.draw, looks_into="words", needs=(Need.SOURCE, Need.OWN_MODULES)),
    lesson("masks", masks.draw, looks_into="attention", needs=(Need.HEADS,)),
    lesson(
        "leaks",
        leaks.draw,
        looks_into="attention",
        needs=(Need.HEADS, Need.NEXT, Need.DECODER_SELF),
    ),
    lesson("scaling", scaling.draw, looks_into="attention", of_sentence=False),
    lesson("layers", layers.draw, looks_into="layers"),
    lesson(
        "norm", norm.draw, looks_into="norms", needs=(Need.OWN_MODULES, Need.NORM, Need.LAYER_NORM)
    ),
    lesson("units", units.draw, looks_into="layers", needs=(Need.FEED_FORWARD, Need.OWN_MODULES)),
    lesson(
        "mixing",
        mixing.draw,
        looks_into="attention",
        needs=(Need.ENCODER_SELF, Need.FEED_FORWARD, Need.OWN_MODULES),
    ),
    lesson("counts", counts.draw, looks_into="all", of_sentence=False),
    lesson(
        "exposure",
        exposure.draw,
        looks_into="output",
        of_sentence=False,
        needs=(Need.TASK, Need.BOTH, Need.NEXT),
    ),
)


def render() -> None:
    """Ask for a model, a sentence and a lesson, and show it."""
    of_sentence(VIEWS, "lessons")
    links.link_to_misconceptions()


if __name__ == "__main__":
    from app import main

    main()
