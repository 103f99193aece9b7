"""Tokens of two sequences that belong together, and the difference of two heads on them."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.heads import Head, Kind, Site
from core.inspection import inspect_sentence, merged
from core.runs.run import load_run
from core.studies.heads.comparison import aligned, compare_heads
from core.tokenizer.tokenizer import Token
from tests.core.conftest import GALLERY

TIRED = "The animal didn't cross the street because it was too tired."
WIDE = TIRED.replace("tired", "wide")
LONGER = TIRED.replace("animal", "old animal").replace("too tired", "tired")
WORDS = st.lists(st.sampled_from(["a", "b", "c", "it", ""]), max_size=12)


@cache
def inspected(sentence, name="translate-guided"):
    return inspect_sentence(load_run(GALLERY / name), sentence)


@given(WORDS, WORDS)
def test_every_position_is_paired_or_differs_and_pairs_are_equal_unless_said(first, second):
    found = aligned(first, second)
    for side, paired, texts in ((0, found.first, first), (1, found.second, second)):
        assert len(set(paired)) == len(paired)
        assert {*paired, *found.differing(side)} == set(range(len(texts)))
    differing = set(found.differing(0))
    for one, other in zip(found.first, found.second, strict=True):
        if one not in differing:
            assert first[one] == second[other]
        assert (one in differing) == (other in found.differing(1))


@given(WORDS, WORDS)
def test_what_changes_turns_the_first_sequence_into_the_second(first, second):
    text = list(first)
    for ours, theirs in reversed(aligned(first, second).changes):
        text[ours.start : ours.stop] = second[theirs.start : theirs.stop]
    assert text == second


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("sentence", [WIDE, LONGER, "Why didn't the old horse cross the park?"])
def test_the_difference_is_second_minus_first_on_the_pairs(kind, sentence):
    first, second = inspected(TIRED), inspected(sentence, "translate")
    site, other = [site for site in first.attention if site.attention == kind][:2]
    compared = compare_heads(first, Head(site, 1), second, Head(other, 3))
    found = compared.difference
    queries, keys = map(compared.alignment, kind.sides)
    assert found.values_qk.dtype == np.float32
    assert found.values_qk.shape == (len(queries.first), len(keys.first))
    ours, theirs = first.attention[site], second.attention[other]
    for q, (one, its) in enumerate(zip(queries.first, queries.second, strict=True)):
        for k, (key, its_key) in enumerate(zip(keys.first, keys.second, strict=True)):
            expected = theirs.weights_HQK[3, its, its_key] - ours.weights_HQK[1, one, key]
            assert found.values_qk[q, k] == expected
            seen = ours.visible_QK[one, key] and theirs.visible_QK[its, its_key]
            assert found.visible_qk[q, k] == seen


def test_a_typed_word_is_not_the_special_token_of_that_name():
    head, both = Head(Site("encoder", 0, "self"), 0), [merged(inspected(x)) for x in ("EOS", "it")]
    compared = compare_heads(both[0], head, both[1], head)
    assert compared.source.changes == ((range(1), range(1)),)
    assert both[0].source_tokens[0] == Token("EOS", special=False, word=0)
