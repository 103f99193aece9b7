"""What is written before and after a change, and how probable its words are."""

import math

from core.runs.run import Run
from core.studies.effects.ablation import BeforeAfter
from pages.frame.language import _, percent, plain
from pages.frame.typography import doubtful_words_of, marked, typeset, written_name
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity


def before_and_after(found: BeforeAfter, run: Run) -> str:
    """Return both translations of a run in Markdown, one below the other, or that it stays.

    What differs is bold, and doubtful words are marked.
    """
    first, second = found.before, found.after
    one, other = marked(
        typeset(first.translation.text, run),
        typeset(second.translation.text, run),
        (doubtful_words_of(run, first), doubtful_words_of(run, second)),
    )
    if found.same_text:
        return _("The {translation} stays: {text}").format(translation=written_name(run), text=one)
    return _("Before: {before}  \nAfter: {after}").format(before=one, after=other)


def chances(found: BeforeAfter) -> Chart:
    """Return the chart of the probabilities of the model's own words and of those that lead now."""
    own, now = found.before.reference, found.after.reference
    names, leads = [], []
    for word in now:
        leading = word.best.text != word.token.text
        names.append(f"{word.token.text} → {word.best.text}" if leading else word.token.text)
        leads.append(word.best_probability if leading else math.nan)
    return bars(
        {
            _("before"): [each.probability for each in own],
            _("after"): [each.probability for each in now],
            _("word that now leads"): leads,
        },
        names,
        value=Quantity(_("probability"), share=True),
        title=_("Probability of each word of the original output"),
        drawn="dots",
    )


def most_changed(found: BeforeAfter) -> str:
    """Say which of the model's own words falls behind another, or else changes most."""
    both = list(zip(found.before.reference, found.after.reference, strict=True))
    led = [pair for pair in both if pair[0].best.text == pair[0].token.text]
    fallen = [pair for pair in led if pair[1].best.text != pair[0].token.text]
    own, now = max(fallen or both, key=lambda pair: abs(pair[1].probability - pair[0].probability))
    text = _("“{word}” changes most, from {before} to **{after}**.")
    if fallen:
        text = _("“{word}” falls from {before} to **{after}**, “{other}” leads with {lead}.")
    elif percent(own.probability) == percent(now.probability):
        text = _("none of its words becomes more or less probable.")
    return text.format(
        word=plain(own.token.text),
        before=percent(own.probability),
        after=percent(now.probability),
        other=plain(now.best.text),
        lead=percent(now.best_probability),
    )
