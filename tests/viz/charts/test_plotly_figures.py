import json

import numpy as np

from viz import theme
from viz.charts.plotly_figures import (
    MODEBAR_TEXTS,
    ON_PAPER,
    Line,
    Points,
    figure_config,
    figure_html,
    heatmap,
    scatter,
)
from viz.component.standalone import Drawn, standalone_page

NASTY = "</script><b>$x$ %{x}"
WAVES = np.sin(np.arange(12, dtype=np.float32)).reshape(3, 4)


def table():
    return heatmap(WAVES, ("sine", "cosine"), "position", title="Waves")


def points():
    places = np.arange(8.0).reshape(4, 2) ** 2
    groups = [
        Points(places[:3], ["cat", NASTY, "dog"], [7, 8, 9], "others"),
        Points(places[3:], ["the"], [4], "sentence", theme.SOURCE, labelled=True),
    ]
    figure = scatter(groups, ("axis 0", "axis 1"), title="Words")
    return places, figure


def test_a_tables_columns_are_dealt_to_its_maps_with_0_in_the_middle_of_the_scale():
    figure = table()
    for at, drawn in enumerate(figure.data):
        assert np.array_equal(drawn.z, WAVES[:, at::2])
        # What is pointed at is named by its column in the whole table.
        assert (drawn.x0, drawn.dx) == (at, 2)
    scale = figure.layout.coloraxis
    assert scale.cmin == -scale.cmax == -np.abs(WAVES).max()


def test_points_stand_at_their_places_and_are_known_by_their_ids():
    places, figure = points()
    drawn = [np.column_stack([trace.x, trace.y]) for trace in figure.data]
    assert np.array_equal(np.concatenate(drawn), places)
    assert [list(trace.customdata) for trace in figure.data] == [[7, 8, 9], [4]]
    assert figure.data[1].mode == "markers+text"


def test_labels_of_near_points_stand_on_different_sides():
    near = Points(
        np.array([[0, 0], [0.1, 0], [9, 9]]),
        ["one", "two", "far"],
        [1, 2, 3],
        "near",
        labelled=True,
    )
    [trace] = scatter([near], ("x", "y"), title="Words").data
    assert trace.textposition[0] == trace.textposition[2] == "top center"
    assert trace.textposition[1] != "top center"


def test_groups_of_one_name_are_one_entry_of_the_legend_and_lines_stand_at_their_values():
    groups = [
        Points(np.array([[at, 9 * at]]), [f"{at}"], [at], "encoder", details=["one\n<two>"])
        for at in range(2)
    ]
    lines = [Line("x", 0.5, theme.SOURCE), Line("y", 3.0, theme.TARGET)]
    figure = scatter(groups, ("x", "y"), title="Heads", same_scale=False, lines=lines)
    assert [(e.showlegend, e.legendgroup) for e in figure.data] == [(True, "encoder")] + [
        (False, "encoder")
    ]
    assert figure.data[0].hovertext == ("one<br>&lt;two&gt;",)
    across, up = figure.layout.shapes
    assert (across.x0, across.x1, across.yref) == (0.5, 0.5, "y domain")
    assert (up.y0, up.y1, up.xref) == (3.0, 3.0, "x domain")
    assert figure.layout.yaxis.scaleanchor is None


def test_a_label_is_no_tag_and_no_formula():
    label = points()[1].data[0].text[1]
    assert label == "&lt;/script&gt;&lt;b&gt;&#36;x&#36; %{x}"


def test_a_file_has_the_library_once_and_each_figure_on_paper():
    config = figure_config({name: f"[{name}]" for name in MODEBAR_TEXTS}, "fr")
    drawn = [Drawn(figure=lambda: figure_html(points()[1], config)) for _ in range(2)]
    page = standalone_page(drawn, "Words")
    assert page.count("Plotly.newPlot(") == 2
    assert page.count("plotly.js v") == 1
    assert json.dumps(ON_PAPER["font"]["color"]) in page
    assert "[Lasso Select]" in page
    assert NASTY not in page
    assert "cdn.plot.ly/plotly" not in page
