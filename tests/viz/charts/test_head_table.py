import pytest

from viz import theme
from viz.charts.head_table import MARK, head_table


def styles(table):
    """Return the CSS of each cell that has any, by row and column."""
    table._compute()
    return {at: dict(found) for at, found in table.ctx.items() if found}


def coloured(name):
    return {"color": theme.colour(name)}


def test_every_head_is_marked_with_its_colour():
    table = head_table([3, 0, 15], {"bits": [0.5, 1.5, 2.5]}, mark="colour")
    assert table.data["colour"].tolist() == [MARK] * 3
    assert styles(table) == {
        (row, 0): coloured(theme.HEADS[head]) for row, head in enumerate([3, 0, 15])
    }


def test_more_heads_than_colours_begin_again():
    n = len(theme.HEADS)
    assert styles(head_table([n, 0], {})) == {(row, 0): coloured(theme.HEADS[0]) for row in (0, 1)}


def test_faint_cells_are_grey_and_no_others():
    table = head_table([0, 1], {"head": [0, 1], "role": ["a", "b"]}, {"role": [True, False]})
    marks = {(row, 0): coloured(theme.HEADS[row]) for row in (0, 1)}
    assert styles(table) == marks | {(0, 2): coloured(theme.QUIET)}


def test_numbers_stay_numbers_and_columns_keep_their_order():
    frame = head_table([0, 1], {"head": [0, 1], "bits": [10.0, 9.0], "pair": [None, 0.5]}).data
    assert list(frame) == [" ", "head", "bits", "pair"]
    assert frame["bits"].dtype == float
    assert frame["pair"].isna().tolist() == [True, False]


def test_columns_of_another_length_are_refused():
    with pytest.raises(ValueError, match="2 heads"):
        head_table([0, 1], {"bits": [1.0]})
    with pytest.raises(ValueError, match="2 heads"):
        head_table([0, 1], {"bits": [1.0, 2.0]}, {"bits": [True]})


def test_a_faint_column_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="other"):
        head_table([0], {"role": ["a"]}, {"other": [True]})
