import pytest

from pages.frame.language import number
from tests.pages.views.positions.conftest import complaint, panels, set_number


@pytest.mark.parametrize("view", ["waves", "map", "dots", "rotation"])
@pytest.mark.parametrize(
    ("width", "reason"),
    [(7, "sinusoids come in pairs"), (0, "the smallest width is 2"), (-2, "smallest width is 2")],
)
def test_a_width_that_cannot_be_is_refused_and_nothing_is_lost(open_positions, view, width, reason):
    at = open_positions(view, pe_base="100")
    set_number(at, "pe_d_model", width)
    assert reason in complaint(at)
    assert at.number_input(key="pe_d_model").value == width
    set_number(at, "pe_d_model", 8)
    assert not at.error
    assert at.selectbox(key="pe_base").value == 100


@pytest.mark.parametrize("view", ["waves", "map", "dots", "rotation", "learned"])
@pytest.mark.parametrize("length", [0, 513, -1])
def test_a_length_that_cannot_be_is_refused(open_positions, learned_run, view, length):
    said = complaint(set_number(open_positions(view), "pe_length", length))
    assert f"length is {number(length)}" in said


def test_the_width_follows_the_model(open_positions):
    at = open_positions("map", model="translate")
    assert at.number_input(key="pe_d_model").value == 128
    at.selectbox(key="model").set_value("copy").run()
    assert at.number_input(key="pe_d_model").value == 64


def test_settings_are_kept_from_view_to_view(open_positions):
    at = open_positions("map")
    set_number(at, "pe_length", 33)
    at.segmented_control(key="positions").set_value("dots").run()
    assert at.number_input(key="pe_length").value == 33
    at.segmented_control(key="positions").set_value("norms").run()
    at.segmented_control(key="positions").set_value("map").run()
    assert panels(at)[0].values.shape[0] == 33
