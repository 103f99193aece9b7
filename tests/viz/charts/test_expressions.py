"""Vega's own parser reads the expressions: a name that it does not take for a text is an error."""

import html
from dataclasses import replace
from xml.etree import ElementTree

import pytest
import vl_convert

from pages.frame.charts import _TITLE_LINE, _for_phones
from tests.viz.charts.test_intervals import BASE, VALUE
from viz.charts.bars import bars
from viz.charts.curves import Quantity, curves
from viz.charts.export import chart_svg
from viz.charts.intervals import intervals

WORDS = ("if", "constructor", "datum", "event", "null", "true", "new", '"', "'", "\\", "if)", "é")


def of_bars(words):
    return bars({"a": [1.0] * len(words)}, words, value=Quantity("norm"))


def of_curves(words):
    depth = Quantity("depth", labels=tuple(words))
    return curves({"a": [1.0] * len(words)}, x=depth, y=Quantity("norm"))


def of_intervals(words):
    things = [replace(BASE, name=word) for word in words]
    return intervals(things, value=VALUE, of_each="seed", write="about {:.0%}".format, title="")


@pytest.mark.parametrize("chart", [of_bars, of_curves, of_intervals])
@pytest.mark.parametrize("words", [WORDS, ("if",)], ids=["many", "alone"])
def test_every_word_labels_its_place_whichever_it_is(chart, words):
    drawn = html.unescape(chart_svg(chart(words)))
    for word in words:
        assert f">{word}</text>" in drawn


def test_a_title_whose_last_line_is_such_a_word_is_drawn():
    title = f"{'a' * (_TITLE_LINE - 1)} if"
    shown = of_bars(["a"]).properties(title=title, width=300).to_dict()
    found = _for_phones(shown, "width < 420")
    assert ">if</" in vl_convert.vegalite_to_svg(found)


def test_signs_of_markup_stand_in_the_picture_as_they_are():
    series = {"<one> & two": [1.0, 2.0], "other": [3.0, 2.0]}
    drawn = chart_svg(curves(series, x=Quantity("x"), y=Quantity("y")))
    assert "<one> & two" in "".join(ElementTree.fromstring(drawn).itertext())


@pytest.mark.parametrize(
    ("chart", "name"),
    [
        (of_bars, "decoder layer: Norm before Masked self-attention"),
        (of_intervals, "parallel, length predicted, copy or reverse"),
    ],
)
def test_the_longest_name_of_a_row_is_not_cut(chart, name):
    assert f">{name}</text>" in chart_svg(chart([name]))
