"""Look back on a training: when the heads became sharp, and what they did at any snapshot."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import streamlit as st

from core.heads import STACK_LABELS, Head, Site
from core.inspection import Inspection, inspect_sentence
from core.model.attention import attend_probed
from core.runs.checkpoint import stops
from core.runs.run import RunError
from core.studies.heads.evenness import evenness
from core.studies.heads.forming import SHARP, Forming, forming
from core.studies.heads.largest_weights import largest_weight, pairs_of_words, telling_query
from core.training.trainer import EVALUATION_SAMPLES
from pages.frame import cached, clicks, components, controls, notes, session
from pages.frame.cached import RunAt
from pages.frame.charts import chart
from pages.frame.language import (
    _,
    ended,
    joined,
    labelled,
    listed,
    n_,
    number,
    percent,
    plain,
    translated,
)
from pages.frame.maps import maps_of
from pages.frame.recipe import Recipe
from pages.frame.typography import typeset
from pages.frame.view import Shown, saying_why
from pages.views.training import heads_at_step, progress
from viz.charts.curves import Level, Quantity, Rule, curves
from viz.charts.measurements import TEXTS, Axes, Rows
from viz.charts.training import loss_curves
from viz.component.standalone import Drawn

NEAR = 0.3
"""What was measured within this share of a step's number speaks for the step."""
FEW = 2
"""Before training, and the newest."""
_SQUEEZED = 100.0
"""Steps beyond which the axis is logarithmic, since most happens early."""
_HEIGHT = 250
"""Of the chart, in pixels."""


@saying_why(OSError, RunError)
def draw(path: Path) -> Shown | None:
    """Show how the heads of a layer formed, and their maps at one snapshot.

    Args:
        path: The run's folder.
    """
    if why := heads_at_step.why_none(path):
        st.info(why)
        return None
    model, rows, offered = cached.settings(path).model, progress.rows(path), stops(path)
    sentence = heads_at_step.ask_sentence(path)
    # It stands above the handle, which says what is marked in it.
    course = st.container()
    step = _ask_step(offered)
    with course:
        loss = _loss(rows, step)
    with st.container(horizontal=True, vertical_alignment="center"):
        head = heads_at_step.ask_head(path, model)
    inspection = _at(path, step, sentence).result()
    readable = [each for each in offered if _is_readable(_at(path, each, sentence))]
    last = _at(path, readable[-1], sentence).result()
    run = heads_at_step.untrained(path)
    known = [ended(_told(rows, step)), *notes.about_reading(run, inspection)]
    if len(offered) <= FEW:
        known.append(_("Only the beginning and the newest weights were kept."))
    at_end = _("at the end: {text}").format(text=typeset(last.translation.text, run))
    st.caption(plain(" ".join([*known, at_end])))
    at_steps = [_at(path, each, sentence) for each in readable]
    recipe = Recipe(forming, at_steps, readable, head, step)
    shown = maps_of(run, inspection, head)
    take = partial(clicks.take_head, session.choose)
    maps = components.attention_maps(shown, key=session.MAPS, on_pick=take)
    spread = _chart(recipe.result())
    st.caption(joined(_how_measured(len(offered), mixed=cached.settings(path).beside_own_pairs)))
    return Shown(
        name=f"{path.name}-step-{step}-{head.site}.{head.index}",
        title=_("{head}, at step {step}").format(head=notes.site_and_head(head), step=number(step)),
        seen=joined([_seen(inspection, last, head, step), _seen_sharp(recipe.result())]),
        recipe=recipe,
        code=[evenness, attend_probed],
        pictures=[loss, maps, spread],
        about={
            "step": str(step),
            "sentence": sentence,
            "translation": inspection.translation.text,
            "head": notes.site_and_head(head),
        },
    )


def _at(path: Path, step: int, sentence: str) -> Recipe[Inspection]:
    return Recipe(inspect_sentence, RunAt(path, step), sentence)


