from viz.charts.curves import Quantity, curves
from viz.charts.expressions import list_of

STEP, TIME = Quantity("step"), Quantity("ms")


def line_of(chart):
    return chart.to_dict()["layer"][0]


def rows_of(chart):
    return next(rows for rows in chart.to_dict()["datasets"].values() if "series" in rows[0])


def test_each_series_may_have_places_of_its_own():
    places = {"one": [1.5, 4.0], "two": [2.0]}
    chart = curves({"one": [1.0, 2.0], "two": [3.0]}, x=STEP, y=TIME, at=places)
    assert [(row["series"], row["x"], row["y"]) for row in rows_of(chart)] == [
        ("one", 1.5, 1.0),
        ("one", 4.0, 2.0),
        ("two", 2.0, 3.0),
    ]
    # Not only whole numbers are marked on the axis, as where places are counted.
    assert "tickMinStep" not in line_of(chart)["encoding"]["x"]["axis"]


def test_places_without_an_amount_are_called_by_their_names():
    depth = Quantity("depth", labels=("embedding", '0 "self"'))
    chart = curves({"one": [1.0, 2.0]}, x=depth, y=TIME)
    assert [row["place"] for row in rows_of(chart)] == list(depth.labels)
    written = line_of(chart)["encoding"]["x"]["axis"]["labelExpr"]
    assert written == f"{list_of(depth.labels)}[datum.value]"
