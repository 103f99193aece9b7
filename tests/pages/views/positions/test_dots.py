import json

import numpy as np
import pytest

from tests.pages.conftest import said
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.positions.conftest import charted, complaint, panels, set_number, table


def test_dot_products_are_symmetric_and_their_diagonals_constant(open_positions):
    at = open_positions("dots", pe_d_model="32", pe_length="40", pe_pos="12")
    expected = table(40, 32) @ table(40, 32).T
    [values] = charted(at).values()
    assert values == pytest.approx(expected[12].tolist(), abs=1e-10)
    [panel] = panels(at)
    assert np.abs(panel.values - expected).max() < 1e-4
    assert panel.limit == 16
    assert "differs by less than **0.00001**: it does not tell left from right" in said(at)
    assert "The same distance gives the same everywhere, within 0.00001." in said(at)


def test_a_position_outside_the_table_is_refused(open_positions):
    at = set_number(open_positions("dots"), "pe_pos", 50)
    assert "position is 50: a table of length 50 has 0 to 49" in complaint(at)
    assert "neighbours on one side only" in said(set_number(at, "pe_pos", 0))


def test_a_chart_says_its_axes(open_positions):
    [chart] = open_positions("dots").get("vega_lite_chart")
    spec = json.dumps(json.loads(chart.proto.spec))
    assert "position q" in spec
    assert "PE(20)" in spec


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(open_positions, handed_over):
    at = open_positions("dots", pe_d_model="8", pe_length="20", pe_pos="3")
    shown = handed_over[-1]
    assert_takeable(at, shown)
    assert len(shown.pictures) == 2
    products = numbers_of(shown, "dot_product")
    assert np.array(products, np.float32).tolist() == panels(at)[0].values.reshape(-1).tolist()
    [curve] = charted(at).values()
    assert numbers_of(shown, "curve") == curve
    assert numbers_of(shown, "distance") == list(range(-3, 17))
    assert computed(shown) == [
        *products,
        *curve,
        *numbers_of(shown, "largest_difference_within_a_diagonal"),
    ]
