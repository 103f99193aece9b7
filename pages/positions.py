"""How a Transformer knows the order of words: sinusoids, learned waves, and none at all."""

from pages.frame import lesson, opening
from pages.frame.lesson import View
from pages.frame.text import _
from pages.views.positions import experiments, learned, pairs, waves

VIEWS = (
    View(
        _("waves"),
        _(
            "Each dimension is a wave along the sentence. Neighbours 2i and 2i + 1 are the sine "
            "and the cosine of one wavelength λ; the higher the dimension, the slower the wave."
        ),
        waves.waves,
    ),
    View(
        _("map"),
        _(
            "Each row is the vector that is added to the token at that position. No two rows are "
            "alike: fast dimensions tell neighbours apart, slow ones tell far places apart."
        ),
        waves.table,
    ),
    View(
        _("dots"),
        _(
            "How alike two positions are depends on their distance only, and left and right look "
            "the same: the dot product alone cannot tell *before* from *after*."
        ),
        pairs.dots,
    ),
    View(
        _("rotation"),
        _(
            "One matrix M takes *every* position k places on: it turns each pair (sin, cos) by an "
            "angle of its own. So the authors expected that distances would be easy to learn."
        ),
        pairs.rotation,
    ),
    View(
        _("check"),
        _(
            "The formula by hand: the known example on the left, any position on the right. "
            "The angle is in radians."
        ),
        waves.check,
    ),
    View(
        _("learned"),
        _(
            "The alternative to a formula: a table of numbers, trained like all other weights "
            "(row E of the paper's Table 3: 25.7 BLEU instead of 25.8)."
        ),
        learned.learned,
    ),
    View(
        _("shuffle"),
        _(
            "Without positions the encoder sees a bag of words: shuffle them, and its outputs are "
            "only shuffled too. Positions tell the order, the mask hides the future: each is "
            "needed."
        ),
        experiments.shuffle,
    ),
    View(
        _("norms"),
        _(
            "Token and position are added. Before, a token's vector is multiplied by √d_model, so "
            "that neither drowns the other; the paper gives no reason."
        ),
        experiments.norms,
    ),
)


def render() -> None:
    """Ask for model, sentence and view, and draw the view."""
    opened = opening.model_and_sentence()
    if opened is not None:
        lesson.show(VIEWS, opened, "positions")


if __name__ == "__main__":
    from app import main

    main()
