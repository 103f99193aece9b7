import json
import shutil

from core.runs.own_text import give_text
from core.runs.records import read_record
from pages.frame.view import page
from pages.views.runs.table import shortened
from tests.pages.conftest import ROOT
from tests.pages.views.attention.conftest import run_lines


def test_the_python_computes_what_the_table_says(open_page, own_runs, taken):
    open_page("runs")
    [shown] = taken
    numbers = shown.columns()
    assert run_lines(shown.snippet()) == [value for column in numbers.values() for value in column]
    assert set(numbers["run"]) == {
        path.parent.name for path in (ROOT / "gallery").glob("*/run.json")
    }
    row = numbers["run"].index("translate")
    record = read_record(ROOT / "gallery" / "translate")
    assert numbers["parameters"][row] == record.n_parameters
    assert numbers["exact_match"][row] == record.results.exact_match
    assert (numbers["state"][row], numbers["step"][row]) == ("finished", 5000)


def test_what_was_measured_stands_where_a_phone_shows_it(open_page, own_runs):
    [table] = open_page("runs").dataframe
    names = list(table.value.columns)
    assert names[:3] == ["run", "task", "exact match"]
    assert names.index("BLEU") < names.index("state")


def test_on_how_many_pairs_bleu_counts_is_said(open_page, own_runs):
    [table] = open_page("runs").dataframe
    columns = json.loads(table.proto.columns)
    assert columns["BLEU on its pairs"]["label"] == "BLEU on pairs"
    assert columns["BLEU on its pairs"]["help"].endswith("everyday (1,000)")


def test_the_table_goes_into_the_page_that_works_offline(open_page, own_runs, taken):
    open_page("runs")
    written = page(taken[-1], {"title": "t", "runs": "copy"})
    assert "translate-guided" in written
    assert "<table>" in written


def test_names_that_would_look_the_same_stay_whole():
    names = [f"a-long-name-with-{n}-in-the-middle-of-it-all" for n in range(2)]
    assert shortened(names) == names


def test_a_damaged_run_has_no_numbers(open_page, own_copy, taken):
    (own_copy / "run.json").write_text("{")
    open_page("runs")
    assert "runs/mine" not in taken[-1].columns()["run"]


def test_the_line_names_the_run_with_most_sentences_right(open_page, taken):
    open_page("runs", model=None)
    columns = taken[-1].columns()
    shares = dict(zip(columns["run"], columns["exact_match"], strict=True))
    shares = {name: share for name, share in shares.items() if share is not None}
    best = max(shares, key=shares.get)
    seen = taken[-1].seen.replace("&#45;", "-")
    assert f"There are {len(columns['run'])} runs." in seen
    assert f"measured on its own task: **{best}** has most" in seen
    assert f"**{100 * shares[best]:g}\xa0%**" in seen


def test_an_opened_model_has_its_family_in_the_place_of_a_task(
    open_page, own_runs, opened_path, taken
):
    shutil.copytree(opened_path("bert"), own_runs / "bert")
    give_text(own_runs / "bert", b"a line\nanother line", "lines")
    at = open_page("runs")
    [table] = at.dataframe
    [row] = [each for _, each in table.value.iterrows() if each["run"] == "runs/bert"]
    assert row["task"] == "BERT"
