"""Translations before and after a change, and which of their words differ."""

from core.analysis.effects.interventions import BeforeAfter
from core.runs.run import Run
from pages.frame.language import _, plain
from pages.frame.translations import written
from pages.frame.typography import marked, typeset


def before_and_after(found: BeforeAfter, run: Run) -> str:
    """Return both translations of a run in Markdown, one below the other, or that it stays."""
    before, after = (typeset(each.translation.text, run) for each in (found.before, found.after))
    if found.same_text:
        return _("The {translation} stays: {text}").format(
            translation=written(run), text=plain(before) or "–"
        )
    one, other = marked(before, after)
    return _("Before: {before}  \nAfter: {after}").format(before=one, after=other)
