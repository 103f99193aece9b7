import io
import json
import os
import shutil
import zipfile
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np
import pytest

from core.heads import Kind, Site
from core.inspection import inspect_sentence
from core.runs.archive import archive_run
from core.runs.folder import RunFolder
from core.runs.run import load_run, read_settings
from core.runs.weights import newest_checkpoint
from pages.frame import cached
from pages.views.runs import manage
from tests.holding import held_elsewhere
from tests.pages.conftest import ROOT, name_of, said, tick_rows, ticked_rows
from viz.plane.matrices import unpack

GALLERY = ROOT / "gallery"
TIRED = "The animal didn't cross the street because it was too tired."


@pytest.fixture
def another(own_runs):
    """Return a function that makes a run of one's own from one of the gallery."""

    def make(name, of="copy"):
        return Path(shutil.copytree(GALLERY / of, own_runs / name))

    return make


@pytest.fixture
def archive(tmp_path):
    """A run that somebody gave away."""
    shutil.copytree(GALLERY / "copy", tmp_path / "given" / "gift")
    content = io.BytesIO()
    archive_run(tmp_path / "given" / "gift", content)
    return content.getvalue()


@pytest.fixture
def content_of():
    """Return a function that says what is in a folder: the files by their paths."""

    def content(folder):
        files = (path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}

    return content


def change(file, how):
    """Change what a JSON file holds."""
    content = json.loads(file.read_text())
    how(content)
    file.write_text(json.dumps(content))


def is_of_all(table):
    return name_of(table) == "runs_table"


def tick(at, *names):
    """Tick the rows of these runs."""
    [table] = [each for each in at.dataframe if is_of_all(each)]
    runs = list(table.value["run"])
    tick_rows(at, table, *(runs.index(name) for name in names))


def table(at):
    """Return the table of all runs: name → what stands in its row."""
    [found] = [each.value for each in at.dataframe if is_of_all(each)]
    return found.set_index("run")


def below(at, column):
    """Return the table below that has a column of this name."""
    return next(
        each.value
        for each in at.dataframe
        if not is_of_all(each) and column in (each.value.index.name, *each.value.columns)
    )


def ticked(at):
    return [table(at).index[row] for row in ticked_rows(at, "runs_table")]


def linked(at):
    """Return the runs that the URL names."""
    found = at.query_params["runs"]
    return [found] if isinstance(found, str) else found


def button(at, label):
    [found] = [each for each in at.button if each.label == label]
    return found


def press(at, label):
    button(at, label).click().run()
    assert not at.exception, at.exception


def panels(at):
    [component] = at.get("bidi_component")
    return unpack(component.proto.bytes).panels


def take_in(at, content, name="run.zip"):
    at.file_uploader[0].set_value((name, content, "application/zip")).run()
    assert not at.exception, at.exception


def test_every_run_has_a_row_with_what_its_files_say(open_page, own_copy):
    change(own_copy / "run.json", lambda run: run["training"].update(guide="encoder.1.self:2"))
    rows = table(open_page("runs"))
    names = {path.name for path in GALLERY.iterdir() if path.is_dir()}
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
        assert row["n"] == evaluation["n"]
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
    assert {"run", "state", "exact match", "BLEU", "n", "when"} <= set(shown)
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
    assert len(table(at)) == len([path for path in GALLERY.iterdir() if path.is_dir()])
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


def test_a_folder_that_is_no_run_is_left_alone(open_page, own_runs):
    (own_runs / "notes").mkdir()
    at = open_page("runs", runs="runs/notes")
    assert "left alone" in said(at)
    assert not [each for each in at.button if each.label in ("Delete", "Rename")]


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
    assert shown["model.d_ff"] == str(settings.model.d_ff)
    assert "command" not in shown.index
    evaluation = json.loads((GALLERY / "translate-guided" / "evaluation.json").read_text())
    [results] = below(at, "right tokens").to_dict("records")
    assert results["right tokens"] == pytest.approx(100 * evaluation["token_accuracy"])
    assert (results["n"], results["at step"]) == (evaluation["n"], evaluation["step"])


