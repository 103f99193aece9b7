"""Go back through a training: any sentence at any snapshot, so that one sees heads form."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.analysis.heads.evenness import evenness
from core.decoding.sentence import SentenceError
from core.heads import Head
from core.inspection import Inspection, inspect_sentence
from core.runs.run import RunError, read_settings
from core.runs.weights import stops
from core.training.trainer import EVALUATION_SAMPLES
from pages.frame import cached, clicks, controls, session
from pages.frame.charts import chart
from pages.frame.components import scrubber
from pages.frame.scrubber import scrubber_of, stop_label
from pages.frame.text import _, plain
from pages.views.training import looking, progress
from pages.views.training.lines import lines
from viz.charts.curves import Quantity, curves

NEAR = 0.3
"""What was measured within this share of a step's number speaks for the step."""
FEW = 2
"""Before training, and the newest."""


def render(path: Path, row: DeltaGenerator | None = None) -> None:
    """Show a run's snapshots, one at a time.

    Args:
        path: The run's folder.
        row: Where the sentence is asked for; None for a row of its own.
    """
    try:
        _through(path, row or st.container(horizontal=True, vertical_alignment="bottom"))
    except SentenceError:
        looking.no_text()
    except (OSError, RunError) as error:
        st.error(plain(str(error)))


def _through(path: Path, row: DeltaGenerator) -> None:
    model, rows, offered = read_settings(path).model, progress.rows(path), stops(path)
    with row:
        sentence = looking.sentence(path)
    # Its place is above the controls, of which one says where the handle stands.
    course = st.container()
    with st.container(horizontal=True, vertical_alignment="center"):
        step = _step(offered)
        head = looking.head(path, model)
    with course:
        shown = scrubber_of(rows, offered, step)
        scrubber(shown, key=session.SCRUBBER, on_pick=clicks.take_step)
    inspection: Inspection = cached.of_run_at(inspect_sentence, path, step, sentence)
    last: Inspection = cached.of_run_at(inspect_sentence, path, offered[-1], sentence)
    known = [f"{_told(rows, step)}.", *looking.notes_on(path, inspection)]
    if len(offered) <= FEW:
        known.append(_("Only the beginning and the newest weights were kept."))
    at_end = _("at the end: {text}").format(text=last.translation.text)
    lines([(" ".join(known), at_end)], widths=(45, 55), notes={0}, wrapped=True)
    looking.show(inspection, head)
    if len(offered) > FEW:
        st.caption(
            _(
                "Snapshots are kept at 1, 2, 5, 10 … steps, rounded to 8 bits. While it trained, "
                "at most {n} held-out pairs were measured."
            ).format(n=EVALUATION_SAMPLES)
        )
    _forming(path, sentence, head, offered)


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
    said = ", ".join(f"{each:,}" for each in measured)
    return _("{figures} (step {steps})").format(figures=label, steps=said)


def _step(offered: Sequence[int]) -> int:
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
    name = _("step {step:,}").format(step=step)
    exact = any(row["step"] == step and "held_out_loss" in row for row in rows)
    return ": ".join(part for part in (name, "" if exact else figures(rows, step)) if part)


def _forming(path: Path, sentence: str, head: Head, offered: Sequence[int]) -> None:
    """Draw how evenly the heads of a layer spread their weights at each snapshot, on demand."""
    folded = st.expander(_("How these heads form"), key="forming", on_change="rerun")
    if not folded.open:
        return
    found = [_evennesses(path, step, sentence, head) for step in offered]
    series = {
        _("head {head}").format(head=number): list(along)
        for number, along in enumerate(zip(*found, strict=True))
    }
    with folded:
        chart(
            curves(
                series,
                x=Quantity(_("step"), labels=tuple(f"{step:,}" for step in offered)),
                y=Quantity(_("entropy, as a share of the largest possible"), share=True),
                title=_("How evenly each head of this layer spreads its weights"),
            )
        )
        st.caption(
            _(
                "Mean entropy of a head's rows: 100 % where each looks at all tokens alike, 0 % "
                "where each looks at one."
            )
        )


def _evennesses(path: Path, step: int, sentence: str, head: Head) -> list[float]:
    """Return the evenness of each head in the layer of one of them."""
    inspection: Inspection = cached.of_run_at(inspect_sentence, path, step, sentence)
    attention = inspection.attention[head.site]
    return [evenness(weights_QK, attention.visible_QK) for weights_QK in attention.weights_HQK]
