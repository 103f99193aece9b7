"""Take heads away, and see what a sentence, and sentences never seen, become."""

import functools
from collections.abc import Mapping, Sequence

import streamlit as st

from core.config import ModelConfig
from core.describe.formulas import sublayer_input
from core.evaluate.intervals import share_difference
from core.heads import Head
from core.model import Silence
from core.model.scoring import WEIGHTS
from core.runs.run import Run, RunError
from core.studies.effects.ablation import (
    AblationReport,
    Intervention,
    ablation_report,
    average_mixed,
)
from core.studies.effects.head_effects import Figure, HeadEffects, figures, head_effects
from pages.frame import cached, controls, measured_on, notes, session
from pages.frame.charts import chart
from pages.frame.language import N_, _, plain
from pages.frame.messages import explained
from pages.frame.needs import Need, why_not
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.heads import named_heads, prune, silence_grid, silence_measuring
from pages.views.heads import silence_sentence as sentence

WHICH, CHOSEN, ONE_BY_ONE = "silenced", "chosen", "one_by_one"
"""In the link: heads that one clicks, or one after the other."""
DOES = "head_does"
"""In the link: what a changed head does."""
FIGURES: Mapping[Figure, str] = {
    "exact_match": N_("exact match"),
    "pronoun": N_("pronoun"),
    "loss": N_("loss"),
}
_USUAL: Figure = "exact_match"
OF_PRUNING = (Need.TASK, Need.BOTH)
"""What pruning needs of a model: held-out pairs."""


def draw(opened: Opened) -> Shown | None:
    """Draw what chosen heads do to a sentence, or how many heads can go one after the other."""
    row = st.container(horizontal=True, vertical_alignment="center")
    with row:
        which = _which(opened)
    if which == ONE_BY_ONE:
        return prune.draw(opened)
    with row:
        instead = _ask_instead()
        silence_grid.buttons(opened)
    return _draw_chosen(opened, silence_grid.chosen(opened), instead)


def _draw_chosen(opened: Opened, heads: Sequence[Head], instead: str) -> Shown | None:
    """Draw the grid of heads beside what the sentence becomes, and what the test set says."""
    effects = _effects(opened)
    left, right = st.container(), st.container()
    if opened.run.settings.model.n_heads <= silence_grid.BESIDE:
        left, right = st.columns([9, 11], gap="medium")
    with left:
        by = _ask_figure(opened.run, effects, instead)
    recipe = _recipe(opened, heads, instead, by)
    try:
        report = recipe.result()
    except RunError as error:
        st.error(plain(explained(error)))
        return None
    with left:
        pictures = [silence_grid.grid(opened, heads, report)]
    with right:
        found = report.sentence
        sentence.say(opened.run, found, heads, instead)
        pictures.append(chart(sentence.chances(found)))
        st.caption(sentence.loss(opened.run, found))
        _say_of_one(opened, heads, effects if instead == "silence" else None)
        silence_measuring.measure(opened.run, effects)
    if effects:
        with st.expander(_("What every head costs"), type="compact"):
            silence_measuring.table(opened.run, effects, report.figure)
    return Shown(
        name="silence",
        title=_("What changes in the sentence without these heads"),
        recipe=recipe,
        code=(Silence, head_effects, share_difference),
        seen=sentence.seen(opened.run, found, heads, instead),
        instead=sentence.instead_of(opened, found, heads, instead),
        pictures=pictures,
        about={"head": ", ".join(map(str, heads)) or "–", "happens": _(sentence.LABELS[instead])},
        formula=_formula(opened.run.settings.model),
    )


def _recipe(
    opened: Opened, heads: Sequence[Head], instead: str, by: Figure | None
) -> Recipe[AblationReport]:
    changed = Intervention(sentence.KINDS[instead], frozenset(heads))
    averages = Recipe(average_mixed, opened.path) if instead == "average" and heads else None
    target = sentence.reference(opened)
    return Recipe(ablation_report, opened.path, opened.sentence, changed, by, target, averages)


def _which(opened: Opened) -> str:
    """Ask whether heads are clicked, or go one after the other where that can be measured."""
    if why_not(opened.run, OF_PRUNING):
        return CHOSEN
    offered = {CHOSEN: _("heads that you click"), ONE_BY_ONE: _("one after the other")}
    return controls.choice(_("Which heads go"), WHICH, offered, CHOSEN)


def _formula(config: ModelConfig) -> str:
    """Say what a silenced head leaves out, and what stays: the bias of the output."""
    parts = {
        "INPUT": sublayer_input(config, "x"),
        "BIAS": " + b^O" if config.attention_bias and config.output_projection else "",
        "WEIGHTS": WEIGHTS[config.scores],
    }
    formula = view_text("heads", "silence").sections["Formula with blanks"].strip("$\n")
    return functools.reduce(lambda text, part: text.replace(*part), parts.items(), formula)


def _effects(opened: Opened) -> HeadEffects | None:
    try:
        return cached.effects(opened.path)
    except RunError as error:
        st.error(plain(explained(error)))
        return None


def _ask_instead() -> str:
    st.caption(_("what a clicked head does instead"), width="content")
    labels = {name: _(label) for name, label in sentence.LABELS.items()}
    # Older links call it so, and every view has a button of that name.
    session.renamed("instead", DOES, labels)
    return controls.choice(_("What a clicked head does instead"), DOES, labels, "silence")


def _ask_figure(run: Run, effects: HeadEffects | None, instead: str) -> Figure | None:
    """Ask for the figure that colours the grid and fills the table; None where there is none."""
    if effects is None:
        said = _(
            "Click a head to silence it ({mark}). What each costs on {sentences} is not "
            "measured yet; the colour is how sharply it looks on this one."
        )
        if not run.settings.model.is_encoder_decoder:
            # It reads no pairs: the view “head” measures what one costs there.
            said = _("Click a head to silence it ({mark}); the colour is how sharply it looks.")
        on = measured_on.all_of_them(run)
        st.caption(said.format(mark=_(silence_grid.OFF), sentences=on))
        return None
    title = _("**What silencing each head costs on {sentences}**")
    if instead != "silence":
        title = _("**What silencing each head costs on {sentences}** (“{does}” was not measured)")
    on, does = measured_on.all_of_them(run), _(sentence.LABELS[instead])
    st.markdown(title.format(sentences=on, does=does))
    offered = {name: _(FIGURES[name]) for name in figures(effects)}
    older = {"exact match": _USUAL}
    asked = _("Coloured by the change of")
    by = controls.choice(asked, "effect", offered, _USUAL, older=older)
    with st.container(key="costs_said"):
        st.caption(silence_grid.how_to_read(run, effects, by))
    return by


def _say_of_one(opened: Opened, heads: Sequence[Head], effects: HeadEffects | None) -> None:
    """Say what is known of the one head that is changed; nothing where there are more.

    Args:
        opened: The run and the sentence.
        heads: Those that are changed.
        effects: What silencing costs; None where that is not known, or not what is done.
    """
    if len(heads) != 1:
        return
    if effects:
        st.markdown(silence_measuring.of_one_head(opened.run, effects, heads[0]))
    known = (opened.run, opened.inspection, heads[0])
    named_heads.warn([("", notes.about_map(*known, silenced=effects is None))])
