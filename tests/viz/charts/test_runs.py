import json
import math

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


def many(runs, n):
    return {
        f"run with a rather long name {run}": [
            {
                "step": 10 * i,
                "seconds": i / math.pi,
                "loss": math.exp(-i / 100) + math.sin(i * run) ** 2 / 10,
                "held_out_exact_match": abs(math.sin(i)),
            }
            for i in range(1, n + 1)
        ]
        for run in range(runs)
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


def panels_of(chart):
    return chart.to_dict()["vconcat"][:-1]


def colours_of(layer):
    scale = layer["encoding"]["color"]["scale"]
    return dict(zip(scale["domain"], scale["range"], strict=False))


def test_every_run_is_a_line_of_its_own_values():
    assert points_of(compared(RUNS, ["loss"])) == [
        {"wide": [(10, 5.0), (20, 0.5)], "deep": [(10, 4.0)]}
    ]


def test_runs_keep_their_colour_where_others_have_nothing_measured():
    panels = panels_of(compared(RUNS, ["loss", "held_out_loss"]))
    layers = [panel["layer"][1] for panel in panels]
    assert colours_of(layers[0]) == colours_of(layers[1])
    assert list(colours_of(layers[0])) == ["wide", "deep"]


def test_eighty_runs_differ_in_colour_or_dashes():
    encoding = panels_of(compared(many(80, 1), ["loss"]))[0]["layer"][1]["encoding"]
    colours, dashes = (encoding[name]["scale"]["range"] for name in ("color", "strokeDash"))
    looks = {(colours[i % len(colours)], str(dashes[i % len(dashes)])) for i in range(80)}
    assert len(looks) == 80
    assert len({str(dash) for dash in dashes[:2]}) == 2


def test_a_click_in_the_legend_fades_the_other_runs_in_all_charts():
    chart = compared(RUNS, ["loss", "held_out_exact_match"]).to_dict()
    [picked] = [param for param in chart["params"] if param.get("bind") == "legend"]
    assert picked["select"]["fields"] == ["series"]
    *panels, strip = chart["vconcat"]
    for line in [*(panel["layer"][1] for panel in panels), strip]:
        [condition] = line["encoding"]["opacity"]["condition"]
        assert condition == {"param": picked["name"], "value": 1}
        assert line["encoding"]["opacity"]["value"] < 0.5


def test_the_legend_belongs_to_the_layer_that_is_asked():
    chart = compared(RUNS, ["loss", "held_out_exact_match"]).to_dict()
    views = {param["name"]: param["views"] for param in chart["params"]}
    first = chart["vconcat"][0]["layer"][0]["name"]
    assert views["picked"] == views["near_loss"] == [first]


def test_what_is_chosen_in_the_strip_is_shown_in_all_charts():
    chart = compared(RUNS, ["loss", "held_out_exact_match"], axes=Axes(end=100)).to_dict()
    *panels, strip = chart["vconcat"]
    [chosen] = [param for param in chart["params"] if param["select"]["type"] == "interval"]
    assert chosen["views"] == [strip["name"]]
    shown = [layer["encoding"]["x"] for panel in panels for layer in panel["layer"]]
    for i in (0, 1):
        expected = f"({chosen['name']}.x || [0.0, 100])[{i}]"
        assert all(x["scale"]["domain"][i] == {"expr": expected} for x in shown)
    assert strip["encoding"]["x"]["scale"]["domain"] == {"unionWith": [0, 100]}


@pytest.mark.parametrize("log", [False, True])
def test_all_axes_are_logarithmic_where_asked(log):
    axes = Axes(log_x=log, log_y=log)
    panel, score, strip = compared(RUNS, ["loss", "held_out_exact_match"], axes=axes).to_dict()[
        "vconcat"
    ]
    kind = "log" if log else "linear"
    for encoding in (panel["layer"][0]["encoding"], strip["encoding"]):
        assert [encoding[channel]["scale"]["type"] for channel in "xy"] == [kind, kind]
    assert score["layer"][0]["encoding"]["y"]["scale"] == {"domain": [0, 1]}


@pytest.mark.parametrize(("runs", "n"), [(200, 500), (3, 20_000)])
def test_many_runs_stay_small_and_whole(runs, n):
    found = many(runs, n)
    chart = compared(found, ["loss", "held_out_exact_match"])
    assert len(json.dumps(chart.to_dict()["datasets"])) < 1_000_000
    for lines in points_of(chart):
        assert len(lines) == runs
        assert all((line[0][0], line[-1][0]) == (10, 10 * n) for line in lines.values())


@pytest.mark.parametrize("name", ["a.b", "[x]", "<s>", "<b>bold</b>", 'say "it"', "", "'", "\\"])
def test_names_are_shown_as_they_are(name):
    chart = compared({name: RUNS["wide"]}, ["loss"])
    assert points_of(chart) == [{name: [(10, 5.0), (20, 0.5)]}]
    assert list(colours_of(panels_of(chart)[0]["layer"][0])) == [name]


@pytest.mark.parametrize("runs", [{}, {"new": []}, {"new": [{"step": 10}]}])
@pytest.mark.parametrize("log", [False, True])
def test_runs_without_measurements_are_a_chart_with_axes(runs, log):
    axes = Axes(log_x=log, log_y=log)
    assert points_of(compared(runs, ["loss"], axes=axes)) == [{}]
    for layer in panels_of(compared(runs, ["loss"], axes=axes))[0]["layer"]:
        low, high = layer["encoding"]["y"]["scale"]["domain"]
        assert low < high
    assert len(compared(runs, ["loss"], axes=axes).to_dict()["vconcat"]) == 2
