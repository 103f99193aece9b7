import pytest

from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.gains import Gained
from core.studies.experiments.results import SHIPPED, Results
from core.studies.experiments.verdicts import Verdict
from pages.views.experiments import gains

METRIC = EXPERIMENTS["metric"]


@pytest.fixture(scope="module")
def results():
    return Results.load(SHIPPED / "metric.json")


def test_gains_are_drawn_over_each_trainings_own_start(open_experiment, results):
    _at, shown, said = open_experiment("metric")
    spec = shown.pictures[0].chart.to_dict()
    assert "BLEU gained over its own start" in spec["title"]
    rows = next(rows for rows in spec["datasets"].values() if "note" in rows[0])
    start = f"the start, half trained ({results.estimate('half', 'bleu').mean:.1f})"
    assert (rows[0]["name"], rows[0]["value"]) == (start, 0)
    for row, variant in zip(rows[1:], METRIC.shown[1:], strict=True):
        found = results.more(variant.name, "half", "bleu")
        assert row["value"] == pytest.approx(found.mean)
        assert f"{variant.label} **{found.mean:+.1f}**" in shown.seen
    [line] = [rows for rows in spec["datasets"].values() if list(rows[0]) == ["value"]]
    assert line == [{"value": 0.0}]
    assert "dashed: no gain" in said


def test_points_of_right_sentences_are_gained_too(open_experiment, results):
    _at, shown, _said = open_experiment("metric", experiment_drawn_metric="exact_match")
    spec = shown.pictures[0].chart.to_dict()
    rows = next(rows for rows in spec["datasets"].values() if "note" in rows[0])
    found = 100 * results.more("base", "half").mean
    assert rows[1]["value"] == pytest.approx(found)
    assert spec["title"].startswith("Sentences right gained over its own start")
    # What is said is about what is drawn.
    assert "**no difference** is shown. Sentences right gained over its own start (" in shown.seen
    assert f"{METRIC.variants[0].label} **{found:+.1f}**" in shown.seen


@pytest.mark.parametrize(
    ("than_control", "than_base", "said"),
    [
        (Verdict.OPEN, Verdict.HOLDS, "**Undecided**: a constant reward may"),
        (Verdict.HOLDS, Verdict.HOLDS, "**Borne out: the reward helps, more than"),
        (Verdict.HOLDS, Verdict.FAILS, "**Refuted: as many updates of cross-entropy help"),
        (
            Verdict.HOLDS,
            Verdict.OPEN,
            "**Undecided**: the reward helps more than a constant one, but not "
            "measurably more than",
        ),
    ],
)
def test_what_the_gains_mean_is_said_first(monkeypatch, results, than_control, than_base, said):
    found = Gained(METRIC.variants[2], than_control, than_base)
    monkeypatch.setattr(gains, "best_gain", lambda *_asked: found)
    measure = METRIC.measures[0]
    assert gains.seen(METRIC, results, measure, str, judged=True).startswith(said)
    assert said not in gains.seen(METRIC, results, measure, str, judged=False)


def test_where_variants_begin_afresh_there_are_no_gains(results):
    assert gains.seen(EXPERIMENTS["order"], results, None, str, judged=True) == ""
