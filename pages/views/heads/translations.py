"""Translations before and after a change, and which of their words differ."""

from core.runs.run import Run
from core.studies.effects.ablation import Ablated, BeforeAfter, Outcome
from pages.frame import typography
from pages.frame.language import _
from pages.frame.typography import marked, typeset, written_name


def _both_marked(before: Outcome, after: Outcome, run: Run) -> tuple[str, str]:
    """Return two translations in Markdown: what differs is bold, doubtful words are marked."""
    first, second = (typeset(each.translation.text, run) for each in (before, after))
    return marked(
        first,
        second,
        (typography.doubtful_words_of(run, before), typography.doubtful_words_of(run, after)),
    )


def before_and_after(found: BeforeAfter | Ablated, run: Run, *, changed: bool = True) -> str:
    """Return both translations of a run in Markdown, one below the other, or that it stays.

    Args:
        found: What is written before and after.
        run: Whose.
        changed: Whether anything was changed yet.
    """
    one, other = _both_marked(found.before, found.after, run)
    if not changed:
        return _("Nothing is changed yet: {text}").format(text=one)
    if found.same_text:
        return _("The {translation} stays: {text}").format(translation=written_name(run), text=one)
    return _("Before: {before}  \nAfter: {after}").format(before=one, after=other)
