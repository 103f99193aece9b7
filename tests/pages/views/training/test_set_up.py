"""The page that sets a training up: what is chosen reaches the run, and what cannot be is said."""

import argparse
import shlex
import time
from dataclasses import replace
from html import unescape

import pytest

from core.commands import train
from core.jobs import job as jobs
from core.model import count_parameters
from core.runs.folder import TRAINING
from core.runs.run import read_settings
from core.tasks import NEED_PAIRS, PREDICTS, TASKS, task_named
from core.training import process
from core.training.prepare import train_tokenizer
from core.training.presets import PRESETS, with_settings
from core.training.process import situation
from pages.frame import cached, session
from pages.frame.texts import view_text
from pages.views.training import set_up as set_up_view
from pages.views.training import settings
from tests.broken_disk import FULL, READ_ONLY, broken
from tests.pages.conftest import clear_caches, said, unfold

OTHER_VALUES = {
    "n_encoder_layers": 1,
    "n_decoder_layers": 3,
    "n_heads": 2,
    "d_model": 32,
    "d_ff": 48,
    "norm": "post",
    "positions": "learned",
    "vocab_size": 290,
    "steps": 30,
    "batch_size": 7,
    "learning_rate_factor": 0.7,
    "warmup": 11,
    "accumulate": 2,
    "clip_norm": 1.5,
    "precision": "float32",
    "seed": 3,
    "dropout": 0.2,
    "label_smoothing": 0.15,
    "scheduled_sampling": 0.25,
    "patience": 2,
}
KNOBS = [knob for group in settings.GROUPS.values() for knob in group] + [settings.VOCABULARY]
GOOD = [f"the {n} cats; les {n} chats" for n in range(30)]


