"""What core says is said in the reader's language."""

import gettext
import re
import shutil
from pathlib import Path

import pytest

from core.config import ConfigError, ModelConfig
from core.messages import Message
from core.runs.run import RunError, load_run
from pages.frame import cached, language, messages
from pages.frame.messages import explained


@pytest.fixture
def loudly(monkeypatch):
    monkeypatch.setattr(messages, "_", str.upper)
    monkeypatch.setattr(messages, "number", lambda value: f"<{value}>")


def test_a_message_is_filled_in_after_it_is_translated(loudly):
    why = Message("the first column")
    said = Message("{A}: {N} OF {B}", A="my.tsv", N=12_000, B=why)
    assert explained(said) == "my.tsv: <12000> OF THE FIRST COLUMN"


def test_any_other_text_stays_as_it_is(loudly):
    assert explained("nothing {n}") == "nothing {n}"
    assert explained(ValueError("no {n}", 3)) == "no {n}"
    assert explained(ValueError()) == ""


@pytest.fixture
def in_chinese(monkeypatch):
    chinese = gettext.translation(language.DOMAIN, language.LOCALES, ["zh_CN"])
    monkeypatch.setattr(messages, "_", chinese.gettext)


def spoil(name, content):
    return lambda path: (path / name).write_bytes(content)


@pytest.mark.parametrize(
    "damage",
    [
        spoil("run.json", b"\xff"),
        spoil("run.json", b'{"format": 99}'),
        spoil("tokenizer.json", b'{"type": "words", "words": []}'),
        spoil("evaluation.json", b'{"step": "x"}'),
        lambda path: (path / "run.json").unlink(),
        lambda path: shutil.rmtree(path / "checkpoints"),
        lambda path: shutil.rmtree(path),
        lambda path: spoil(min((path / "checkpoints").iterdir()), b"{" * 100)(path),
    ],
)
def test_what_is_wrong_with_a_run_is_said_in_chinese(damage, tmp_path, in_chinese):
    path = Path(shutil.copytree(cached.GALLERY / "copy", tmp_path / "run"))
    damage(path)
    try:
        said = explained(load_run(path).damage)
    except RunError as error:
        said = explained(error)
    about_file = said.replace(str(path), "")
    assert re.search("[\u4e00-\u9fff]", about_file)
    english = re.findall(r"\b(?:the|is|not|no|of|has|was|without|missing)\b", about_file)
    assert not english, said


@pytest.mark.parametrize(
    "settings",
    [
        {"n_heads": 3},
        {"d_model": 0},
        {"dropout": 1.0},
        {"norm": "between"},
        {"positions": "rotary", "d_model": 12, "n_heads": 4},
        {"memory": "same", "n_encoder_layers": 3},
        {"length": "predicted"},
        {"pointer": True, "cross": "state"},
    ],
)
def test_settings_that_cannot_be_are_refused_in_chinese(settings, in_chinese):
    with pytest.raises(ConfigError) as refused:
        ModelConfig(**{"vocab_size": 20} | settings)
    said = explained(refused.value)
    assert re.search("[\u4e00-\u9fff]", said)
    assert not re.findall(r"\b(?:the|is|not|no|of|has|or|and)\b", said), said
