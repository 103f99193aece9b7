import json
import shutil
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
import streamlit as st

from core.decoding.sentence import translate
from core.evaluate.evaluation import held_out_pairs
from core.inspection import inspect_sentence
from core.model import build
from core.runs.checkpoint import save_weights, weights_file
from core.runs.folder import TRAINING
from core.runs.metrics import read_rows
from core.runs.run import load_run, read_settings
from core.tasks import TASKS
from core.training import process
from core.training.prepare import prepare_run
from core.training.presets import PRESETS
from pages.frame import cached
from pages.frame.language import percent
from tests.holding import held_elsewhere
from tests.pages.conftest import ROOT, component, said, send_from
from tests.pages.conftest import shown as maps


def tell(path, state, step=850, message="", pid=0):
    """Write what a training process says of itself."""
    status = {"state": state, "step": step, "message": message, "heartbeat": 0.0, "pid": pid}
    (path / "status.json").write_text(json.dumps(status))


def want(path, steps):
    """Let a run have so many steps to do, and the optimizer's state to go on with."""
    (path / "checkpoints" / "step-00000850.state.safetensors").touch()
    settings = json.loads((path / "run.json").read_text())
    settings["training"]["steps"] = steps
    (path / "run.json").write_text(json.dumps(settings))


def keep_live(path, step, seed):
    """Write weights for whoever watches."""
    (path / "live").mkdir(exist_ok=True)
    model = build(read_settings(path).model, seed)
    save_weights(model, path / "live" / weights_file(step))


@pytest.fixture
def held(own_copy):
    """A run that a process holds."""
    want(own_copy, 5000)
    with held_elsewhere(own_copy):
        yield own_copy


def words(at):
    return next(element.value for element in at.markdown if element.value.startswith("**"))


def plainly(text):
    return text.replace("&#46;", ".").replace("&#44;", ",").replace("&#37;", "%")


def labels(at):
    return [button.label for button in at.button if str(button.key).startswith("training_")]


def table(at):
    return at.get("html")[-1].proto.body


def chart_rows(at, index=0):
    data = at.get("vega_lite_chart")[index].proto.datasets[0].data.data
    return pa.ipc.open_stream(data).read_all().to_pylist()


STATES = [
    ("paused", "**paused** · step 850 of 5,000", ["Resume"]),
    ("stopped", "**stopped** · step 850 of 5,000 · exact match ", ["Resume"]),
    ("failed", "**failed** · step 850 of 5,000 · the loss is nan", ["Resume"]),
    ("interrupted", "**interrupted** · step 850 of 5,000 · the loss is nan", ["Resume"]),
    ("running", "**interrupted** · step 850 of 5,000 · the loss is nan", ["Resume"]),
    ("finished", "**finished** · step 850 of 5,000", ["Resume"]),
]


@pytest.mark.parametrize(("state", "expected", "offered"), STATES)
def test_each_state_has_its_words_and_its_button(open_view, own_copy, state, expected, offered):
    want(own_copy, 5000)
    tell(own_copy, state, message="the loss is nan" if expected.endswith("nan") else "")
    at = open_view("watch", own_copy)
    assert plainly(words(at)).startswith(expected)
    assert labels(at) == offered


def test_a_finished_training_has_figures_and_no_button(open_view, own_copy):
    tell(own_copy, "finished")
    at = open_view("watch", own_copy)
    found = json.loads((own_copy / "evaluation.json").read_text())
    share, n = percent(found["exact_match"]), found["n"]
    expected = f"**finished** · step 850 of 850 · exact match {share} of {n:,} held"
    assert plainly(words(at)).startswith(expected)
    assert labels(at) == []


