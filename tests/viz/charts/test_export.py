import struct
from xml.etree import ElementTree

import pytest

from viz.charts.bars import bars
from viz.charts.curves import Quantity, curves
from viz.charts.export import SHARPNESS, WIDTH, chart_png, chart_svg

CHARTS = {
    "curves": curves(
        {"<one> & two": [1.0, 2.0, 4.0], "other": [3.0, 2.0, 1.0]},
        x=Quantity("x"),
        y=Quantity("y"),
        title="A title",
    ),
    "bars": bars({"n": [1.0, 2.0]}, ["a", "b"], value=Quantity("y"), title="A title"),
}


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_becomes_a_vector_picture_that_holds_its_words(name):
    root = ElementTree.fromstring(chart_svg(CHARTS[name]))
    assert root.tag.endswith("svg")
    assert float(root.attrib["width"]) >= WIDTH
    assert "A title" in "".join(root.itertext())


def test_any_word_stands_in_the_picture_as_it_is():
    root = ElementTree.fromstring(chart_svg(CHARTS["curves"]))
    assert "<one> & two" in "".join(root.itertext())


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_becomes_a_sharp_bitmap(name):
    written = chart_png(CHARTS[name])
    assert written.startswith(b"\x89PNG\r\n\x1a\n")
    width, _height = struct.unpack(">II", written[16:24])
    assert width >= SHARPNESS * WIDTH
