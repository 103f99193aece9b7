"""Take heads away, and see what becomes of a sentence and of sentences never seen."""

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
from core.studies.effects.ablation import Ablated, Intervention, ablate_sentence
from core.studies.effects.head_effects import Figure, HeadEffects, figures, head_effects
from pages.frame import address, cached, controls, measured_on, notes, session, snippets
from pages.frame.charts import chart
from pages.frame.language import N_, _, plain
from pages.frame.messages import explained
from pages.frame.opening import Opened
from pages.frame.view import Columns, Shown
from pages.views.heads import named_heads, silence_grid, silence_measuring, silence_sentence
from pages.views.heads.silence_sentence import INSTEAD

DOES = "head_does"
"""In the link: what a changed head does."""
FIGURES: Mapping[Figure, str] = {
    "exact_match": N_("exact match"),
    "pronoun": N_("pronoun"),
    "loss": N_("loss"),
}
_USUAL: Figure = "exact_match"
_FORMULA = r"""
\mathrm{MultiHead}(INPUT) = \sum_{h=1}^{H} m_h\, g_h\, W^O_hBIAS, \qquad
g_h = w_h V_h, \qquad w_h = WEIGHTS, \qquad
m_h = \begin{cases} 0 & \text{if } h \text{ is silenced} \\ 1 & \text{else} \end{cases}
"""


def _formula(config: ModelConfig) -> str:
    """Say what a silenced head leaves out, and what stays: the bias of the output."""
    parts = {
        "INPUT": sublayer_input(config, "x"),
        "BIAS": " + b^O" if config.attention_bias and config.output_projection else "",
        "WEIGHTS": WEIGHTS[config.scores],
    }
    return functools.reduce(lambda text, part: text.replace(*part), parts.items(), _FORMULA)


def draw(opened: Opened) -> Shown:
    """Draw the grid of heads beside what the sentence becomes, and what the test set says."""
    heads, effects = silence_grid.chosen(opened), _effects(opened)
    instead = _ask_instead(opened)
    if opened.run.settings.model.n_heads <= silence_grid.BESIDE:
        left, right = st.columns([9, 11], gap="medium")
    else:
        left, right = st.container(), st.container()
    with left:
        if effects:
            on = measured_on.all_of_them(opened.run)
            st.markdown(_("**What each head costs on {sentences}**").format(sentences=on))
        by = _ask_figure(opened.run, effects)
        pictures = [silence_grid.grid(opened, heads, effects, by)]
    with right:
        st.markdown(_("**What becomes of this sentence**"))
        found = silence_sentence.try_out(opened, heads, instead)
        if found:
            pictures.append(chart(silence_sentence.chances(found)))
            silence_sentence.say_loss(opened.run, found)
        _say_of_one(opened, heads, effects if instead == "silence" else None)
        silence_measuring.measure(opened.run, effects)
    if effects:
        with st.expander(_("What every head costs"), type="compact"):
            silence_measuring.table(opened.run, effects, by)
    return Shown(
        name="silence",
        title=_("What becomes of the sentence without these heads"),
        numbers=lambda: _numbers(opened, found, effects, by),
        python=_python(opened, heads, instead, found, by if effects else None),
        code=(ablate_sentence, Intervention, Silence, head_effects, share_difference),
        seen=silence_sentence.seen(opened.run, found, heads, instead) if found else "",
        instead=silence_sentence.instead_of(opened, found, heads, instead) if found else "",
        pictures=pictures,
        about={"head": ", ".join(map(str, heads)) or "–", "happens": _(INSTEAD[instead][0])},
        formula=_formula(opened.run.settings.model),
        tries=[_(each) for each in TRIES],
    )


def _effects(opened: Opened) -> HeadEffects | None:
    try:
        return cached.effects(opened.path)
    except RunError as error:
        st.error(plain(explained(error)))
        return None


def _ask_instead(opened: Opened) -> str:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(_("what a clicked head does instead"), width="content")
        labels = {name: _(label) for name, (label, _kind) in INSTEAD.items()}
        asked = _("What a clicked head does instead")
        # Older links call it so, and every view has a button of that name.
        address.renamed(session.INSTEAD, DOES, INSTEAD)
        instead = controls.choice(asked, DOES, labels, "silence")
        silence_grid.buttons(opened)
    return instead


