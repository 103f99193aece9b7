"""Look back on a training: when the heads became sharp, and what they did at any snapshot."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st

from core.heads import STACK_LABELS, Head, Site
from core.inspection import Inspection, inspect_sentence
from core.model.attention import attend_probed
from core.runs.checkpoint import stops
from core.runs.run import Run, RunError
from core.studies.forward_pass import forward_pass
from core.studies.heads.largest_weights import (
    evenness,
    largest_weight,
    pairs_of_words,
    telling_query,
)
from core.studies.heads.maps import SHARP, Forming, forming
from core.training.trainer import EVALUATION_SAMPLES
from pages.frame import cached, clicks, components, needs, notes, selection, session, tour
from pages.frame.cached import RunAt
from pages.frame.charts import chart
from pages.frame.language import (
    _,
    joined,
    listed,
    n_,
    number,
    percent,
    plain,
    translated,
)
from pages.frame.maps import labels
from pages.frame.needs import Need
from pages.frame.passes import PICTURE
from pages.frame.recipe import Recipe
from pages.frame.typography import typeset
from pages.frame.view import Shown
from pages.views.training import heads_at_step, progress
from viz.charts.curves import Level, Quantity, Rule, curves
from viz.charts.measurements import TEXTS, Rows
from viz.charts.training import loss_curves
from viz.component.payload import TokenLabel
from viz.component.standalone import Drawn
from viz.plane.matrices import Axis, Matrices, Matrix

NEAR = 0.3
"""What was measured within this share of a step's number speaks for the step."""
_SQUEEZED = 100.0
"""Steps beyond which the axis is logarithmic, since most happens early."""
_LOSS_HEIGHT, _HEIGHT = 220, 250
"""Of the charts, in pixels."""
_ROWS = "rows_of_steps"


def draw(path: Path) -> Shown | None:
    """Show how the heads of a layer formed, and their maps at one snapshot.

    Args:
        path: The run's folder.
    """
    if why := needs.why_not(heads_at_step.untrained(path), [Need.HEADS]):
        st.info(why)
        return None
    rows, offered = progress.rows(path), stops(path)
    # The picture stands below the slider; which head it is of can be clicked in the pass.
    slider = st.container()
    sentence = heads_at_step.ask_sentence(path)
    above = st.container()
    with st.container(horizontal=True, vertical_alignment="center"):
        head = heads_at_step.ask_head(path)
    found = {each: at for each in offered if (at := _readable(path, each, sentence))}
    with slider:
        step = heads_at_step.ask_step(offered, _learning(found, head))
    inspection, last = _at(path, step, sentence).result(), found[max(found)]
    run = heads_at_step.untrained(path)
    with above:
        _say_written(run, _written(rows, step), inspection, last)
        pictures = [_head_at_step(found, inspection, head, step)]
    if len(offered) <= heads_at_step.FEW:
        st.caption(_("Only the beginning and the newest weights were kept."))
    for note in notes.about_reading(run, inspection):
        st.caption(plain(note))
    recipe = Recipe(forming, [_at(path, each, sentence) for each in found], [*found], head, step)
    focus = _telling_row(last, head) if head.kind.query_side == "source" else None
    passed = Recipe(forward_pass, RunAt(path, step), _at(path, step, sentence)).result()
    whole = heads_at_step.whole_at(run, passed, step, focus)
    picture = components.show(
        whole, key=PICTURE, on_step=heads_at_step.keep_step, on_pick=_take_head
    )
    pictures.append(_loss(rows, step))
    spread = _chart(recipe.result())
    st.caption(joined(_how_measured(len(offered), mixed=cached.settings(path).beside_own_pairs)))
    guided = _("This head was guided: it was rewarded for looking from a pronoun at its noun.")
    return Shown(
        name=f"{path.name}-step-{step}-{head.site}.{head.index}",
        title=_("{head}, at step {step}").format(head=notes.site_and_head(head), step=number(step)),
        seen=joined(
            [
                _seen(inspection, last, head, step),
                _seen_sharp(recipe.result()),
                guided if notes.is_guided(run, head) else "",
            ]
        ),
        recipe=recipe,
        code=[evenness, attend_probed],
        pictures=[*pictures, picture, spread],
        about={
            "step": str(step),
            "sentence": sentence,
            "translation": inspection.translation.text,
            "head": notes.site_and_head(head),
        },
    )


def _at(path: Path, step: int, sentence: str) -> Recipe[Inspection]:
    return Recipe(inspect_sentence, RunAt(path, step), sentence)


def _readable(path: Path, step: int, sentence: str) -> Inspection | None:
    """Return what a snapshot does; None where it cannot be read: why, is said when it is chosen."""
    try:
        return _at(path, step, sentence).result()
    except RunError:
        return None


