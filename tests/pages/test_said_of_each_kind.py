"""What the lessons say is true of each kind of model: recurrent, rotary, parallel."""

import pytest

from tests.pages.conftest import said

KINDS = {"runs/turned": {"positions": "rotary"}, "runs/buckets": {"positions": "buckets"}}
"""Runs of one's own with random weights → how they differ from the gallery's copy run."""


@pytest.mark.parametrize(
    ("model", "true"),
    [
        ("copy", "chosen model has sinusoids"),
        ("bottleneck-fixed", "model has no positions"),
        ("runs/turned", "turns queries and keys"),
        ("runs/buckets", "numbers for distances"),
        ("copy-learned", "training made 8 most like **9**"),
    ],
)
def test_of_each_kind_of_positions_it_is_said_why_others_are_shown(
    open_page, own_random, model, true
):
    if model in KINDS:
        own_random(model.removeprefix("runs/"), **KINDS[model])
    at = open_page("lessons", lessons="learned", model=model, sentence="a b c d")
    assert true in said(at)
    assert ("is shown:" in said(at)) == (model != "copy-learned")
    assert ("sinusoids, which" in said(at)) == (model == "copy")


@pytest.mark.parametrize(
    ("model", "attention", "terms"),
    [
        ("copy", "decoder.self", ("PAD", "look-ahead")),
        ("copy", "decoder.cross", ("PAD",)),
        ("parallel", "decoder.self", ("PAD",)),
    ],
)
def test_the_formula_of_the_masks_has_those_that_the_attention_has(
    open_page, taken, model, attention, terms
):
    open_page("lessons", lessons="masks", model=model, sentence="a b c", attention=attention)
    formula = taken[-1].formula
    assert tuple(each for each in ("PAD", "look-ahead") if each in formula) == terms
