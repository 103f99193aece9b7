import json

from core.runs.records import read_rows
from core.runs.run import load_run
from pages.frame.language import percent
from tests.pages.conftest import ROOT
from tests.pages.views.attention.conftest import run_lines


def test_the_python_reads_what_is_known_of_the_run(open_page, own_runs, taken):
    open_page("runs", runs="translate-guided")
    [shown] = taken
    numbers = shown.columns()
    assert run_lines(shown.snippet()) == [value for column in numbers.values() for value in column]
    rows = list(zip(*numbers.values(), strict=True))
    evaluation = json.loads((ROOT / "gallery" / "translate-guided" / "evaluation.json").read_text())
    name = "translate-guided"
    assert ("result", name, "exact_match", None, evaluation["exact_match"]) in rows
    assert ("setting", name, "training.guide", None, "encoder.2.self:0") in rows
    last = read_rows(ROOT / "gallery" / name)[-1]
    assert ("measured", name, "loss", last["step"], last["loss"]) in rows
    assert len(shown.pictures) == 1


def test_a_damaged_run_says_why_and_offers_nothing(open_page, own_copy, taken):
    (own_copy / "run.json").write_text("{")
    at = open_page("runs", runs="runs/mine")
    assert "cannot be used" in at.error[0].value
    assert not taken


def test_a_run_without_measurements_has_its_numbers_as_tables(open_page, own_copy, taken):
    (own_copy / "metrics.jsonl").unlink()
    open_page("runs", runs="runs/mine")
    assert not taken[-1].pictures
    assert "measured" not in taken[-1].columns()["what"]


def test_the_line_says_how_large_it_is_and_what_it_has_right(open_page, taken):
    open_page("runs", model=None, runs="copy")
    run = load_run(ROOT / "gallery" / "copy")
    n = sum(parameter.numel() for parameter in run.model.parameters())
    seen = taken[-1].seen
    assert seen.endswith(f"**{n:,}** parameters.")
    share = percent(run.evaluation["token_accuracy"])
    assert f"Of the single tokens {share} are right" in seen
    assert f"Of 2,000 held-out rows of letters **{100 * run.evaluation['exact_match']:g}" in seen
    assert f"(step {run.step})" in seen


def test_a_run_that_was_not_measured_says_so(open_page, taken, own_copy):
    for name in ("evaluation.json", "metrics.jsonl"):
        (own_copy / name).unlink()
    open_page("runs", model=None, runs="runs/mine")
    assert "not measured on held-out sentences yet" in taken[-1].seen
