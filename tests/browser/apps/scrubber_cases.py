"""Trainings whose every number is known, for the browser tests and for looking at."""

import math
from dataclasses import replace

import numpy as np

from pages.views.training.scrubber import scrubber_of
from viz.scrubber.scrubber import Scrubber

STOPS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def known():
    """Eleven stops and a loss that halves with every tenfold of steps."""
    steps = range(10, 1001, 10)
    metrics = [{"step": step, "loss": 8.0 / 2 ** math.log10(step)} for step in steps]
    for row in metrics[9::10]:
        row |= {"held_out_loss": row["loss"] + 0.25, "held_out_exact_match": row["step"] / 1000}
    return scrubber_of(metrics, STOPS, 200)


def longer():
    """The same after it was trained on."""
    shown = known()
    return replace(shown, stops=(*shown.stops, 2000), labels=(*shown.labels, ""))


def learning():
    """A training as they are: noise, a cliff, many stops near the end."""
    rng = np.random.default_rng(3)
    metrics = []
    for step in range(10, 20001, 10):
        ideal = 0.004 + 7.4 / (1 + (step / 260) ** 1.45)
        row = {"step": step, "loss": float(ideal * np.exp(rng.normal(0, 0.09)))}
        if step % 500 == 0:
            row["held_out_loss"] = float(ideal * 1.25 + 0.01)
            row["held_out_exact_match"] = float(np.clip(1 - ideal * 1.1, 0, 1))
        metrics.append(row)
    return scrubber_of(metrics, (*STOPS, 2000, 5000, *range(6000, 20001, 1000)), 1000)


def exact():
    """A loss that comes down to 0."""
    losses = [4.0, 1.0, 0.2, 0.01, 0.0, 0.0]
    metrics = [{"step": 10 * (i + 1), "loss": loss} for i, loss in enumerate(losses)]
    return scrubber_of(metrics, (0, 10, 60), 60)


def single():
    """One stop, at the end."""
    return scrubber_of([{"step": 10, "loss": 4.0}, {"step": 850, "loss": 0.5}], (850,), 850)


def bare():
    """Stops and nothing else."""
    return Scrubber(stops=STOPS, chosen=5)


def fresh():
    """A training that has not begun."""
    return Scrubber(stops=(0,), chosen=0)


CASES = {
    "known": known,
    "longer": longer,
    "learning": learning,
    "exact": exact,
    "single": single,
    "bare": bare,
    "fresh": fresh,
}