def test_one_run_leads_to_its_heads_and_its_training(open_page, own_copy):
    at = open_page("runs", runs="runs/mine")
    opened = {link.proto.page: parse_qs(link.proto.query_string) for link in at.get("page_link")}
    assert opened == {
        "": {"model": ["runs/mine"]},
        "training": {"training": ["look_back"], "model": ["runs/mine"]},
    }
    change(own_copy / "run.json", lambda run: run["training"].update(steps=900))
    (own_copy / "status.json").write_text('{"state": "paused", "step": 850}')
    _heads, training = at.run().get("page_link")
    assert parse_qs(training.proto.query_string)["training"] == ["watch"]


def test_a_run_without_weights_shows_its_settings_alone(open_page, own_copy):
    shutil.rmtree(own_copy / "checkpoints")
    for name in ("metrics.jsonl", "evaluation.json"):
        (own_copy / name).unlink()
    at = open_page("runs", runs="runs/mine")
    assert table(at).loc["runs/mine", "state"] == "not begun"
    assert "Nothing was measured yet" in said(at)
    assert [link.proto.page for link in at.get("page_link")] == ["training"]


def test_a_run_of_the_gallery_cannot_be_renamed_or_deleted(open_page):
    at = open_page("runs", runs="copy")
    assert "come with the app" in said(at)
    assert not [each for each in at.button if each.label in ("Delete", "Rename")]


def test_a_run_is_renamed_and_stays_chosen(open_page, own_copy, content_of):
    before = content_of(own_copy)
    at = open_page("runs", runs="runs/mine")
    press(at, "Rename")
    [field] = at.text_input
    assert field.value == "mine"
    field.set_value(" été 2 ")
    press(at, "Rename it")
    assert content_of(own_copy.with_name("été 2")) == before
    assert not own_copy.exists()
    assert linked(at) == ["runs/été 2"]
    assert ticked(at) == ["runs/été 2"]


@pytest.mark.parametrize(
    ("name", "why"), [("../out", "cannot stand in a name"), ("Other", "already"), (" ", "a name")]
)
def test_a_name_that_cannot_be_is_refused_in_a_sentence(open_page, own_copy, another, name, why):
    another("other")
    at = open_page("runs", runs="runs/mine")
    press(at, "Rename")
    at.text_input[0].set_value(name)
    press(at, "Rename it")
    assert why in unescape(said(at))
    assert own_copy.exists()


def test_a_run_is_deleted_only_after_it_was_named_again(open_page, own_copy):
    at = open_page("runs", runs="runs/mine")
    assert own_copy.exists()
    assert "gone for good" in said(at)
    press(at, "Delete runs&#47;mine")
    assert not own_copy.exists()
    assert "runs/mine was deleted" in unescape(said(at))
    assert "runs/mine" not in table(at).index
    assert "runs" not in at.query_params


def test_a_run_in_training_is_neither_renamed_nor_deleted(open_page, own_copy):
    RunFolder(own_copy).write_status("running", 100)
    with held_elsewhere(own_copy):
        at = open_page("runs", runs="runs/mine")
        assert table(at).loc["runs/mine", "state"] == "running"
        assert button(at, "Rename").disabled
        [deletion] = [each for each in at.get("popover") if each.proto.popover.label == "Delete"]
        assert deletion.proto.popover.disabled


@pytest.mark.parametrize(
    ("ask", "sure"), [("Rename", "Rename it"), ("Delete", "Delete runs&#47;mine")]
)
def test_a_training_that_begins_while_one_is_asked_keeps_the_run(open_page, own_copy, ask, sure):
    at = open_page("runs", runs="runs/mine")
    if ask == "Rename":
        press(at, ask)
        at.text_input[0].set_value("other")
    with held_elsewhere(own_copy):
        press(at, sure)
        assert "another process is training" in unescape(said(at))
        assert str(own_copy.parent) not in unescape(said(at))
    assert load_run(own_copy).step == 850


def test_what_is_downloaded_can_be_taken_in_again(open_page, own_copy, content_of):
    before = content_of(own_copy)
    at = open_page("runs", runs="runs/mine")
    take_in(at, manage.packed(own_copy))
    again = own_copy.with_name("mine-2")
    given_away = {name: content for name, content in content_of(again).items()}
    assert given_away == {name: before[name] for name in given_away}
    assert linked(at) == ["runs/mine-2"]
    assert "Added as runs/mine-2" in unescape(said(at))


