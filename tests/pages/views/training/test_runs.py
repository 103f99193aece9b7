import json
from html import unescape
from urllib.parse import parse_qs

import pytest

from core.runs.run import load_run, read_settings
from tests.pages.conftest import said
from tests.pages.views.training.runs_page import (
    GALLERY,
    change,
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
    assert rows.index[0] == "runs/mine"
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
    assert rows.loc["everyday", "BLEU on its pairs"] == pytest.approx(45.2, abs=0.05)
    assert rows.loc["translate", "parameters"] == sum(
        parameter.numel() for parameter in load_run(GALLERY / "translate").model.parameters()
    )


def test_ones_own_models_stand_first_then_those_of_each_task_the_best_first(open_page, own_copy):
    change(own_copy / "evaluation.json", lambda stored: stored.update(exact_match=0.125))
    at = open_page("training", model=None, training="runs")
    said = [each.value for each in at.markdown]
    first = next(place for place, text in enumerate(said) if text.startswith(":small[**copies"))
    what = "  \n:small[:gray[4 heads · {} steps{}]]"
    # The other models of its task follow.
    assert said[first : first + 7] == [
        ":small[**copies rows of letters**: correct, of 2,000 held-out rows of letters]",
        *(f"**runs&#47;mine**{what.format(850, '')}", "12.50\xa0%"),
        *(f"**copy**{what.format(850, '')}", "99.95\xa0%"),
        f"**copy&#45;learned**{what.format('2&#44;000', ' · Positions&#58; learned')}",
        "99.85\xa0%",
    ]
    bars = [each.proto.body for each in at.get("html") if "width: " in each.proto.body]
    assert "width: 12.5%" in bars[0] and "width: 99.95%" in bars[1]
    # One sentence of 2,000 makes no model the best.
    assert any(each.startswith("**bottleneck&#45;attention** :green-badge[best]") for each in said)
    opened = [parse_qs(each.proto.query_string)["model"] for each in at.get("page_link")]
    assert opened[:3] == [["runs/mine"], ["copy"], ["copy-learned"]]
    at.button(key="details_0").click().run()
    assert linked(at) == ["runs/mine"]
    press(at, "All models")
    assert "runs" not in at.query_params


def test_the_two_models_that_differ_most_in_one_setting_are_compared_with_a_click(open_page, taken):
    at = open_page("training", model=None, training="runs")
    # A parallel decoder has one token more, which is not why.
    assert taken[-1].seen == (
        "Your own models stand first, then those of each task, the best first, marked “best” where "
        "its lead is more than chance. "
        "“either” and “parallel” differ in **Kind of decoder** alone: "
        "with “word by word &#40;causal&#41;” **95.95\xa0%** of 2,000 "
        "held-out rows of letters are correct, with “all words at once &#40;parallel&#41;” "
        "**5.55\xa0%**."
    )
    at.button(key="compare_pair").click().run()
    assert linked(at) == ["either", "parallel"]


def test_without_any_run_one_can_be_added(open_runs, own_runs, monkeypatch, archive):
    monkeypatch.setattr("pages.frame.cached.GALLERY", own_runs / "nothing")
    at = open_runs()
    assert "no run yet" in said(at)
    take_in(at, archive)
    assert list(table(at).index) == ["runs/gift"]


def test_a_damaged_run_is_listed_with_what_is_wrong_and_can_be_deleted(open_runs, own_copy):
    (own_copy / "run.json").write_text("{")
    at = open_runs(runs="runs/mine")
    assert table(at).loc["runs/mine", "state"] == "damaged"
    assert "run.json is damaged" in "\n".join(each.value for each in at.text)
    press(at, "Delete runs&#47;mine")
    assert not own_copy.exists()


@pytest.mark.slow
def test_ticks_stand_in_the_url_and_outlive_reruns(open_runs, own_copy):
    at = open_runs()
    tick(at, "translate", "runs/mine")
    assert linked(at) == ["runs/mine", "translate"]
    at.run()
    assert ticked(at) == ["translate", "runs/mine"]
    tick(at)
    assert "runs" not in at.query_params


def test_a_link_ticks_its_runs_and_leaves_out_those_that_are_gone(open_runs, own_copy):
    at = open_runs(runs=["gone", "copy", "runs/mine"])
    assert ticked(at) == ["runs/mine", "copy"]
    assert "There is no run named gone" in unescape(said(at))
