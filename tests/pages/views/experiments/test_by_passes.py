import json

import pytest

from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.findings import measured_in_words
from core.studies.experiments.passes import PASSES
from core.studies.experiments.results import SHIPPED, Results
from tests.pages.takeable import assert_takeable

PARALLEL = EXPERIMENTS["parallel"]


@pytest.fixture
def results():
    return Results.load(SHIPPED / "parallel.json")


def test_what_passes_bring_is_drawn_tabulated_and_said(open_experiment, results):
    at, shown, said = open_experiment("parallel", unfolded=True)
    _answer, chart = at.get("vega_lite_chart")
    drawn = json.dumps(json.loads(chart.proto.spec))
    assert "parallel, copy or reverse: 8 passes" in drawn
    _table, table = at.dataframe
    found = table.value.set_index(["variant", "way"])
    for n in PASSES:
        way = f"{n} pass" if n == 1 else f"{n} passes"
        mean = 100 * results.measured("parallel", f"right_{n}").mean
        assert found.loc[("parallel, copy or reverse", way), "right"] == pytest.approx(mean)
    # Other work makes a training's clock slower, never faster.
    seconds = min(each.measures["seconds_steps"] for each in results.of("base"))
    row = found.loc[("left to right, copy or reverse", "a pass for each token")]
    assert row["ms a sentence"] == pytest.approx(1000 * seconds)
    n_parallel = sum("decoder" in each.changes for each in PARALLEL.variants)
    n_causal = len(PARALLEL.variants) - n_parallel
    assert len(found) == n_causal + len(PASSES) * n_parallel
    lines = measured_in_words(PARALLEL, results)
    # Of each what is right, and how long it takes.
    assert len(lines) == 2 * (n_causal + n_parallel)
    for line in lines:
        # Each is there up to its first figure, which is written as the reader's language does.
        assert line.split(" pass")[0] in said
    numbers = shown.columns()
    trained = [each for variant in PARALLEL.variants for each in results.of(variant.name)]
    assert numbers["right_1"] == [each.measures.get("right_1") for each in trained]
    assert_takeable(at, shown)


def test_an_experiment_without_further_measures_has_one_chart_and_one_table(open_experiment):
    at, shown, _said = open_experiment("residuals")
    assert len(at.get("vega_lite_chart")) == len(shown.pictures) == len(at.dataframe) == 1
    assert not [name for name in shown.columns() if name.startswith("right_")]
