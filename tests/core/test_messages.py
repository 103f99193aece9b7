"""Marks do nothing but be found; messages keep what they are made of."""

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.messages import Message, MessageError, error_text, message_from_json, message_to_json


def test_a_message_is_its_english_text_and_keeps_what_it_is_made_of():
    why = Message("the column holds {sign}", sign="{U+0000}")
    said = Message("{name}, {n} lines: {why}", name="my.tsv", n=12_000, why=why)
    for each in (said, pickle.loads(pickle.dumps(said))):
        assert each == "my.tsv, 12,000 lines: the column holds {U+0000}"
        assert (each.template, each.values["n"]) == ("{name}, {n} lines: {why}", 12_000)
        assert each.values["why"].template == "the column holds {sign}"


values = st.recursive(
    st.integers() | st.text(),
    lambda inner: st.builds(lambda why, n: Message("{n}: {why}", n=n, why=why), inner, inner),
    max_leaves=5,
)


def parts(value):
    if not isinstance(value, Message):
        return value
    return value.template, {name: parts(each) for name, each in value.values.items()}


@given(values)
def test_what_one_process_tells_another_reads_as_it_was(value):
    told = Message("{why}!", why=value)
    again = message_from_json(json.loads(json.dumps(message_to_json(told))))
    assert (again, parts(again)) == (told, parts(told))


@pytest.mark.parametrize(
    "parts",
    [
        {"template": "{n:>9999999999}", "values": {"n": 1}},
        {"template": "{n.real}", "values": {"n": 1}},
        {"template": "{", "values": {"n": 1}},
        {"template": "{n}", "values": {"n": [1]}},
        {"template": "{n}", "values": {"n": {"template": "{n:9}", "values": {"n": 1}}}},
    ],
)
def test_what_no_message_is_made_of_is_left(parts):
    assert message_from_json({"message": "as it was", "said": parts}) == "as it was"
    assert message_from_json({"said": parts}) == ""


def test_an_error_is_made_of_a_template_and_values_or_of_a_message():
    made, handed = MessageError("{n} tokens", n=1200), MessageError(Message("{n} tokens", n=1200))
    for error in (made, handed, pickle.loads(pickle.dumps(made))):
        assert (str(error), error_text(error).template) == ("1,200 tokens", "{n} tokens")
    assert str(MessageError("braces {stay}")) == "braces {stay}"
    assert error_text(KeyError("a")) == "'a'"
    assert error_text(OSError(28, "No space left on device")) == "No space left on the disk"
    assert error_text(OSError(122, "Disk quota exceeded", "a")) == "No space left on the disk: a"
    assert error_text(OSError(30, "Read-only file system", "a")) == "Read-only file system: a"
    assert error_text(FileExistsError("a exists already")) == "a exists already"
