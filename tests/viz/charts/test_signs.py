import re

import pytest

from viz.charts.curves import Quantity, curves
from viz.charts.export import chart_png, chart_svg
from viz.charts.number_tables import number_tables
from viz.charts.signs import Signs

GERMAN = Signs(",", ".", "\u00a0%")
AMOUNTS = curves({"a": [0.0, 0.5, 1.5]}, x=Quantity("x"), y=Quantity("y"))
SHARES = curves({"a": [0.0, 0.5]}, x=Quantity("x"), y=Quantity("y", share=True))


def words_of(svg):
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


@pytest.mark.slow
def test_an_exported_chart_has_the_signs_of_the_language():
    assert {"0.4", "1.2"} <= set(words_of(chart_svg(AMOUNTS)))
    assert {"0,4", "1,2"} <= set(words_of(chart_svg(AMOUNTS, GERMAN)))
    assert "20%" in words_of(chart_svg(SHARES))
    assert "20\u00a0%" in words_of(chart_svg(SHARES, GERMAN))
    assert chart_png(AMOUNTS, GERMAN) != chart_png(AMOUNTS)


def test_tables_of_numbers_have_the_signs_of_the_language():
    columns = {"name": ["1.5 of a"], "value": [-1.25]}
    assert "<td>−1.25</td>" in number_tables(columns, "title")
    written = number_tables(columns, "title", signs=GERMAN)
    assert "<td>−1,25</td>" in written
    assert "1.5 of a" in written
