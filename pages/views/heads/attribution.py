"""Which source tokens a word comes from, by six methods, and which of them to trust."""

import streamlit as st

from core.analysis.attribution.flow import source_flow, source_rollout
from core.analysis.attribution.gradients import gradient_times_input
from core.analysis.attribution.integrated import integrated_gradients
from core.analysis.attribution.leaving_out import leave_one_out
from core.analysis.attribution.methods import Attribution, Method, attribute, said_at
from core.analysis.attribution.telling_step import telling_step
from core.analysis.attribution.trust import N_SENTENCES, SEED, Trust, trust_steps
from core.evaluate.ranks import rank_correlation
from core.inspection import Inspection
from core.model import Transformer
from core.runs.run import Run, RunError
from core.vocabulary import EOS
from pages.frame import cached, controls, lesson
from pages.frame.lesson import Explanation
from pages.frame.opening import Opened
from pages.frame.text import _, plain
from pages.views.heads import alike_cells, attribution_map, attribution_rollout, attribution_words
from pages.views.heads.attribution_map import Parts

OF, PER = "attributed", "attributed_per"
METHODS, ROLLOUT = "one word", "rollout"
STEP = "attributed_word"
TRUST = "trust"


def draw(opened: Opened) -> None:
    """Draw all methods for one word, or what attention passes on from layer to layer."""
    row = st.container(horizontal=True, vertical_alignment="center")
    with row:
        of = controls.choice(_("Show"), OF, controls.words([METHODS, ROLLOUT]), METHODS)
    if of == ROLLOUT:
        with row:
            stack = attribution_rollout.ask()
        attribution_rollout.draw(opened, stack)
    elif target_ids(opened.inspection):
        with row:
            step, parts = _ask_step(opened), _ask_parts(opened)
        _draw_methods(opened, step, parts)
    else:
        st.caption(_("The model writes nothing here that could be asked about."))


def target_ids(inspection: Inspection) -> tuple[int, ...]:
    """Return the tokens that can be asked about: what the model wrote, EOS where it came to it."""
    translation = inspection.translation
    return (*translation.target_ids, *([EOS] if translation.finished else []))


def _ask_step(opened: Opened) -> int:
    """Ask for the word; the link names it by its step."""
    # A step of one sentence is none of another.
    alike_cells.keep_only_of((opened.path, opened.sentence), STEP)
    ids = target_ids(opened.inspection)
    texts = [token.text for token in opened.run.tokenizer.describe(ids)]
    source_ids = opened.inspection.translation.source_ids
    usual = cached.of_model(telling_step, opened.path, source_ids, ids)
    st.caption(_("word asked about"), width="content")
    return controls.selection(
        _("Word asked about"),
        STEP,
        {step: f"{step} {text}" for step, text in enumerate(texts)},
        usual,
        labelled=False,
        named=True,
        width=150,
    )


def _ask_parts(opened: Opened) -> Parts:
    """Ask what of the source gets a number, where a word of it has several tokens."""
    inspection, per = opened.inspection, "tokens"
    if len(inspection.source_words) < len(inspection.source_tokens):
        per = controls.choice(_("Numbers for"), PER, controls.words(["tokens", "words"]), per)
    tokens = cached.inspected(opened.path, opened.sentence, per == "words").source_tokens
    words = tuple(token.word for token in inspection.source_tokens) if per == "words" else None
    # A column of tokens is none of words.
    alike_cells.keep_only_of((opened.path, opened.sentence, per), attribution_map.CELL)
    return Parts(tokens, words)


def _draw_methods(opened: Opened, step: int, parts: Parts) -> None:
    inspection = opened.inspection
    ids = target_ids(inspection)
    word = opened.run.tokenizer.describe(ids)[step].text
    with st.spinner(_("Asking six methods; long sentences take some seconds …")):
        found = cached.of_model(
            _attributed, opened.path, inspection.translation.source_ids, ids, step, parts.words
        )
    attribution_map.draw(found, parts, word, inspection.unknown_words)
    st.caption(f"{attribution_words.sure_of(plain(word), found)} {attribution_words.gap(found)}")
    per_word = parts.words is not None
    trust = _ask_trust(opened, per_word)
    table = attribution_words.table(found, trust, per_word=per_word)
    st.table(table, border="horizontal", hide_index=True)
    st.caption(attribution_words.few(found, per_word=per_word))
    if trust:
        st.caption(attribution_words.most_trusted(trust, SEED, per_word=per_word))
    lesson.numbers("attribution", attribution_map.numbers(found, parts))
    _explain()


def _attributed(
    model: Transformer,
    source_ids: tuple[int, ...],
    ids: tuple[int, ...],
    step: int,
    words: tuple[int, ...] | None,
) -> Attribution:
    return attribute(model, said_at(source_ids, ids, step), words)


def _ask_trust(opened: Opened, per_word: bool) -> dict[Method, Trust] | None:
    """Ask whether to measure the methods on test sentences, and return what was found."""
    asked = _("Hold each method against leaving one out on {n} held-out sentences, too")
    if not controls.toggle(asked.format(n=N_SENTENCES), TRUST):
        return None
    try:
        with st.spinner(_("Measuring on {n} sentences; some seconds …").format(n=N_SENTENCES)):
            return cached.of_run(_trusted, opened.path, per_word)
    except RunError as error:
        st.caption(plain(str(error)))
        return None


def _trusted(run: Run, whole_words: bool) -> dict[Method, Trust]:
    *_steps, last = trust_steps(run, whole_words=whole_words)
    return dict(last.trust)


def _explain() -> None:
    lesson.explained(
        Explanation(
            formula=r"\mathrm{leave\ one\ out}_s = \log p(y \mid x) - \log p(y \mid x \setminus s),"
            r"\quad \mathrm{gradient \times input}_s = e_s \cdot \nabla_{e_s} \log p, \quad "
            r"\mathrm{integrated}_s = e_s \cdot \int_0^1 \nabla_{e_s} \log p(\alpha e)\,d\alpha",
            tries=(
                _("Choose a pronoun of the target: which methods find what it stands for?"),
                _(
                    "ρ compares the order of the tokens, whatever the signs: 1 is the same order "
                    "as leaving one out, 0 none. Measure it on the held-out sentences before you "
                    "trust a method."
                ),
                _(
                    "Leaving one out changes what is asked about, so it is the test; but of two "
                    "tokens that say the same it sees neither, for each stands in for the other."
                ),
            ),
            code=(
                *(attribute, leave_one_out, gradient_times_input, integrated_gradients),
                *(source_rollout, source_flow, rank_correlation),
            ),
        )
    )
