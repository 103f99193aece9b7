from dataclasses import replace

import numpy as np
import pytest
import torch

from core.batch import pad
from core.decoding.sentence import SentenceError, translate
from core.inspection import inspect_sentence
from core.model import Record, build
from core.tokenizer import BOS

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


def test_maps_are_query_by_key_for_unequal_lengths(given, copy_run):
    shapes = {"encoder.self": (7, 7), "decoder.self": (4, 4), "decoder.cross": (4, 7)}
    assert tuple(given.attention) == copy_run.model.sites()
    for site, attention in given.attention.items():
        assert attention.weights_HQK.shape == (2, *shapes[site.attention])
        assert attention.visible_QK.shape == shapes[site.attention]


def test_labels_have_the_lengths_of_the_maps(given):
    assert texts(given.source_tokens) == [*"abcdef", "EOS"]
    assert texts(given.fed_tokens) == ["BOS", *"cab"]
    assert len(given.predicted_tokens) == len(given.fed_tokens)
    assert given.source_words == (*"abcdef", "EOS")
    assert given.fed_words == ("BOS", *"cab")


def test_rows_sum_to_one_and_hidden_cells_are_exactly_zero(given):
    for attention in given.attention.values():
        np.testing.assert_allclose(attention.weights_HQK.sum(axis=-1), 1, atol=1e-6)
        assert (attention.weights_HQK[:, ~attention.visible_QK] == 0).all()


def test_only_the_decoders_own_maps_hide_something_and_that_is_the_future(given):
    for site, attention in given.attention.items():
        hidden = ~attention.visible_QK
        wanted = np.triu(np.ones((4, 4), bool), 1) if site.attention == "decoder.self" else False
        assert (hidden == wanted).all()


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


def test_own_translation_is_fed_and_predicted(talking_run):
    inspection = inspect_sentence(talking_run, SENTENCE)
    translation = translate(talking_run, SENTENCE)
    assert inspection.translation == translation
    assert len(inspection.fed_tokens) > 3
    # Each row predicts what the next row is fed: the prefix is the model's own.
    assert texts(inspection.predicted_tokens)[:-1] == texts(inspection.fed_tokens)[1:]


def test_predictions_are_the_most_probable_next_tokens(given, copy_run):
    fed_ids = (BOS, *copy_run.tokenizer.encode(TARGET).ids)
    with torch.inference_mode():
        logits_BTV = copy_run.model(pad([given.translation.source_ids]), pad([fed_ids]))
    expected = copy_run.tokenizer.describe(np.argmax(logits_BTV[0].numpy(), axis=-1).tolist())
    assert texts(given.predicted_tokens) == texts(expected)


def test_given_target_is_fed_whatever_the_model_would_say(given, copy_run):
    assert given.translation.text == TARGET
    assert given.translation.finished
    assert not given.translation.cut
    assert translate(copy_run, SENTENCE).text != TARGET


def test_an_empty_target_leaves_bos_alone(copy_run):
    inspection = inspect_sentence(copy_run, SENTENCE, "")
    assert texts(inspection.fed_tokens) == ["BOS"]
    for site, attention in inspection.attention.items():
        assert attention.weights_HQK.shape[1] == (7 if site.stack == "encoder" else 1)


def test_too_long_a_source_is_cut_and_that_is_said(copy_run):
    longest = copy_run.settings.model.max_positions
    inspection = inspect_sentence(copy_run, "a " * (longest + 20), "b")
    assert inspection.translation.cut
    assert texts(inspection.source_tokens) == ["a"] * (longest - 1) + ["EOS"]
    assert inspection.translation.source == " ".join("a" * (longest - 1))
    fitting = inspect_sentence(copy_run, "a " * (longest - 1), "b")
    assert not fitting.translation.cut


def test_too_long_a_target_is_cut_and_not_finished(copy_run):
    longest = copy_run.settings.model.max_positions
    inspection = inspect_sentence(copy_run, "a", "b " * (longest + 20))
    assert len(inspection.fed_tokens) == longest
    assert not inspection.translation.finished
    assert inspect_sentence(copy_run, "a", "b " * (longest - 1)).translation.finished


@pytest.mark.parametrize("text", ["", "  ", "\n\u00a0"])
def test_empty_text_is_refused(copy_run, text):
    for target in (None, "a"):
        with pytest.raises(SentenceError, match="no text"):
            inspect_sentence(copy_run, text, target)


def test_words_that_training_never_saw_are_marked(copy_run):
    inspection = inspect_sentence(copy_run, "a Zorbik b ? 🙂", "a")
    assert inspection.source_words == ("a", "Zorbik", "b", "?", "🙂", "EOS")
    assert inspection.unknown_words == {1, 3, 4}


def test_inspecting_leaves_the_random_state_and_the_model_alone(talking_run):
    state = torch.get_rng_state()
    first = inspect_sentence(talking_run, SENTENCE)
    again = inspect_sentence(talking_run, SENTENCE)
    assert torch.equal(torch.get_rng_state(), state)
    assert not talking_run.model.training
    for site, attention in first.attention.items():
        np.testing.assert_array_equal(attention.weights_HQK, again.attention[site].weights_HQK)
