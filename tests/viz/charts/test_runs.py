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


def test_every_run_is_a_line_of_its_own_values():
    assert points_of(compared(RUNS, ["loss"])) == [
        {"wide": [(10, 5.0), (20, 0.5)], "deep": [(10, 4.0)]}
    ]
