import html
import re

from viz.charts.export import chart_svg
from viz.charts.table_picture import ROWS, table_picture


def texts_of(columns):
    drawn = chart_svg(table_picture(columns, "Heads of <b>", "copy: a b"))
    return [html.unescape(text) for text in re.findall(r">([^<>]+)</text>", drawn)]


def test_every_cell_stands_in_the_picture_and_keeps_its_direction_to_itself():
    texts = texts_of({"head": [0, None], "does": ["looks at <i>", "\u05e8."], "share": [0.5, 1e-5]})
    assert {"Heads of <b>", "copy: a b", "head", "does", "share", "0", "0.500", "1.00e−05"} <= set(
        texts
    )
    assert {"looks at <i>", "\u2068\u05e8.\u2069"} <= set(texts)


def test_a_long_table_is_cut():
    assert str(ROWS) not in texts_of({"row": list(range(ROWS + 5))})