@pytest.fixture(scope="module", autouse=True)
def _tokenizers_learn_from_few_samples():
    """To be quick; what was computed so is no other test's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.training.prepare.TOKENIZER_SAMPLES", 500)
        yield
    clear_caches()


@pytest.fixture
def set_up(open_page, own_runs):
    """Return a function that opens the page."""
    # Which run it opens on is its own choice.
    return lambda model=None, **query_params: open_page("training", model=model, **query_params)


def press_start(at):
    start_button(at).click().run()
    assert not at.exception, at.exception


def start_button(at):
    return next(button for button in at.button if button.label == "Start")


def turn(at, name, value):
    """Set a knob to a value, as a visitor does."""
    key = settings.key_of(name)
    if isinstance(value, str):
        at.selectbox(key=key).set_value(value).run()
    else:
        at.number_input(key=key).set_value(value).run()
    assert not at.exception, at.exception


def command_of(at):
    """Return the command that starts the training, as the page says it."""
    [found] = [code.value for code in at.code if code.language == "bash"]
    return found


def setting(path, name):
    found = read_settings(path)
    return getattr(found.model if hasattr(found.model, name) else found.training, name)


def made_again(command, path):
    """Prepare what a command of the page trains, and return its settings."""
    words = shlex.split(command)
    assert words[:4] == ["python", "-m", "core", "train"]
    parser = argparse.ArgumentParser()
    train.add_arguments(parser)
    train.prepare(parser.parse_args([str(path), *words[5:]]))
    return read_settings(path)


def pasted(set_up, lines, **query_params):
    at = set_up(task="own_pairs", pairs_from="text", **query_params)
    at.text_area(key="pairs_text").set_value("\n".join(lines)).run()
    assert not at.exception, at.exception
    return at


def test_every_task_and_every_size_is_offered():
    offered = {*TASKS, set_up_view.OWN_PAIRS} - NEED_PAIRS
    assert set(set_up_view.LABELS) == offered
    assert offered <= set(view_text("training", "set_up").sections)
    assert set(set_up_view.SIZES) == set(PRESETS)


def test_it_opens_on_the_smallest_training_whatever_view_a_link_asks_for(set_up):
    at = set_up(training="nonsense")
    assert at.segmented_control(key="training").value == "set_up"
    assert at.segmented_control(key="task").value == "copy"
    assert not start_button(at).disabled and not at.error


def test_the_time_of_the_steps_is_said_once_they_are_timed(set_up):
    at = set_up()
    assert "timing a few steps …" in said(at)
    tokenizer = train_tokenizer(TASKS["copy"], 320, 0)
    known = at.session_state[session.STORAGE]["times"]
    known["copy", 0, tokenizer.vocab_size, PRESETS["tiny"]] = 0.1
    at.run()
    assert "about 1\xa0min 20\xa0s on this computer" in said(at)


@pytest.mark.slow
def test_all_knobs_reach_the_run_and_the_command_makes_the_same_run(
    set_up, started, own_runs, tmp_path
):
    assert {knob.name for knob in KNOBS} == set(OTHER_VALUES)
    at = set_up(**{settings.key_of(name): str(value) for name, value in OTHER_VALUES.items()})
    turn(at, "dropout", 0.3)
    command = command_of(at)
    press_start(at)
    assert started == [own_runs / "copy-tiny"]
    # The copy task has fewer pieces than that.
    assert "vocab_size=290" in command
    for name, value in (OTHER_VALUES | {"dropout": 0.3}).items():
        assert name == "vocab_size" or setting(started[0], name) == value, name
    again, found = made_again(command, tmp_path / "again"), read_settings(started[0])
    assert (again.task, again.model, again.training) == (found.task, found.model, found.training)
    assert found.command == command


@pytest.mark.slow
@pytest.mark.parametrize("like", ["bert", "gpt2", "t5"])
def test_another_kind_of_model_reaches_the_run_and_its_command(set_up, started, like, tmp_path):
    at = set_up(like=like, set_n_heads="2")
    assert f"--like {like} --set n_heads=2" in command_of(at)
    preset = with_settings(PRESETS["tiny"], {"like": like, "n_heads": 2})
    learned = train_tokenizer(TASKS["copy"], 320, 0, preset.model).vocab_size
    assert f"**{count_parameters(preset.sized(learned)):,}**" in said(at)
    press_start(at)
    found = read_settings(started[0])
    assert started[0].name == f"copy-tiny-{like}"
    sized = replace(preset.sized(learned), target_ratio=found.model.target_ratio)
    assert (found.model, found.training) == (sized, preset.training)
    again = made_again(found.command, tmp_path / "again")
    assert (again.model, again.training) == (found.model, found.training)


@pytest.mark.parametrize(
    ("task", "like"), [("tag", ""), pytest.param("classify", "bert", marks=pytest.mark.slow)]
)
def test_a_task_of_labels_is_learned_by_an_encoder_alone(set_up, started, tmp_path, task, like):
    at = set_up(task=task, like=like)
    assert at.selectbox(key="like").options == ["encoder alone", "encoder alone (BERT)"]
    assert at.number_input(key="set_n_encoder_layers").value == 4
    command = command_of(at)
    press_start(at)
    found = read_settings(started[0])
    assert (found.task, found.model.predicts) == (task, PREDICTS[task])
    again = made_again(command, tmp_path / "again")
    assert (again.model, again.training) == (found.model, found.training)


@pytest.mark.parametrize(
    ("query_params", "words"),
    [
        ({"set_n_heads": "7"}, "7 heads cannot share a width of 64 evenly"),
        ({"set_dropout": "1.0"}, "Dropout cannot be 1: it goes from 0 to 0.95"),
    ],
)
def test_settings_that_cannot_be_are_said_and_cannot_be_started(
    set_up, own_runs, query_params, words
):
    at = set_up(**query_params)
    [error] = at.error
    assert words in unescape(error.value)
    assert start_button(at).disabled
    assert not list(own_runs.iterdir())
    # Right below the button that it concerns.
    [beside] = [column for column in at.columns if start_button(at) in list(column.button)]
    assert [each.value for each in beside.error] == [error.value]
    for key, value in query_params.items():
        assert str(at.number_input(key=key).value) == value


def test_after_the_start_the_new_run_is_watched(set_up, started):
    at = set_up()
    at.text_input(key="run_name").set_value("my first").run()
    press_start(at)
    assert started[0].name == "my first"
    assert at.segmented_control(key="training").value == "watch"
    assert at.selectbox(key="model").value == "runs/my first"
    at.segmented_control(key="training").set_value("set_up").run()
    assert at.text_input(key="run_name").value == ""


def test_a_name_that_cannot_be_is_said_and_not_started(set_up, own_runs):
    (own_runs / "taken").mkdir()
    at = set_up(set_dropout="0.3")
    for name in ("../out", "TAKEN"):
        at.text_input(key="run_name").set_value(name).run()
        assert len(at.error) == 1
        assert start_button(at).disabled
    assert [path.name for path in own_runs.iterdir()] == ["taken"]
    assert at.number_input(key="set_dropout").value == 0.3


def test_pasted_pairs_are_counted_and_kept_with_the_run(set_up, started):
    at = pasted(set_up, [*GOOD, GOOD[0]])
    assert "**30 pairs** of 30 different sources" in said(at)
    assert "1 repeated" in said(at)
    press_start(at)
    kept = task_named(read_settings(started[0]).task, started[0])
    assert [sample.source for sample in kept.samples] == [f"the {n} cats" for n in range(30)]
    assert started[0].name == "pairs-tiny"


def test_a_pasted_line_that_is_no_pair_is_named(set_up, started):
    at = pasted(set_up, [*GOOD[:3], "only one", *GOOD[3:], "a;b;c"])
    refused, shown = (each.value for each in at.dataframe)
    assert refused["line"].tolist() == [4, 32]
    assert refused["why"].tolist() == ["columns: 1, not 2", "columns: 3, not 2"]
    assert shown["source"].tolist() == ["the 0 cats", "the 1 cats", "the 2 cats"]
    assert "2 lines cannot be used" in [folded.label for folded in at.expander]
    press_start(at)
    assert len(task_named("pairs.tsv", started[0]).samples) == 30


def test_a_run_that_trains_is_what_the_page_opens_on(set_up, own_copy, monkeypatch):
    told = process.Situation("running", 5, 100, "", can_go_on=False)
    monkeypatch.setattr(cached, "situation", lambda path: told)
    at = set_up()
    assert at.segmented_control(key="training").value == "watch"
    assert at.selectbox(key="model").value == "runs/mine"
    # A link to a set-up is still one.
    assert set_up(task="reverse").segmented_control(key="training").value == "set_up"
    assert set_up(training="set_up").segmented_control(key="training").value == "set_up"


@pytest.mark.slow
def test_what_is_chosen_counts_also_while_it_is_folded(set_up, started):
    at = set_up(set_norm_kind="rms", set_residual="false")
    assert "set_norm_kind" not in [each.key for each in at.selectbox]
    assert "**norm_kind rms** (layer)" in said(at)
    assert "**residual off** (on)" in said(at)
    press_start(at)
    found = read_settings(started[0]).model
    assert (found.norm_kind, found.residual) == ("rms", False)


@pytest.mark.slow
def test_a_training_can_begin_with_a_run_of_its_task(set_up, started):
    at = unfold(set_up(size="small"), "architecture")
    offered = at.selectbox(key="start_from").options
    assert "copy" in offered
    assert "translate" not in offered
    at.selectbox(key="start_from").set_value("copy").run()
    # Its model is the run's.
    assert not {"set_d_model", "set_vocab_size"} & {each.key for each in at.number_input}
    assert "set_norm_kind" not in [each.key for each in at.selectbox]
    at.selectbox(key="set_objective").set_value("self_critical").run()
    assert "--start gallery/copy" in command_of(at)
    press_start(at)
    found = read_settings(started[0])
    assert found.start.startswith("copy")
    assert found.training.objective == "self_critical"
    assert (started[0] / "start").is_dir()


def test_what_can_be_trained_has_numbers_and_what_cannot_offers_nothing(set_up, taken):
    set_up(set_n_heads="7")
    set_up(task="own_pairs")
    assert not taken
    set_up(task="copy", size="small", start_from="copy", set_objective="reinforce")
    rows = set(zip(*taken[-1].columns().values(), strict=True))
    assert {("setting", "d_model", 64), ("setting", "objective", "reinforce")} <= rows


@pytest.mark.parametrize(
    ("code", "told"), [(FULL, "No space left on the disk"), (READ_ONLY, "Read-only file system")]
)
def test_settings_that_a_broken_disk_cannot_write_are_said_and_kept(
    set_up, own_runs, started, code, told
):
    at = set_up(set_dropout="0.3")
    with broken(own_runs, code, 1) as disk:
        press_start(at)
    assert disk.failed
    [shown] = at.error
    assert told in unescape(shown.value)
    assert str(own_runs) not in unescape(said(at))
    assert not started
    assert at.number_input(key="set_dropout").value == 0.3
    if code == FULL:
        assert list(own_runs.iterdir()) == []


@pytest.mark.slow
def test_a_started_run_trains_to_its_end(set_up, own_runs, monkeypatch):
    at = set_up(
        set_steps="20",
        set_batch_size="4",
        set_d_model="16",
        set_n_heads="2",
        set_n_encoder_layers="1",
        set_n_decoder_layers="1",
        set_d_ff="16",
    )
    press_start(at)
    path = own_runs / "copy-tiny"
    try:
        assert at.segmented_control(key="training").value == "watch"
        until = time.monotonic() + 120
        while situation(path).alive and time.monotonic() < until:
            time.sleep(0.2)
        assert situation(path).state == "finished"
        assert situation(path).step == 20
    finally:
        child = jobs._started.pop((path.resolve(), TRAINING))
        if child.poll() is None:
            child.kill()
        child.wait()
