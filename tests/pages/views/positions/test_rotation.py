import math

import numpy as np
import pytest

from tests.core.studies.lessons.test_positions import formula
from tests.pages.conftest import said
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.positions.conftest import charted, complaint, panels, set_number


@pytest.mark.parametrize("shift", [5, -5, 0, 300])
def test_the_rotation_takes_a_position_k_places_on(open_positions, shift):
    at = open_positions("rotation", pe_d_model="16", pe_k=str(shift), pe_pos="7", pe_shown="16")
    matrix, vectors = panels(at)
    before, after, wanted = vectors.values.astype(np.float64).T
    assert matrix.values @ formula(7, 16) == pytest.approx(formula(7 + shift, 16), abs=1e-6)
    assert before == pytest.approx(formula(7, 16), abs=1e-6)
    assert after == pytest.approx(formula(7 + shift, 16), abs=1e-6)
    assert wanted == pytest.approx(formula(7 + shift, 16), abs=1e-6)
    error = said(at).split("positions up to ")[1].split()[0].rstrip(".")
    assert float(error.replace("−", "-")) < 1e-10
    assert ("beyond the table (0 to 49)" in said(at)) == (shift != 0)


def test_only_some_dimensions_of_a_wide_rotation_are_shown(open_positions):
    at = open_positions("rotation", model="translate")
    assert panels(at)[0].values.shape == (8, 8)
    assert "Dimensions 0 to 7 are shown." in said(at)
    assert panels(set_number(at, "pe_shown", 9999))[0].values.shape == (128, 128)
    assert panels(set_number(at, "pe_shown", 0))[0].values.shape == (2, 2)


def test_a_shift_too_far_is_refused(open_positions):
    at = set_number(open_positions("rotation"), "pe_k", 10**9)
    assert "k is 1,000,000,000: at most 1,000,000 to either side" in complaint(at)


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(open_positions, handed_over):
    at = open_positions("rotation", pe_d_model="16", pe_k="-5", pe_pos="7", pe_shown="6")
    shown = handed_over[-1]
    assert_takeable(at, shown)
    matrix, vectors = panels(at)
    entries = numbers_of(shown, "entry")
    assert np.array(entries, np.float32).tolist() == matrix.values.reshape(-1).tolist()
    columns = numbers_of(shown, "before", "turned", "by_formula")
    assert np.array(columns, np.float32).tolist() == vectors.values.T.reshape(-1).tolist()
    assert computed(shown) == entries + columns + numbers_of(shown, "largest_error", "degrees")


def test_the_line_says_by_which_angles_the_first_and_the_last_pair_turn(open_positions):
    at = open_positions("rotation", pe_d_model="16", pe_k="5", pe_pos="7", pe_base="100")
    degrees = [math.degrees(5 / 100 ** (pair / 8)) for pair in range(8)]
    text = said(at)
    assert f"The first pair of dimensions turns by **{degrees[0]:.3g}°**" in text
    assert f"the last by **{degrees[-1]:.3g}°**" in text
    [values] = charted(at).values()
    assert values == pytest.approx(degrees)
