"""Masks: which query may look at which key, why, and what happens without."""

from pages.frame import view
from pages.frame.language import N_
from pages.frame.needs import Need
from pages.frame.view import View
from pages.masks import masks, prefixes, scores, without

VIEWS = (
    View(
        "masks",
        N_("two masks"),
        N_(
            "Sentences of a batch are filled up with PAD to the longest; no query may look there. "
            "A decoder that writes one word after the other may not look ahead either. Hatched: "
            "hidden."
        ),
        masks.draw,
    ),
    View(
        "prefixes",
        N_("prefixes"),
        N_(
            "When it writes a sentence, the decoder is fed a growing prefix. In training one pass "
            "does all steps at once: the look-ahead mask shows row i the same words as prefix i."
        ),
        prefixes.draw,
        needs=(Need.WRITING, Need.NEXT, Need.DECODER_SELF),
    ),
    View(
        "scores",
        N_("scores to weights"),
        N_(
            "A hidden score becomes −∞ before the softmax: its weight is exactly 0, and the row "
            "still sums to 1."
        ),
        scores.draw,
        needs=(Need.DOT_PRODUCTS,),
    ),
    View(
        "without",
        N_("switched off"),
        N_(
            "Switch masks off in all layers of the loaded model: weight leaks to the padding and "
            "to the future, and the loss says what that costs."
        ),
        without.draw,
        needs=(Need.NEXT, Need.DECODER_SELF),
    ),
)


def render() -> None:
    """Ask for a model, a sentence and a view, and show it."""
    view.of_sentence(VIEWS, "masks", needs=(Need.HEADS,))
