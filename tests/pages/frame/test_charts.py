import json

from streamlit.testing.v1 import AppTest


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
