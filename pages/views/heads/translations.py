"""Translations before and after a change, and which of their words differ."""

from core.runs.run import Run
from core.studies.effects.ablation import BeforeAfter
from pages.frame.language import _
from pages.frame.typography import doubtful_words_of, marked, typeset, written_name


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
