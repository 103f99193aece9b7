from viz.charts.bars import bars
from viz.charts.curves import Quantity


def chart(*given, **options):
    return bars(*given, value=Quantity("norm"), **options).to_dict()


def test_parts_of_a_whole_are_stacked_in_their_order():
    encoding = chart({"a": [1.0], "b": [2.0]}, ["one"], drawn="stacked")["encoding"]
    assert "yOffset" not in encoding
    assert encoding["order"]["field"] == "order"
    assert encoding["color"]["scale"]["domain"] == ["a", "b"]
