"""What a training will be like: its size, its time, where its numbers are, how fast it learns."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

import streamlit as st

from core.config import ModelConfig
from core.config.training import TrainConfig
from core.model import count_parameters
from core.runs.metrics import read_record
from core.tasks import Task
from core.tasks.corpus import Corpus
from core.tokenizer.tokenizer import Tokenizer
from core.training.forecast import learning_rates, parameters_of, share_of_base
from core.training.prepare import write_run
from core.training.presets import Preset
from core.training.timing import start_timing
from pages.frame import cached, interrupts, measured_on, service, session
from pages.frame.bounded_cache import BETWEEN_CHECKS
from pages.frame.cached import Folder, Keyed
from pages.frame.language import _, duration, joined, n_, number, percent
from pages.views.training.start import PendingSettings
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity, curves

_HEIGHT = 204
"""Of each chart, in pixels."""
MOST_TIMED = 100_000_000
"""Parameters of a model whose steps are timed: a larger one takes the memory of a training."""
_one_at_a_time = Lock()


def charts(model: ModelConfig, training: TrainConfig) -> tuple[Chart, Chart]:
    """Return the learning rate of every step, and which parts the parameters are in."""
    rates, parameters = learning_rates(model, training), parameters_of(model)
    learned = curves(
        {_("learning rate"): list(rates.values())},
        x=Quantity(_("step"), domain=(0, float(training.steps))),
        y=Quantity(_("learning rate")),
        at=list(rates),
        title=_("The learning rate of each step"),
    )
    found = bars(
        {_("parameters"): list(parameters.values())},
        [_(name) for name in parameters],
        value=Quantity(_("parameters")),
        title=_("Where the parameters are"),
    )
    return learned.properties(height=_HEIGHT), found.properties(height=_HEIGHT)


def seen(model: ModelConfig, training: TrainConfig, task: str) -> str:
    """Return how large a model is, how long it trains, and what came of the same training."""
    size = n_(
        "A model of **{n}** parameters learns for **{steps}** step of {batch} pairs.",
        "A model of **{n}** parameters learns for **{steps}** steps of {batch} pairs.",
        training.steps,
        number(count_parameters(model)),
    ).format(
        steps=number(training.steps),
        batch=number(training.batch_size),
    )
    return joined([size, *_trained_before(model, training, task)])


def _trained_before(model: ModelConfig, training: TrainConfig, task: str) -> Iterator[str]:
    """Say how good the gallery's run with the same settings is."""
    for path in cached.run_paths().values():
        if path.parent != cached.GALLERY:
            continue
        settings = cached.settings(path)
        # How often it was measured makes no difference.
        alike = replace(settings.training, evaluate_every=training.evaluate_every)
        if (settings.task, settings.model, alike) != (task, model, training):
            continue
        record = cached.read(read_record, Folder(path))
        found = record.results
        if found and found.exact_match is not None:
            text = _(
                "The model “{model}” was trained like this: **{share}** of {sentences} are correct."
            )
            yield text.format(
                model=path.name,
                share=percent(found.exact_match),
                sentences=measured_on.of_results(settings, found),
            )
            return
    yield _("Once a training runs, it says how much time is left.")


def say(wanted: PendingSettings) -> None:
    """Say how large a model is and how long it trains; as many lines where it cannot be."""
    size, length = st.columns(2)
    with size:
        st.caption(_("Parameters"))
        if wanted.preset and wanted.tokenizer:
            model = wanted.preset.sized(wanted.tokenizer.vocab_size)
            st.markdown(f"**{number(count_parameters(model))}**")
            share = percent(share_of_base(model))
            st.caption(_("{share} of the paper's base model").format(share=share))
        else:
            _say_nothing()
    with length:
        st.caption(_("Steps"), help=_("Once a training runs, it says how much time is left."))
        if wanted.preset:
            training = wanted.preset.training
            st.markdown(f"**{number(training.steps)}**")
            st.caption(_("pairs in a batch: {n}").format(n=number(training.batch_size)))
            _say_time(wanted)
        else:
            _say_nothing()


def _say_time(wanted: PendingSettings) -> None:
    """Say how long the steps take on this machine, once a few of them have been taken."""
    task, tokenizer, preset = wanted.task, wanted.tokenizer, wanted.preset
    if task is None or tokenizer is None or preset is None or preset.training.makes_rewards_large:
        return
    if count_parameters(preset.sized(tokenizer.vocab_size)) > MOST_TIMED:
        return
    # Other pairs of the same number and name take about as long.
    n_own = len(task.samples) if isinstance(task, Corpus) else 0
    key = task.name, n_own, tokenizer.vocab_size, preset
    times = session.storage("times")
    if key in times:
        seconds = times[key]
        text = _("about {time} on this computer, without measuring")
        st.caption(text.format(time=duration(seconds * preset.training.steps)) if seconds else "")
        return
    drawn: list[bool] = []

    def measure() -> None:
        st.caption(_("timing a few steps …"))
        # First the page is shown.
        if drawn:
            with interrupts.started():
                times[key] = cached.read(_seconds_a_step, Keyed(key, (task, tokenizer, preset)))
            st.rerun()
        drawn.append(True)

    session.fragment("timing", every=1.0)(measure)()


def _seconds_a_step(timed: tuple[Task, Tokenizer, Preset]) -> float | None:
    """Return the time of a step; None where it cannot be taken."""
    task, tokenizer, preset = timed
    with TemporaryDirectory() as folder, service.current().waiting(), _its_turn():
        sized = replace(preset, model=preset.sized(tokenizer.vocab_size))
        write_run(Path(folder), task, tokenizer, sized)
        with start_timing(Path(folder)) as process:
            try:
                while process.poll() is None:
                    interrupts.check()
                    time.sleep(BETWEEN_CHECKS)
                said = process.communicate()[0]
            finally:
                process.kill()
    return float(said) if process.returncode == 0 else None


@contextmanager
def _its_turn() -> Iterator[None]:
    """Wait until no other steps are timed."""
    while not _one_at_a_time.acquire(timeout=BETWEEN_CHECKS):
        interrupts.check()
    try:
        yield
    finally:
        _one_at_a_time.release()


def _say_nothing() -> None:
    st.markdown("–")
    # As high as what stands there otherwise.
    st.caption("&nbsp;")
