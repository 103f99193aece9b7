"""What core says is said in the reader's language."""

import gettext
import re
import shutil
from pathlib import Path

import pytest

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


def test_what_is_wrong_with_a_run_is_explained_in_chinese(tmp_path, in_chinese):
    path = Path(shutil.copytree(cached.GALLERY / "copy", tmp_path / "run"))
    min((path / "checkpoints").iterdir()).write_bytes(b"{" * 100)
    with pytest.raises(RunError) as refused:
        load_run(path)
    said = explained(refused.value).replace(str(path), "")
    assert re.search("[\u4e00-\u9fff]", said)
    assert not re.search(r"\b(?:the|is|not|no|of|has|or|and|was)\b", said)
