"""Which source tokens a word comes from, by six methods, and which of them to trust."""

from functools import partial

import streamlit as st

from core.evaluate.ranks import rank_correlation
from core.inspection import Inspection
from core.model import Transformer
from core.runs.run import Run, RunError
from core.studies.attribution.gradients import gradient_times_input, integrated_gradients
from core.studies.attribution.leaving_out import leave_one_out, telling_step
from core.studies.attribution.methods import Attribution, Method, attribute, said_at
from core.studies.attribution.rollout import source_rollout
from core.studies.attribution.trust import N_SENTENCES, Trust, trust_steps
from core.studies.heads.findings import pronouns_among
from core.vocabulary import EOS
from pages.frame import cached, controls, measured_on, snippets
from pages.frame.components import matrices
from pages.frame.language import N_, _, plain
from pages.frame.listed import joined
from pages.frame.messages import explained
from pages.frame.opening import Opened
from pages.frame.view import Columns, Shown
from pages.views.heads import attribution_maps, attribution_methods, attribution_rollout, cells
from pages.views.heads.attribution_maps import Parts
from viz.component.standalone import Drawn
from viz.plane.matrices import Matrices, Matrix

OF, PER, EVERY_METHOD = "attributed", "attributed_per", "all_methods"
METHODS, ROLLOUT = "word", "rollout"
STEP, MAP, CELL = "attributed_word", "attribution_map", "attributed_cell"
TRUST = "trust"
_FORMULA = (
    r"\mathrm{leave\ one\ out}_s = \log p(y \mid x) - \log p(y \mid x \setminus s),"
    r"\quad \mathrm{gradient \times input}_s = e_s \cdot \nabla_{e_s} \log p, \quad "
    r"\mathrm{integrated}_s = e_s \cdot \int_0^1 \nabla_{e_s} \log p(\alpha e)\,d\alpha"
)
TRIES = (
    N_("Choose a pronoun of the target: which methods find what it stands for?"),
    N_(
        "ρ compares the order of the tokens, whatever the signs: 1 is the same order "
        "as leaving one out, 0 none. Measure it on more sentences before you "
        "trust a method."
    ),
    N_(
        "Leaving one out changes what is asked about, so it is a test; but of two "
        "tokens that say the same it sees neither, for each stands in for the other."
    ),
)


def draw(opened: Opened) -> Shown | None:
    """Draw all methods for one word, or what attention passes on from layer to layer."""
    row = st.container(horizontal=True, vertical_alignment="center")
    with row:
        offered = {METHODS: _("one word"), ROLLOUT: _("rollout")}
        of = controls.choice(_("Show"), OF, offered, METHODS, older={"one word": METHODS})
    if of == ROLLOUT:
        with row:
            stack = attribution_rollout.ask(opened)
        return attribution_rollout.draw(opened, stack)
    if not _steps(opened):
        st.caption(_("The model writes nothing here that could be asked about."))
        return None
    with row:
        step = _ask_step(opened)
        parts = (
            _fed_parts(opened, step)
            if opened.run.model.config.is_decoder_only
            else _ask_parts(opened)
        )
        every_method = controls.toggle(_("all methods"), EVERY_METHOD)
    return _draw_methods(opened, step, parts, every_method)


def target_ids(inspection: Inspection, ends: tuple[int, ...] = (EOS,)) -> tuple[int, ...]:
    """Return the tokens that can be asked about: what the model wrote, EOS where it came to it.

    Args:
        inspection: Of the sentence.
        ends: The model's own tokens that end a target.
    """
    translation = inspection.translation
    return (*translation.target_ids, *(ends[:1] if translation.finished else ()))


def _ids(opened: Opened) -> tuple[int, ...]:
    return target_ids(opened.inspection, opened.run.model.config.eos_ids)


def _steps(opened: Opened) -> range:
    """Return the steps that can be asked about: what the model wrote, not what it was given."""
    return range(opened.inspection.translation.n_given, len(_ids(opened)))


