import json
import re
from unicodedata import east_asian_width

from streamlit.testing.v1 import AppTest

from pages.frame import charts
from viz.charts.curves import Quantity, curves


def _page():
    import altair as alt

    from pages.frame import charts, language, session
    from viz.charts.curves import Quantity, curves

    session.enter("page")
    language.enter()
    figure = curves({"a": [0.0, 0.5]}, x=Quantity("x"), y=Quantity("y"), title="Title")
    charts.chart(figure)
    clicked = figure.copy()
    clicked.layer[0] = clicked.layer[0].add_params(alt.selection_point(name="clicked"))
    charts.chart(clicked, key="clicked", on_click=lambda: None)
    session.write()


def configured(asked):
    """Return what both charts are told of numbers."""
    at = AppTest.from_function(_page)
    at.query_params["lang"] = asked
    at.run()
    assert not at.exception, at.exception
    charts = [json.loads(each.proto.spec) for each in at.get("vega_lite_chart")]
    assert len(charts) == 2
    # Screen readers read the title.
    assert [each.proto.alt for each in at.get("vega_lite_chart")] == ["Title"] * 2
    return [chart.get("config", {}).get("locale", {}).get("number") for chart in charts]


def test_charts_write_numbers_as_the_reader_does(german):
    for number in configured("de"):
        assert (number["decimal"], number["thousands"]) == (",", ".")
        assert number["percent"] == "\u00a0%"


def test_where_a_chart_is_narrow_its_title_has_lines_that_fit():
    for title in (
        "Correct sentences: mean of 3 trainings of 2,000 steps",
        "句子正确率：每个变体训练 1,200 步，3 次训练的平均值",
    ):
        spec = charts._Shown(
            curves({"a": [0.0]}, x=Quantity("x"), y=Quantity("y"), title=title)
        ).to_dict()
        narrow = spec["title"]["text"]["expr"].split(" : ")[0]
        [_before, *found] = json.loads(re.search(r'".*?"', narrow)[0]).split("\x1f")
        assert "".join(found).replace(" ", "") == title.replace(" ", "")
        widths = [sum(1 + (east_asian_width(letter) == "W") for letter in line) for line in found]
        assert len(found) > 1
        assert max(widths) <= 36