def _ask_figure(run: Run, effects: HeadEffects | None) -> Figure:
    """Ask for the figure that colours the grid and fills the table."""
    if effects is None:
        said = _(
            "Click a head to silence it ({mark}). What each costs on {sentences} is not "
            "measured yet; the colour is how sharply it looks on this one."
        )
        if not run.settings.model.is_encoder_decoder:
            # It reads no pairs: what a head costs there is on its card.
            said = _("Click a head to silence it ({mark}); the colour is how sharply it looks.")
        on = measured_on.all_of_them(run)
        st.caption(said.format(mark=_(silence_grid.OFF), sentences=on))
        return _USUAL
    offered = {name: _(FIGURES[name]) for name in figures(effects)}
    by = controls.choice(
        _("Coloured by the change of"),
        session.EFFECT,
        offered,
        _USUAL,
        older={"exact match": _USUAL},
    )
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


def _numbers(
    opened: Opened, found: Ablated | None, effects: HeadEffects | None, by: Figure
) -> Columns:
    """Return the chances of the words, the loss, and what is known of every head."""
    rows = [] if found is None else list(silence_sentence.numbers(found))
    if effects:
        rows += silence_measuring.numbers(effects, by)
    else:
        rows += silence_grid.numbers(opened)
    names = ["head", "step", "word", "before", "after", "change", "low", "high", "sure", "n"]
    names += ["most_probable_after", "its_probability"]
    return {name: [row.get(name) for row in rows] for name in ["what", *names]}


def _python(
    opened: Opened,
    heads: Sequence[Head],
    instead: str,
    found: Ablated | None,
    by: Figure | None,
) -> str:
    """Return what computes `before` and `after` of the numbers.

    Args:
        opened: The run and the sentence.
        heads: Those that are changed.
        instead: What they do.
        found: What becomes of the sentence; None where that cannot be said.
        by: The figure of the effects; None where these were not measured.
    """
    lines, before, after = [], [], []
    imports = ["from core.heads import Head, Kind"]
    if found:
        imports.append("from core.studies.effects.ablation import ablate_sentence, average_mixed")
        averages = "average_mixed(run)" if instead == "average" and heads else "None"
        lines += [
            f"heads = tuple(map(Head.parse, {list(map(str, heads))}))",
            f'asked = "{INSTEAD[instead][1]}", heads, {snippets.quoted(found.target)}, {averages}',
            "found = ablate_sentence(run, sentence, *asked)",
        ]
        before = ['*found.table()["before"]', "found.loss_before"]
        after = ['*found.table()["after"]', "found.loss_after"]
    if by:
        imports += [
            "from core.studies.effects.head_effects import costliest_first, figure_of",
            "from core.studies.effects.stored import stored_effects",
        ]
        lines += [
            f'ranked = costliest_first(stored_effects(run), "{by}")',
            f'effects = [figure_of(each, "{by}") for each in ranked]',
        ]
        before.append("*[each.before for each in effects]")
        after.append("*[each.after for each in effects]")
    else:
        imports += [
            "from core.studies.heads.summaries import confidence_map",
            "from core.inspection import inspect_sentence",
        ]
        lines += [
            "inspection = inspect_sentence(run, sentence)",
            "kinds = [kind for kind in Kind if inspection.sites_of(kind)]",
            "maps = [confidence_map(inspection, kind) for kind in kinds]",
        ]
        before.append("*(value for map_LH in maps for value in map_LH.reshape(-1).tolist())")
    sides = f'numbers = {{"before": [{", ".join(before)}], "after": [{", ".join(after)}]}}'
    return snippets.naming(opened.path, opened.sentence, *imports) + "\n".join([*lines, sides, ""])


TRIES = (
    N_(
        "Silence the head on which the view opens: how probable does the pronoun stay? "
        "Then silence all others of its layer instead."
    ),
    N_(
        "Silence heads until a word of the output changes. The map of the last one "
        "shows what it brought."
    ),
    N_(
        "Compare “silence”, “uniform” and “average”: a head that says the same whatever "
        "the sentence costs nothing when it always says its average, and may cost a lot "
        "when it is silent."
    ),
    N_("Silence a whole layer: the residual stream carries the words past it."),
)