def _ask_step(opened: Opened) -> int:
    """Ask for the word; the link names it by its step."""
    # A step of one sentence is none of another.
    cells.keep_only_of((opened.path, opened.sentence), STEP)
    ids, steps = _ids(opened), _steps(opened)
    texts = [token.text for token in opened.run.target_tokenizer.describe(ids)]
    source_ids = opened.inspection.translation.source_ids
    usual = steps[0]
    if source_ids:
        usual = cached.of_model(telling_step, opened.path, source_ids, ids, _pronouns(opened))
    st.caption(_("word asked about"), width="content")
    return controls.selection(
        _("Word asked about"),
        STEP,
        {step: f"{step} {texts[step]}" for step in steps},
        usual,
        labelled=False,
        named=True,
        width=150,
    )


def _pronouns(opened: Opened) -> tuple[int, ...]:
    """Return where pronouns stand whose translation depends on what they stand for."""
    inspection = opened.inspection
    found = set(pronouns_among(opened.task, inspection.source_words))
    words = [word.lower() in found for word in inspection.source_words]
    tokens = enumerate(inspection.source_tokens)
    return tuple(at for at, token in tokens if token.word < len(words) and words[token.word])


def _fed_parts(opened: Opened, step: int) -> Parts:
    """Return the tokens that a decoder alone was fed before a step."""
    cells.keep_only_of((opened.path, opened.sentence, step), CELL)
    return Parts(opened.inspection.fed_tokens[: step + 1], None, "target")


def _ask_parts(opened: Opened) -> Parts:
    """Ask what of the source gets a number, where a word of it has several tokens."""
    inspection, per = opened.inspection, "tokens"
    if len(inspection.source_words) < len(inspection.source_tokens):
        offered = {"tokens": _("tokens"), "words": _("words")}
        per = controls.choice(_("Numbers for"), PER, offered, per)
    tokens = cached.inspected(opened.path, opened.sentence, per == "words").source_tokens
    words = tuple(token.word for token in inspection.source_tokens) if per == "words" else None
    # A column of tokens is none of words.
    cells.keep_only_of((opened.path, opened.sentence, per), CELL)
    return Parts(tokens, words)


def _draw_methods(opened: Opened, step: int, parts: Parts, every_method: bool) -> Shown:
    inspection, ids = opened.inspection, _ids(opened)
    given = (inspection.translation.source_ids, (inspection.translation.first,))
    word = opened.run.target_tokenizer.describe(ids)[step].text
    asked = frozenset(Method) if every_method else frozenset({Method.LEAVE_ONE_OUT})
    found = cached.of_model(_attributed, opened.path, given, ids, step, parts.words, asked)
    trust: dict[Method, Trust] | None = None
    if every_method:
        panel = attribution_maps.of_methods(found, parts, word, inspection.unknown_words)
    else:
        panel = attribution_maps.of_one_method(found, parts, word, inspection.unknown_words)
    picture = _draw_map(panel, found, parts, word)
    if every_method:
        trust = _draw_trust(opened, found, parts, word)
    methods = (attribute, leave_one_out, gradient_times_input, integrated_gradients)
    return Shown(
        name="attribution",
        title=panel.title,
        numbers=lambda: numbers(found, parts, trust),
        python=_python(opened, ids, step, parts, found),
        seen=attribution_methods.seen(found, [each.text for each in parts.tokens], word),
        code=(*methods, source_rollout, rank_correlation),
        pictures=[picture],
        formula=_FORMULA,
        tries=[_(each) for each in TRIES],
    )


def _draw_trust(
    opened: Opened, found: Attribution, parts: Parts, word: str
) -> dict[Method, Trust] | None:
    """Say how far the methods agree, here and, where that is asked for, on test sentences."""
    said = attribution_methods.sure_of(plain(word), found)
    st.caption(joined([said, attribution_methods.gap(found)]))
    per_word = parts.words is not None
    # Held-out sentences have a source and its true target.
    measured = opened.task is not None and not opened.run.model.config.is_decoder_only
    trust = _ask_trust(opened, per_word) if measured else None
    table = attribution_methods.table(found, trust, per_word=per_word)
    st.table(table, border="horizontal", hide_index=True)
    st.caption(attribution_methods.few(found, per_word=per_word))
    if trust:
        st.caption(attribution_methods.agrees_best(opened.run, trust, per_word=per_word))
    return trust


