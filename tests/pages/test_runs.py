import json
import shutil
from html import unescape

import pytest

from core.runs.run import load_run, read_settings
from pages.frame import cached
from pages.frame.language import percent
from tests.pages.conftest import said
from tests.pages.views.runs.conftest import (
    GALLERY,
    below,
    change,
    is_of_all,
    linked,
    press,
    table,
    take_in,
    tick,
    ticked,
)


def test_every_run_has_a_row_with_what_its_files_say(open_page, own_copy):
    change(own_copy / "run.json", lambda run: run["training"].update(guide="encoder.1.self:2"))
    rows = table(open_page("runs"))
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


def test_all_columns_that_are_shown_fit_into_a_narrow_window(open_page, another):
    with (another("a-name-as-long-as-the-column-is-wide") / "metrics.jsonl").open("a") as file:
        file.write('{"step": 850, "loss": 1.0, "held_out_loss": 1.0, "held_out_bleu": 50.0}\n')
    (cached.OWN / "a-name-as-long-as-the-column-is-wide" / "evaluation.json").unlink()
    at = open_page("runs")
    [found] = [each for each in at.dataframe if is_of_all(each)]
    columns = json.loads(found.proto.columns)
    shown = [name for name in found.value if not columns[name].get("hidden")]
    assert {"run", "state", "exact match", "BLEU", "measured on", "when"} <= set(shown)
    # Of 900 pixels, without the page's margins and the ticks.
    assert sum(columns[name]["width"] for name in shown) <= 860 - 33


def test_long_names_keep_the_ends_by_which_they_differ(open_page, another):
    for n in range(3):
        another(f"a-name-that-is-longer-than-its-column-{n}")
    names = [name for name in table(open_page("runs")).index if name.startswith("runs/")]
    assert names == [f"runs/a-name-t…-its-column-{n}" for n in range(3)]


def test_ticking_by_keyboard_is_told(open_page):
    assert "Shift+Space" in said(open_page("runs"))


def test_an_empty_folder_of_runs_leaves_the_gallery(open_page, own_runs):
    at = open_page("runs")
    assert len(table(at)) == len([*GALLERY.glob("*/run.json")])
    assert "Tick one" in said(at)


def test_without_any_run_one_can_be_added(open_page, own_runs, monkeypatch, archive):
    monkeypatch.setattr("pages.frame.cached.GALLERY", own_runs / "nothing")
    at = open_page("runs")
    assert "no run yet" in said(at)
    take_in(at, archive)
    assert list(table(at).index) == ["runs/gift"]


def test_what_changed_in_the_files_is_shown_at_once(open_page, own_copy):
    at = open_page("runs")
    change(own_copy / "evaluation.json", lambda stored: stored.update(exact_match=0.125))
    at.run()
    assert table(at).loc["runs/mine", "exact match"] == 12.5


def test_a_damaged_run_is_listed_with_what_is_wrong_and_can_be_deleted(open_page, own_copy):
    (own_copy / "run.json").write_text("{")
    at = open_page("runs", runs="runs/mine")
    assert table(at).loc["runs/mine", "state"] == "damaged"
    assert "run.json is damaged" in "\n".join(each.value for each in at.text)
    press(at, "Delete runs&#47;mine")
    assert not own_copy.exists()


def test_ticks_stand_in_the_url_and_outlive_reruns(open_page, own_copy):
    at = open_page("runs")
    tick(at, "translate", "runs/mine")
    assert linked(at) == ["translate", "runs/mine"]
    at.run()
    assert ticked(at) == ["translate", "runs/mine"]
    tick(at)
    assert "runs" not in at.query_params


def test_a_link_ticks_its_runs_and_leaves_out_those_that_are_gone(open_page, own_copy):
    at = open_page("runs", runs=["gone", "copy", "runs/mine"])
    assert ticked(at) == ["copy", "runs/mine"]
    assert "There is no run named gone" in unescape(said(at))


def test_ticks_stay_with_their_runs_when_others_come_before_them(open_page, own_copy, another):
    at = open_page("runs")
    tick(at, "runs/mine")
    another("aaa")
    at.run()
    assert ticked(at) == ["runs/mine"]


def test_one_run_shows_its_settings_its_command_and_its_results(open_page):
    at = open_page("runs", runs="translate-guided")
    settings = read_settings(GALLERY / "translate-guided")
    assert settings.command in [each.value for each in at.code]
    shown = below(at, "setting")["translate-guided"]
    assert shown["training.guide"] == "encoder.2.self:0"
    assert shown["d_ff"] == str(settings.model.d_ff)
    assert "command" not in shown.index
    evaluation = json.loads((GALLERY / "translate-guided" / "evaluation.json").read_text())
    right = percent(evaluation["exact_match"])
    for text in (
        f"Of {evaluation['n']:,} held-out sentences of the grammar **{right}** are",
        f"(step {evaluation['step']:,})",
        f"Of the single tokens {percent(evaluation['token_accuracy'])} are right",
    ):
        assert text in said(at)


def test_a_run_without_weights_shows_its_settings_alone(open_page, own_copy):
    shutil.rmtree(own_copy / "checkpoints")
    for name in ("metrics.jsonl", "evaluation.json"):
        (own_copy / name).unlink()
    at = open_page("runs", runs="runs/mine")
    assert table(at).loc["runs/mine", "state"] == "not begun"
    assert "Nothing was measured yet" in said(at)
    assert [link.proto.page for link in at.get("page_link")] == ["training"]
