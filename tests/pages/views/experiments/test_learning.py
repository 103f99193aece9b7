from dataclasses import replace

import pytest

from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.results import SHIPPED, Results, Trained
from pages.frame.language import number


def test_curves_are_means_over_seeds_and_the_last_is_said(open_experiment):
    results = Results.load(SHIPPED / "residuals.json")
    at, shown, said = open_experiment("residuals", outcome="learning")
    columns = shown.columns()
    for variant in EXPERIMENTS["residuals"].variants:
        steps, shares = results.curve(variant.name, "held_out_exact_match")
        rows = [at for at, name in enumerate(columns["variant"]) if name == variant.name]
        assert [columns["step"][row] for row in rows] == steps == [200, 400, 600, 800]
        assert [columns["held_out_exact_match"][row] for row in rows] == pytest.approx(shares)
    assert "After step 800, right of the sentences for measuring (n = 200): full layer" in said
    at.segmented_control(key="experiment_measure").set_value("loss").run()
    assert not at.exception
    last = results.curve("no_residual", "loss")[1][-1]
    assert any(f"no residual **{last:.2f}**" in each.value for each in at.markdown)


def test_curves_of_the_held_out_loss_are_drawn_over_steps_alone(open_experiment):
    results = Results.load(SHIPPED / "guide.json")
    at, shown, _said = open_experiment("guide", outcome="learning")
    at.segmented_control(key="experiment_measure").set_value("held_out_loss").run()
    assert not at.exception
    last = results.curve("first", "held_out_loss")[1][-1]
    assert any(f"**{number(last)}**" in each.value for each in at.markdown)
    [chart] = at.get("vega_lite_chart")
    # Seconds would show what else the machine did.
    assert "training step" in chart.proto.spec and "seconds" not in chart.proto.spec
    columns = shown.columns()
    rows = [at for at, name in enumerate(columns["variant"]) if name == "last"]
    values = [columns["held_out_loss"][row] for row in rows]
    assert values == pytest.approx(results.curve("last", "held_out_loss")[1])
    assert "seconds" not in columns


@pytest.fixture
def rewarded(own_runs):
    """Results in which one variant starts later, measures less often, and has rewards."""
    folder = own_runs / ".experiments" / "metric"
    folder.mkdir(parents=True)
    curve = {"step": [20, 40], "held_out_exact_match": [0.5, 0.6], "held_out_loss": [0.3, 0.2]}
    one = Trained("base", 0, 10, 9.0, 50, 0.6, 0.2, None, 0, ((4, 50, 30),), curve)
    half = {"step": [250], "held_out_exact_match": [0.4], "held_out_loss": [0.4]}
    risk = {**curve, "reward": [0.7, 0.8]}
    trained = (
        one,
        replace(one, variant="half", curve=half),
        replace(one, variant="minimum_risk", curve=risk, measures={"bleu": 80.0}),
    )
    Results("metric", trained).save(folder / "metric.json")
    return folder


def test_rewards_are_offered_where_there_are_some_and_training_losses_are_not(
    open_experiment, rewarded
):
    at, shown, said = open_experiment("metric", outcome="learning", experiment_run="here")
    asked = at.segmented_control(key="experiment_measure")
    assert asked.options == ["sentences right", "held-out loss", "reward of samples"]
    assert "the start, half trained **40 %**" in said
    asked.set_value("reward").run()
    assert not at.exception
    seen = "\n".join(each.value for each in at.markdown)
    assert f"mean reward of the samples: BLEU by minimum risk **{number(0.8)}**" in seen
    assert shown.columns()["step"] == [250, 20, 40, 20, 40]