def _learning(found: Mapping[int, Inspection], head: Head) -> int:
    """Return the last snapshot after step 0 at which the telling word still looks elsewhere.

    Where there is none, it is the first after step 0. What a decoder is fed differs from snapshot
    to snapshot: for its words it is the one in the middle.
    """
    steps = [*found]
    if head.kind.query_side == "target":
        return steps[len(steps) // 2]
    row = _telling_row(found[steps[-1]], head)
    keys = {step: _largest(each, head, row)[1] for step, each in found.items()}
    elsewhere = [step for step in steps[1:] if keys[step] != keys[steps[-1]]]
    return [*steps[:2], *elsewhere][-1]


def _say_written(run: Run, begin: str, inspection: Inspection, last: Inspection) -> None:
    """Say what the model writes at the chosen snapshot and at the end, each in a line."""
    written = {begin: inspection, _("At the end the model writes:"): last}
    # The end is what a stop of the tour asks to predict.
    if last is inspection or tour.keeps_back():
        written.popitem()
    lines = [
        f":small[{plain(begin)} **{plain(typeset(each.translation.text, run))}**]"
        for begin, each in written.items()
    ]
    st.markdown("  \n".join(lines))


def _head_at_step(
    found: Mapping[int, Inspection], inspection: Inspection, head: Head, step: int
) -> Drawn:
    """Draw where one word looks at each snapshot; the map at one, where each wrote other words."""
    if head.kind.query_side == "target":
        at_end = len(found[max(found)].weights_of(head))
        return _map(inspection, head, step, at_end if head.kind.key_side == "source" else None)
    return _rows_of_steps(found, head, step)


def _map(inspection: Inspection, head: Head, step: int, n: int | None) -> Drawn:
    """Draw the map of a head at a snapshot, with at most `n` rows: an untrained model writes on."""
    visible_QK = inspection.attention[head.site].visible_QK[:n]
    queries = selection.query_axis(inspection, head.kind)
    panel = Matrix(
        title=_("{head}, at step {step}").format(head=notes.site_and_head(head), step=number(step)),
        values=inspection.weights_of(head)[:n],
        visible=None if visible_QK.all() else visible_QK,
        rows=replace(
            queries,
            name=_("query: word fed → word predicted"),
            labels=queries.labels[:n],
            then=labels(inspection.predicted_tokens[:n]),
        ),
        columns=selection.key_axis(inspection, head.kind),
        value_name=_("weight"),
    )
    return components.show(Matrices(panels=[panel]), key=_ROWS)


def _rows_of_steps(found: Mapping[int, Inspection], head: Head, step: int) -> Drawn:
    """Draw where the telling word looks at each snapshot; a click chooses the snapshot."""
    last, steps = found[max(found)], [*found]
    row = _telling_row(last, head)
    weights_SK = np.stack([each.weights_of(head)[row] for each in found.values()])
    names = tuple(TokenLabel(number(each)) for each in steps)
    panel = Matrix(
        title=_("{head}: where “{word}” looks, by training step").format(
            head=notes.site_and_head(head), word=last.tokens_of("source")[row].text
        ),
        values=weights_SK,
        rows=Axis(name=_("training step"), labels=names),
        columns=selection.axis_of_keys(head.kind, labels(last.source_tokens, last.unknown_words)),
        value_name=_("weight"),
    )
    chosen = steps.index(step) if step in steps else 0
    shown = Matrices(panels=[panel], selected=(0, chosen, int(weights_SK[chosen].argmax())))
    return components.show(shown, key=_ROWS, on_pick=partial(_take_step, steps))


def _take_step(steps: Sequence[int]) -> None:
    if pick := clicks.picked(_ROWS):
        session.choose({session.STEP: steps[pick["row"]]})


def _take_head() -> None:
    """Look at the head that was clicked."""
    session.choose(heads_at_step.head_clicked())


def _loss(rows: Rows, step: int) -> Drawn:
    """Draw the loss of the training, with the chosen step marked in it."""
    # Most happens in the first steps. A logarithmic axis has no place for step 0.
    rules = [Rule(step, _("the pass above"))] if step else []
    texts = translated(TEXTS)
    return chart(loss_curves(rows, log_x=True, height=_LOSS_HEIGHT, rules=rules, texts=texts))


def _chart(found: Forming) -> Drawn:
    """Draw how evenly each head of the layer spreads its weights at each snapshot."""
    n_heads = len(found.evenness[found.step])
    labels = {index: _("head {head}").format(head=index) for index in range(n_heads)}
    figure = curves(
        {
            label: [heads[index] for heads in found.evenness.values()]
            for index, label in labels.items()
        },
        x=Quantity(
            _("training step (beyond {n} logarithmic)").format(n=number(int(_SQUEEZED))),
            squeezed=_SQUEEZED,
        ),
        at=list(found.evenness),
        y=Quantity(_("spread (entropy)"), share=True),
        title=_("How far the heads of {layer} spread their weights").format(
            layer=_layer(found.head.site)
        ),
        rules=[
            Level(SHARP, _("sharp: below {share}").format(share=percent(SHARP))),
            Rule(found.step, _("the pass above")),
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


def _seen_sharp(found: Forming) -> str:
    """Return from which snapshot on all heads of the layer are sharp; "" if they never are."""
    if len(found.evenness) < heads_at_step.FEW:
        return _("Only one snapshot was kept, so there is no change to see.")
    if found.sharp_from is None:
        return ""
    return _("From step **{step}** on each head of {layer} looks at few words.").format(
        step=number(found.sharp_from), layer=_layer(found.head.site)
    )


def _how_measured(n_offered: int, *, mixed: bool) -> Iterator[str]:
    """Say what was kept, and on what the figures of the handle were measured."""
    if n_offered > heads_at_step.FEW:
        yield n_(
            "The weights of {n} step were kept, those before the last rounded to 8 bits.",
            "The weights of {n} steps were kept, those before the last rounded to 8 bits.",
            n_offered,
        )
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
    query, key, weight = _largest(inspection, head, row)
    if head.kind.query_side == "target":
        text = _(
            "At step {step} the decoder, given “{query}” to write “{written}”, looks most at "
            "**{key}** ({weight})."
        )
        written = (
            plain(inspection.predicted_tokens[row].text) if inspection.predicted_tokens else ""
        )
        return text.format(
            step=number(step), query=query, written=written, key=key, weight=number(weight, 2)
        )
    _query, at_end, weight_at_end = _largest(last, head, row)
    if last is inspection:
        text = _("**At the end**, step {step}, “{query}” looks most at **{key}** ({weight}).")
    else:
        text = _course(step, same=key == at_end, grows=weight_at_end >= weight)
    return text.format(
        step=number(step),
        query=query,
        key=key,
        weight=number(weight, 2),
        at_end=at_end,
        weight_at_end=number(weight_at_end, 2),
    )


def _course(step: int, *, same: bool, grows: bool) -> str:
    """Return how a word's largest weight changes in training, as a template.

    Args:
        step: Of the snapshot.
        same: Whether the word looks most at the same token at the end.
        grows: Whether its largest weight is no smaller at the end.
    """
    if not step:
        return _(
            "**Before training** each preference is chance: “{query}” looks most at {key} "
            "({weight}). At the end it looks most at **{at_end}** ({weight_at_end})."
        )
    if not grows:
        return _(
            "**The largest weight shrinks**: at step {step} “{query}” looks most at {key} "
            "({weight}), at the end at **{at_end}** ({weight_at_end})."
        )
    if same:
        return _(
            "**Already at step {step}** “{query}” looks most at {key} ({weight}); at the end: "
            "**{weight_at_end}**."
        )
    return _(
        "**Not yet at step {step}**: “{query}” looks most at {key} ({weight}). At the end it "
        "looks most at **{at_end}** ({weight_at_end})."
    )


def _telling_row(inspection: Inspection, head: Head) -> int:
    queries, keys = map(inspection.tokens_of, head.kind.sides)
    visible_QK = inspection.attention[head.site].visible_QK
    words = pairs_of_words(queries, keys, head.kind)
    return telling_query(inspection.weights_of(head), visible_QK, words)


def _largest(inspection: Inspection, head: Head, row: int) -> tuple[str, str, float]:
    """Return a query, the key of its largest weight, and that weight."""
    queries, keys = map(inspection.tokens_of, head.kind.sides)
    even_QK = inspection.attention[head.site].even_QK
    found = largest_weight(inspection.weights_of(head), even_QK, row)
    return plain(queries[row].text), plain(keys[found.keys[0]].text), found.weight


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
    label = _measured(found)
    if not label or list(measured) == [step]:
        return label
    said = listed(map(number, measured))
    return _("{figures} (step {steps})").format(figures=label, steps=said)


def _measured(measured: Mapping[str, float]) -> str:
    r"""Return what was measured, in a few words.

    >>> _measured({"loss": 1.934, "held_out_exact_match": 0.12})
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


def _written(rows: Sequence[Mapping[str, float]], step: int) -> str:
    """Return what introduces the text of a snapshot, with what was measured at its step."""
    if not step:
        return _("Before training the model writes:")
    if near := figures(rows, step):
        text = _("At step {step} ({figures}) the model writes:")
        return text.format(step=number(step), figures=near)
    return _("At step {step} the model writes:").format(step=number(step))
