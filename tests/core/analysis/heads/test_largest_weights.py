import math

import numpy as np
import pytest

from core.analysis.heads.largest_weights import (
    largest_weight,
    pairs_of_words,
    sharpest_head,
    telling_query,
    words_of,
)
from core.heads import Kind
from core.inspection import inspect_sentence
from core.tokenizer import Token

TOKENS = [Token("the", False, 0), Token(".", False, 1), Token("EOS", True, 2), Token("c", False, 3)]


def map_of(rows):
    return np.array(rows, np.float32)


def test_the_largest_weight_is_found_among_visible_keys():
    visible = np.array([[True, True, False, True]])
    found = largest_weight(map_of([[0.25, 0.5, 0.0, 0.25]]), visible, 0)
    assert (found.keys, found.weight, found.n_visible) == ((1,), 0.5, 3)
    assert found.even_weight == pytest.approx(1 / 3)
    bits = 0.5 * 2 + 0.5 * 1
    assert found.evenness == pytest.approx(bits / math.log2(3))


def test_keys_that_are_exactly_alike_are_all_named():
    found = largest_weight(map_of([[0.4, 0.2, 0.4]]), np.ones((1, 3), bool), 0)
    assert found.keys == (0, 2)


def test_a_hidden_key_is_never_the_largest():
    found = largest_weight(map_of([[0.0, 0.0]]), np.array([[True, False]]), 0)
    assert (found.keys, found.weight, found.n_visible) == ((0,), 0.0, 1)


def test_words_are_neither_special_nor_punctuation():
    assert words_of(TOKENS).tolist() == [True, False, False, True]
    assert np.argwhere(pairs_of_words(TOKENS, TOKENS, Kind.ENCODER_SELF)).tolist() == [
        [0, 3],
        [3, 0],
    ]
    assert pairs_of_words(TOKENS[:1], TOKENS[:1], Kind.CROSS).all()


def test_the_telling_query_is_that_of_two_words_where_one_leads_its_row():
    pairs = pairs_of_words(TOKENS, TOKENS, Kind.ENCODER_SELF)
    visible = np.ones((4, 4), bool)
    weights = map_of(
        [[0.0, 0.9, 0.0, 0.1], [0, 0, 1, 0], [1, 0, 0, 0], [0.4, 0.3, 0.2, 0.1]],
    )
    assert telling_query(weights, visible, pairs) == 3
    # No word leads the row of another one: the largest weight between two words.
    weights[3] = [0.2, 0.7, 0.0, 0.1]
    assert telling_query(weights, visible, pairs) == 3
    # There are no two words: any cell of a row with a choice.
    assert telling_query(weights, visible, np.zeros_like(pairs)) == 1


def test_a_query_without_a_choice_is_left_out():
    pairs = np.ones((2, 2), bool)
    weights = map_of([[1.0, 0.0], [0.5, 0.5]])
    assert telling_query(weights, np.tril(np.ones((2, 2), bool)), pairs) == 1
    assert telling_query(weights[:1, :1], np.ones((1, 1), bool), pairs[:1, :1]) == 0


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("sentence", ["ab cd ef", "a", "."])
def test_the_sharpest_head_has_the_largest_weights_in_the_rows_of_words(copy_run, kind, sentence):
    inspection = inspect_sentence(copy_run, sentence)
    tokens = inspection.tokens_of(kind.query_side)
    rows = [i for i, t in enumerate(tokens) if not t.special and t.text.isalnum()]
    means = {}
    for site, attention in inspection.attention.items():
        if site.attention is kind:
            for head, weights in enumerate(attention.weights_HQK.astype(np.float64)):
                largest = [max(row) for row in weights.tolist()]
                chosen = rows or range(len(largest))
                means[site, head] = sum(largest[row] for row in chosen) / len(chosen)
    found = sharpest_head(inspection, kind)
    assert means[found.site, found.index] == pytest.approx(max(means.values()), abs=1e-6)
