from tests.pages.conftest import said
from tests.pages.views.attention.conftest import run_lines
from tests.pages.views.decoding.conftest import assert_python_leaves_the_same_numbers

COUNTED = ("step", "cells", "times_computed_anew", "times_computed_kept")


def test_what_decoding_costs_is_measured_on_request(open_view):
    at, _shown = open_view("cost")
    at.toggle(key="measure_times").set_value(True).run()
    assert not at.exception
    assert "passes of the decoder" in said(at)
    assert at.query_params["measure_times"] == "true"


def test_python_computes_every_number_again(open_view):
    _at, shown = open_view("cost")
    assert tuple(shown.columns()) == COUNTED
    assert_python_leaves_the_same_numbers(shown, *COUNTED)


def test_python_measures_every_step_again(open_view):
    _at, shown = open_view("cost", measure_times="true", model="copy", sentence="a b c")
    numbers = shown.columns()
    n_steps = len(numbers["step"])
    found = run_lines(shown.snippet())
    assert len(found) == sum(map(len, numbers.values())) == 7 * n_steps
    assert min(found[4 * n_steps :]) > 0
    assert len(shown.pictures) == 2


def test_each_step_computes_one_row_more_and_without_kept_keys_all_before_it(open_view):
    _at, shown = open_view("cost")
    numbers = shown.columns()
    n_steps = len(numbers["step"])
    computed = sum(
        cells * times
        for cells, times in zip(numbers["cells"], numbers["times_computed_anew"], strict=True)
    )
    # Step n computes a triangle of n rows.
    assert computed == sum(n * (n + 1) // 2 for n in range(1, n_steps + 1))
    assert set(numbers["times_computed_kept"]) == {1}
