"""Watch a training: how it stands, how well it goes, and what the model says and does by now."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import streamlit as st

from core.batch import Pair, pad
from core.decoding.greedy import decode_greedily
from core.decoding.sentence import SentenceError
from core.evaluate.evaluation import held_out_pairs
from core.heads import Head
from core.inspection import inspect_sentence
from core.runs.run import Run, RunError, read_settings
from core.training import process
from core.training.trainer import EVALUATION_SAMPLES
from pages.frame import cached, layout
from pages.frame.charts import chart
from pages.frame.text import _, plain
from pages.views.training import looking, progress, state
from pages.views.training.lines import lines
from viz.charts.measurements import TEXTS, Axes, Rows
from viz.charts.training import loss_curves, quality_curves, rate_curve, speed_curve

SECONDS_BETWEEN_WORDS, SECONDS_AT_REST = 1.0, 3.0
"""At rest, somebody may start it elsewhere: in another tab, or on the command line."""
SECONDS_BETWEEN_CHARTS, SECONDS_BETWEEN_LOOKS = 2.0, 2.5
"""Drawing, translating and looking at heads take time from the training beside them."""
N_SAMPLES, SEED = 5, 1
ROOM = 1.02
"""So much of the planned steps an axis has room for."""
TALL, LOW = 360, 176
"""Heights of charts in pixels: two low ones below each other stand beside a tall one."""


def render(path: Path) -> None:
    """Show a run's training while it goes on, or as it ended.

    Args:
        path: The run's folder.
    """
    try:
        found = process.situation(path)
        alive, settings = found.alive, read_settings(path)
        seconds = SECONDS_BETWEEN_WORDS if alive else SECONDS_AT_REST
        _part(_progress, seconds, path.parent != cached.GALLERY)(path, found)
        _part(_charts, SECONDS_BETWEEN_CHARTS, alive)(path, settings.training.steps)
        _part(_samples, SECONDS_BETWEEN_LOOKS, alive)(path, alive)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            sentence = looking.sentence(path)
        with st.container(horizontal=True, vertical_alignment="center"):
            head = looking.head(path, settings.model)
        _part(_heads, SECONDS_BETWEEN_LOOKS, alive)(path, sentence, head)
    except RunError as error:
        _say(path, error)


def _part(draw: Callable[..., None], seconds: float, again: bool) -> Callable[..., None]:
    """Return what draws a part of the page, over and over where it may change."""
    return st.fragment(draw, run_every=seconds if again else None)


def _progress(path: Path, drawn: process.Situation) -> None:
    """Draw what changes every second.

    Args:
        path: The run's folder.
        drawn: How it stood when the page was drawn as a whole.
    """
    try:
        found = process.situation(path)
    except RunError:
        # Said by the page as a whole, which then looks no more.
        st.rerun()
    if found.alive != drawn.alive or not (found.alive or found == drawn):
        # With other timers, and another end of the curves: the page is drawn as a whole.
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", key=layout.TRAINING_STATE):
        with st.container(width="stretch"):
            st.markdown(state.told(path, found))
        if path.parent != cached.GALLERY:
            state.buttons(path, found)
    if refusal := state.refusal(path):
        st.error(plain(refusal))
    st.progress(min(1.0, found.step / max(1, found.steps)))


def _charts(path: Path, steps: int) -> None:
    """Draw what was measured: the loss large, the rest beside it."""
    try:
        rows: Rows = progress.rows(path)
    except RunError as error:
        _say(path, error)
        return
    # Beyond the last step, whose dots would be cut in half there.
    axes = Axes(end=ROOM * steps)
    # A loss falls by powers of ten: on a linear axis its second half is a line at the bottom.
    powers = replace(axes, log_y=True)
    measured = _("on {n} held-out pairs at most").format(n=EVALUATION_SAMPLES)
    texts = {key: _(text) for key, text in TEXTS.items()} | {"quality": measured}
    left, middle, right = st.columns([5, 4, 3], gap="medium")
    with left:
        chart(loss_curves(rows, axes=powers, height=TALL, texts=texts))
    with middle:
        chart(quality_curves(rows, axes=axes, height=TALL, texts=texts))
    with right:
        chart(rate_curve(rows, axes=axes, height=LOW, texts=texts))
        chart(speed_curve(rows, axes=axes, height=LOW, texts=texts))


def _samples(path: Path, was_alive: bool) -> None:
    """Draw what the model makes of a few held-out sources by now."""
    try:
        if was_alive:
            process.watch(path)
        pairs: list[Pair] = cached.of_run_at(held_out_pairs, path, 0, N_SAMPLES, SEED)
        samples = tuple((tuple(pair.source), tuple(pair.target)) for pair in pairs)
        step, found = progress.at_newest(_translated, path, samples)
    except (OSError, RunError) as error:
        _say(path, error)
        return
    right = sum(true == said for _source, true, said in found)
    st.caption(
        _("Held-out pairs as the model stands at step {step:,}: {right} of {n} right").format(
            step=step, right=right, n=len(found)
        )
    )
    header = (_("source"), _("true target"), _("the model says"), "")
    rows = [(*texts, "✓" if texts[1] == texts[2] else "") for texts in found]
    lines(rows, widths=(32, 32, 32, 4), header=header, notes={3})


def _translated(
    run: Run, samples: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
) -> list[tuple[str, str, str]]:
    """Return source, true target, and what the model says, of each sample."""
    said = decode_greedily(run.model, pad([source for source, _target in samples]))
    return [
        (run.tokenizer.decode(source), run.tokenizer.decode(target), run.tokenizer.decode(written))
        for (source, target), written in zip(samples, said, strict=True)
    ]


def _heads(path: Path, sentence: str, head: Head) -> None:
    """Draw where the heads look by now."""
    try:
        step, inspection = progress.at_newest(inspect_sentence, path, sentence)
        said = [_("At step {step:,}.").format(step=step), *looking.notes_on(path, inspection)]
        st.caption(" ".join(said))
        looking.show(inspection, head)
    except SentenceError:
        looking.no_text()
    except (OSError, RunError) as error:
        _say(path, error)


def _say(path: Path, error: Exception) -> None:
    if not path.is_dir():
        st.error(plain(_("The folder of this run is gone: {path}").format(path=path)))
    else:
        st.error(plain(str(error)))
