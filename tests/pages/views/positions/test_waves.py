import math

import pytest

from tests.pages.conftest import said
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.positions.conftest import charted, set_number, table


def test_waves_are_the_formula_with_their_wavelengths(open_positions):
    found = charted(open_positions("waves", model="translate"))
    expected = table(50, 128)
    # λ = 2π 10000^(d / 128)
    names = {0: "6.28", 10: "12.9", 20: "26.5", 30: "54.4"}
    assert list(found) == [f"dimension {d}, λ {length}" for d, length in names.items()]
    for values, dimension in zip(found.values(), names, strict=True):
        assert values == pytest.approx(expected[:, dimension].tolist(), abs=1e-12)


def test_every_control_of_the_waves_changes_them(open_positions):
    at = open_positions("waves", model="copy")
    for key, value in {
        "pe_d_model": 16,
        "pe_length": 30,
        "pe_first": 3,
        "pe_every": 5,
        "pe_curves": 2,
    }.items():
        set_number(at, key, value)
    at.selectbox(key="pe_base").set_value(100).run()
    expected = table(30, 16, 100)
    assert list(charted(at).values()) == [
        pytest.approx(expected[:, d].tolist(), abs=1e-12) for d in (3, 8)
    ]


def test_a_link_brings_its_settings(open_positions):
    at = open_positions("waves", pe_d_model="8", pe_length="5", pe_base="10", pe_every="7")
    assert list(charted(at).values()) == [
        pytest.approx(table(5, 8, 10)[:, d].tolist(), abs=1e-12) for d in (0, 7)
    ]


def test_a_chart_stays_small_and_says_so(open_positions):
    at = open_positions("waves", pe_length="512", pe_curves="8", pe_every="2")
    assert sum(len(values) for values in charted(at).values()) <= 2000
    assert "The first 225 positions are drawn" in said(at)


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(open_positions, handed_over):
    at = open_positions("waves", pe_d_model="16", pe_length="30", pe_first="3", pe_base="100")
    shown = handed_over[-1]
    assert_takeable(at, shown)
    drawn = [value for values in charted(at).values() for value in values]
    assert numbers_of(shown, "value") == drawn
    assert computed(shown) == numbers_of(shown, "value", "wavelength")


def test_the_files_hold_the_positions_that_are_not_drawn(open_positions, handed_over):
    open_positions("waves", pe_length="512", pe_curves="8", pe_every="2")
    assert len(numbers_of(handed_over[-1], "value")) == 8 * 512


def test_the_line_compares_the_first_wave_with_the_last(open_positions):
    text = said(open_positions("waves", pe_d_model="32", pe_first="0", pe_every="8", pe_curves="3"))
    first, last = (2 * math.pi * 10_000 ** (d / 32) for d in (0, 16))
    assert f"Dimension 0 comes round every **{first:.3g}** positions" in text
    assert f"dimension 16 every **{last:.3g}**: {last / first:.3g} times as long" in text


def test_sine_and_cosine_of_one_pair_are_as_slow_as_each_other(open_positions):
    text = said(open_positions("waves", pe_first="0", pe_every="1", pe_curves="2"))
    assert "positions." in text
    assert "times as long" not in text
