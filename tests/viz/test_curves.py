from viz.cells import computed_cells
from viz.curves import curves


def test_every_series_has_all_its_points_and_a_name():
    chart = curves({"one": [1.0, 2.0], "two": [3.0]}, x="step", y="ms").to_dict()
    [rows] = chart["datasets"].values()
    assert rows == [
        {"x": 0, "y": 1.0, "series": "one"},
        {"x": 1, "y": 2.0, "series": "one"},
        {"x": 0, "y": 3.0, "series": "two"},
    ]
    assert chart["encoding"]["color"]["scale"]["domain"] == ["one", "two"]
    assert chart["encoding"]["y"]["title"] == "ms"


def test_shares_always_go_from_nothing_to_all():
    chart = curves({"one": [0.9]}, x="position", y="right", share=True).to_dict()
    assert chart["encoding"]["y"]["scale"]["domain"] == [0, 1]


def test_cells_that_are_not_computed_are_left_out_and_one_scale_serves_all():
    pictures = {"anew": [[2, 0], [1, 1]], "kept": [[1, 0], [1, 1]]}
    chart = computed_cells(pictures, x="key", y="query", count="times").to_dict()
    [rows] = chart["datasets"].values()
    assert len(rows) == 6
    assert {"way": "anew", "query": 0, "key": 0, "count": 2} in rows
    assert chart["spec"]["encoding"]["color"]["scale"]["domain"][-1] == 2
