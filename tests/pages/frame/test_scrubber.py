import math

from pages.frame.scrubber import scrubber_of


def test_a_run_without_metrics_has_its_stops():
    shown = scrubber_of([], (0, 100), 100)
    assert (list(shown.stops), list(shown.labels), list(shown.steps)) == ([0, 100], ["", ""], [])


def test_a_stop_says_what_was_measured_at_it_and_nothing_where_nothing_was():
    metrics = [
        {"step": 100, "loss": 1.9344},
        {"step": 200, "loss": 0.05, "held_out_loss": 0.0612, "held_out_exact_match": 0.725},
    ]
    nothing, little, much = scrubber_of(metrics, (5, 100, 200), 5).labels
    assert (nothing, little) == ("", "loss 1.93")
    assert much == "loss 0.05 · held out 0.0612 · exact match 72.5\u00a0%"


def test_a_loss_that_is_no_number_leaves_a_gap():
    losses = [5.0, math.nan, math.inf, 4.0]
    metrics = [{"step": 10 * i, "loss": loss} for i, loss in enumerate(losses)]
    shown = scrubber_of(metrics, (0,), 0)
    assert (list(shown.steps), list(shown.losses)) == ([0, 30], [5.0, 4.0])


def test_what_is_below_nothing_leaves_a_gap():
    losses = {-10: 6.0, math.inf: 6.0, 10: -1.0, 20: 4.0}
    metrics = [{"step": step, "loss": loss, "held_out_loss": loss} for step, loss in losses.items()]
    shown = scrubber_of(metrics, (0,), 0)
    assert (list(shown.steps), list(shown.losses)) == ([20], [4.0])
    assert list(shown.held_out_steps) == [20]


def test_of_a_step_done_twice_the_later_line_counts():
    metrics = [{"step": step, "loss": loss} for step, loss in [(10, 5.0), (20, 4.0), (10, 3.0)]]
    shown = scrubber_of(metrics, (10,), 10)
    assert (list(shown.steps), list(shown.losses)) == ([10, 20], [3.0, 4.0])
    assert list(shown.labels) == ["loss 3"]
