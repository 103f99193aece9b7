from viz.charts.bars import bars
from viz.charts.curves import Quantity
from viz.charts.expressions import list_of


def chart(*given, **options):
    return bars(*given, value=Quantity("norm"), **options).to_dict()


def test_words_that_read_the_same_keep_bars_of_their_own():
    [rows] = chart({"a": [1.0, 2.0]}, ["the", "the"])["datasets"].values()
    assert [(row["row"], row["value"]) for row in rows] == [(0, 1.0), (1, 2.0)]


def test_labels_are_the_names_whatever_signs_are_in_them():
    names = ['"', "</s>", "\\", "é"]
    written = chart({"a": [1.0] * 4}, names)["encoding"]["y"]["axis"]["labelExpr"]
    assert written == f"{list_of(names)}[datum.value]"


def test_parts_of_a_whole_are_stacked_in_their_order():
    encoding = chart({"a": [1.0], "b": [2.0]}, ["one"], drawn="stacked")["encoding"]
    assert "yOffset" not in encoding
    assert encoding["order"]["field"] == "order"
    assert encoding["color"]["scale"]["domain"] == ["a", "b"]


def test_dots_of_a_row_stand_on_one_line_and_are_told_apart_without_colour():
    drawn = chart({"a": [0.0], "b": [2.0]}, ["one"], drawn="dots")
    assert drawn["mark"]["type"] == "point"
    assert "yOffset" not in drawn["encoding"]
    assert drawn["encoding"]["shape"]["scale"]["range"] == ["circle", "square"]