def _is_readable(at_step: Recipe[Inspection]) -> bool:
    """Say whether a snapshot can be read; the reason is shown where it is chosen."""
    try:
        at_step.result()
    except RunError:
        return False
    return True


def _loss(rows: Rows, step: int) -> Drawn:
    """Draw the loss of the training, with the chosen step marked in it."""
    # Most happens in the first steps. A logarithmic axis has no place for step 0.
    rules = [Rule(step, _("the maps below"))] if step else []
    axes, texts = Axes(log_x=True, log_y=True), translated(TEXTS)
    return chart(loss_curves(rows, axes=axes, height=_HEIGHT, rules=rules, texts=texts))


def _chart(found: Forming) -> Drawn:
    """Draw how evenly each head of the layer spreads its weights at each snapshot."""
    labels = {index: _("head {head}").format(head=index) for index in range(_n_heads(found))}
    figure = curves(
        {
            label: [heads[index] for heads in found.evenness.values()]
            for index, label in labels.items()
        },
        x=Quantity(
            _("step (beyond {n} logarithmic)").format(n=number(int(_SQUEEZED))), squeezed=_SQUEEZED
        ),
        at=list(found.evenness),
        y=Quantity(_("spread (entropy)"), share=True),
        title=_("How far the heads of {layer} spread their weights").format(
            layer=_layer(found.head.site)
        ),
        rules=[
            Level(SHARP, _("sharp: below {share}").format(share=percent(SHARP))),
            Rule(found.step, _("the maps above")),
        ],
    )
    return chart(figure.properties(height=_HEIGHT))


def _layer(site: Site) -> str:
    """Return a layer's name as it stands within a sentence."""
    return _("{stack} layer {layer} {kind}").format(
        stack=_(STACK_LABELS[site.stack]),
        layer=site.layer,
        kind=_(site.attention.sublayer_label),
    )


def _n_heads(found: Forming) -> int:
    return len(found.evenness[found.step])


def _seen_sharp(found: Forming) -> str:
    """Return from which snapshot on all heads of the layer are sharp; "" if they never are."""
    if len(found.evenness) < FEW:
        return _("Only one snapshot was kept, so there is no change to see.")
    if found.sharp_from is None:
        return ""
    return _(
        "From step **{step}** on all heads of {layer} are sharp (spread below {share})."
    ).format(step=number(found.sharp_from), layer=_layer(found.head.site), share=percent(SHARP))


def _how_measured(n_offered: int, *, mixed: bool) -> Iterator[str]:
    """Say what was kept, and on what the figures of the handle were measured."""
    if n_offered > FEW:
        yield n_(
            "The weights of {n} step were kept, those before the last rounded to 8 bits.",
            "The weights of {n} steps were kept, those before the last rounded to 8 bits.",
            n_offered,
        ).format(n=number(n_offered))
    text = n_(
        "While it trained, at most {pairs} held-out pair was measured.",
        "While it trained, at most {pairs} held-out pairs were measured.",
        EVALUATION_SAMPLES,
    )
    if mixed:
        text = n_(
            "While it trained, at most {pairs} held-out pair was measured, half of them own.",
            "While it trained, at most {pairs} held-out pairs were measured, half of them own.",
            EVALUATION_SAMPLES,
        )
    yield text.format(pairs=number(EVALUATION_SAMPLES))


def _seen(inspection: Inspection, last: Inspection, head: Head, step: int) -> str:
    """Return where a token looks most at a step, and at the last snapshot.

    The token is the most telling one of the last snapshot. What a decoder is fed differs from
    snapshot to snapshot, so there it is that of the step itself.
    """
    row = _telling_row(last if head.kind.query_side == "source" else inspection, head)
    query, key, weight, even = _largest(inspection, head, row)
    text = _("At step {step} “{query}” looks most at **{key}**: {weight} (evenly spread: {even}).")
    if head.kind.query_side == "target":
        text = _(
            "At step {step} the decoder, fed “{query}” to write “{written}”, looks most at "
            "**{key}**: {weight} (evenly spread: {even})."
        )
    sentences = [
        text.format(
            written=_written(inspection, head, row),
            step=number(step),
            query=query,
            key=key,
            weight=number(weight, 2),
            even=number(even, 2),
        )
    ]
    if head.kind.query_side == "source" and last is not inspection:
        _query, key, weight, _even = _largest(last, head, row)
        text = _("At the end it looks most at **{key}**: **{weight}**.")
        sentences.append(text.format(key=key, weight=number(weight, 2)))
    return joined(sentences)


