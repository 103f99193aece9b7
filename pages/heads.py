"""Does this head matter? Silence it, override it, score it."""

from pages.frame import lesson, opening, session
from pages.frame.lesson import View
from pages.frame.text import _
from pages.views.heads import alike, attribution, guided, override, patch, prune, scores, silence


def render() -> None:
    """Ask for a sentence and a view, and show it."""
    if (opened := opening.model_and_sentence()) is not None:
        lesson.show(VIEWS, opened, session.TRIAL)


VIEWS: tuple[View, ...] = (
    View(
        "silence",
        _("Take heads away: what becomes of the sentence, and of sentences never seen?"),
        silence.draw,
    ),
    View(
        "prune",
        _("Silence one head after the other: how many does the task really need?"),
        prune.draw,
    ),
    View(
        "override",
        _("Make one row of one head look elsewhere, and read what the model then writes."),
        override.draw,
    ),
    View(
        "patch",
        _("Put what a head says in one sentence into another: which carries the difference?"),
        patch.draw,
    ),
    View(
        "guided",
        _("The same task learned freely, and with one head asked to look at the antecedent."),
        guided.draw,
    ),
    View(
        "scores",
        _(
            "The **roles** of heads on held-out sentences: each with its score and, in brackets, "
            "what the best rule without a model scores."
        ),
        scores.draw,
    ),
    View(
        "alike",
        _("Which heads look at the same tokens: 1 for heads that always have the same weights."),
        alike.draw,
    ),
    View(
        "attribution",
        _(
            "Which source tokens a word comes from, by six methods. Hiding a token (**leave one "
            "out**) is the test of the others."
        ),
        attribution.draw,
    ),
)


if __name__ == "__main__":
    from app import main

    main()
