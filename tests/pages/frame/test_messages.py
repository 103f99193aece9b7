"""What core says is said in the reader's language."""

import pytest

from core.messages import Message
from core.tasks.pairs import CorpusError, read_pairs
from pages.frame import messages
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


def test_an_error_says_its_message(monkeypatch):
    monkeypatch.setattr(messages, "_", {"{name}: there are no pairs in it": "{name}: leer"}.get)
    with pytest.raises(CorpusError) as refused:
        read_pairs(b"\n\n", "my.tsv")
    assert explained(refused.value) == "my.tsv: leer"
