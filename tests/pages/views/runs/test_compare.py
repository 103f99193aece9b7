from core.runs.numbers import LONG
from tests.pages.views.attention.conftest import run_lines


def rows_of(shown):
    numbers = shown.numbers()
    assert tuple(numbers) == LONG
    return list(zip(*numbers.values(), strict=True))


def test_the_python_computes_curves_settings_and_heads_of_all_runs(open_page, own_runs, taken):
    open_page("runs", runs=["translate-guided", "copy"], sentence="The cat sat.", layer="1")
    [shown] = taken
    rows = rows_of(shown)
    numbers = shown.numbers()
    assert run_lines(shown.python) == [value for column in numbers.values() for value in column]
    assert {row[0] for row in rows} == {"result", "setting", "measured", "weight", "pronoun head"}
    assert {row[1] for row in rows if row[0] == "weight"} == {"translate-guided", "copy"}
    assert {row[2] for row in rows if row[0] == "weight"} == {shown.about["head"]}
    assert len(shown.pictures) == 2


def test_without_a_sentence_the_curves_can_be_taken_away(open_page, own_runs, taken):
    open_page("runs", runs=["translate", "copy"], sentence=" ")
    [shown] = taken
    numbers = shown.numbers()
    assert run_lines(shown.python) == [value for column in numbers.values() for value in column]
    assert "weight" not in numbers["what"]


def test_damaged_runs_alone_offer_nothing(open_page, own_copy, taken):
    (own_copy / "run.json").write_text("{")
    (own_copy.parent / "empty").mkdir()
    open_page("runs", runs=["runs/mine", "runs/empty"])
    assert not taken
