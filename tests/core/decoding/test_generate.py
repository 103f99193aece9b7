import pytest
import torch

from core.batch import pad
from core.decoding import many
from core.decoding.beam import Beam, beam_steps
from core.decoding.generate import generate
from core.decoding.many import translate_all
from core.decoding.sentence import fitting_source, translate
from core.decoding.step import length_limit
from core.vocabulary import BOS, EOS


def slowly(model, source):
    """One sentence, one token at a time, the whole model anew at each step."""
    written = [BOS]
    for _ in range(length_limit(model, len(source))):
        with torch.no_grad():
            logits_BTV = model(torch.tensor([source]), torch.tensor([written]))
        # The first two ids, PAD and BOS, never follow a word.
        written.append(2 + int(logits_BTV[0, -1, 2:].argmax()))
        if written[-1] == EOS:
            break
    return tuple(written[1:])


SOURCES = [[5, 6, 7, EOS], [8, EOS], [9, 10, 11, 12, 13, 14, EOS]]


def test_a_sentence_in_a_batch_is_translated_as_alone_up_to_its_own_limit(model):
    together = generate(model, pad(SOURCES))
    for source, written in zip(SOURCES, together, strict=True):
        alone = slowly(model, source)
        assert written[: len(alone)] == alone


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
