import json
import shutil

import pytest

from core.decoding.sentence import translate
from core.evaluate.evaluation import held_out_pairs
from core.inspection import inspect_sentence
from core.model import build
from core.runs.checkpoint import save_weights, weights_file
from core.runs.folder import TRAINING
from core.runs.metrics import read_rows
from core.runs.run import load_run, read_settings
from core.studies.forward_pass import forward_pass
from core.training import process
from pages.frame.language import number, percent
from tests.holding import held_elsewhere
from tests.pages.conftest import ROOT, said, send
from tests.viz.unpacked import unpack_whole


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
    [found] = at.dataframe
    return found.value


STATES = [
    ("paused", "**paused** · step 850 of 5,000", ["Resume"]),
    ("stopped", "**stopped** · step 850 of 5,000", ["Resume"]),
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
    assert plainly(words(at)) == "**finished** · step 850 of 850"
    assert f"**{share}** of {n:,} held-out rows of letters are correct." in said(at)
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
    assert "after step 0" in said(at)
    assert not at.get("bidi_component")
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


def test_a_folder_that_is_deleted_while_it_is_watched_is_said_to_be_gone(open_view, held):
    tell(held, "running")
    at = open_view("watch", held)
    shutil.rmtree(held)
    at.run()
    assert not at.exception
    assert ["is gone" in error.value for error in at.error] == [True]


@pytest.mark.slow
def test_the_samples_are_what_the_newest_weights_say(open_view, held):
    tell(held, "running")
    keep_live(held, 900, seed=3)
    at = open_view("watch", held)
    run = load_run(held, 900)
    pairs = held_out_pairs(run, 5, seed=1)
    assert "after step 900: 0 of 5 correct" in said(at)
    for pair in pairs:
        source = run.tokenizer.decode(pair.source)
        row = table(at).set_index("source sentence").loc[source]
        assert row["the model says"] == translate(run, source).text
        assert row["correct"] == "✗"


def test_the_pass_beside_the_curves_is_that_of_the_newest_weights_on_the_true_words(
    open_view, held
):
    tell(held, "running")
    keep_live(held, 900, seed=3)
    at = open_view("watch", held, sentence="a b c")
    run = load_run(held, 900)
    expected = forward_pass(run, inspect_sentence(run, "a b c", "a b c"))
    whole = unpack_whole(at.get("bidi_component")[0].proto.bytes)
    assert whole.title == "The pass at step 900"
    assert [label.text for label in whole.fed] == ["BOS", "a", "b", "c"]
    [best, *_] = whole.best
    assert [p for _word, p in best] == pytest.approx(expected.best.probabilities_TN[0], abs=1e-4)


def test_a_head_that_is_clicked_in_the_pass_is_looked_back_on(open_page, own_copy):
    at = open_page("training", training="watch", model="runs/mine")
    send(at, "pick", {"site": "decoder.0.self", "head": 3, "to": "maps", "query": 0, "key": None})
    asked = {name: at.query_params[name] for name in ("training", "kind", "layer", "head")}
    assert [*asked.values()] == ["look_back", "decoder.self", "0", "3"]


def test_what_is_taken_away_of_a_training_is_what_it_is_by_then(open_page, own_copy, taken):
    open_page("training", training="watch", model="runs/mine")
    shown = taken[-1]
    with (own_copy / "metrics.jsonl").open("a") as file:
        file.write(json.dumps({"step": 860, "loss": 0.25}) + "\n")
    assert shown.columns()["step"][-1] == 860
    assert "860" in str(shown.pictures[0].drawn_chart().to_dict())
    assert len(shown.pictures) == 2


@pytest.mark.parametrize(("name", "by_heart"), [("copy", False), ("translate-guided", True)])
def test_the_line_says_how_far_the_losses_fell_and_whether_it_learned_by_heart(
    open_page, taken, name, by_heart
):
    open_page("training", training="watch", model=name)
    rows = read_rows(ROOT / "gallery" / name)
    losses = [row["loss"] for row in rows if "loss" in row]
    held_out = [row["held_out_loss"] for row in rows if "held_out_loss" in row][-1]
    after, seen = sum(losses[-10:]) / 10, taken[-1].seen
    assert f"steps the training loss went from {number(losses[0])} to **{number(after)}**." in seen
    assert f"The held-out loss is **{number(held_out)}**" in seen
    assert ("partly by heart" in seen) is by_heart


def test_heads_are_seen_before_there_is_any_checkpoint(open_view, own_copy):
    """Most of a first training has none: that is when a visitor watches heads form."""
    for kept in ("checkpoints", "snapshots"):
        shutil.rmtree(own_copy / kept, ignore_errors=True)
    (own_copy / "evaluation.json").unlink(missing_ok=True)
    keep_live(own_copy, 40, seed=3)
    with held_elsewhere(own_copy):
        tell(own_copy, "running", 40)
        at = open_view("look_back", own_copy, step="40")
        assert not at.error
        assert at.get("bidi_component")
