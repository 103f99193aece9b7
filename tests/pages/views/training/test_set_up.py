import json

from core.runs.run import PAIRS
from core.tasks.pairs import as_tsv, read_pairs
from pages.frame.view import page
from tests.pages.views.attention.conftest import run_lines

LINES = "\n".join(f"the {n} cats; les {n} chats" for n in range(30))


def flat_of(columns):
    return [value for column in columns.values() for value in column]


def test_the_python_computes_what_the_training_costs(open_page, own_runs, taken):
    at = open_page("training", task="reverse", set_n_heads="2", set_dropout="0.3", set_norm="post")
    shown = taken[-1]
    numbers = shown.columns()
    assert run_lines(shown.snippet()) == flat_of(numbers)
    rows = set(zip(*numbers.values(), strict=True))
    assert {("setting", "n_heads", 2), ("setting", "norm", "post")} <= rows
    assert ("setting", "dropout", 0.3) in rows
    [command] = [code.value for code in at.code if code.language == "bash"]
    assert f"# {command}\n" in shown.snippet()
    assert shown.about == {"task": "reverse", "command": command}


def test_the_python_begins_with_the_run_that_the_training_begins_with(open_page, own_runs, taken):
    open_page("training", task="copy", size="small", start_from="copy", set_objective="reinforce")
    shown = taken[-1]
    numbers = shown.columns()
    assert run_lines(shown.snippet()) == flat_of(numbers)
    rows = set(zip(*numbers.values(), strict=True))
    assert {("setting", "d_model", 64), ("setting", "objective", "reinforce")} <= rows


def test_the_python_reads_the_visitors_own_pairs(open_page, own_runs, taken, tmp_path):
    at = open_page("training", task="own pairs", pairs_from="text")
    at.text_area(key="pairs_text").set_value(LINES).run()
    samples = read_pairs(LINES.encode(), "pasted").samples
    (tmp_path / PAIRS).write_bytes(as_tsv(samples))
    shown = taken[-1]
    assert run_lines(shown.snippet(), tmp_path) == flat_of(shown.columns())


def test_what_cannot_be_trained_offers_nothing(open_page, own_runs, taken):
    open_page("training", set_n_heads="7")
    open_page("training", task="own pairs")
    assert not taken


def test_both_charts_go_into_the_page_that_works_offline(open_page, own_runs, taken):
    open_page("training")
    written = page(taken[-1], {"title": "t", **taken[-1].about})
    assert written.count("<svg") == 2
    assert "python -m core train" in written
    assert json.dumps(taken[-1].columns(), allow_nan=False)
