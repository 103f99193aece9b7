"""What can be varied beside what the paper names, on the page that sets a training up."""

import argparse
import shlex
from html import unescape

import pytest

from core.commands import train
from core.runs.run import read_settings
from core.training import process
from core.training.presets import (
    MODEL_SETTINGS,
    TRAINING_SETTINGS,
)
from pages.views.training.knobs import KNOBS, setting_label
from pages.views.training.settings import key_of
from tests.pages.conftest import said, unfold

OTHER = {
    "cross": ("none", {"encoder_mixing": "gru", "decoder_mixing": "gru"}),
    "pointer": (True, {}),
    "samples": (3, {"objective": "minimum_risk", "start_from": "copy"}),
}
"""Setting → another value, and what it needs beside it."""


@pytest.fixture
def set_up(open_page, own_runs, monkeypatch):
    """Return a function that opens the page with everything unfolded."""
    monkeypatch.setattr("core.training.prepare.TOKENIZER_SAMPLES", 500)
    monkeypatch.setattr(process, "start", lambda path: None)
    return lambda **query: unfold(open_page("training", **query), "architecture")


def start_button(at):
    return next(button for button in at.button if button.label == "Start")


def command_of(at):
    [found] = [code.value for code in at.code if code.language == "bash"]
    return found


def started(at, own_runs):
    """Start, and return what was made."""
    start_button(at).click().run()
    assert not at.exception, at.exception
    assert not at.error, [each.value for each in at.error]
    [path] = own_runs.iterdir()
    return read_settings(path)


def widget(at, name, value):
    key = key_of(name)
    if isinstance(value, bool):
        return at.toggle(key=key)
    return at.selectbox(key=key) if isinstance(value, str) else at.number_input(key=key)


def of_run(found, name):
    return getattr(found.model if hasattr(found.model, name) else found.training, name)


@pytest.mark.parametrize("name", OTHER)
def test_it_reaches_the_run_and_the_command_makes_the_same_run(set_up, own_runs, tmp_path, name):
    value, beside = OTHER[name]
    at = set_up(**{each if each == "start_from" else key_of(each): v for each, v in beside.items()})
    widget(at, name, value).set_value(value).run()
    assert not at.exception, at.exception
    found = started(at, own_runs)
    assert of_run(found, name) == value
    parser = argparse.ArgumentParser()
    train.add_arguments(parser)
    words = shlex.split(found.command)
    if "start_from" not in beside:
        assert f"{name}=" in found.command
    words[4] = str(tmp_path / "again")
    train.prepare(parser.parse_args(words[4:]))
    again = read_settings(tmp_path / "again")
    assert (again.task, again.model, again.training) == (found.task, found.model, found.training)


def test_what_is_chosen_counts_also_while_it_is_folded(open_page, own_runs, monkeypatch):
    monkeypatch.setattr(process, "start", lambda path: None)
    at = open_page("training", set_norm_kind="rms", set_residual="false")
    assert "set_norm_kind" not in [each.key for each in at.selectbox]
    assert "**norm_kind rms** (layer)" in said(at)
    assert "**residual off** (on)" in said(at)
    assert at.query_params["set_norm_kind"] == "rms"
    found = started(at, own_runs)
    assert (found.model.norm_kind, found.model.residual) == ("rms", False)


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"scores": "linear", "score_scale": "none"}, "only dot products are divided"),
        ({"encoder_mixing": "none", "feed_forward": "false"}, "its layers would be empty"),
        ({"objective": "reinforce"}, "a run to start from is needed"),
        (
            {"reward": "constant", "objective": "self_critical"},
            "objective=reinforce is the control",
        ),
        ({"shared": "kv", "d_k": "8"}, "keys are 8 wide and values 16"),
    ],
)
def test_what_does_not_go_together_is_said_beside_the_button(set_up, own_runs, chosen, words):
    at = set_up(**{key_of(name): value for name, value in chosen.items()})
    [error] = at.error
    assert words in unescape(error.value)
    assert start_button(at).disabled
    [beside] = [column for column in at.columns if start_button(at) in list(column.button)]
    assert [each.value for each in beside.error] == [error.value]


def test_a_training_can_begin_with_a_run_of_its_task(set_up, own_runs):
    at = set_up(size="small")
    offered = at.selectbox(key="start_from").options
    assert "copy" in offered
    assert "translate" not in offered
    at.selectbox(key="start_from").set_value("copy").run()
    # Its model is the run's.
    assert not {"set_d_model", "set_vocab_size"} & {each.key for each in at.number_input}
    assert "set_norm_kind" not in [each.key for each in at.selectbox]
    at.selectbox(key="set_objective").set_value("self_critical").run()
    assert "--start gallery/copy" in command_of(at)
    found = started(at, own_runs)
    assert found.start.startswith("copy")
    assert found.training.objective == "self_critical"
    [path] = own_runs.iterdir()
    assert (path / "start").is_dir()


def test_a_number_that_follows_from_others_is_empty_until_it_is_chosen(set_up):
    at = set_up()
    assert at.number_input(key="set_d_k").placeholder == "auto"
    assert at.number_input(key="set_d_k").value is None
    assert "set_d_k" not in at.query_params
    assert "d_k" not in command_of(at)
    at.number_input(key="set_d_k").set_value(4).run()
    assert at.query_params["set_d_k"] == "4"
    assert "d_k=4" in command_of(at)
    assert "**d_k 4** (auto)" in said(at)
    # Whoever empties the box has it follow from the others again.
    at.number_input(key="set_d_k").set_value(None).run()
    assert "set_d_k" not in at.query_params
    assert "d_k" not in command_of(at)


def test_a_setting_is_called_what_the_training_page_calls_it():
    assert setting_label("model.n_encoder_layers") == "Encoder layers"
    assert setting_label("training.guide") == "training.guide"


def test_no_two_settings_are_called_the_same_and_each_is_one():
    assert len({knob.label for knob in KNOBS.values()}) == len(KNOBS)
    assert set(KNOBS) <= {*MODEL_SETTINGS, *TRAINING_SETTINGS}
