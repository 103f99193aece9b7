from dataclasses import replace

import pytest

from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.results import Results
from pages.views.experiments import distances

PAIRS = (200, 180, 160, 30)
NORMS = {"base": (1.0, 0.5, 0.4, 0.3), "gru": (1.0, 0.5, 0.1, 0.02)}


@pytest.fixture
def distances_here(measured_here):
    """The results of a question whose distances were measured in two variants."""
    return measured_here(
        "distance",
        {
            variant: {"by_distance": tuple(zip(range(len(PAIRS)), PAIRS, norms, strict=True))}
            for variant, norms in NORMS.items()
        },
    )


def test_each_variants_norms_are_those_of_the_results(open_experiment, distances_here, monkeypatch):
    tested = replace(EXPERIMENTS["distance"], untested="")
    monkeypatch.setitem(EXPERIMENTS, "distance", tested)
    at, shown, said = open_experiment("distance", outcome="distances", experiment_run="here")
    assert not at.exception and not at.error
    columns = shown.columns()
    results = Results.load(distances_here / "distance.json")
    for variant in NORMS:
        rows = [
            row
            for row in zip(*(columns[name] for name in columns), strict=True)
            if row[0] == variant
        ]
        assert {row[1]: row[2:] for row in rows} == results.by_distance(variant)
    monkeypatch.chdir(distances_here.parents[2])
    again = {}
    exec(shown.snippet(), again)
    for name, values in again["numbers"].items():
        assert values == columns[name]
    labels = {each.name: each.label for each in EXPERIMENTS["distance"].variants}
    # 30 pairs of each of two seeds are enough; a position's own token is left out.
    assert "**Borne out.** From 1 token back to 3, the influence of a token falls:" in shown.seen
    assert f"{labels['gru']} **25-fold**; {labels['base']} **1.7-fold**." in shown.seen


def test_what_loses_all_is_said_to_reach_no_farther(open_experiment):
    _at, shown, _said = open_experiment("distance")
    assert shown.seen.startswith("**Not judged.** These sentences do not test it")
    assert "Convolution of width 3 reaches 2 tokens back with 2 layers, no farther." in shown.seen
    assert "1 token back to 16" in shown.seen


def test_it_is_offered_only_where_it_was_measured(open_experiment, distances_here):
    at, *_ = open_experiment("distance", experiment_run="here")
    assert at.segmented_control(key="outcome").options[-1] == "by distance"
    at, *_ = open_experiment("residuals", outcome="distances")
    assert "by distance" not in at.segmented_control(key="outcome").options
    assert not at.exception


def test_a_distance_with_few_pairs_is_left_out(open_experiment, distances_here, monkeypatch):
    monkeypatch.setattr(distances, "FEWEST", 100)
    _at, _shown, said = open_experiment("distance", outcome="distances", experiment_run="here")
    assert "From 1 token back to 2," in said
