import pytest

from core.decoding.output import ROWS
from tests.pages.views.decoding.conftest import assert_python_leaves_the_same_numbers

NUMBERS = ("z", "scaled", "exponential", "probability")


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"decoding_step": "3", "output_temperature": "0.5"},
        {"method": "sampling", "seed": "2", "overrides": "0:9", "output_step": "1"},
    ],
)
def test_python_computes_every_number_again(open_view, asked):
    _at, shown = open_view("output", **asked)
    assert_python_leaves_the_same_numbers(shown, *NUMBERS)


def test_the_table_names_the_most_probable_tokens_and_what_is_left(open_view):
    at, shown = open_view("output")
    names = at.table[0].value["token"].tolist()
    assert len(names) == ROWS + 1
    assert names[-1].endswith(" others")
    assert sum(shown.columns()["probability"]) == pytest.approx(1)


def test_a_higher_temperature_evens_the_probabilities_out(open_view):
    at, cold = open_view("output", output_temperature="0.5")
    assert at.slider(key="output_temperature").value == 0.5
    _at, hot = open_view("output", output_temperature="5.0")
    assert hot.columns()["probability"][0] < cold.columns()["probability"][0]
    assert hot.columns()["token"] == cold.columns()["token"]


@pytest.mark.parametrize(
    "asked", [{"output_step": "999"}, {"output_step": "-1"}, {"output_temperature": "9"}]
)
def test_a_step_or_a_temperature_that_cannot_be_is_the_usual_one(open_view, asked):
    _at, shown = open_view("output", **asked)
    _at, usual = open_view("output")
    assert shown.columns() == usual.columns()


def test_what_is_chosen_is_part_of_the_link(open_view):
    at, _shown = open_view("output")
    at.number_input(key="decoding_step").set_value(2).run()
    at.slider(key="output_temperature").set_value(2.5).run()
    assert at.query_params["decoding_step"] == "2"
    assert at.query_params["output_temperature"] == "2.5"


def test_a_share_just_below_all_is_no_quotation(open_view):
    at, _shown = open_view("output", output_temperature="0.5")
    assert at.table[0].value["p"][0].startswith("&#62;")