def _telling_row(inspection: Inspection, head: Head) -> int:
    queries, keys = map(inspection.tokens_of, head.kind.sides)
    visible_QK = inspection.attention[head.site].visible_QK
    words = pairs_of_words(queries, keys, head.kind)
    return telling_query(inspection.weights_of(head), visible_QK, words)


def _largest(inspection: Inspection, head: Head, row: int) -> tuple[str, str, float, float]:
    """Return a query, the key of its largest weight, that weight, and the weight of an even row."""
    queries, keys = map(inspection.tokens_of, head.kind.sides)
    even_QK = inspection.attention[head.site].even_QK
    found = largest_weight(inspection.weights_of(head), even_QK, row)
    return (
        plain(queries[row].text),
        plain(keys[found.keys[0]].text),
        found.weight,
        found.even_weight,
    )


def _written(inspection: Inspection, head: Head, row: int) -> str:
    """Return what a row of the decoder predicts; nothing for the encoder."""
    if head.kind.query_side == "source" or not inspection.predicted_tokens:
        return ""
    return plain(inspection.predicted_tokens[row].text)


def figures(rows: Sequence[Mapping[str, float]], step: int) -> str:
    """Return what was measured at a step, or near it; the step of the measurement is then said.

    >>> figures([{"step": 250, "loss": 2.0}], 200), figures([{"step": 250, "loss": 2.0}], 10)
    ('loss 2 (step 250)', '')
    """
    found: dict[str, float] = {}
    measured: dict[int, None] = {}
    for name in ("loss", "held_out_loss"):
        having = [row for row in rows if name in row]
        near = min(having, key=lambda row: abs(row["step"] - step), default=None)
        if near is not None and abs(near["step"] - step) <= NEAR * step:
            found |= {key: near[key] for key in near if key.startswith(name.removesuffix("_loss"))}
            measured[int(near["step"])] = None
    label = _in_words(found)
    if not label or list(measured) == [step]:
        return label
    said = listed(map(number, measured))
    return _("{figures} (step {steps})").format(figures=label, steps=said)


def _in_words(measured: Mapping[str, float]) -> str:
    r"""Return what was measured, in a few words.

    >>> _in_words({"loss": 1.934, "held_out_exact_match": 0.12})
    'loss 1.93 · exact match 12\xa0%'
    """
    parts = []
    if "loss" in measured:
        parts.append(_("loss {loss}").format(loss=number(measured["loss"], padded=False)))
    if "held_out_loss" in measured:
        loss = number(measured["held_out_loss"], padded=False)
        parts.append(_("held out {loss}").format(loss=loss))
    if "held_out_exact_match" in measured:
        share = percent(measured["held_out_exact_match"])
        parts.append(_("exact match {share}").format(share=share))
    return " · ".join(parts)


def _ask_step(offered: Sequence[int]) -> int:
    """Ask for a snapshot."""
    steps = {step: number(step) for step in offered}
    # The very first writes nothing that can be read, the last is what all other views show.
    return controls.along(_("step"), session.STEP, steps, offered[len(offered) // 2])


def _told(rows: Sequence[Mapping[str, float]], step: int) -> str:
    """Return what was measured at a step in a few words."""
    if not step:
        return _("step 0: before training")
    name = _("step {step}").format(step=number(step))
    near = figures(rows, step)
    return labelled(name, near) if near else name
