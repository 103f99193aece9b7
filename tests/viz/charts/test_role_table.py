import pytest

from viz import theme
from viz.charts.role_table import MARK, role_table


def styles(table):
    """Return the CSS of each cell that has any, by row and column."""
    table._compute()
    return {at: dict(found) for at, found in table.ctx.items() if found}


def test_rows_are_marked_with_the_heads_colours_and_faint_cells_are_grey():
    table = role_table([0, 1], {"head": [0, 1], "role": ["a", "b"]}, {"role": [True, False]})
    assert table.data[" "].tolist() == [MARK, MARK]
    found = styles(table)
    assert found[0, 0] == {"color": theme.colour(theme.HEADS[0])}
    assert found[1, 0] == {"color": theme.colour(theme.HEADS[1])}
    assert found[0, 2] == {"color": theme.colour(theme.QUIET)}
    assert set(found) == {(0, 0), (1, 0), (0, 2)}


def test_more_heads_than_colours_begin_anew():
    n = len(theme.HEADS)
    found = styles(role_table([n], {"head": [n]}, {}))
    assert found[0, 0] == {"color": theme.colour(theme.HEADS[0])}


def test_numbers_stay_numbers():
    table = role_table([0, 1], {"bits": [2.5, 1.0]}, {})
    assert table.data["bits"].dtype == float


def test_a_column_of_another_length_is_refused():
    with pytest.raises(ValueError, match="2 heads"):
        role_table([0, 1], {"role": ["a"]}, {})


def test_a_faint_column_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="no"):
        role_table([0], {"role": ["a"]}, {"other": [True]})