def test_a_run_that_was_never_begun_shows_the_untrained_model_and_can_be_started(
    open_view, own_copy, monkeypatch
):
    for name in ("checkpoints", "snapshots", "evaluation.json", "metrics.jsonl", "words.txt"):
        target = own_copy / name
        shutil.rmtree(target) if target.is_dir() else target.unlink()
    started = []

    def start(path):
        started.append(path)

    monkeypatch.setattr(process, "start", start)
    at = open_view("watch", own_copy)
    assert words(at).startswith("**not begun**")
    assert labels(at) == ["Start"]
    assert "at step 0" in said(at)
    next(button for button in at.button if button.label == "Start").click().run()
    assert started == [own_copy]


def test_a_living_process_is_asked_to_pause_and_it_is_said_until_it_has(open_view, held):
    tell(held, "running")
    at = open_view("watch", held)
    assert words(at).startswith("**running**")
    assert labels(at) == ["Pause", "Stop"]
    assert TRAINING.is_watched(held)
    next(button for button in at.button if button.label == "Pause").click().run()
    assert TRAINING.asked(held) == "pause"
    assert words(at).startswith("**pausing after the next step…**")
    assert not any(button.disabled for button in at.button)


def test_pause_pressed_while_it_starts_is_kept_and_said(open_view, held):
    tell(held, "starting")
    at = open_view("watch", held)
    assert words(at).startswith("**starting…**")
    next(button for button in at.button if button.label == "Pause").click().run()
    assert words(at).startswith("**pausing after the next step…**")
    # As the process tells when it has begun.
    tell(held, "running")
    assert words(at.run()).startswith("**pausing after the next step…**")
    assert TRAINING.asked(held) == "pause"


def test_start_pause_and_resume_are_one_button_that_keeps_the_focus(open_view, held):
    tell(held, "running")
    at = open_view("watch", held)
    pause = next(button for button in at.button if button.label == "Pause")
    tell(held, "paused")
    at.run()
    [resume] = [button for button in at.button if button.label == "Resume"]
    assert resume.proto.id == pause.proto.id


def test_a_run_at_rest_is_looked_at_again_and_one_of_the_gallery_is_not(
    open_view, own_copy, monkeypatch
):
    timers, fragment = {}, st.fragment

    def noted(draw, *, run_every):
        timers[draw.__name__] = run_every
        return fragment(draw, run_every=run_every)

    monkeypatch.setattr(st, "fragment", noted)
    open_view("watch", own_copy)
    # The view itself is a part, too.
    assert timers.pop("draw") is None
    assert timers == {"_progress": 3.0, "_charts": None, "_samples": None, "_heads": None}
    open_view("watch", ROOT / "gallery" / "copy")
    assert set(timers.values()) == {None}


@pytest.mark.parametrize(
    ("told", "offered"),
    [
        (process.Situation("running", 850, 5000, "", can_go_on=False), ["Pause", "Stop"]),
        (process.Situation("stopped", 900, 5000, "", can_go_on=True), ["Resume"]),
    ],
)
def test_what_happened_elsewhere_meanwhile_is_noticed(
    open_view, own_copy, monkeypatch, told, offered
):
    want(own_copy, 5000)
    tell(own_copy, "paused")
    answers = [process.situation(own_copy)]
    monkeypatch.setattr(cached, "situation", lambda path: answers.pop() if answers else told)
    at = open_view("watch", own_copy)
    assert f"step {told.step:,} of 5,000" in plainly(words(at))
    assert labels(at) == offered


def test_a_process_that_measures_cannot_be_paused(open_view, held):
    tell(held, "evaluating")
    at = open_view("watch", held)
    assert words(at).startswith("**measuring")
    assert labels(at) == []


def test_the_pace_of_the_last_lines_tells_the_time_left(open_view, held):
    tell(held, "running", step=900)
    with (held / "metrics.jsonl").open("w") as file:
        for step, seconds in [(890, 100.0), (900, 101.0)]:
            row = {"step": step, "seconds": seconds, "loss": 0.5, "tokens_per_second": 13400.0}
            file.write(json.dumps(row) + "\n")
    said_now = plainly(words(open_view("watch", held)))
    assert said_now == (
        "**running** · step 900 of 5,000 · 13,400 tokens&#47;s · "
        "about 6\u00a0min 50\u00a0s left without measuring"
    )


