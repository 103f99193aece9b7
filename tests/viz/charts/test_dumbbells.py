from viz.charts.curves import Quantity
from viz.charts.dumbbells import dumbbells

SERIES = {"before": [0.5, 0.25, 0.75], "after": [0.1, 0.2, 0.3]}


def drawn(**changed):
    given = {"groups": ["one", "one", "two"], "value": Quantity("evenness", share=True)}
    chart = dumbbells(SERIES, ["0.0", "0.1", "0.0"], of="head", **given | changed)
    return chart.to_dict()


def rows_of(chart):
    return next(rows for rows in chart["datasets"].values() if "series" in rows[0])


def test_every_thing_has_a_dot_for_each_series_and_things_that_read_the_same_stay_apart():
    found = [(row["at"], row["name"], row["series"], row["value"]) for row in rows_of(drawn())]
    assert found == [
        (0, "one · 0.0", "before", 0.5),
        (0, "one · 0.0", "after", 0.1),
        (1, "one · 0.1", "before", 0.25),
        (1, "one · 0.1", "after", 0.2),
        (2, "two · 0.0", "before", 0.75),
        (2, "two · 0.0", "after", 0.3),
    ]


def test_each_group_is_named_where_it_begins():
    chart = drawn()
    [borders] = [rows for rows in chart["datasets"].values() if "group" in rows[0]]
    assert borders == [{"at": 0, "group": "one"}, {"at": 2, "group": "two"}]
    assert [layer["mark"]["type"] for layer in chart["layer"]] == ["line", "point", "rule", "text"]


def test_what_has_no_place_on_a_logarithmic_axis_is_left_out():
    chart = dumbbells(
        {"before": [0.0, 2.0], "after": [0.0, 1.0]},
        ["a", "b"],
        groups=["g", "g"],
        value=Quantity("variance", log=True),
        of="head",
    ).to_dict()
    assert {row["at"] for row in rows_of(chart)} == {1}
    assert chart["layer"][1]["encoding"]["y"]["scale"]["type"] == "log"
