import pytest

from viz import theme
from viz.charts.head_table import MARK, head_table


def colours_of(styler):
    """Return the colour of each row's mark, as it is sent."""
    styler._compute()
    return [dict(styler.ctx[row, 0])["color"] for row in range(len(styler.data))]


def test_every_head_is_marked_with_its_colour():
    styler = head_table([3, 0, 15], {"bits": [0.5, 1.5, 2.5]})
    assert styler.data["colour"].tolist() == [MARK] * 3
    assert colours_of(styler) == [theme.colour(theme.HEADS[head]) for head in (3, 0, 15)]


def test_more_heads_than_colours_begin_again():
    assert colours_of(head_table([16, 0], {})) == [theme.colour(theme.HEADS[0])] * 2


def test_numbers_stay_numbers_and_columns_keep_their_order():
    frame = head_table([0, 1], {"head": [0, 1], "bits": [10.0, 9.0], "pair": [None, 0.5]}).data
    assert list(frame) == ["colour", "head", "bits", "pair"]
    assert frame["bits"].dtype == float
    assert frame["pair"].isna().tolist() == [True, False]


def test_columns_of_another_length_are_refused():
    with pytest.raises(ValueError, match="2 heads"):
        head_table([0, 1], {"bits": [1.0]})