def test_what_cannot_be_done_is_said_in_one_sentence(open_view, own_copy, monkeypatch):
    want(own_copy, 5000)
    tell(own_copy, "paused")

    def start(path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(process, "start", start)
    at = open_view("watch", own_copy)
    next(button for button in at.button if button.label == "Resume").click().run()
    assert not at.exception
    assert [error.value.replace("&#58;", ":") for error in at.error] == [
        "That could not be done: No space left on the disk"
    ]


def test_where_rewards_are_made_large_the_reward_is_said_and_no_loss(open_page, own_copy, taken):
    with (own_copy / "metrics.jsonl").open("w") as file:
        for step, reward in [(10, 0.25), (20, 0.75)]:
            row = {"step": step, "seconds": step / 10, "reward": reward, "held_out_loss": 0.125}
            file.write(json.dumps(row) + "\n")
    settings = json.loads((own_copy / "run.json").read_text())
    settings["training"] |= {"objective": "minimum_risk", "label_smoothing": 0.1}
    settings["start"] = "copy, step 850"
    (own_copy / "run.json").write_text(json.dumps(settings))
    at = open_page("training", training="watch", model="runs/mine")
    assert not at.exception
    text = taken[-1].seen
    assert "the mean reward of the sampled sentences went from 0.250 to **0.750**" in text
    assert "training loss" not in text
    # The curve of the loss has what was measured on held-out rows.
    assert {row["y"] for row in chart_rows(at)} == {0.125}


def test_a_loss_after_own_words_is_said_to_be_higher(open_page, own_copy, taken):
    settings = json.loads((own_copy / "run.json").read_text())
    settings["training"]["teacher_forcing"] = False
    (own_copy / "run.json").write_text(json.dumps(settings))
    open_page("training", training="watch", model="runs/mine")
    text = taken[-1].seen
    assert "The training loss stands higher, for the decoder was fed its own words" in text


def test_a_folder_that_is_deleted_while_it_is_watched_is_said_to_be_gone(open_view, held):
    tell(held, "running")
    at = open_view("watch", held)
    shutil.rmtree(held)
    at.run()
    assert not at.exception
    assert ["is gone" in error.value for error in at.error] == [True]


@pytest.mark.parametrize("name", ["metrics.jsonl", "run.json", "tokenizer.json"])
def test_a_damaged_file_is_named_in_a_sentence(open_view, own_copy, name):
    (own_copy / name).write_text("{\n")
    at = open_view("watch", own_copy)
    assert at.error
    assert all(name in plainly(error.value) for error in at.error)


def test_the_samples_are_what_the_newest_weights_say(open_view, held):
    tell(held, "running")
    keep_live(held, 900, seed=3)
    at = open_view("watch", held)
    run = load_run(held, 900)
    pairs = held_out_pairs(run, 5, seed=1)
    assert "at step 900: 0 of 5 right" in said(at)
    for pair in pairs:
        source = run.tokenizer.decode(pair.source)
        assert f">{source}<" in table(at)
        assert translate(run, source).text[:10] in table(at)
    assert "✓" not in table(at)


def test_the_maps_are_those_of_the_newest_weights(open_view, held):
    tell(held, "running")
    keep_live(held, 900, seed=3)
    at = open_view("watch", held, sentence="a b c", layer="1", head="2")
    shown = maps(at)
    inspection = inspect_sentence(load_run(held, 900), "a b c")
    sites = [site for site in inspection.attention if site.attention == "decoder.cross"]
    assert (shown.kind, shown.selected) == ("decoder.cross", (1, 2))
    assert np.array_equal(shown.weights[1, 2], inspection.attention[sites[1]].weights_HQK[2])
    assert "At step 900." in said(at)


def test_weights_that_go_while_they_are_read_leave_the_last_ones_shown(open_view, held):
    tell(held, "running")
    keep_live(held, 900, seed=3)
    at = open_view("watch", held)
    (held / "live" / weights_file(950)).write_bytes(b"")
    at.run()
    assert not at.error
    assert "At step 900." in said(at)
    assert "at step 900:" in said(at)


def test_a_click_on_a_head_shows_it(open_view, own_copy):
    at = open_view("watch", own_copy)
    send_from(at, component(at, "attention_maps"), "pick", {"layer": 1, "head": 3})
    assert maps(at).selected == (1, 3)
    assert (at.selectbox(key="layer").value, at.selectbox(key="head").value) == (1, 3)


def test_another_run_brings_its_own_example_and_a_head_that_it_has(open_page, own_runs):
    at = open_page("training", training="watch", model="translate", kind="encoder self", layer="2")
    assert maps(at).selected[0] == 2
    at.selectbox(key="model").set_value("copy").run()
    assert not at.exception
    assert at.text_input(key="sentence").value == "k d a f q z"
    assert maps(at).weights.shape[:2] == (2, 4)


def test_what_is_taken_away_of_a_training_is_what_it_is_by_then(open_page, own_copy, taken):
    open_page("training", training="watch", model="runs/mine")
    shown = taken[-1]
    with (own_copy / "metrics.jsonl").open("a") as file:
        file.write(json.dumps({"step": 860, "loss": 0.25}) + "\n")
    assert shown.columns()["step"][-1] == 860
    assert "860" in str(shown.pictures[0].drawn_chart().to_dict())
    assert len(shown.pictures) == 4


def test_the_line_says_how_far_the_loss_fell_and_what_is_right(open_page, taken):
    open_page("training", training="watch", model="copy")
    rows = read_rows(ROOT / "gallery" / "copy")
    losses = [row for row in rows if "loss" in row]
    held_out = [row for row in rows if "held_out_exact_match" in row][-1]
    seen = taken[-1].seen
    assert f"In {losses[-1]['step']:,} steps the training loss went from " in seen
    assert f"**{100 * held_out['held_out_exact_match']:g}\xa0%** are right" in seen


def test_of_a_training_under_way_the_line_says_what_is_right_by_now(open_page, own_copy, taken):
    rows = [row for row in read_rows(own_copy) if "held_out_exact_match" in row]
    tell(own_copy, "paused", 400)
    open_page("training", training="watch", model="runs/mine")
    share = f"**{100 * rows[-1]['held_out_exact_match']:g}\xa0%** are right"
    assert share in taken[-1].seen


def test_heads_are_seen_before_there_is_any_checkpoint(open_view, own_copy):
    """Most of a first training has none: that is when a visitor watches heads form."""
    for kept in ("checkpoints", "snapshots"):
        shutil.rmtree(own_copy / kept, ignore_errors=True)
    (own_copy / "evaluation.json").unlink(missing_ok=True)
    keep_live(own_copy, 40, seed=3)
    with held_elsewhere(own_copy):
        tell(own_copy, "running", 40)
        at = open_view("watch", own_copy)
        assert not at.error
        assert [c.value for c in at.caption if "t step 40" in c.value], [
            c.value for c in at.caption
        ]
        assert maps(at).selected == (0, 0)


@pytest.mark.parametrize("view", ["watch", "look_back"])
def test_a_model_without_attention_has_no_heads_to_look_at(open_page, own_runs, view):
    shutil.copytree(ROOT / "gallery" / "bottleneck-fixed", own_runs / "mine")
    at = open_page("training", training=view, model="runs/mine")
    assert not at.exception, at.exception
    told = [each.value for each in (*at.caption, *at.info)]
    assert any("has no attention" in each for each in told)


def test_a_run_that_began_with_another_is_watched_before_its_first_checkpoint(open_page, own_runs):
    preset = replace(PRESETS["tiny"], model=read_settings(ROOT / "gallery" / "copy").model)
    start = ROOT / "gallery" / "copy"
    prepare_run(own_runs / "mine", TASKS["copy"], "tiny", preset, "python -m core …", start=start)
    at = open_page("training", training="watch", model="runs/mine")
    assert not at.error, [each.value for each in at.error]
    assert maps(at)
