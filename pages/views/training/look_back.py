"""Go back through a training: any sentence at any snapshot, so that one sees heads form."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import streamlit as st

from core.heads import Head
from core.inspection import Inspection, inspect_sentence
from core.model.attention import attend_probed
from core.runs.run import RunError
from core.runs.weights import stops
from core.studies.heads.largest_weights import largest_weight, pairs_of_words, telling_query
from core.training.trainer import EVALUATION_SAMPLES
from pages.frame import (
    address,
    cached,
    clicks,
    components,
    controls,
    notes,
    progress,
    session,
    snippets,
)
from pages.frame.cells import cell_columns
from pages.frame.language import _, n_, number, plain
from pages.frame.listed import ended, joined, labelled, listed
from pages.frame.scrubber import scrubber_of, stop_label
from pages.frame.selection import key_tokens, query_tokens
from pages.frame.typography import typeset
from pages.frame.view import Columns, Shown, saying_why
from pages.views.training import heads_at_step
from pages.views.training.text_rows import show_table

NEAR = 0.3
"""What was measured within this share of a step's number speaks for the step."""
FEW = 2
"""Before training, and the newest."""


@saying_why(OSError, RunError)
def draw(path: Path) -> Shown | None:
    """Show a run's snapshots, one at a time.

    Args:
        path: The run's folder.
    """
    if why := heads_at_step.why_none(path):
        st.info(why)
        return None
    model, rows, offered = cached.settings(path).model, progress.rows(path), stops(path)
    sentence = heads_at_step.ask_sentence(path)
    # Its place is above the controls, of which one says where the handle stands.
    course = st.container()
    with st.container(horizontal=True, vertical_alignment="center"):
        step = _ask_step(offered)
        head = heads_at_step.ask_head(path, model)
    with course:
        scrubber = scrubber_of(rows, offered, step)
        loss = components.scrubber(scrubber, key=session.SCRUBBER, on_pick=clicks.take_step)
    inspection: Inspection = cached.of_run_at(inspect_sentence, path, step, sentence)
    last: Inspection = cached.of_run_at(inspect_sentence, path, offered[-1], sentence)
    known = [ended(_told(rows, step)), *heads_at_step.notes_on(path, inspection)]
    if len(offered) <= FEW:
        known.append(_("Only the beginning and the newest weights were kept."))
    at_end = _("at the end: {text}").format(
        text=typeset(last.translation.text, heads_at_step.untrained(path))
    )
    show_table([(" ".join(known), at_end)], widths=(45, 55), notes={0}, wrapped=True)
    shown = heads_at_step.maps_of(path, inspection, head)
    take = partial(clicks.take_head, address.choose)
    maps = components.attention_maps(shown, key=session.MAPS, on_pick=take)
    st.caption(joined(_how_measured(len(offered), mixed=cached.settings(path).beside_own_pairs)))
    return Shown(
        name=f"{path.name}-step-{step}-{head.site}.{head.index}",
        title=_("{head}, at step {step}").format(head=notes.site_and_head(head), step=number(step)),
        seen=_seen(inspection, head, step),
        numbers=lambda: weights_of(inspection, head),
        python=_python(path, step, sentence, head),
        code=[inspect_sentence, attend_probed],
        pictures=[loss, maps],
        about={
            "step": str(step),
            "sentence": sentence,
            "translation": inspection.translation.text,
            "head": notes.site_and_head(head),
        },
        tries=(
            _("Play the training: a head that looks nowhere at first finds its place at once."),
            _("Go back to step 0: all rows are nearly uniform, whatever the sentence."),
        ),
    )


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


def _seen(inspection: Inspection, head: Head, step: int) -> str:
    """Say where the most telling row of a head looks at a step."""
    weights_QK = inspection.weights_of(head)
    attention = inspection.attention[head.site]
    queries, keys = query_tokens(inspection, head.kind), key_tokens(inspection, head.kind)
    row = telling_query(weights_QK, attention.visible_QK, pairs_of_words(queries, keys, head.kind))
    found = largest_weight(weights_QK, attention.even_QK, row)
    text = _(
        "At step {step} **{query}** looks most at **{key}**: **{weight}**, where an even row has "
        "{even}."
    )
    if head.kind.query_side == "target":
        text = _(
            "At step {step} the decoder, fed **{query}** to write **{written}**, looks most at "
            "**{key}**: **{weight}**, where an even row has {even}."
        )
    return text.format(
        written=_written(inspection, head, row),
        step=number(step),
        query=plain(queries[row].text),
        key=plain(keys[found.keys[0]].text),
        weight=number(found.weight, 2),
        even=number(found.even_weight, 2),
    )


def _written(inspection: Inspection, head: Head, row: int) -> str:
    """Return what a row of the decoder predicts; nothing for the encoder."""
    if head.kind.query_side == "source" or not inspection.predicted_tokens:
        return ""
    return plain(inspection.predicted_tokens[row].text)


def weights_of(inspection: Inspection, head: Head) -> Columns:
    """Return every weight of a head, one in each row, with its query and its key."""
    weights_QK = inspection.weights_of(head)
    visible_QK = inspection.attention[head.site].visible_QK
    return {
        "head": [str(head)] * weights_QK.size,
        **cell_columns(query_tokens(inspection, head.kind), key_tokens(inspection, head.kind)),
        "visible": visible_QK.reshape(-1).tolist(),
        "weight": weights_QK.reshape(-1).tolist(),
    }


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
    label = stop_label(found)
    if not label or list(measured) == [step]:
        return label
    said = listed(map(number, measured))
    return _("{figures} (step {steps})").format(figures=label, steps=said)


def _ask_step(offered: Sequence[int]) -> int:
    """Ask for a snapshot; the scrubber sets it too."""
    st.caption(_("step"), width="content")
    steps = {step: str(step) for step in offered}
    return controls.selection(
        _("step"), session.STEP, steps, offered[-1], labelled=False, width=110
    )


def _told(rows: Sequence[Mapping[str, float]], step: int) -> str:
    """Return what is known of a step in a few words; the handle says what was measured."""
    if not step:
        return _("step 0: before training")
    name = _("step {step}").format(step=number(step))
    exact = any(row["step"] == step and "held_out_loss" in row for row in rows)
    near = "" if exact else figures(rows, step)
    return labelled(name, near) if near else name


def _python(path: Path, step: int, sentence: str, head: Head) -> str:
    imports = [
        "from pathlib import Path",
        "",
        "from core.heads import Head",
        "from core.inspection import inspect_sentence",
        "from core.runs.run import load_run",
    ]
    lines = [
        f"run = load_run({snippets.folder(path)}, {step})",
        f"inspection = inspect_sentence(run, {snippets.quoted(sentence)})",
        f'numbers = inspection.weights_of(Head.parse("{head}"))',
    ]
    return "\n".join([*imports, "", *lines, ""])
