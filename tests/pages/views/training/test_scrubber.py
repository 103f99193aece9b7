import math

import pytest

from pages.views.training.scrubber import scrubber_of


def test_a_stop_shows_what_was_measured_at_it():
    metrics = [
        {"step": 100, "loss": 1.9344},
        {"step": 200, "loss": 0.05, "held_out_loss": 0.0612, "held_out_exact_match": 0.725},
    ]
    assert scrubber_of(metrics, (5, 100, 200), 5).labels == [
        "",
        "loss 1.93",
        "loss 0.05 · held out 0.0612 · exact match 72.5\u00a0%",
    ]


@pytest.mark.parametrize(
    ("losses", "drawn"),
    [
        ([(0, 5.0), (10, math.nan), (20, math.inf), (30, 4.0)], [(0, 5.0), (30, 4.0)]),
        ([(-10, 6.0), (math.inf, 6.0), (10, -1.0), (20, 4.0)], [(20, 4.0)]),
        ([(10, 5.0), (20, 4.0), (10, 3.0)], [(10, 3.0), (20, 4.0)]),
    ],
    ids=["not finite", "below 0", "a step done twice"],
)
def test_a_curve_has_the_last_valid_loss_of_each_step(losses, drawn):
    metrics = [{"step": step, "loss": loss, "held_out_loss": loss} for step, loss in losses]
    shown = scrubber_of(metrics, (0,), 0)
    assert list(zip(shown.steps, shown.losses, strict=True)) == drawn
    assert list(zip(shown.held_out_steps, shown.held_out_losses, strict=True)) == drawn
