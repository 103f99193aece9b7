import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.inspection import inspect_sentence
from core.tokenizer import Token
from core.words import merge_tokens, merge_visible, merge_weights, merged


@st.composite
def word_numbers(draw):
    """Tokens grouped into words: 0 0 1 2 2 …"""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    return [word for word, size in enumerate(sizes) for _ in range(size)]


@st.composite
def maps(draw):
    queries, keys = draw(word_numbers()), draw(word_numbers())
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    weights = rng.dirichlet(np.full(len(keys), 0.3), size=(2, len(queries))).astype(np.float32)
    return weights, queries, keys


def slowly_merged(weights_HQK, queries, keys):
    n_heads = len(weights_HQK)
    result = np.zeros((n_heads, queries[-1] + 1, keys[-1] + 1))
    for head in range(n_heads):
        for q, query in enumerate(queries):
            for k, key in enumerate(keys):
                share = float(weights_HQK[head, q, k]) / queries.count(query)
                result[head, query, key] += share
    return result


@given(example=maps())
def test_rows_between_words_sum_to_one(example):
    weights_Hqk = merge_weights(*example)
    np.testing.assert_allclose(weights_Hqk.sum(axis=-1), 1, atol=1e-6)
    assert weights_Hqk.min() >= 0
    assert weights_Hqk.max() <= 1


@given(example=maps())
def test_rows_are_averaged_and_columns_summed(example):
    np.testing.assert_allclose(merge_weights(*example), slowly_merged(*example), atol=1e-6)


@given(example=maps())
def test_words_of_one_token_keep_their_weights(example):
    weights_HQK, queries, keys = example
    one_each = merge_weights(weights_HQK, range(len(queries)), range(len(keys)))
    np.testing.assert_array_equal(one_each, weights_HQK)


def test_a_word_may_look_where_any_of_its_tokens_may():
    causal = np.tril(np.ones((4, 4), dtype=bool))
    words = [0, 1, 1, 2]
    assert merge_visible(causal, words, words).tolist() == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]
    nothing = np.zeros((2, 2), dtype=bool)
    assert not merge_visible(nothing, [0, 0], [0, 1]).any()
    last_only = np.array([[False, False, False, True]])
    assert merge_visible(last_only, [0], [0, 0, 1, 1]).tolist() == [[False, True]]


def test_a_hidden_word_has_no_weight():
    weights = np.array([[[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.5, 0.25, 0.25]]], np.float32)
    # Two words: tokens 0 and 1, and token 2. The first never sees the second.
    assert merge_weights(weights, [0, 0, 1], [0, 0, 1]).tolist() == [[[1.0, 0.0], [0.75, 0.25]]]


def test_a_words_token_is_special_when_its_own_is():
    tokens = [Token("BOS", True, 0), Token("a", False, 1), Token("n", False, 1)]
    assert merge_tokens(tokens, ["BOS", "an"]) == (Token("BOS", True, 0), Token("an", False, 1))


def test_merging_keeps_labels_and_shapes_together(translation_run):
    sentence = "The animal didn't cross the street."
    target = "L'animal n'a pas traversé la rue."
    inspection = inspect_sentence(translation_run, sentence, target)
    between_words = merged(inspection)
    source = [token.text for token in between_words.source_tokens]
    fed = [token.text for token in between_words.fed_tokens]
    assert source == ["The", "animal", "did", "n't", "cross", "the", "street", ".", "EOS"]
    assert fed == ["BOS", "L'", "animal", "n'", "a", "pas", "traversé", "la", "rue", "."]
    assert len(inspection.source_tokens) > len(source)
    assert [token.word for token in between_words.fed_tokens] == list(range(len(fed)))
    assert len(between_words.predicted_tokens) == len(fed)
    shapes = {"encoder.self": (9, 9), "decoder.self": (10, 10), "decoder.cross": (10, 9)}
    for site, attention in between_words.attention.items():
        assert attention.weights_HQK.shape == (2, *shapes[site.attention])
        assert attention.visible_QK.shape == shapes[site.attention]
        assert not attention.weights_HQK[:, ~attention.visible_QK].any()
        np.testing.assert_allclose(attention.weights_HQK.sum(axis=-1), 1, atol=1e-5)


def test_what_follows_a_word_is_what_its_last_token_predicts(translation_run):
    inspection = inspect_sentence(translation_run, "The cat slept.", "La traversé.")
    words = [token.word for token in inspection.fed_tokens]
    last = [max(row for row, word in enumerate(words) if word == each) for each in range(4)]
    assert len(words) > len(last)
    assert merged(inspection).predicted_tokens == tuple(
        inspection.predicted_tokens[row] for row in last
    )


def test_merging_leaves_the_inspection_itself_alone(translation_run):
    inspection = inspect_sentence(translation_run, "The cat slept.")
    before = {site: each.weights_HQK.copy() for site, each in inspection.attention.items()}
    tokens = inspection.source_tokens
    merged(inspection)
    assert inspection.source_tokens == tokens
    for site, weights_HQK in before.items():
        np.testing.assert_array_equal(inspection.attention[site].weights_HQK, weights_HQK)
