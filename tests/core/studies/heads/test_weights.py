import math
from types import SimpleNamespace

import numpy as np
import pytest

from core.heads import Head, Kind
from core.inspection import SiteAttention, even_weights, inspect_sentence
from core.studies.heads.largest_weights import (
    evenness,
    head_between_words,
    pairs_of_words,
    sharpest_head,
    telling_query,
)
from core.studies.heads.maps import Forming
from core.tokenizer.tokenizer import Token

CAUSAL = even_weights(np.tril(np.ones((3, 3), dtype=bool)))


def test_rows_are_averaged_each_as_a_share_of_its_own_largest_entropy():
    weights = np.array([[1, 0, 0], [0.5, 0.5, 0], [0.5, 0.5, 0]], np.float32)
    # Row 0 has no choice; row 1 is even over two keys; row 2 over two of three.
    assert evenness(weights, CAUSAL) == pytest.approx((1 + math.log(2) / math.log(3)) / 2)


@pytest.mark.parametrize("visible", [np.ones((2, 1), bool), np.zeros((2, 3), bool)])
def test_rows_without_a_choice_give_zero(visible):
    assert evenness(visible.astype(np.float32), even_weights(visible)) == 0


@pytest.mark.parametrize(
    ("weights", "sizes", "expected"),
    [
        # Words of 1 and 3 tokens: a row has 4 tokens to choose from, which are 2 bits.
        ([1, 0], [1, 3], 0),
        ([0, 1], [1, 3], math.log2(3) / 2),
        ([0.5, 0.5], [1, 3], (1 + 0.5 * math.log2(3)) / 2),
        ([0.25, 0.75], [1, 3], 1),
        # Two words of 2 tokens are two equal keys.
        ([1, 0], [2, 2], 0),
        ([0.5, 0.5], [2, 2], 1),
    ],
)
def test_a_word_counts_as_its_tokens_do_where_its_weight_is_spread_over_them(
    weights, sizes, expected
):
    even = np.array([sizes]) / sum(sizes)
    assert evenness(np.array([weights], np.float32), even) == pytest.approx(expected, abs=1e-6)


HEAD = Head.parse("decoder.0.cross:1")


@pytest.mark.parametrize(
    ("spread", "sharp_from"),
    [
        ({0: (0.9, 0.8), 100: (0.5, 0.2), 200: (0.2, 0.1), 300: (0.1, 0.1)}, 200),
        ({0: (0.9, 0.8), 100: (0.2, 0.1), 200: (0.3, 0.1)}, None),
        ({0: (0.2, 0.2), 100: (0.1, 0.1)}, 0),
    ],
)
def test_heads_are_sharp_from_the_step_on_after_which_none_spreads_again(spread, sharp_from):
    assert Forming(HEAD, 0, None, spread).sharp_from == sharp_from


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


def words(text):
    return tuple(Token(each, False, at) for at, each in enumerate(text.split()))


def one_layer(kind, tokens, *maps):
    visible = np.tril(np.ones((len(tokens),) * 2, bool)) if kind.causal else None
    visible = np.ones((len(tokens),) * 2, bool) if visible is None else visible
    attention = {kind.site(0): SiteAttention(np.array(maps, np.float32), even_weights(visible))}
    return SimpleNamespace(
        attention=attention, tokens_of=lambda _: tokens, sites_of=lambda _: [kind.site(0)]
    )


def test_the_row_to_speak_of_is_not_one_of_two_positions():
    kind, tokens = Kind.DECODER_SELF, words("the old house")
    weights = np.array([[1, 0, 0], [0.98, 0.02, 0], [0.1, 0.6, 0.3]], np.float32)
    pairs = pairs_of_words(tokens, tokens, kind)
    assert telling_query(weights, np.tril(np.ones((3, 3), bool)), pairs) == 2


@pytest.mark.parametrize("kind", [Kind.ENCODER_SELF, Kind.DECODER_SELF])
def test_a_head_that_leaves_its_weight_on_what_says_nothing_is_not_the_one_to_open_on(kind):
    rest = [[1, 0, 0], [1, 0, 0], [1, 0, 0]]
    itself = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    word = [[1, 0, 0], [0.4, 0.6, 0], [0.2, 0.5, 0.3]]
    tokens = words("the old house")
    if not kind.causal:
        tokens = (Token("[CLS]", True, 0), *tokens[1:])
    assert head_between_words(one_layer(kind, tokens, rest, itself, word), kind).index == 2
    assert sharpest_head(one_layer(kind, tokens, rest, itself, word), kind).index == 0