def test_a_small_archive_lacks_only_what_training_needs(open_page, own_copy, own_runs):
    weights = newest_checkpoint(own_copy)
    weights.with_suffix(".state.safetensors").write_bytes(b"state")
    change(own_copy / "run.json", lambda run: run.update(task="copy"))
    at = open_page("runs", runs="runs/mine")
    whole = [each for each in at.get("download_button") if not str(each.key).startswith("take_")]
    assert [each.label for each in whole] == ["Download", "Small"]
    take_in(at, manage.packed_small(own_copy))
    files = [path.name for path in (own_runs / "mine-2").rglob("*") if path.is_file()]
    assert weights.name in files
    assert not [name for name in files if ".state." in name]


def test_a_run_too_large_to_be_taken_in_again_says_so(open_page, own_copy):
    at = open_page("runs", runs="runs/mine")
    assert "500 MB at most" in said(at)
    assert "can be added here" not in said(at)
    shutil.rmtree(own_copy / "snapshots")
    # A hole: nothing of it is on the disk.
    os.truncate(newest_checkpoint(own_copy), 600 << 20)
    assert "All of it is 600 MB" in said(at.run())


def test_an_uploaded_archive_is_taken_in_once(open_page, own_runs, archive):
    at = open_page("runs")
    take_in(at, archive)
    assert [path.name for path in own_runs.iterdir()] == ["gift"]
    at.run()
    tick(at, "copy")
    assert [path.name for path in own_runs.iterdir()] == ["gift"]
    take_in(at, archive)
    assert sorted(path.name for path in own_runs.iterdir()) == ["gift", "gift-2"]


@pytest.mark.parametrize("cut", [0, 10, 2000])
def test_a_damaged_archive_leaves_nothing(open_page, own_runs, archive, cut):
    at = open_page("runs")
    take_in(at, archive[:cut])
    assert list(own_runs.iterdir()) == []
    assert "Nothing was added" in said(at)
    assert str(own_runs) not in unescape(said(at))


def test_an_archive_of_something_else_is_refused_in_a_sentence(open_page, own_runs):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("holiday/beach.txt", "sun")
    at = open_page("runs")
    take_in(at, content.getvalue())
    assert list(own_runs.iterdir()) == []
    assert "Nothing was added: " in unescape(said(at))


def test_compared_runs_show_only_settings_that_differ(open_page):
    at = open_page("runs", runs=["translate-guided", "translate"])
    found = below(at, "setting")
    assert list(found.index) == ["training.guide"]
    assert found.loc["training.guide", "translate-guided"] == "encoder.2.self:0"
    at.button_group(key="settings").set_value("all").run()
    assert not at.exception
    found = below(at, "setting")
    assert found.loc["training.steps", "translate"] == "5000"
    assert list(found.index[found["differs"]]) == ["training.guide"]


def test_the_same_settings_are_said_to_be_the_same(open_page, own_copy):
    at = open_page("runs", runs=["copy", "runs/mine"])
    assert "All settings are the same" in said(at)


def test_compared_runs_have_a_line_each_in_every_chart(open_page):
    at = open_page("runs", runs=["translate-guided", "copy"])
    [chart] = at.get("vega_lite_chart")
    spec = json.loads(chart.proto.spec)
    quantities = ["training loss", "held-out loss", "exact match"]
    panels = spec["vconcat"][: len(quantities)]
    assert [panel["layer"][0]["encoding"]["y"]["title"] for panel in panels] == quantities
    for panel in panels:
        scale = panel["layer"][0]["encoding"]["color"]["scale"]
        assert scale["domain"] == ["translate-guided", "copy"]
    assert panels[0]["layer"][0]["encoding"]["y"]["scale"]["type"] == "log"


def test_runs_whose_seconds_are_not_known_are_named(open_page, own_copy):
    metrics = own_copy / "metrics.jsonl"
    rows = [json.loads(line) for line in metrics.read_text().splitlines()]
    lines = [json.dumps({key: row[key] for key in row if key != "seconds"}) for row in rows]
    metrics.write_text("".join(f"{line}\n" for line in lines))
    at = open_page("runs", runs=["translate-guided", "runs/mine"], over="seconds")
    told = unescape(said(at))
    assert "Seconds were not written down in the training of runs/mine." in told


