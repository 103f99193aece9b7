import pytest

from pages.frame import view
from tests.core.studies.lessons.test_positions import formula
from tests.pages.conftest import said
from tests.pages.takeable import computed, numbers_of
from tests.pages.views.positions.conftest import complaint, set_number


def written(values):
    return [f"{value:.6f}".replace("-", "−") for value in values]


def test_the_check_value_agrees_with_its_printed_digits(open_positions):
    at = open_positions("check")
    assert "what textbooks print" in said(at)
    assert "**8** of 8 values agree" in said(at)
    printed = at.table[0].value
    assert printed["value"].tolist() == written(formula(2, 8))
    expected = "0.9093, −0.4161, 0.1987, 0.9801, 0.0200, 0.9998, 0.0020, 0.999998"
    assert printed["textbook"].tolist() == expected.split(", ")


def test_any_position_can_be_checked(open_positions):
    at = open_positions("check", pe_d_model="6", pe_pos="123456", pe_base="10")
    found = at.table[1].value
    assert found["value"].tolist() == written(formula(123456, 6, 10))
    assert found["formula"][3] == "cos(123456 / 10^(2/6))"
    assert "position is −1" in complaint(set_number(at, "pe_pos", -1))


@pytest.mark.parametrize(("first", "listed"), [(0, 0), (40, 40), (127, 120), (999, 120), (-3, 0)])
def test_eight_dimensions_are_listed_from_any_of_them_on(open_positions, first, listed):
    at = open_positions("check", pe_d_model="128", pe_first=str(first))
    assert at.table[1].value["dimension"].tolist() == [str(listed + i) for i in range(8)]


@pytest.mark.parametrize(("width", "offered"), [(7, 8), (1, 2), (1025, 1024), (1030, 1024)])
def test_every_model_opens_the_views_of_sinusoids(open_positions, only_learned, width, offered):
    only_learned(d_model=width)
    at = open_positions("check", model="mine")
    assert at.number_input(key="pe_d_model").value == offered
    assert not at.error


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(open_positions, handed_over):
    open_positions("check", pe_d_model="16", pe_pos="3", pe_base="10")
    shown = handed_over[-1]
    values = numbers_of(shown, "value")
    assert values == pytest.approx([*formula(2, 8), *formula(3, 16, 10)], abs=1e-12)
    assert numbers_of(shown, "printed")[0] == "0.9093"
    assert computed(shown) == numbers_of(shown, "angle", "value", "wavelength")
    assert "cos(3 / 10^(14/16))" in view.page(shown, {})
