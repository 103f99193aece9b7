"""What can be varied beside what the paper names, on the page that sets a training up."""

import argparse
import dataclasses
import shlex
from html import unescape

import pytest

from core.commands import train
from core.config import ConfigError, ModelConfig
from core.config.training import TrainConfig
from core.runs.run import read_settings
from core.tasks import TASKS
from core.training import process
from core.training.prepare import check_training
from core.training.presets import PRESETS, parse_setting, with_settings
from pages.views.training import guided
from pages.views.training.knobs import ARCHITECTURE, GROUPS, KNOBS, NEEDS, missing
from pages.views.training.settings import key_of, values_of
from tests.pages.conftest import said, unfold

NOT_TRAINED = {
    "target_vocab_size": 400,
    "n_segments": 2,
    "has_output": False,
    "pad_id": 5,
    "bos_id": 5,
    "eos_ids": (5,),
}
"""Settings of models that can be opened but not trained → another value."""
NOT_ASKED = {
    "rotary_scaling": "four numbers that stretch published models to longer texts",
    "adam_betas": "two numbers, which no option of the command line says either",
    "target_ratio": "how long targets are, the pairs that are learned say",
    "made_share": "the page learns no task beside own pairs, of which it is a share",
}
"""Setting → why nobody is asked for it."""
REWARDS = {"objective": "minimum_risk", "start_from": "copy"}
OTHER = {
    "scores": ("additive", {}),
    "score_scale": ("none", {}),
    "shared": ("qk", {}),
    "projections": (False, {}),
    "output_projection": (False, {}),
    "d_k": (8, {}),
    "d_v": (8, {}),
    "n_kv_heads": (2, {}),
    "attention_bias": (False, {}),
    "norm_kind": ("rms", {}),
    "norm_eps": (1e-3, {}),
    "residual": (False, {}),
    "feed_forward": (False, {}),
    "activation": ("gelu", {}),
    "gated": (True, {}),
    "ff_bias": (False, {}),
    "max_positions": (64, {}),
    "sinusoid_base": (500.0, {}),
    "rotary_base": (500.0, {"positions": "rotary"}),
    "rotary_pairs": ("neighbours", {"positions": "rotary"}),
    "n_buckets": (16, {"positions": "buckets"}),
    "max_distance": (20, {"positions": "buckets"}),
    "embedding_scale": (False, {}),
    "embedding_norm": (True, {}),
    "encoder_mixing": ("gru_two_way", {}),
    "decoder_mixing": ("convolution", {}),
    "cross": ("none", {"encoder_mixing": "gru", "decoder_mixing": "gru"}),
    "memory": ("same", {}),
    "decoder": ("parallel", {}),
    "length": ("predicted", {"decoder": "parallel"}),
    "pointer": (True, {}),
    "tied": ("target", {}),
    "logit_scale": (True, {}),
    "logit_bias": (True, {}),
    "head_transform": (True, {}),
    "teacher_forcing": (False, {}),
    "objective": ("minimum_risk", {"start_from": "copy"}),
    "reward": ("exact", REWARDS),
    "samples": (3, REWARDS),
    "alpha": (0.5, REWARDS),
    "cooldown": (100, {}),
    "adam_eps": (1e-8, {}),
    "evaluate_every": (20, {}),
    "checkpoint_every": (20, {}),
    "keep_checkpoints": (2, {}),
}
"""Setting → another value, and what it needs beside it."""
OF_THE_PAPER = {
    "norm": ("post", {}),
    "d_ff": (32, {}),
    "scheduled_sampling": (0.25, {}),
}
"""The same for settings that stand above, of those that need something."""


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


def test_every_setting_that_varies_can_be_asked_for_or_says_why_not():
    asked = {*KNOBS, "guide", *(key.removeprefix("set_") for key in guided.SETTINGS)}
    fields = {
        each.name for config in (ModelConfig, TrainConfig) for each in dataclasses.fields(config)
    }
    assert fields - asked == {*NOT_TRAINED, *NOT_ASKED}
    assert asked <= fields


@pytest.mark.parametrize("name", NOT_TRAINED)
def test_what_is_not_asked_for_could_not_be_trained(name):
    tiny = PRESETS["tiny"]
    model = (
        dataclasses.replace(tiny.model, tied="none", **{name: NOT_TRAINED[name]})
        if (name != "has_output")
        else dataclasses.replace(tiny.model, n_decoder_layers=0, has_output=False)
    )
    with pytest.raises(ConfigError, match="can be opened, but not trained"):
        check_training(TASKS["copy"], dataclasses.replace(tiny, model=model), starts=False)


def test_every_setting_has_a_test_of_its_own():
    names = {knob.name for knobs in ARCHITECTURE.values() for knob in knobs}
    assert names - {"shared_names", "batch_tokens"} == set(OTHER)
    assert not names & {knob.name for knobs in GROUPS.values() for knob in knobs}


@pytest.mark.parametrize(
    "name", ["tied", "pointer", "rotary_base", "n_buckets", "cross", "samples"]
)
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


def test_names_are_read_as_one_vector_only_where_a_task_has_some(set_up, own_runs):
    assert "set_shared_names" not in [each.key for each in set_up(task="copy").toggle]
    at = set_up(task="names", set_pointer="true")
    at.toggle(key="set_shared_names").set_value(True).run()
    assert started(at, own_runs).model.shared_names == TASKS["names"].vocabulary.n_names


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


def test_a_number_that_follows_from_others_says_what_it_is(set_up):
    at = set_up()
    assert at.number_input(key="set_d_k").placeholder == "auto: 16"
    assert at.number_input(key="set_n_kv_heads").placeholder == "auto: 4"
    at.number_input(key="set_n_heads").set_value(8).run()
    assert at.number_input(key="set_d_k").placeholder == "auto: 8"
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


def test_what_has_no_effect_is_grey_and_says_what_it_needs(set_up):
    at = set_up()
    base = at.number_input(key="set_rotary_base")
    assert base.disabled
    assert "it needs Positions = rotary" in base.help
    assert "On the command line: `--set rotary_base=…`" in base.help
    assert not at.number_input(key="set_sinusoid_base").disabled
    at.selectbox(key="set_positions").set_value("rotary").run()
    assert not at.number_input(key="set_rotary_base").disabled
    assert "it needs" not in at.number_input(key="set_rotary_base").help
    assert at.number_input(key="set_sinusoid_base").disabled
    at.number_input(key="set_rotary_base").set_value(500.0).run()
    at.selectbox(key="set_positions").set_value("none").run()
    # It can be put back.
    assert not at.number_input(key="set_rotary_base").disabled


@pytest.mark.parametrize("name", NEEDS)
def test_what_another_value_needs_is_what_makes_it_act(name):
    value, beside = (OTHER | OF_THE_PAPER)[name]
    settings = {n: v for n, v in beside.items() if n != "start_from"} | {name: value}
    assert not missing(name, values_of(with_settings(PRESETS["tiny"], settings)))


def test_fewer_steps_show_the_cooldown_that_they_have(set_up, own_runs):
    at = set_up(set_steps="425")
    assert at.number_input(key="set_cooldown").value == 300
    assert "cooldown" not in command_of(at)
    at.number_input(key="set_cooldown").set_value(50).run()
    assert started(at, own_runs).training.cooldown == 50


def test_every_setting_is_one_that_the_command_line_takes():
    for name, (value, beside) in OTHER.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        given = {n: v for n, v in beside.items() if n != "start_from"}
        assert with_settings(PRESETS["tiny"], given | dict([parse_setting(f"{name}={text}")]))
