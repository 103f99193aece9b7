import re

import numpy as np
import pytest

from tests.pages.conftest import said
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.positions.conftest import panels, table


@pytest.mark.parametrize("size", [("7", "20"), ("512", "512")])
def test_the_map_is_the_whole_table(open_positions, size):
    width, length = ("8", "20") if size[0] == "7" else size
    [panel] = panels(open_positions("map", pe_d_model=width, pe_length=length))
    expected = table(int(length), int(width)).astype(np.float32)
    assert np.abs(panel.values - expected).max() < 1e-6
    assert (panel.scale, panel.limit) == ("signed", 1.0)


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(open_positions, handed_over):
    at = open_positions("map", pe_d_model="8", pe_length="20", pe_base="10")
    shown = handed_over[-1]
    assert_takeable(at, shown)
    values = numbers_of(shown, "value")
    assert np.array(values, np.float32).tolist() == panels(at)[0].values.reshape(-1).tolist()
    assert computed(shown) == values


def test_the_line_names_the_two_positions_that_are_most_alike(open_positions):
    text = said(open_positions("map", pe_d_model="8", pe_length="20"))
    rows = table(20, 8)
    far = {
        (p, q): float(np.linalg.norm(rows[p] - rows[q]))
        for p in range(20)
        for q in range(p + 1, 20)
    }
    p, q = (
        int(each) for each in re.search(r"positions \*\*(\d+)\*\* and \*\*(\d+)\*\*", text).groups()
    )
    assert far[p, q] == pytest.approx(min(far.values()))
    assert f"are **{far[p, q]:.3g}** apart" in text
    assert (p, q) == next(pair for pair, x in far.items() if x < min(far.values()) + 1e-9)
    assert "There is one position only" in said(open_positions("map", pe_length="1"))
