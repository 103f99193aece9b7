import json
from textwrap import wrap

from streamlit.testing.v1 import AppTest

from viz.charts.expressions import list_of, text_of

LONG = "What the heads of a layer look at, and how much each of them gives to it"


def _show_parts(title):
    import altair as alt

    from pages.frame import charts

    made = alt.Chart(alt.Data(values=[{"x": 1}])).mark_point().properties
    charts.chart(
        alt.concat(made(title="Squares"), made(title=title), columns=2).properties(title=title)
    )


def test_a_long_title_is_broken_and_parts_stand_below_each_other_in_a_narrow_window():
    at = AppTest.from_function(_show_parts, args=(LONG,)).run()
    assert not at.exception
    shown = json.loads(at.get("vega_lite_chart")[0].proto.spec)
    assert shown["columns"]["signal"].endswith("? 1 : 2")
    short, long = (part["title"] for part in shown["concat"])
    assert short == "Squares"
    for title, narrow in ((long, "width < 420"), (shown["title"], "windowSize()[0] < 640")):
        asked, both = title["text"]["expr"].split(" ? ")
        lines, whole = both.split(" : ")
        assert asked == narrow
        broken = wrap(LONG, 36)
        assert len(broken) > 1
        assert (lines, whole) == (list_of(broken), text_of(LONG))


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