@pytest.mark.parametrize("kind", list(Kind))
def test_heads_are_compared_with_each_runs_own_tokens(open_page, kind):
    at = open_page(
        "runs",
        runs=["translate-guided", "copy"],
        sentence="The cat sat.",
        kind=kind.label,
        layer="1",
        head="3",
    )
    stack, name = kind.split(".")
    shown = panels(at)
    assert [panel.title for panel in shown] == ["translate-guided", "copy"]
    for panel in shown:
        inspection = inspect_sentence(load_run(GALLERY / panel.title), "The cat sat.")
        wanted = inspection.attention[Site(stack, 1, name)]
        np.testing.assert_allclose(panel.values, wanted.weights_HQK[3], atol=1e-6)
        source = [token.text for token in inspection.source_tokens]
        fed = [token.text for token in inspection.fed_tokens]
        rows = source if stack == "encoder" else fed
        columns = fed if kind == "decoder.self" else source
        assert [label.text for label in panel.rows.labels] == rows
        assert [label.text for label in panel.columns.labels] == columns


def test_a_run_with_fewer_layers_is_named_instead_of_drawn(open_page):
    at = open_page("runs", runs=["translate", "copy"], kind="encoder self", layer="2")
    assert [panel.title for panel in panels(at)] == ["translate"]
    assert "Not in copy" in said(at)


def test_a_comparison_opens_on_a_head_that_as_many_as_possible_have(open_page, another):
    names = [f"runs/{another(name).name}" for name in ("a", "b")]
    at = open_page("runs", runs=["translate-guided", *names], kind="encoder self")
    assert [panel.title for panel in panels(at)] == ["translate-guided", *names]
    at = open_page("runs", runs=["translate-guided", "translate"], kind="encoder self")
    assert at.selectbox(key="layer").value == 2
    assert "Not in" not in said(at)


def test_the_best_pronoun_head_of_each_run_is_named_with_its_rule(open_page):
    at = open_page("runs", runs=["translate-guided", "translate", "copy"])
    found = below(at, "on the antecedent").set_index("run")
    assert list(found.index) == ["translate-guided", "translate"]
    assert found.loc["translate-guided", "head"] == "Encoder layer 2, self-attention head 0"
    evaluation = json.loads((GALLERY / "translate" / "evaluation.json").read_text())
    best = max(head["score"] for head in evaluation["heads"])
    assert found.loc["translate", "on the antecedent"] == pytest.approx(100 * best)
    assert found.loc["translate", "best rule"] == pytest.approx(
        100 * evaluation["heads"][0]["baseline"]
    )


def test_without_a_sentence_no_heads_are_drawn(open_page):
    at = open_page("runs", runs=["translate", "copy"])
    at.text_input[0].set_value("").run()
    assert not at.exception
    assert not at.get("bidi_component")


def test_damaged_runs_are_left_out_of_a_comparison(open_page, own_copy):
    (own_copy / "run.json").write_text("{")
    at = open_page("runs", runs=["translate", "copy", "runs/mine"])
    assert "left out" in said(at)
    assert len(panels(at)) == 2


def test_runs_whose_weights_are_damaged_are_compared_without_their_heads(open_page, own_copy):
    newest_checkpoint(own_copy).write_bytes(b"no weights")
    at = open_page("runs", runs=["copy", "runs/mine"])
    assert [panel.title for panel in panels(at)] == ["copy"]


def test_more_than_eight_runs_are_too_many(open_page, another):
    names = [f"runs/{another(str(n)).name}" for n in range(9)]
    at = open_page("runs", runs=names)
    assert "9 runs are ticked; 8 at most" in said(at)
    assert not at.get("vega_lite_chart")
    tick(at, *names[:8])
    assert at.get("vega_lite_chart")


def test_a_name_with_marks_is_shown_as_it_is(open_page, another):
    another("a_b *c* $d$ [e](f)")
    at = open_page("runs", runs="runs/a_b *c* $d$ [e](f)")
    assert "**runs/a_b *c* $d$ [e](f)**" in unescape(said(at))
    assert "$d$" not in said(at)
