"""Marks do nothing but be found."""

import pickle

from core.messages import N_, Message


def test_a_marked_text_stays_as_it_is():
    assert N_("cross") == "cross"


def test_a_message_is_its_english_text_and_keeps_what_it_is_made_of():
    why = Message("the column holds {sign}", sign="{U+0000}")
    said = Message("{name}, {n} lines: {why}", name="my.tsv", n=12_000, why=why)
    for each in (said, pickle.loads(pickle.dumps(said))):
        assert each == "my.tsv, 12,000 lines: the column holds {U+0000}"
        assert (each.template, each.values["n"]) == ("{name}, {n} lines: {why}", 12_000)
        assert each.values["why"].template == "the column holds {sign}"
