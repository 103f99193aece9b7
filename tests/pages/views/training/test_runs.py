import json
import shutil
from html import unescape

import pytest

from core.runs.metrics import read_rows
from core.runs.own_text import give_text
from core.runs.run import load_run, read_settings
from pages.frame import cached
from pages.frame.language import percent
from pages.views.training.runs_table import shortened
from tests.pages.conftest import ROOT, said
from tests.pages.views.attention.conftest import run_lines
from tests.pages.views.training.runs_page import (
    GALLERY,
    change,
    is_of_all,
    linked,
    press,
    table,
    take_in,
    tick,
    ticked,
)


def test_every_run_has_a_row_with_what_its_files_say(open_runs, own_copy):
    change(own_copy / "run.json", lambda run: run["training"].update(guide="encoder.1.self:2"))
    rows = table(open_runs())
    names = {path.parent.name for path in GALLERY.glob("*/run.json")}
    assert set(rows.index) == {*names, "runs/mine"}
    for name, row in rows.iterrows():
        path = own_copy if name == "runs/mine" else GALLERY / name
        settings = read_settings(path)
        evaluation = json.loads((path / "evaluation.json").read_text())
        assert row["task"] == settings.task
        assert (row["state"], row["step"], row["of"]) == (
            "finished",
            settings.training.steps,
            settings.training.steps,
        )
        model = settings.model
        layers = f"{model.n_encoder_layers}+{model.n_decoder_layers}"
        assert row["model"] == f"{layers} · {model.n_heads} · {model.d_model}"
        assert row["exact match"] == pytest.approx(100 * evaluation["exact_match"])
        assert row["held-out loss"] == pytest.approx(evaluation["loss"])
        assert row["guided head"] == settings.training.guide
        assert row["measured on"].endswith(f" ({evaluation['n']:,})")
    assert rows.loc["everyday", "measured on"] == "grammar (2,000)"
    assert rows.loc["everyday", "BLEU on its pairs"] == pytest.approx(45.2, abs=0.05)
    assert rows.loc["translate", "parameters"] == sum(
        parameter.numel() for parameter in load_run(GALLERY / "translate").model.parameters()
    )


def test_all_columns_that_are_shown_fit_into_a_narrow_window(open_runs, another):
    with (another("a-name-as-long-as-the-column-is-wide") / "metrics.jsonl").open("a") as file:
        file.write('{"step": 850, "loss": 1.0, "held_out_loss": 1.0, "held_out_bleu": 50.0}\n')
    (cached.OWN / "a-name-as-long-as-the-column-is-wide" / "evaluation.json").unlink()
    at = open_runs()
    [found] = [each for each in at.dataframe if is_of_all(each)]
    columns = json.loads(found.proto.columns)
    shown = [name for name in found.value if not columns[name].get("hidden")]
    assert {"run", "state", "exact match", "BLEU", "measured on", "when"} <= set(shown)
    # Of 900 pixels, without the page's margins and the ticks.
    assert sum(columns[name]["width"] for name in shown) <= 860 - 33


def test_without_any_run_one_can_be_added(open_runs, own_runs, monkeypatch, archive):
    monkeypatch.setattr("pages.frame.cached.GALLERY", own_runs / "nothing")
    at = open_runs()
    assert "no run yet" in said(at)
    take_in(at, archive)
    assert list(table(at).index) == ["runs/gift"]


def test_what_changed_in_the_files_is_shown_at_once(open_runs, own_copy):
    at = open_runs()
    change(own_copy / "evaluation.json", lambda stored: stored.update(exact_match=0.125))
    at.run()
    assert table(at).loc["runs/mine", "exact match"] == 12.5


def test_a_damaged_run_is_listed_with_what_is_wrong_and_can_be_deleted(open_runs, own_copy):
    (own_copy / "run.json").write_text("{")
    at = open_runs(runs="runs/mine")
    assert table(at).loc["runs/mine", "state"] == "damaged"
    assert "run.json is damaged" in "\n".join(each.value for each in at.text)
    press(at, "Delete runs&#47;mine")
    assert not own_copy.exists()


def test_ticks_stand_in_the_url_and_outlive_reruns(open_runs, own_copy):
    at = open_runs()
    tick(at, "translate", "runs/mine")
    assert linked(at) == ["translate", "runs/mine"]
    at.run()
    assert ticked(at) == ["translate", "runs/mine"]
    tick(at)
    assert "runs" not in at.query_params


def test_a_link_ticks_its_runs_and_leaves_out_those_that_are_gone(open_runs, own_copy):
    at = open_runs(runs=["gone", "copy", "runs/mine"])
    assert ticked(at) == ["copy", "runs/mine"]
    assert "There is no run named gone" in unescape(said(at))


def test_ticks_stay_with_their_runs_when_others_come_before_them(open_runs, own_copy, another):
    at = open_runs()
    tick(at, "runs/mine")
    another("aaa")
    at.run()
    assert ticked(at) == ["runs/mine"]


def test_the_python_reads_what_is_known_of_the_run(open_runs, own_runs, taken):
    open_runs(runs="translate-guided")
    [shown] = taken
    numbers = shown.columns()
    assert run_lines(shown.recipe.python()) == [
        value for column in numbers.values() for value in column
    ]
    rows = list(zip(*numbers.values(), strict=True))
    evaluation = json.loads((ROOT / "gallery" / "translate-guided" / "evaluation.json").read_text())
    name = "translate-guided"
    assert ("result", name, "exact_match", None, evaluation["exact_match"]) in rows
    assert ("setting", name, "training.guide", None, "encoder.2.self:0") in rows
    last = read_rows(ROOT / "gallery" / name)[-1]
    assert ("measured", name, "loss", last["step"], last["loss"]) in rows
    assert len(shown.pictures) == 1


def test_the_line_says_how_large_it_is_and_what_it_has_right(open_runs, taken):
    open_runs(model=None, runs="copy")
    run = load_run(ROOT / "gallery" / "copy")
    n = sum(parameter.numel() for parameter in run.model.parameters())
    seen = taken[-1].seen
    assert seen.endswith(f"**{n:,}** parameters.")
    share = percent(run.evaluation["token_accuracy"])
    assert f"Of the single tokens {share} are right" in seen
    assert f"Of 2,000 held-out rows of letters **{100 * run.evaluation['exact_match']:g}" in seen
    assert f"(step {run.step})" in seen


def test_a_run_that_was_not_measured_says_so(open_runs, taken, own_copy):
    for name in ("evaluation.json", "metrics.jsonl"):
        (own_copy / name).unlink()
    open_runs(model=None, runs="runs/mine")
    assert "not measured on held-out sentences yet" in taken[-1].seen


def test_names_that_would_look_the_same_stay_whole():
    names = [f"a-long-name-with-{n}-in-the-middle-of-it-all" for n in range(2)]
    assert shortened(names) == names


def test_an_opened_model_has_its_family_in_the_place_of_a_task(
    open_runs, own_runs, opened_path, taken
):
    shutil.copytree(opened_path("bert"), own_runs / "bert")
    give_text(own_runs / "bert", b"a line\nanother line", "lines")
    at = open_runs()
    [table] = at.dataframe
    [row] = [each for _, each in table.value.iterrows() if each["run"] == "runs/bert"]
    assert row["task"] == "BERT"
