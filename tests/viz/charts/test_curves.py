from viz.charts.curves import Quantity, curves
from viz.charts.expressions import list_of


def line_of(chart):
    return chart.to_dict()["layer"][0]


def rows_of(chart):
    return next(rows for rows in chart.to_dict()["datasets"].values() if "series" in rows[0])


def test_places_without_an_amount_are_called_by_their_names():
    depth = Quantity("depth", labels=("embedding", '0 "self"'))
    chart = curves({"one": [1.0, 2.0]}, x=depth, y=Quantity("ms"))
    assert [row["place"] for row in rows_of(chart)] == list(depth.labels)
    written = line_of(chart)["encoding"]["x"]["axis"]["labelExpr"]
    assert written == f"{list_of(depth.labels)}[datum.value]"
