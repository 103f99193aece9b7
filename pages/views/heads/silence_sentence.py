"""What a sentence becomes when heads are changed."""

from collections.abc import Mapping, Sequence

import streamlit as st

from core.heads import Head
from core.runs.run import Run
from core.studies.effects.ablation import (
    SEED,
    BeforeAfter,
    Kind,
    average_mixed,
    averaged_over,
    first_changed,
)
from core.tasks import Task
from pages.frame import measured_on, notes
from pages.frame.language import N_, _, n_
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.typography import typeset, written_name
from pages.views.heads.silence_grid import telling_head
from pages.views.heads.translations import before_and_after, most_changed

LABELS = {"silence": N_("silence"), "uniform": N_("uniform"), "average": N_("average")}
"""What a changed head does, in the link → its label."""
KINDS: Mapping[str, Kind] = {"silence": "silence", "uniform": "uniform", "average": "freeze"}
"""The same → what an intervention calls it."""
NAMED = 2
"""Most heads that are named; of more, the number is given."""


def say(run: Run, found: BeforeAfter, heads: Sequence[Head], instead: str) -> None:
    """Show what is written before and after, and how heads are changed where that is not usual."""
    text = typeset(found.before.translation.text, run)
    if heads:
        text = before_and_after(found, run)
    st.markdown(text, unsafe_allow_html=True)
    if heads and instead != "silence":
        with st.container(key="done_said"):
            st.caption(_what_is_done(run, instead))


def seen(run: Run, found: BeforeAfter, heads: Sequence[Head], instead: str) -> str:
    """Say in Markdown whether what is written changes, and which of its words most."""
    if not heads:
        return _("All heads are on: click one to switch it off.")
    how = {
        "silence": _("Without {where}"),
        "uniform": _("With {where} uniform"),
        "average": _("With {where} at the average"),
    }[instead].format(where=_named(heads))
    text = _("{how} the {translation} **changes**: {most}")
    if found.same_text:
        text = _("{how} the {translation} **stays**: {most}")
    return text.format(how=how, translation=written_name(run), most=most_changed(found))


def _named(heads: Sequence[Head]) -> str:
    """Return the names of one or two heads; the number of more."""
    if len(heads) <= NAMED:
        return _(" and ").join(map(notes.within_sentence, heads))
    return n_("{n} head", "{n} heads", len(heads))


def instead_of(opened: Opened, found: BeforeAfter, heads: Sequence[Head], instead: str) -> str:
    """Return the first of the task's examples that these heads change, where this one stays."""
    if not heads or not found.same_text or opened.task is None:
        return ""
    others = tuple(each.source for each in opened.task.examples if each.source != opened.sentence)
    averages = Recipe(average_mixed, opened.path) if instead == "average" else None
    asked = others, KINDS[instead], tuple(heads), averages
    return Recipe(first_changed, opened.path, *asked).result()


def telling(run: Run, task: Task) -> str:
    """Return the first of a task's examples that the telling head changes, silenced; or nothing."""
    if not run.model.sites():
        return ""
    examples = tuple(each.source for each in task.examples)
    return Recipe(first_changed, run.path, examples, "silence", (telling_head(run),)).result()


def _what_is_done(run: Run, instead: str) -> str:
    """Return what changed heads do."""
    if instead == "uniform":
        return _("Uniform: a head looks at all that it may see alike.")
    n = Recipe(averaged_over, run.path).result()
    text = _("Average: a head always gives its average over {sentences}.")
    return text.format(sentences=measured_on.drawn(run, n, SEED))
