"""Many sentences in batches of similar length."""

import pytest
import torch

from core.decoding import many
from core.decoding.beam import Beam, beam_steps
from core.decoding.many import translate_all
from core.decoding.sentence import fitting_source, translate
from core.vocabulary import EOS

TEXTS = ["k d a f", "", "a", "q z " * 12, "a b c d e", "’", "k d a f"]


def found(run, texts, **how):
    written = [each for batch in translate_all(run, texts, **how) for each in batch]
    assert sorted(each.index for each in written) == list(range(len(texts)))
    return sorted(written, key=lambda each: each.index)


@pytest.mark.parametrize("batch_tokens", [1, 20, 4096])
def test_each_translation_is_that_of_its_sentence_alone(translation_run, monkeypatch, batch_tokens):
    monkeypatch.setattr(many, "BATCH_TOKENS", batch_tokens)
    texts = ["The dog slept.", "The old horse didn't see it.", "", "They left."]
    expected = [translate(translation_run, text).text if text else "" for text in texts]
    assert [each.text for each in found(translation_run, texts)] == expected


@pytest.mark.parametrize("beam", [2, 5])
def test_the_best_of_each_beam_is_that_of_a_search_for_its_sentence_alone(copy_run, beam):
    texts = [text for text in TEXTS if text]
    for text, written in zip(texts, found(copy_run, texts, beam=beam), strict=True):
        source_S = torch.tensor(fitting_source(copy_run, text)[0])
        *_, last = beam_steps(copy_run.model, source_S, Beam(beam))
        tokens = [token for token in last.best.tokens if token != EOS]
        assert written.text == copy_run.tokenizer.decode(tokens)
