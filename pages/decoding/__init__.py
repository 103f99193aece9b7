"""Decoding: how a model writes a sentence, step by step, and what that costs."""

from pages.decoding import copying, cost, exposure, output, passes, steps, tree
from pages.frame.language import N_
from pages.frame.needs import Need
from pages.frame.view import View, of_sentence

VIEWS = (
    View(
        "steps",
        N_("step by step"),
        N_("Fed its own words (free running), and fed the true words (teacher forcing)."),
        steps.draw,
        says_sentence=True,
        needs=(Need.WRITING, Need.NEXT, Need.HEADS),
    ),
    View(
        "tree",
        N_("beam tree"),
        N_("Beam search keeps the best prefixes side by side, and drops the others at every step."),
        tree.draw,
        needs=(Need.WRITING, Need.NEXT),
    ),
    View(
        "output",
        N_("output layer"),
        N_("How the scores of a step become probabilities, and what temperature does to them."),
        output.draw,
        needs=(Need.WRITING, Need.NEXT),
    ),
    View(
        "copying",
        N_("copying"),
        N_(
            "A pointer-generator says at each step how much of a word it generates, and from which "
            "places of the source it copies the rest."
        ),
        copying.draw,
        needs=(Need.POINTER,),
    ),
    View(
        "cost",
        N_("cost"),
        N_(
            "Each token is an input of the next step, so n tokens need n passes of the decoder. In "
            "training the true tokens are known: one masked pass computes all positions together."
        ),
        cost.draw,
        says_sentence=True,
        needs=(Need.WRITING, Need.NEXT, Need.DECODER_SELF),
    ),
    View(
        "exposure",
        N_("exposure bias"),
        N_("How far early mistakes carry: held-out sentences, true words fed against own ones."),
        exposure.draw,
        of_sentence=False,
        needs=(Need.TASK, Need.BOTH, Need.NEXT),
    ),
    View(
        "passes",
        N_("pass by pass"),
        N_(
            "A parallel decoder fills in all words in one pass. Further passes mask those that it "
            "was least sure of, and fill them in again (mask-predict)."
        ),
        passes.draw,
        says_sentence=True,
        needs=(Need.PARALLEL,),
    ),
)


def render() -> None:
    """Ask for a sentence and a view, and show it."""
    of_sentence(VIEWS, "decoding")
