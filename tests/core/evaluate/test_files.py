"""Figures on a file of pairs."""

import pytest
from sacrebleu import corpus_bleu, corpus_chrf

from core.decoding.sentence import translate
from core.evaluate.files import score_file
from core.tasks import Sample


def test_figures_are_sacrebleus_on_what_the_run_writes(translation_run):
    texts = ["The dog slept.", "The old horse didn't see it.", "They left."]
    said = [translate(translation_run, text).text for text in texts]
    # One right, the others not: the figures are neither 0 nor 100.
    true = [said[0], f"{said[1]} aujourd’hui", "Ils sont partis."]
    told = []
    samples = [Sample(*pair) for pair in zip(texts, true, strict=True)]
    scores = score_file(translation_run, samples, tell=told.append)
    assert scores.bleu == pytest.approx(corpus_bleu(said, [true]).score)
    assert scores.chrf == pytest.approx(corpus_chrf(said, [true]).score)
    assert (scores.n, scores.n_cut, scores.beam) == (3, 0, 1)
    assert "nrefs:1|case:mixed" in scores.signature
    assert told[-1] == 3
