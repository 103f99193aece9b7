import pytest

from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.results import SHIPPED, Results
from pages.frame.language import percent


@pytest.mark.parametrize("outcome", ["distances", "answer"])
def test_that_variants_that_fade_have_more_right_is_said(open_experiment, outcome):
    _at, shown, _said = open_experiment("distance", outcome=outcome)
    results = Results.load(SHIPPED / "distance.json")
    labels = {each.name: each.label for each in EXPERIMENTS["distance"].variants}
    more = [each for each in labels if each != "base" and results.more(each, "base").low > 0]
    said = {each: f"{labels[each]} ({percent(results.estimate(each).mean)})" for each in labels}
    found = f"{said['base']}: {'; '.join(said[each] for each in more)}."
    if outcome == "answer":
        found = f"{labels['base']}, which reaches farthest."
    assert len(more) > 1
    assert f"Yet {len(more)} variants have more sentences right than {found}" in shown.seen


def test_nothing_is_said_of_other_questions(open_experiment):
    _at, shown, _said = open_experiment("residuals")
    assert "Yet " not in shown.seen


def test_nothing_is_said_where_no_variant_has_more(open_experiment, monkeypatch):
    monkeypatch.setattr("pages.views.experiments.surprise.right_though_fading", lambda *_asked: [])
    _at, shown, _said = open_experiment("distance")
    assert "Yet " not in shown.seen
