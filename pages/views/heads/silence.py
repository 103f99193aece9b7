"""Take heads away: how the sentence changes, and held-out sentences."""

import functools
from collections.abc import Sequence

import streamlit as st

from core.config import ModelConfig
from core.describe.formulas import WEIGHTS, sublayer_input
from core.evaluate.intervals import Difference, share_difference
from core.heads import Head
from core.model import Silence
from core.runs.run import Run, RunError
from core.studies.effects import N_SENTENCES, measuring
from core.studies.effects.ablation import (
    AblationReport,
    Intervention,
    ablation_report,
    average_mixed,
    unchanged,
)
from core.studies.effects.head_effects import Figure, HeadEffects, figures, head_effects
from pages.frame import cached, controls, measured_on, notes, selection, session
from pages.frame.charts import chart
from pages.frame.language import N_, _, listed, number, percent, plain
from pages.frame.messages import explained
from pages.frame.needs import Need, missing, why_not
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.heads import head_jobs, named_heads, prune, silence_grid
from pages.views.heads import silence_sentence as sentence
from pages.views.heads.translations import chances
from viz.component.standalone import Drawn

WHICH, CHOSEN, ONE_BY_ONE = "silenced", "chosen", "one_by_one"
"""In the link: heads that one clicks, or removed one by one."""
DOES = "head_does"
"""In the link: what a changed head does."""
START = "silence_measure"
"""Key of the button that measures all heads."""
FIGURES: dict[Figure, str] = {
    "exact_match": N_("exact match"),
    "pronoun": N_("pronoun"),
    "loss": N_("loss"),
}
OF_PRUNING = (Need.TASK, Need.BOTH)
"""What pruning needs of a model: held-out pairs."""


def draw(opened: Opened) -> Shown | None:
    """Draw what chosen heads do to a sentence, or how many heads can be removed one by one."""
    row = st.container(horizontal=True, vertical_alignment="center")
    if not why_not(opened.run, OF_PRUNING):
        with row:
            which = controls.choice(_("Which heads are off"), WHICH, _offered(), CHOSEN)
        if which == ONE_BY_ONE:
            return prune.draw(opened)
    effects = _effects(opened)
    with row:
        silence_grid.all_on()
        with st.popover(_("More")):
            instead, by = _ask_more(opened, effects)
    recipe = _recipe(opened, instead, by)
    report = recipe.result()
    heads, found = silence_grid.chosen(opened), report.sentence
    text = view_text("heads", "silence")
    return Shown(
        name="silence",
        title=_("What changes in the sentence without these heads"),
        recipe=recipe,
        code=(Silence, head_effects, share_difference),
        seen=sentence.seen(opened.run, found, heads, instead),
        instead=sentence.instead_of(opened, found, heads, instead),
        pictures=_draw(opened, report, effects, instead, by),
        about={"head": ", ".join(map(str, heads)) or "–", "happens": _(sentence.LABELS[instead])},
        how_to_read="\n".join([text.sections["How to read"], _measured(opened.run, effects)]),
        formula=_formula(opened.run.settings.model),
    )


def asks_sentence() -> bool:
    """Return whether a sentence is asked for: heads are removed one by one on held-out ones."""
    settings = selection.chosen_settings()
    return (
        settings is None
        or bool(missing(settings, OF_PRUNING))
        or controls.chosen(WHICH, _offered(), CHOSEN) == CHOSEN
    )


def _offered() -> dict[str, str]:
    return {CHOSEN: _("clicked heads"), ONE_BY_ONE: _("remove one by one")}


def _draw(
    opened: Opened,
    report: AblationReport,
    effects: HeadEffects | None,
    instead: str,
    by: Figure | None,
) -> list[Drawn]:
    """Draw the grid of heads beside what the sentence becomes, and what the test set says."""
    heads, found = silence_grid.chosen(opened), report.sentence
    left, right = st.container(), st.container()
    if opened.run.settings.model.n_heads <= silence_grid.BESIDE:
        left, right = st.columns([9, 11], gap="medium")
    with left:
        st.caption(silence_grid.how_to_read(opened.run, effects, by))
        pictures = [silence_grid.grid(opened, heads, report)]
    with right:
        sentence.say(opened.run, found, heads, instead)
        pictures.append(chart(chances(found)))
        _say_of_one(opened, heads, effects if instead == "silence" else None)
        _offer_to_measure(opened.run, effects)
    return pictures


