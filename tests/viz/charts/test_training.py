import pytest

from viz.charts.export import chart_svg
from viz.charts.training import loss_curves, quality_curves

ROWS = [
    {"step": 10, "loss": 5.0, "learning_rate": 1e-3},
    {
        "step": 20,
        "loss": 0.5,
        "held_out_loss": 0.75,
        "held_out_exact_match": 0.25,
        "held_out_token_accuracy": 0.5,
    },
]
SCORED = [*ROWS, {"step": 30, "held_out_bleu": 31.5, "held_out_chrf": 62.5}]
CHARTS = [loss_curves, quality_curves]


def points_of(chart):
    """Return the values of each series in the chart's data."""
    [rows] = [
        rows for rows in chart.to_dict()["datasets"].values() if not rows or "series" in rows[0]
    ]
    return {
        name: [(row["x"], row["y"]) for row in rows if row["series"] == name]
        for name in dict.fromkeys(row["series"] for row in rows)
    }


def encoding_of(chart):
    return chart.to_dict()["layer"][0]["encoding"]


def test_a_second_later_the_chart_is_the_same_with_more_points():
    rows = [{"step": 10 * i, "loss": 7.0 / i, "held_out_loss": 7.5 / i} for i in range(1, 9)]
    early, late = (loss_curves(rows[:n], end=5000).to_dict() for n in (6, 8))
    assert early["layer"][0]["encoding"] == late["layer"][0]["encoding"]
    assert [p["name"] for p in early["params"]] == [p["name"] for p in late["params"]] == ["near"]
    assert points_of(loss_curves(rows[:6])) != points_of(loss_curves(rows))


def test_shares_are_percent_and_scores_stand_beside_them_with_their_own_numbers():
    chart = quality_curves(SCORED)
    assert points_of(chart) == {
        "exact match": [(20, 0.25)],
        "right tokens": [(20, 0.5)],
        "BLEU": [(30, 0.315)],
        "chrF": [(30, 0.625)],
    }
    [rows] = chart.to_dict()["datasets"].values()
    assert [row["value"] for row in rows] == [0.25, 0.5, 31.5, 62.5]
    assert [row["is_score"] for row in rows] == [False, False, True, True]
    pointed = chart.to_dict()["layer"][1]
    assert pointed["encoding"]["tooltip"][-1]["field"] == pointed["transform"][0]["as"]
    assert encoding_of(chart)["y"]["scale"]["domain"] == [0, 1]


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("rows", [[], [{"step": 10}], [{"loss": 1.0}]])
def test_nothing_measured_is_a_chart_without_lines(chart, rows):
    drawn = chart(rows)
    assert points_of(drawn) == {}
    assert chart_svg(drawn).startswith("<svg")
