import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from viz.charts.curves import Quantity
from viz.charts.intervals import Measured, intervals

BASE = Measured("all of it", 0.6, 0.5, 0.7, [0.55, 0.65], is_base=True)
VALUE = Quantity("right", share=True, domain=(0.0, 1.0))


def drawn(*things, value=VALUE):
    return intervals(
        things, value=value, of_each="seed", write="about {:.0%}".format, title="A title"
    ).to_dict()


def rows_of(chart, column):
    return next(rows for rows in chart["datasets"].values() if column in rows[0])


# Every example draws a chart.
@pytest.mark.slow
@settings(max_examples=20)
@example(-1.0, 2.0)
@example(0.0, 1.0)
@given(st.floats(-5, 5), st.floats(-5, 5))
def test_no_interval_leaves_the_axis(low, high):
    low, high = sorted((low, high))
    [row] = rows_of(drawn(Measured("it", 0.5, low, high, [0.5])), "low")
    assert row["low"] == max(low, 0)
    assert row["high"] == min(high, 1)
