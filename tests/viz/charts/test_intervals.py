import math

from hypothesis import example, given, settings
from hypothesis import strategies as st

from viz.charts.curves import Quantity
from viz.charts.intervals import Measured, intervals

BASE = Measured("all of it", 0.6, 0.5, 0.7, [0.55, 0.65])
ONE = Measured("less of it", 0.2, -math.inf, math.inf, [0.2])
VALUE = Quantity("right", share=True, domain=(0.0, 1.0))


def drawn(*things, value=VALUE):
    return intervals(
        things, value=value, of_each="seed", write="about {:.0%}".format, title="A title"
    ).to_dict()


def rows_of(chart, column):
    return next(rows for rows in chart["datasets"].values() if column in rows[0])


def test_every_thing_has_a_mean_an_interval_and_a_dot_for_each_measurement():
    chart = drawn(BASE, ONE)
    means = [(row["name"], row["value"], row["low"], row["high"]) for row in rows_of(chart, "low")]
    # One measurement has no interval.
    assert means == [("all of it", 0.6, 0.5, 0.7), ("less of it", 0.2, None, None)]
    ones = [(row["name"], row["which"], row["value"]) for row in rows_of(chart, "which")]
    assert ones == [
        ("all of it", "seed 0", 0.55),
        ("all of it", "seed 1", 0.65),
        ("less of it", "seed 0", 0.2),
    ]


# Every example draws a chart.
@settings(max_examples=20)
@example(-1.0, 2.0)
@example(0.0, 1.0)
@given(st.floats(-5, 5), st.floats(-5, 5))
def test_no_interval_leaves_the_axis(low, high):
    low, high = sorted((low, high))
    [row] = rows_of(drawn(Measured("it", 0.5, low, high, [0.5])), "low")
    assert row["low"] == max(low, 0)
    assert row["high"] == min(high, 1)


def test_no_layer_is_without_a_mark():
    """Who cannot see a chart would be told of a picture without a name."""
    alone = Measured("one", 0.5, float("-inf"), float("inf"))
    spec = intervals(
        [alone], value=Quantity("share"), of_each="seed", write=str, title="t"
    ).to_dict()
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["rule", "point", "text"]
    beside = Measured("two", 0.5, 0.4, 0.6, [0.5], word="why")
    spec = intervals(
        [alone, beside], value=Quantity("share"), of_each="seed", write=str, title="t"
    ).to_dict()
    marks = [layer["mark"]["type"] for layer in spec["layer"]]
    assert marks == ["rule", "rule", "point", "point", "text", "text"]
