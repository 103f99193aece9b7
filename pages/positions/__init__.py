"""How a Transformer knows the order of words: sinusoids, learned waves, and none at all."""

from pages.frame import view
from pages.frame.language import N_
from pages.frame.needs import Need
from pages.frame.view import View
from pages.positions import check, dots, learned, norms, rotation, shuffle, table, waves

VIEWS = (
    View(
        "waves",
        N_("waves"),
        N_(
            "Each dimension is a wave along the sentence. Neighbours 2i and 2i + 1 are the sine "
            "and the cosine of one wavelength λ; the higher the dimension, the slower the wave."
        ),
        waves.draw,
        of_sentence=False,
    ),
    View(
        "map",
        N_("all positions"),
        N_(
            "Each row is the vector that is added to the token at that position. No two rows are "
            "alike: fast dimensions tell neighbours apart, slow ones tell far places apart."
        ),
        table.draw,
        of_sentence=False,
    ),
    View(
        "dots",
        N_("dots"),
        N_(
            "How alike two positions are depends on their distance only, and left and right look "
            "the same: the dot product alone cannot tell *before* from *after*."
        ),
        dots.draw,
        of_sentence=False,
    ),
    View(
        "rotation",
        N_("rotation"),
        N_(
            "One matrix M takes *every* position k places on: it turns each pair (sin, cos) by an "
            "angle of its own. So the authors expected that distances would be easy to learn."
        ),
        rotation.draw,
        of_sentence=False,
    ),
    View(
        "check",
        N_("check"),
        N_(
            "The formula by hand: the known example on the left, any position on the right. "
            "The angle is in radians."
        ),
        check.draw,
        of_sentence=False,
    ),
    View(
        "learned",
        N_("learned"),
        N_(
            "The alternative to a formula: a table of numbers, trained like all other weights "
            "(row E of the paper's Table 3: 25.7 BLEU instead of 25.8)."
        ),
        learned.draw,
        of_sentence=False,
    ),
    View(
        "shuffle",
        N_("shuffle"),
        N_("The same words in another order: which outputs of the encoder change?"),
        shuffle.draw,
        needs=(Need.SOURCE,),
    ),
    View(
        "norms",
        N_("lengths"),
        N_(
            "Token and position are added. Before, a token's vector is multiplied by √d_model, so "
            "that neither drowns the other; the paper gives no reason."
        ),
        norms.draw,
        needs=(Need.SOURCE, Need.SCALED_TOKENS),
    ),
)


def render() -> None:
    """Ask for a model, a sentence and a view, and show it."""
    view.of_sentence(VIEWS, "positions")
