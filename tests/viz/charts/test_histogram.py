from viz.charts.bars import histogram
from viz.charts.curves import Rule


def chart(series, **options):
    return histogram(series, value="weight", count="rows", title="A title", **options).to_dict()


def bars_of(written):
    [bars] = [layer for layer in written["layer"] if layer["mark"]["type"] == "bar"]
    data = bars.get("data", written.get("data"))
    return bars, written["datasets"][data["name"]]


def test_each_bar_stands_where_its_bin_begins_and_ends():
    _bars, rows = bars_of(chart({"word": [3, 0, 2, 1]}))
    assert [(row["from"], row["to"], row["count"]) for row in rows] == [
        (0.0, 0.25, 3),
        (0.5, 0.75, 2),
        (0.75, 1.0, 1),
    ]


def test_parts_are_stacked_in_their_order_and_named_where_there_are_several():
    bars, rows = bars_of(chart({"word": [1, 2], "same": [3, 4]}))
    assert [row["order"] for row in rows] == [0, 0, 1, 1]
    assert bars["encoding"]["color"]["legend"]
    bars, _rows = bars_of(chart({"word": [1, 2]}))
    assert bars["encoding"]["color"]["legend"] is None


def test_a_marked_value_has_a_line_and_words():
    written = chart({"word": [1, 2]}, mark=Rule(0.08, "uniform: 0.08"))
    assert [layer["mark"]["type"] for layer in written["layer"]] == ["bar", "rule", "text"]
    [marked] = [rows for rows in written["datasets"].values() if "text" in rows[0]]
    assert marked == [{"x": 0.08, "text": "uniform: 0.08"}]
    assert len(chart({"word": [1, 2]})["layer"]) == 1