def _measured(run: Run, effects: HeadEffects | None) -> str:
    """Return on what silencing was measured; empty where it was not."""
    if effects is None:
        return ""
    on = measured_on.drawn(run, effects.n, effects.seed)
    return _("- What silencing costs was measured on {sentences}.").format(sentences=on)


def _ask_more(opened: Opened, effects: HeadEffects | None) -> tuple[str, Figure | None]:
    """Ask what a clicked head does, and which cost colours the grid; None where there is none."""
    labels = {name: _(label) for name, label in sentence.LABELS.items()}
    # Older links call it so, and every view has a button of that name.
    session.renamed("instead", DOES, labels)
    asked = _("What a clicked head does instead")
    instead = controls.choice(asked, DOES, labels, "silence", labelled=True)
    by = None if effects is None else _ask_figure(effects)
    silence_grid.layers(opened)
    return instead, by


def _ask_figure(effects: HeadEffects) -> Figure:
    offered = {name: _(FIGURES[name]) for name in figures(effects)}
    asked, usual = _("What the number of a head counts"), next(iter(offered))
    older: dict[str, Figure] = {"exact match": usual}
    return controls.choice(asked, "effect", offered, usual, older=older, labelled=True)


def _recipe(opened: Opened, instead: str, by: Figure | None) -> Recipe[AblationReport]:
    heads = silence_grid.chosen(opened)
    changed = Intervention(sentence.KINDS[instead], frozenset(heads))
    averages = Recipe(average_mixed, opened.path) if instead == "average" and heads else None
    before = Recipe(unchanged, opened.writer, opened.sentence, opened.inspecting)
    return Recipe(ablation_report, opened.writer, opened.inspecting, before, changed, by, averages)


def _formula(config: ModelConfig) -> str:
    """Return what a silenced head leaves out, and what stays: the bias of the output."""
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


def _say_of_one(opened: Opened, heads: Sequence[Head], effects: HeadEffects | None) -> None:
    """Say what is known of the one head that is changed.

    Args:
        opened: The run and the sentence.
        heads: Those that are changed.
        effects: What silencing costs; None where that is not known, or not what is done.
    """
    if len(heads) != 1:
        if effects and heads:
            st.caption(_("What they cost together on held-out sentences was not measured."))
        return
    if effects:
        st.markdown(_of_one_head(opened.run, effects, heads[0]))
    known = (opened.run, opened.inspection, heads[0])
    named_heads.warn(notes.about_map(*known, silenced=effects is None))


def _of_one_head(run: Run, effects: HeadEffects, head: Head) -> str:
    """Say what silencing one head costs on the sentences that a run is measured on."""
    found = effects.of(head)
    text = _("On {sentences}: {figures}.")
    if found.changes_nothing:
        text = _("On {sentences} silencing it makes no measurable difference: {figures}.")
    parts = [_("exact match {change}").format(change=_before_after(found.exact_match))]
    if found.pronoun is not None:
        right = _("correct pronouns {change} (of {n} in other test sentences)")
        parts.append(right.format(change=_before_after(found.pronoun), n=number(found.pronoun.n)))
    on = measured_on.sentences(run, effects.n)
    return f":small[{text.format(sentences=on, figures=listed(parts))}]"


def _before_after(found: Difference) -> str:
    shares = {"before": percent(found.before), "after": percent(found.after)}
    return _("{before} → {after}").format(**shares)


def _offer_to_measure(run: Run, effects: HeadEffects | None) -> None:
    """Offer to measure where nothing is measured, or on few sentences; show how far it is."""
    label = _("Measure all heads on {sentences}")
    if effects is not None or measuring.MEASURING.status(run.path).state != "idle":
        label = _("Measure again on {sentences}")
    on = measured_on.sentences(run, measured_on.most(run, N_SENTENCES))
    head_jobs.offer(
        run,
        measuring.MEASURING,
        lambda: measuring.start(run.path),
        key=START,
        label=label.format(sentences=on),
        enough=effects is not None and (effects.n >= N_SENTENCES or effects.all_there_are),
    )
