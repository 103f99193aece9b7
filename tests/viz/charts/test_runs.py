import pytest

from viz.charts.measurements import Axes
from viz.charts.runs import compared

RUNS = {
    "wide": [
        {"step": 10, "seconds": 0.5, "loss": 5.0},
        {"step": 20, "seconds": 1.5, "loss": 0.5, "held_out_loss": 0.75},
    ],
    "deep": [{"step": 10, "seconds": 2.0, "loss": 4.0, "held_out_exact_match": 0.5}],
}


def points_of(chart):
    """Return x and y of each run, for each set of data in the chart."""
    return [
        {
            name: [(row["x"], row["y"]) for row in rows if row["series"] == name]
            for name in dict.fromkeys(row["series"] for row in rows)
        }
        for rows in chart.to_dict()["datasets"].values()
    ]


def lines_of(chart):
    return [panel["layer"][0]["encoding"] for panel in chart.to_dict()["vconcat"]]


def test_every_run_is_a_line_of_its_own_values():
    assert points_of(compared(RUNS, ["loss"])) == [
        {"wide": [(10, 5.0), (20, 0.5)], "deep": [(10, 4.0)]}
    ]


@pytest.mark.parametrize("runs", [{}, {"new": []}, {"new": [{"step": 10}]}])
@pytest.mark.parametrize("log", [False, True])
def test_runs_without_measurements_are_a_chart_with_axes(runs, log):
    chart = compared(runs, ["loss"], axes=Axes(log_x=log, log_y=log))
    assert points_of(chart) == [{}]
    [line] = lines_of(chart)
    low, high = line["y"]["scale"]["domain"]
    assert low < high
