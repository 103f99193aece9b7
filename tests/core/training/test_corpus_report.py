import pytest

from core.config import ModelConfig
from core.tasks.corpus import Corpus
from core.tasks.length_filter import fitting
from core.tasks.task import Sample
from core.training.corpus_report import corpus_report
from core.training.prepare import train_tokenizer

SAMPLES = tuple(
    Sample(f"the {animal} saw {n} {things}", f"{n} {things}, the {animal} saw them")
    for animal in ("cat", "dog", "horse")
    for n in range(20)
    for things in ("birds", "trees and flowers")
)


def room_for(n):
    return ModelConfig(vocab_size=290, max_positions=n)


@pytest.mark.parametrize("max_positions", [100, 10])
def test_the_counts_are_those_that_a_training_finds(few_samples, max_positions):
    samples = [*SAMPLES, *SAMPLES[:7], *(Sample(each.source, "other") for each in SAMPLES[:5])]
    corpus = Corpus("mine", samples)
    report = corpus_report(corpus, 290, room_for(max_positions))
    tokenizer = train_tokenizer(corpus, 290, 0)
    kept = fitting(corpus, tokenizer, max_positions)
    assert (report.n_pairs, report.n_sources) == (125, 120)
    assert report.vocab_size == tokenizer.vocab_size
    parts = [len(kept.part(part)) for part in ("train", "valid", "test")]
    assert [report.n_train, report.n_valid, report.n_test] == parts
    assert report.n_too_long == 125 - len(kept.samples)
    assert (report.n_too_long > 0) == (max_positions < 100)