def _attributed(
    model: Transformer,
    given: tuple[tuple[int, ...], tuple[int, ...]],
    ids: tuple[int, ...],
    step: int,
    words: tuple[int, ...] | None,
    asked: frozenset[Method],
) -> Attribution:
    source_ids, begins = given
    return attribute(model, said_at(source_ids, ids, step, begins), words, asked)


def _ask_trust(opened: Opened, per_word: bool) -> dict[Method, Trust] | None:
    """Ask whether to measure the methods on test sentences, and return what was found."""
    n = measured_on.most(opened.run, N_SENTENCES)
    asked = _("Compare each method with leaving one out on {sentences}, too")
    on = measured_on.sentences(opened.run, n)
    if not controls.toggle(asked.format(sentences=on), TRUST):
        return None
    try:
        return cached.of_run(_trusted, opened.path, per_word)
    except RunError as error:
        st.caption(plain(explained(error)))
        return None


def _trusted(run: Run, whole_words: bool) -> dict[Method, Trust]:
    *_steps, last = trust_steps(run, whole_words=whole_words)
    return dict(last.trust)


def _draw_map(panel: Matrix, found: Attribution, parts: Parts, word: str) -> Drawn:
    """Draw methods × parts of the source, and say the number of the cell that was clicked.

    Args:
        panel: The map.
        found: What it shows.
        parts: Its columns.
        word: That is asked about.
    """
    methods = attribution_methods.asked(found)
    usual = (0, int(found.without.argmin()))
    row, column = cells.linked(CELL, len(methods), len(parts.tokens)) or usual
    shown = Matrices(panels=[panel], selected=(0, row, column))
    picture = matrices(shown, key=MAP, on_pick=partial(cells.take, MAP, CELL))
    method, score = methods[row], float(found.scores[methods[row]][column])
    st.text(attribution_methods.cell(method, parts.tokens[column].text, word, score))
    return picture


def numbers(found: Attribution, parts: Parts, trust: dict[Method, Trust] | None = None) -> Columns:
    """Return a row for each method and part of the source."""
    methods, count = attribution_methods.asked(found), len(parts.tokens)
    rows = [(method, at) for method in methods for at in range(count)]
    integrated = found.integrated
    known = [(trust or {}).get(method) for method, _at in rows]
    return {
        "step": [len(found.said.fed_ids) - 1] * len(rows),
        "method": [str(method) for method, _at in rows],
        "source": [at for _method, at in rows],
        "source_token" if parts.words is None else "source_word": [
            parts.tokens[at].text for _method, at in rows
        ],
        "score": [float(found.scores[method][at]) for method, at in rows],
        "rank_correlation": [found.agreement.get(method) for method, _at in rows],
        "probability": [found.probability] * len(rows),
        "integrated_total": [integrated and integrated.total] * len(rows),
        "integrated_difference": [integrated and integrated.difference] * len(rows),
        "trust_mean": [each and each.mean for each in known],
        "trust_deviation": [each and each.deviation for each in known],
        "trust_low": [each and each.quartiles[0] for each in known],
        "trust_high": [each and each.quartiles[2] for each in known],
        "trust_n": [each and each.n for each in known],
    }


def _python(
    opened: Opened, ids: tuple[int, ...], step: int, parts: Parts, found: Attribution
) -> str:
    imports = "from core.studies.attribution.methods import attribute, said_at"
    methods = [str(method) for method in attribution_methods.asked(found)]
    lines = [
        "translation = inspection.translation",
        f"said = said_at(translation.source_ids, {ids}, {step}, (translation.first,))",
        f"found = attribute(run.model, said, {parts.words})",
        f"methods = {methods}",
        "scores = [score for each in methods for score in found.scores[each].tolist()]",
        'numbers = {"score": scores}',
        "",
    ]
    return snippets.inspecting(opened.path, opened.sentence, imports) + "\n".join(lines)
