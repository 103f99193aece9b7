import numpy as np

from tests.pages.conftest import said
from tests.pages.views.conftest import assert_takeable, computed, numbers_of
from tests.pages.views.positions.conftest import panels, set_number


def test_shuffled_words_only_permute_outputs_without_positions(open_positions):
    at = open_positions("shuffle", model="translate")
    without, with_positions = panels(at)
    order = [label.text for label in without.columns.labels]
    rows = [label.text for label in without.rows.labels]
    assert order[-1] == rows[-1] == "EOS"
    assert sorted(order) == sorted(rows) and order != rows
    same = np.array([[row == column for column in order] for row in rows])
    assert (without.values > 1 - 1e-5).tolist() == same.tolist()
    assert (with_positions.values[same] < 0.99).any()
    assert "comes out as before the shuffle, within **0.00001** (rounding)" in said(at)


def test_shuffling_again_gives_another_order(open_positions):
    at = open_positions("shuffle", pe_seed="4")
    before = panels(at)[0].columns.labels
    set_number(at, "pe_seed", 5)
    assert panels(at)[0].columns.labels != before
    assert panels(set_number(at, "pe_seed", 4))[0].columns.labels == before
    assert not set_number(at, "pe_seed", -1).exception


def test_one_word_cannot_be_shuffled_and_says_so(open_positions):
    assert "nothing to shuffle" in said(open_positions("shuffle", sentence="animal"))


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(open_positions, handed_over):
    at = open_positions("shuffle", model="copy", sentence="a b c d", pe_seed="3")
    shown = handed_over[-1]
    assert_takeable(at, shown)
    cosines = numbers_of(shown, "without_positions", "with_positions")
    drawn = [value for panel in panels(at) for value in panel.values.reshape(-1).tolist()]
    assert np.array(cosines, np.float32).tolist() == drawn
    differences = ("largest_difference_without", "largest_difference_with")
    assert computed(shown) == cosines + numbers_of(shown, *differences)
