"""Translations before and after a change, and which of their words differ."""

from core.analysis.effects.interventions import BeforeAfter
from core.runs.run import Run
from pages.frame.language import _, plain
from pages.frame.translations import written
from pages.frame.typography import marked, typeset


def before_and_after(found: BeforeAfter, run: Run, *, changed: bool = True) -> str:
    """Return both translations of a run in Markdown, one below the other, or that it stays.

    Args:
        found: What is written before and after.
        run: Whose.
        changed: Whether anything was changed yet.
    """
    before, after = (typeset(each.translation.text, run) for each in (found.before, found.after))
    if not changed:
        return _("Nothing is changed yet: {text}").format(text=plain(before) or "–")
    if found.same_text:
        return _("The {translation} stays: {text}").format(
            translation=written(run), text=plain(before) or "–"
        )
    one, other = marked(before, after)
    return _("Before: {before}  \nAfter: {after}").format(before=one, after=other)
