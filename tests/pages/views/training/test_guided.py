"""Which head is guided where: asked for on the page that sets a training up."""

from html import unescape

import pytest

from core.runs.run import read_settings


@pytest.fixture
def set_up(open_page, own_runs, monkeypatch):
    """Return a function that opens the page; tokenizers learn from few samples, to be quick."""
    monkeypatch.setattr("core.training.prepare.TOKENIZER_SAMPLES", 500)
    return lambda **query_params: open_page("training", **query_params)


def command_of(at):
    [found] = [code.value for code in at.code if code.language == "bash"]
    return found


def start_button(at):
    return next(button for button in at.button if button.label == "Start")


def press_start(at):
    start_button(at).click().run()
    assert not at.exception, at.exception


def test_a_head_of_cross_attention_can_be_guided_by_the_alignment(set_up, started):
    at = set_up(task="translate", guided="true")
    assert at.selectbox(key="set_guide_to").value == "antecedent"
    at.selectbox(key="set_guide_to").set_value("alignment").run()
    heads = at.selectbox(key="guided_head")
    assert heads.options == [f"decoder.{layer}.cross:{n}" for layer in range(2) for n in range(4)]
    heads.set_value("decoder.0.cross:2").run()
    command = command_of(at)
    press_start(at)
    found = read_settings(started[0])
    assert (found.training.guide, found.training.guide_to) == ("decoder.0.cross:2", "alignment")
    assert found.command == command
    assert "--set guide_to=alignment" in command


def test_only_heads_that_the_model_has_can_be_guided(set_up, started):
    at = set_up(task="translate", guided="true", set_encoder_mixing="average")
    assert at.selectbox(key="guided_head").options[0] == "decoder.0.cross:0"
    press_start(at)
    assert read_settings(started[0]).training.guide == "decoder.1.cross:0"
    at = set_up(
        task="translate",
        guided="true",
        **{"set_encoder_mixing": "gru", "set_decoder_mixing": "gru", "set_cross": "none"},
    )
    assert "encoder.0.self:0 is no head of this model" in unescape(at.error[0].value)
    assert start_button(at).disabled
