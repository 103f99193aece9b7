"""Which source tokens a word comes from, by six methods, and which of them to trust."""

from functools import partial

import numpy as np
import streamlit as st

from core.analysis.attribution import Attribution, Method, attribute, leave_one_out, said_at
from core.analysis.attribution_gradients import gradient_times_input
from core.analysis.attribution_integrated import integrated_gradients
from core.analysis.attribution_steps import telling_step
from core.analysis.attribution_trust import N_SENTENCES, SEED, Trust, trust_steps
from core.analysis.flow import source_flow, source_rollout
from core.analysis.ranks import rank_correlation
from core.inspection import Inspection
from core.model import Transformer
from core.run import Run, RunError
from core.tokenizer import EOS
from pages.shared import cached, controls, lesson, session
from pages.shared.lesson import Explanation
from pages.shared.maps import labels
from pages.shared.matrices import matrices
from pages.shared.opening import Opened
from pages.shared.text import _, plain
from pages.trials import alike_cells, attribution_rollout, attribution_words
from viz.matrices_view import Axis, Matrices, Matrix
from viz.payload import TokenLabel
from viz.scaled_rows import scaled_rows

MAP, OF = "attribution_map", "attributed"
METHODS, ROLLOUT = "one word", "rollout"
STEP, _STEP, CELL = "attributed_word", "_attributed_word", "attributed_cell"
TRUST = "trust"


def draw(opened: Opened) -> None:
    """Draw all methods for one word, or what attention passes on from layer to layer."""
    with st.container(horizontal=True, vertical_alignment="center"):
        of = controls.choice(_("Show"), OF, [METHODS, ROLLOUT], METHODS, labelled=False)
        asked = _ask_step(opened) if of == METHODS else attribution_rollout.ask()
    if isinstance(asked, int):
        _draw_methods(opened, asked)
    else:
        attribution_rollout.draw(opened, asked)


def target_ids(inspection: Inspection) -> tuple[int, ...]:
    """Return the tokens that can be asked about: what the model wrote, EOS where it came to it."""
    translation = inspection.translation
    return (*translation.target_ids, *([EOS] if translation.finished else []))


def _ask_step(opened: Opened) -> int:
    """Ask for the word; the link names it by its step."""
    # A step of one sentence is none of another, and so with its cell.
    alike_cells.keep_only_of((opened.path, opened.sentence), STEP, CELL)
    ids = target_ids(opened.inspection)
    texts = [token.text for token in opened.run.tokenizer.describe(ids)]
    linked = session.linked(STEP)
    if linked is not None and linked.isdecimal() and len(linked) < 6 and int(linked) < len(ids):
        at = int(linked)
    else:
        source_ids = opened.inspection.translation.source_ids
        at = cached.of_model(telling_step, opened.path, source_ids, ids)
    session.choose({_STEP: at})
    st.caption(_("word asked about"), width="content")
    st.selectbox(
        _("Word asked about"),
        range(len(ids)),
        format_func=lambda step: f"{step} {texts[step]}",
        key=_STEP,
        on_change=_take_step,
        label_visibility="collapsed",
        width=150,
    )
    return at


def _take_step() -> None:
    session.link(STEP, session.chosen(_STEP))


def _draw_methods(opened: Opened, step: int) -> None:
    inspection = opened.inspection
    ids = target_ids(inspection)
    word = opened.run.tokenizer.describe(ids)[step].text
    with st.spinner(_("Asking six methods; long sentences take some seconds …")):
        found = cached.of_model(
            _attributed, opened.path, inspection.translation.source_ids, ids, step
        )
    _draw_map(inspection, found, word)
    st.caption(f"{attribution_words.sure_of(plain(word), found)} {attribution_words.gap(found)}")
    trust = _ask_trust(opened)
    st.table(attribution_words.table(found, trust), border="horizontal", hide_index=True)
    st.caption(attribution_words.few(found))
    if trust:
        st.caption(attribution_words.most_trusted(trust, SEED))
    lesson.numbers("attribution", _numbers(inspection, found))
    _explain()


def _attributed(
    model: Transformer, source_ids: tuple[int, ...], ids: tuple[int, ...], step: int
) -> Attribution:
    return attribute(model, said_at(source_ids, ids, step))


def _draw_map(inspection: Inspection, found: Attribution, word: str) -> None:
    methods, tokens = attribution_words.asked(found), inspection.source_tokens
    largest = int(np.abs(found.scores[methods[0]]).argmax())
    row, column = alike_cells.linked(CELL, len(methods), len(tokens)) or (0, largest)
    matrices(
        Matrices(panels=[_map(inspection, found, word)], selected=(0, row, column)),
        key=MAP,
        on_pick=partial(alike_cells.take, MAP, CELL),
    )
    method, score = methods[row], float(found.scores[methods[row]][column])
    st.text(attribution_words.cell(method, tokens[column].text, word, score))


def _map(inspection: Inspection, found: Attribution, word: str) -> Matrix:
    methods = attribution_words.asked(found)
    scores = [found.scores[method] for method in methods]
    return Matrix(
        title=_("What each source token has to do with “{word}”").format(word=word),
        values=scaled_rows(np.stack(scores)),
        rows=Axis(
            name=_("method"), labels=[TokenLabel(attribution_words.SHORT[m]) for m in methods]
        ),
        columns=Axis(
            name=_("source token"),
            labels=labels(inspection.source_tokens, inspection.unknown_words),
            side="source",
        ),
        scale="signed",
        texts=[[attribution_words.brief(float(each)) for each in row] for row in scores],
        note=_(
            "Colours: each row divided by its largest magnitude. Click a cell for its number as "
            "it is."
        ),
        value_name=_("share of the row’s largest"),
    )


def _ask_trust(opened: Opened) -> dict[Method, Trust] | None:
    """Ask whether to measure the methods on test sentences, and return what was found."""
    asked = _("Hold each method against leaving one out on {n} held-out sentences, too")
    if not st.toggle(asked.format(n=N_SENTENCES), key=TRUST, bind="query-params"):
        return None
    try:
        with st.spinner(_("Measuring on {n} sentences; some seconds …").format(n=N_SENTENCES)):
            return cached.of_run(_trusted, opened.path)
    except RunError as error:
        st.caption(plain(str(error)))
        return None


def _trusted(run: Run) -> dict[Method, Trust]:
    *_steps, last = trust_steps(run)
    return dict(last.trust)


def _numbers(inspection: Inspection, found: Attribution) -> dict[str, list[object]]:
    tokens = inspection.source_tokens
    rows = [(method, at) for method in attribution_words.asked(found) for at in range(len(tokens))]
    return {
        "step": [len(found.said.fed_ids) - 1] * len(rows),
        "method": [str(method) for method, _at in rows],
        "source": [at for _method, at in rows],
        "source_token": [tokens[at].text for _method, at in rows],
        "score": [float(found.scores[method][at]) for method, at in rows],
        "rank_correlation": [
            "" if found.agreement.get(method) is None else found.agreement[method]
            for method, _at in rows
        ],
    }


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
