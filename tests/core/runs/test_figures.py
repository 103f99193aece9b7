import re

import pytest

from core.runs.figures import check_figures, read_evaluation
from core.runs.run import RunError

NAMES = ("exact_match", "bleu", "loss", "n")


def test_figures_may_be_whatever_a_measurement_can_give():
    check_figures({"exact_match": 0, "bleu": 100.00000000000004, "loss": 40.0, "n": 1}, NAMES)
    check_figures({"of_exact_match": 1.0}, ["exact_match"], "of_")


@pytest.mark.parametrize(
    ("name", "value", "most"),
    [
        ("exact_match", 1.01, "1"),
        ("exact_match", float("nan"), "1"),
        ("bleu", 101, "100"),
        ("loss", -0.5, "9,007,199,254,740,992"),
        ("loss", float("inf"), "9,007,199,254,740,992"),
        ("n", 1e308, "9,007,199,254,740,992"),
    ],
)
def test_what_none_can_give_is_named_with_its_bounds(name, value, most):
    with pytest.raises(ValueError, match=re.escape(f"of_{name} is {value!r}, not 0 to {most}")):
        check_figures({f"of_{name}": value}, [name], "of_")


def test_an_evaluation_of_a_part_is_checked_as_that_of_the_whole(tmp_path):
    assert read_evaluation(tmp_path) is None
    (tmp_path / "evaluation.json").write_text('{"own_pairs": {"bleu": 1e308}}')
    with pytest.raises(RunError, match=r"evaluation\.json is damaged: bleu is .*, not 0 to 100"):
        read_evaluation(tmp_path)
