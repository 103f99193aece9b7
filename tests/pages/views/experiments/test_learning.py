import pytest

from core.studies.experiments.results import SHIPPED, Results
from pages.frame.language import number

RIGHT = "held_out_exact_match"
BEHIND = {
    "base": {
        **{"drawn_apart": [0.8, 0.7, 0.6], "apart": [0.9, 0.9, 0.8]},
        **{"drawn_gradient": [1.5, 1.2, 1.0], "gradient": [3.0, 2.0, 1.0]},
    },
    "two_without": {
        **{"drawn_apart": [0.8, 0.1, 0.005], "apart": [0.9, 0.2, 0.02]},
        **{"drawn_gradient": [0.05, 0.3, 1.0], "gradient": [0.0, 0.0, 0.0]},
    },
}


def test_the_first_to_learn_and_those_that_do_not_are_said(open_experiment):
    results = Results.load(SHIPPED / "residuals.json")
    at, _shown, said = open_experiment("residuals", outcome="learning")
    at_step = max(
        next(n for n, share in zip(*results.curve(name, RIGHT), strict=True) if share >= 0.5)
        for name in ("base", "no_norm", "no_feed_forward", "attention_only")
    )
    assert "**“no residual” learns most slowly**: even at step 1,200 fewer than half of the" in said
    assert f"correct (0 %); with the others half are, by step {at_step:,.0f}." in said
    at.segmented_control(key="experiment_measure").set_value("loss").run()
    first, last = (results.curve(name, "loss")[1][-1] for name in ("base", "no_residual"))
    assert any(
        f"{number(last / first, significant=2)} times as high with “no residual” as with “full "
        f"layer”**: at {number(last)} against {number(first)} nats" in each.value
        for each in at.markdown
    )


def test_rewards_are_offered_where_there_are_some_and_training_losses_are_not(open_experiment):
    at, shown, _said = open_experiment("metric", outcome="learning")
    asked = at.segmented_control(key="experiment_measure")
    assert asked.options == ["correct sentences", "held-out loss", "reward of samples"]
    asked.set_value("reward").run()
    last = Results.load(SHIPPED / "metric.json").curve("minimum_risk", "reward")[1][-1]
    seen = "\n".join(each.value for each in at.markdown)
    assert "of samples after step 160: lowest with “BLEU by minimum risk” (0.720), highest" in seen
    columns = shown.columns()
    by_variant = dict(zip(columns["variant"], columns["reward"], strict=True))
    assert by_variant["minimum_risk"] == last and by_variant["base"] is None


@pytest.fixture
def layers_here(measured_here):
    """The results of a question whose layers were measured in two variants."""
    return measured_here("depth", {name: {"by_layer": each} for name, each in BEHIND.items()})


def test_it_says_where_words_become_alike_and_where_the_gradient_vanishes(
    open_experiment, layers_here
):
    query = {"outcome": "learning", "learning_by": "layer", "experiment_run": "here"}
    _at, shown, _said = open_experiment("depth", **query)
    seen = shown.seen.replace("\u00a0", " ")
    assert "nearly the same vector (less than 1 % apart): 2 layers, no residual." in seen
    assert "They stay apart: 2 layers (60 %)." in seen
    assert "only here: 2 layers, no residual (5 % left)." in seen
    columns = shown.columns()
    assert columns["layer"] == [0, 1, 2] * 2
    assert columns["drawn_gradient"] == pytest.approx([1.5, 1.2, 1.0, 0.05, 0.3, 1.0])
    _at, shown, _said = open_experiment("depth", layers_of="trained", **query)
    assert "nearly the same vector" not in shown.seen
