from core.heads import Head
from core.inspection import inspect_sentence
from core.runs.run import load_run
from tests.pages.conftest import ROOT

SENTENCE = "The cat sat."


def test_a_run_without_the_head_has_no_weights_in_the_files_either(open_page, own_runs, taken):
    open_page("runs", runs=["translate", "copy"], sentence=SENTENCE, kind="encoder.self", layer="2")
    numbers = taken[-1].numbers()
    rows = zip(numbers["what"], numbers["run"], numbers["value"], strict=True)
    found = [(run, value) for what, run, value in rows if what == "weight"]
    head = Head.parse(taken[-1].about["head"])
    inspection = inspect_sentence(load_run(ROOT / "gallery" / "translate"), SENTENCE)
    wanted = inspection.weights_of(head).reshape(-1).tolist()
    assert found == [("translate", value) for value in wanted]


def test_the_best_pronoun_heads_are_in_the_files(open_page, own_runs, taken):
    open_page("runs", runs=["translate-guided", "copy"], sentence=SENTENCE)
    numbers = taken[-1].numbers()
    rows = list(zip(*numbers.values(), strict=True))
    found = [row[1:4] for row in rows if row[0] == "pronoun head"]
    assert ("translate-guided", "score", "encoder.2.self:0") in found
    assert {row[0] for row in found} == {"translate-guided"}
