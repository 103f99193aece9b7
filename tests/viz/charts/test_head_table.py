from viz import theme
from viz.charts.head_table import head_table


def test_faint_cells_are_grey_and_numbers_stay_numbers():
    columns = {"role": ["a", "b"], "bits": [10.0, 9.0], "pair": [None, 0.5]}
    table = head_table(columns, {"role": [True, False]})
    table._compute()
    styles = {at: dict(found) for at, found in table.ctx.items() if found}
    assert styles == {(0, 0): {"color": theme.colour(theme.QUIET)}}
    assert list(table.data) == list(columns)
    assert table.data["bits"].dtype == float
    assert table.data["pair"].isna().tolist() == [True, False]
