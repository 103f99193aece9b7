import numpy as np
import pytest

from viz import theme
from viz.charts.export import chart_svg
from viz.charts.points import PICKED, Points, points

LABELS = ["one", "two", "<b>$far$"]
PLACES = np.array([[0, 0], [0.1, 0], [9, 9]])


def drawn(labelled=True):
    others = Points(PLACES[::-1] + 1, LABELS, [7, 8, 9], "others")
    near = Points(PLACES, LABELS, [1, 2, 3], "near", theme.SOURCE, labelled=labelled)
    return points([others, near], ("x", "y"), title="Words")


def test_points_stand_at_their_places_and_are_known_by_their_ids():
    rows = drawn().data.to_dict("records")
    assert [(row["x"], row["y"], row["id"]) for row in rows[3:]] == [
        (0, 0, 1),
        (0.1, 0, 2),
        (9, 9, 3),
    ]
    [picked] = drawn().to_dict()["params"]
    assert (picked["name"], picked["select"]["fields"]) == (PICKED, ["id"])


def test_labels_of_near_points_stand_on_different_sides():
    one, two, far = drawn().data.to_dict("records")[3:]
    assert one["dy"] == far["dy"] < 0 == one["dx"] == far["dx"]
    assert (two["dx"], two["dy"]) != (one["dx"], one["dy"])


@pytest.mark.parametrize("labelled", [True, False])
def test_labels_are_drawn_as_they_are(labelled):
    svg = chart_svg(drawn(labelled))
    assert ("&lt;b&gt;$far$</text>" in svg) == labelled
