from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given as drawn
from hypothesis import strategies as st

from core.batch import pad
from core.decoding.sentence import translate
from core.inspection import even_weights, inspect_sentence, merge_weights, merged
from core.model import Record, build
from core.runs.run import load_run
from core.vocabulary import BOS

ROOT = Path(__file__).resolve().parents[2]

SENTENCE, TARGET = "a b c d e f", "c a b"


@pytest.fixture(scope="module")
def given(copy_run):
    """A source of 7 tokens (EOS included) with a target of 4 (BOS included)."""
    return inspect_sentence(copy_run, SENTENCE, TARGET)


@pytest.fixture(scope="module")
def talking_run(copy_run):
    """A run whose model, never trained, writes on and on."""
    return replace(copy_run, model=build(copy_run.settings.model, seed=2).eval())


def texts(tokens):
    return [token.text for token in tokens]


def test_maps_of_one_pass_are_those_of_decoding_step_by_step(talking_run):
    inspection = inspect_sentence(talking_run, SENTENCE)
    source_ids = pad([inspection.translation.source_ids])
    fed = (BOS, *inspection.translation.target_ids)
    assert len(fed) > 3
    for length in range(1, len(fed) + 1):
        record = Record()
        with torch.inference_mode():
            logits_BTV = talking_run.model(source_ids, pad([fed[:length]]), record)
        for site, attention in inspection.attention.items():
            if site.stack == "decoder":
                last_HK = record.weights(site)[0, :, -1].numpy()
                row_HK = attention.weights_HQK[:, length - 1, : last_HK.shape[-1]]
                np.testing.assert_allclose(row_HK, last_HK, atol=1e-6)
        if length < len(fed):
            # PAD and BOS, the first two ids, are never said.
            assert 2 + int(logits_BTV[0, -1, 2:].argmax()) == fed[length]


def test_predictions_are_the_most_probable_next_tokens(given, copy_run):
    fed_ids = (BOS, *copy_run.tokenizer.encode(TARGET).ids)
    with torch.inference_mode():
        logits_BTV = copy_run.model(pad([given.translation.source_ids]), pad([fed_ids]))
    expected = copy_run.tokenizer.describe(np.argmax(logits_BTV[0].numpy(), axis=-1).tolist())
    assert texts(given.predicted_tokens) == texts(expected)


def test_words_that_training_never_saw_are_marked(copy_run):
    inspection = inspect_sentence(copy_run, "a Zorbik b ? 🙂", "a")
    assert inspection.source_words == ("a", "Zorbik", "b", "?", "🙂", "EOS")
    assert inspection.unknown_words == {1, 3, 4}


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


@drawn(example=maps())
def test_rows_are_averaged_and_columns_summed(example):
    np.testing.assert_allclose(merge_weights(*example), slowly_merged(*example), atol=1e-6)


def test_a_word_may_look_where_any_of_its_tokens_may():
    def merged_even(visible, queries, keys):
        return merge_weights(even_weights(np.array(visible)), queries, keys)

    causal, words = np.tril(np.ones((4, 4), dtype=bool)), [0, 1, 1, 2]
    # The middle word's tokens see 1 of 2 and 2 of 3 tokens of it: the mean of the rows.
    assert merged_even(causal, words, words) == pytest.approx(
        np.array([[1, 0, 0], [5 / 12, 7 / 12, 0], [1 / 4, 2 / 4, 1 / 4]])
    )
    assert not merged_even(np.zeros((2, 2), dtype=bool), [0, 0], [0, 1]).any()
    last_only = [[False, False, False, True]]
    assert merged_even(last_only, [0], [0, 0, 1, 1]).tolist() == [[0, 1]]


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


def test_of_a_decoder_alone_the_prompt_was_typed_and_beside_an_encoder_nothing(opened_path):
    run = load_run(opened_path("gpt2"))
    found = inspect_sentence(run, "the animal was")
    n = len(run.tokenizer.begins) + len(run.tokenizer.encode("the animal was").ids)
    assert found.n_typed == n < len(found.fed_tokens)
    words = {token.word for token in found.fed_tokens[:n]}
    assert merged(found).n_typed == len(words)
    for kind in ("bert", "marian"):
        other = inspect_sentence(load_run(opened_path(kind)), "the animal")
        assert other.n_typed == merged(other).n_typed == 0


def test_a_parallel_decoder_predicts_nothing_beside_the_words_that_it_reads():
    run = load_run(ROOT / "gallery" / "parallel")
    for inspection in (found := inspect_sentence(run, "a b c d b e f g"), merged(found)):
        assert inspection.predicted_tokens == ()
        assert inspection.end_token is not None and inspection.end_token.text == "EOS"
    written = translate(run, "a b c d b e f g").text
    assert " ".join(texts(found.fed_tokens)[1:]) == written
