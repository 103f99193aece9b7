"""Marks do nothing but be found."""

from viz.messages import N_


def test_a_marked_text_stays_as_it_is():
    assert N_("all {n} rows") == "all {n} rows"
