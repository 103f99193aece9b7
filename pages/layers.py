"""Layers: every part of the loaded model, what it costs, and what it does to a sentence."""

from pages.frame.needs import Need
from pages.frame.view import View, of_sentence
from pages.views.layers import counts, lens, mixing, norms, parts, sizes, stream, units, vectors

VIEWS = (
    View(
        "layers",
        "parts",
        parts.draw,
    ),
    View(
        "layers",
        "vectors",
        vectors.draw,
    ),
    View(
        "layers",
        "stream",
        stream.draw,
    ),
    View(
        "layers",
        "lens",
        lens.draw,
        needs=(Need.WRITING, Need.NEXT, Need.OWN_VECTORS),
    ),
    View(
        "layers",
        "norms",
        norms.draw,
        needs=(Need.NORM, Need.LAYER_NORM),
    ),
    View(
        "layers",
        "units",
        units.draw,
        needs=(Need.FEED_FORWARD,),
    ),
    View(
        "layers",
        "mixing",
        mixing.draw,
        older="sides",
        needs=(
            Need.ENCODER_SELF,
            Need.FEED_FORWARD,
        ),
    ),
    View(
        "layers",
        "counts",
        counts.draw,
        of_sentence=False,
    ),
    View(
        "layers",
        "sizes",
        sizes.draw,
        of_sentence=False,
    ),
)


def render() -> None:
    """Ask for a sentence and a view, and show it."""
    of_sentence(VIEWS, "layers")


if __name__ == "__main__":
    from app import main

    main()
