import numpy as np
import pytest

from tests.pages.views.conftest import assert_takeable, computed, numbers_of
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
