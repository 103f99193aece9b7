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


def test_faint_cells_are_grey_and_no_others():
    table = head_table([0, 1], {"head": [0, 1], "role": ["a", "b"]}, {"role": [True, False]})
    marks = {(row, 0): coloured(theme.HEADS[row]) for row in (0, 1)}
    assert styles(table) == marks | {(0, 2): coloured(theme.QUIET)}
