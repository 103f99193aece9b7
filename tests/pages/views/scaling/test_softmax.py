import html
import math
import re

import numpy as np
import pytest

from pages.frame.language import percent
from tests.pages.conftest import said
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.scaling.conftest import drawn, exact


def rows_of(at):
    """Return the table's rows: score, its value, output in per cent, slope."""
    text = html.unescape(said(at))
    return re.findall(r"\| y\d \| (2?a) = (.*?) \| (.*?) \| (.*?) \|", text)


def written(size):
    """Return the outputs as the table writes them."""
    return [percent(float(each)) for each in exact([size, size, 2 * size])]


@pytest.mark.parametrize(
    ("size", "third"), [("1", 0.5761168847658291), ("10", 0.9999092083843412), ("100", 1.0)]
)
def test_the_outputs_of_a_a_2a_are_the_known_ones(open_scaling, handed_over, size, third):
    at = open_scaling(a=size)
    columns = handed_over[-1].columns()
    found = [columns[name][0] for name in ("y0", "y1", "y2")]
    assert found[2] == pytest.approx(third, rel=0, abs=1e-15)
    wanted = exact([float(size), float(size), 2 * float(size)])
    assert found == pytest.approx(wanted.tolist(), abs=1e-15)
    assert [row[2] for row in rows_of(at)] == written(float(size))


def test_the_curve_is_the_closed_form_and_the_slopes_are_its_own(open_scaling):
    at = open_scaling(a="2")
    series, frame = drawn(at)
    sizes = frame["x"].to_numpy()[: len(frame) // 2]
    third, others = series.values()
    assert (sizes[0], sizes[-1]) == (0, 12)
    assert third == pytest.approx(1 / (1 + 2 * np.exp(-sizes)), abs=1e-12)
    assert others == pytest.approx((1 - np.array(third)) / 2, abs=1e-12)
    rows = rows_of(at)
    step = 1e-5
    below, above = (exact([a, a, 2 * a]) for a in (2 - step, 2 + step))
    assert [row[:2] for row in rows] == [("a", "2"), ("a", "2"), ("2a", "4")]
    assert [float(row[3].replace("−", "-")) for row in rows] == pytest.approx(
        ((above - below) / (2 * step)).tolist(), rel=0.05
    )
    assert "slope dy/da" in said(at)


@pytest.mark.parametrize("size", [-1e6, -3, 0, 30, 1e6])
def test_any_size_of_a_is_drawn(open_scaling, size):
    at = open_scaling()
    at.number_input(key="a").set_value(float(size)).run()
    assert not at.exception
    assert [row[2] for row in rows_of(at)] == written(size)


@pytest.mark.parametrize("size", ["2.5", "-3"])
def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(
    open_scaling, handed_over, size
):
    at = open_scaling(a=size)
    [shown] = handed_over
    assert_takeable(at, shown)
    series, frame = drawn(at)
    columns = shown.columns()
    assert columns["a"] == [float(size), *frame["x"].tolist()[: len(frame) // 2]]
    assert [columns["y2"][1:], columns["y0"][1:]] == list(series.values())
    shares = [percent(columns[name][0]) for name in ("y0", "y1", "y2")]
    assert shares == [row[2] for row in rows_of(at)]
    assert computed(shown) == numbers_of(shown, *columns)


@pytest.mark.parametrize("size", [0.0, 1.0, 10.0])
def test_the_line_says_what_the_largest_score_gets_and_its_slope(open_scaling, size):
    text = said(open_scaling(scaling="softmax", a=str(size)))
    share = exact([size, size, 2 * size])[2]
    # d/da of e^2a / (2 e^a + e^2a)
    slope = 2 * math.exp(-size) / (1 + 2 * math.exp(-size)) ** 2
    assert f"With a = {size:g} the score 2a gets **{100 * share:.4f}"[:-4] in text
    assert f"has the slope **{slope:.2g}" in text.replace("e−0", "e-0")
