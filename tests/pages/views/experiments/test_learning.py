import pytest

from core.experiments import EXPERIMENTS
from core.experiments.results import SHIPPED, Results


def test_curves_are_means_over_seeds_and_the_last_is_said(open_experiment):
    results = Results.load(SHIPPED / "residuals.json")
    at, shown, said = open_experiment("residuals", outcome="learning")
    columns = shown.numbers()
    for variant in EXPERIMENTS["residuals"].variants:
        steps, shares = results.curve(variant.name, "held_out_exact_match")
        rows = [at for at, name in enumerate(columns["variant"]) if name == variant.name]
        assert [columns["step"][row] for row in rows] == steps == [200, 400, 600, 800]
        assert [columns["held_out_exact_match"][row] for row in rows] == pytest.approx(shares)
    assert "After step 800, of the sentences held out from training, right: full layer" in said
    at.segmented_control(key="experiment_measure").set_value("loss").run()
    assert not at.exception
    last = results.curve("no_residual", "loss")[1][-1]
    assert any(f"no residual **{last:.2f}**" in each.value for each in at.markdown)
