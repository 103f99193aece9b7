"""The view "silence": take heads away, and see what becomes of a sentence and of the test set."""

from collections.abc import Sequence

import streamlit as st

from core.analysis.effects.effect_maps import Figure, figures
from core.analysis.effects.head_effects import HeadEffects, head_effects
from core.analysis.effects.interventions import Intervention, averaged_over, outcome
from core.evaluate.intervals import share_difference
from core.heads import Head
from core.model import Silence
from core.runs.run import RunError
from pages.frame import address, cached, controls, lesson, notes, session
from pages.frame.lesson import Explanation
from pages.frame.opening import Opened
from pages.frame.text import _, plain
from pages.views.heads import (
    silence_cells,
    silence_effects,
    silence_heads,
    silence_measure,
    silence_sentence,
    warnings,
)


def draw(opened: Opened) -> None:
    """Draw the grid of heads beside what the sentence becomes, and what the test set says."""
    # A fragment: a click on a head leaves the rest of the page alone.
    address.part("silence", _draw, opened)
    lesson.explained(_explanation())


def _draw(opened: Opened) -> None:
    heads = silence_heads.chosen(opened)
    effects = _effects(opened)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(_("what a clicked head does instead"), width="content")
        instead = controls.choice(
            _("What a clicked head does instead"),
            session.INSTEAD,
            controls.words(silence_sentence.INSTEAD),
            "silence",
        )
        silence_heads.buttons(opened)
    if opened.run.settings.model.n_heads <= silence_cells.BESIDE:
        left, right = st.columns([9, 11], gap="medium")
    else:
        left, right = st.container(), st.container()
    with left:
        by = _figure(effects)
        silence_heads.grid(opened, heads, effects, by)
    with right:
        try:
            with st.spinner(_("Translating …")):
                n = cached.of_run(averaged_over, opened.path) if instead == "average" else 0
                st.caption(silence_effects.what_is_done(heads, instead, n))
                found = silence_sentence.tried(opened, heads, instead)
            silence_sentence.say(found)
        except RunError as error:
            found = None
            st.error(plain(str(error)))
        _say_of_one(opened, heads, effects if instead == "silence" else None)
        if found:
            silence_sentence.draw(found)
        silence_measure.draw(opened.path, effects)
    if effects:
        silence_effects.draw(effects, by)


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
        st.markdown(silence_effects.one_head(effects, heads[0]))
    known = (opened.run, opened.inspection, heads[0])
    warnings.draw([("", notes.about_map(*known, silenced=effects is None))])


def _effects(opened: Opened) -> HeadEffects | None:
    try:
        return cached.effects(opened.path)
    except RunError as error:
        st.error(plain(str(error)))
        return None


def _figure(effects: HeadEffects | None) -> Figure:
    """Ask for the figure that colours the grid and fills the table."""
    if effects is None:
        st.caption(
            _(
                "Click a head to take it away ({mark}). What each costs on held-out sentences is "
                "not measured yet; the colour is how sharply it looks on this one."
            ).format(mark=silence_cells.OFF)
        )
        return "exact match"
    by = controls.choice(
        _("Coloured by the change of"),
        session.EFFECT,
        {name: _(name) for name in figures(effects)},
        "exact match",
    )
    st.caption(silence_cells.how_to_read(effects, by))
    return by


def _explanation() -> Explanation:
    return Explanation(
        formula=_FORMULA,
        tries=(
            _(
                "Silence the head on which the view opens: how probable does the pronoun stay? "
                "Then silence all others of its layer instead."
            ),
            _(
                "Silence heads until a word of the translation changes. The map of the last one "
                "shows what it brought."
            ),
            _(
                "Compare “silence”, “uniform” and “average”: a head that says the same whatever "
                "the sentence costs nothing when it always says its average, and may cost a lot "
                "when it is silent."
            ),
            _("Silence a whole layer: the residual stream carries the words past it."),
        ),
        code=(outcome, Intervention, Silence, head_effects, share_difference),
    )


_FORMULA = r"""
\mathrm{MultiHead}(x) = \sum_{h=1}^{H} m_h\, g_h\, W^O_h, \qquad
g_h = \mathrm{softmax}\!\left(\tfrac{Q_h K_h^\top}{\sqrt{d_k}} + M\right) V_h, \qquad
m_h = \begin{cases} 0 & \text{if } h \text{ is silenced} \\ 1 & \text{else} \end{cases}
"""
