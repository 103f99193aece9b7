"""Which words of the input a written word depends on, by five methods; or which model parts."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.evaluate.intervals import rank_correlation
from core.studies.attribution.gradients import gradient_times_input, integrated_gradients
from core.studies.attribution.leaving_out import leave_one_out, telling_step
from core.studies.attribution.logit_terms import has_terms
from core.studies.attribution.methods import (
    AttributionStudy,
    Method,
    attribute,
    attribution_study,
    source_rollout,
    written_ids,
)
from core.studies.heads.findings import pronoun_tokens
from pages.frame import components, controls, session
from pages.frame.cached import ModelOf
from pages.frame.language import _, joined, number, percent, plain
from pages.frame.maps import labels
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.typography import show_translations, typeset
from pages.frame.view import Shown
from pages.views.heads import attribution_logit
from pages.views.heads import attribution_methods as methods
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix, scaled_rows

TO, WORDS, PARTS = "attributed_to", "words", "parts"
"""In the link: to what a word is attributed."""
STEP, EVERY_METHOD, MAP = "attributed_word", "all_methods", "attribution_map"


def draw(opened: Opened) -> Shown | None:
    """Draw what one word depends on, by leaving one out or by all methods."""
    row = st.container(horizontal=True, vertical_alignment="center")
    inspection = opened.inspection
    ids = written_ids(opened.run, inspection)
    steps = range(inspection.translation.n_given, len(ids))
    if not steps:
        st.caption(_("The model writes nothing here that could be asked about."))
        return None
    with row:
        step = _ask_step(opened, ids, steps)
        to_parts = _ask_to_parts(opened)
        every_method = not to_parts and controls.toggle(_("all methods"), EVERY_METHOD)
        lead = to_parts and controls.toggle(_("against the runner-up"), attribution_logit.LEAD)
    show_translations(_in_translation(opened, ids, step))
    if to_parts:
        return attribution_logit.shown(opened, step, lead)
    asked = frozenset(Method) if every_method else frozenset({Method.LEAVE_ONE_OUT})
    by_word = len(inspection.source_words) < len(inspection.source_tokens)
    recipe = Recipe(attribution_study, opened.writer, opened.inspecting, step, asked, by_word)
    study = recipe.result()
    panel = (_of_methods if every_method else _of_one_method)(opened, study)
    picture = components.show(Matrices(panels=[panel]), key=MAP)
    if every_method:
        st.table(methods.table(study), border="horizontal", hide_index=True)
        if captions := methods.captions(study):
            st.caption(joined(captions))
    return Shown(
        name="attribution",
        title=panel.title,
        recipe=recipe,
        seen=methods.seen(study),
        code=(
            *(attribute, leave_one_out, gradient_times_input, integrated_gradients),
            *(source_rollout, rank_correlation),
        ),
        pictures=[picture],
    )


def _in_translation(opened: Opened, ids: tuple[int, ...], step: int) -> str:
    """Return what is written in Markdown, with the word that is asked about in bold."""
    run, text = opened.run, opened.inspection.translation.text
    before, to = (run.target_tokenizer.decode(ids[:n]) for n in (step, step + 1))
    shown = typeset(text, run)
    # A token that is no text of its own, EOS for example, has no place in it.
    if not (text.startswith(to) and to.startswith(before) and len(shown) == len(text)):
        return plain(shown)
    start = len(to) - len(to[len(before) :].lstrip())
    return f"{plain(shown[:start])}**{plain(shown[start : len(to)])}**{plain(shown[len(to) :])}"


def _ask_to_parts(opened: Opened) -> bool:
    """Ask whether a word is attributed to parts of the model; not where its logit is no sum."""
    offered = {WORDS: _("to words"), PARTS: _("to parts of the model")}
    if not has_terms(opened.run.model):
        return False
    return controls.choice(_("Attributed to"), TO, offered, WORDS) == PARTS


def _ask_step(opened: Opened, ids: tuple[int, ...], steps: range) -> int:
    """Ask for the word; the link names it by its step."""
    # A step of one sentence is none of another.
    session.belongs_to(STEP, f"{opened.path}\n{opened.sentence}")
    texts = [token.text for token in opened.run.target_tokenizer.describe(ids)]
    source_ids = opened.inspection.translation.source_ids
    usual = steps[0]
    if source_ids:
        pronouns = pronoun_tokens(opened.task, opened.inspection)
        usual = Recipe(telling_step, ModelOf(opened.path), source_ids, ids, pronouns).result()
    st.caption(_("word asked about"), width="content")
    return controls.selection(
        _("Word asked about"),
        STEP,
        {step: _named(texts, step) for step in steps},
        usual,
        labelled=False,
        named=True,
        width=150,
    )


def _named(texts: Sequence[str], step: int) -> str:
    """Return a word, with its step where it comes more than once."""
    if texts.count(texts[step]) == 1:
        return texts[step]
    return _("{word} (step {step})").format(word=texts[step], step=number(step + 1))


def _of_one_method(opened: Opened, study: AttributionStudy) -> Matrix:
    """Return how probable the word is with each part of the source hidden."""
    title = _("How probable “{word}” is when one word is hidden: {share} with all")
    without, word = study.attribution.without, study.word.text
    return Matrix(
        title=title.format(word=word, share=percent(study.attribution.probability)),
        values=without.astype(np.float32)[None],
        rows=Axis(name=_("word"), labels=[TokenLabel(word)], side="target"),
        columns=_parts(opened, study, _("hidden word")),
        texts=[[methods.short_share(each) for each in without.tolist()]],
        details=[[percent(each) for each in without.tolist()]],
        value_name=_("probability"),
    )


def _of_methods(opened: Opened, study: AttributionStudy) -> Matrix:
    """Return what each method says of each part of the source."""
    scores = [study.attribution.scores[method] for method in study.methods]
    title = _("How much each word matters for “{word}”")
    scaled = scaled_rows(np.stack(scores))
    names = [TokenLabel(_(methods.SHORT[method])) for method in study.methods]
    return Matrix(
        title=title.format(word=study.word.text),
        values=scaled,
        rows=Axis(name=_("method"), labels=names),
        columns=_parts(opened, study, _("word")),
        scale="signed",
        texts=[[number(each, 2) for each in row] for row in scaled.tolist()],
        details=[[number(float(each)) for each in row] for row in scores],
        note=_(
            "Each row divided by its largest magnitude. Leave one out (hide one word): the fall of "
            "the log probability"
        ),
        value_name=_("share of the row’s largest"),
    )


def _parts(opened: Opened, study: AttributionStudy, name: str) -> Axis:
    tokens = labels(study.parts, opened.inspection.unknown_words)
    return Axis(name=name, labels=tokens, side=study.side)
