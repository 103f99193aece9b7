from tests.pages.views.attention.conftest import run_lines


def test_the_python_computes_the_numbers_of_what_was_chosen(open_page, own_runs, taken):
    open_page("training", task="copy", size="small", start_from="copy", set_objective="reinforce")
    shown = taken[-1]
    numbers = shown.columns()
    flat = [value for column in numbers.values() for value in column]
    assert run_lines(shown.recipe.python()) == flat
    rows = set(zip(*numbers.values(), strict=True))
    assert {("setting", "d_model", 64), ("setting", "objective", "reinforce")} <= rows


def test_what_cannot_be_trained_offers_nothing(open_page, own_runs, taken):
    open_page("training", set_n_heads="7")
    open_page("training", task="own pairs")
    assert not taken
