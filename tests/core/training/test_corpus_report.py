import pytest

from core.config import ModelConfig
from core.tasks.corpus import Corpus, CorpusError
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
FINEST = Sample("qxzjkvyp", "zqkjx")


def room_for(n):
    return ModelConfig(vocab_size=290, max_positions=n)


@pytest.fixture(scope="module")
def report():
    return corpus_report(Corpus("mine", SAMPLES), 290, room_for(100))


def written(tokens):
    return "".join(token.text for token in tokens)


def test_pairs_and_sources_are_counted_once():
    samples = [*SAMPLES, *SAMPLES[:7], *(Sample(each.source, "other") for each in SAMPLES[:5])]
    report = corpus_report(Corpus("mine", samples), 290, room_for(100))
    assert (report.n_pairs, report.n_sources) == (125, 120)


def test_lengths_are_those_of_each_pair_in_order(report):
    assert report.source_words.tolist() == [len(each.source.split()) for each in SAMPLES]
    assert report.target_words[:2].tolist() == [6, 8]
    assert len(report.source_tokens) == len(report.target_tokens) == 120
    assert (report.source_tokens >= report.source_words).all()


def test_the_split_is_that_of_the_corpus(report):
    corpus = Corpus("pairs", SAMPLES)
    assert report.n_train == len(corpus.part("train"))
    assert report.n_valid == len(corpus.part("valid")) > 0
    assert report.n_test == len(corpus.part("test")) > 0
    assert report.n_train + report.n_valid + report.n_test == 120
    assert report.n_too_long == 0


@pytest.mark.parametrize("more", [0, 1])
def test_pairs_that_do_not_fit_are_those_that_a_training_leaves_out(report, more):
    middle = sorted(map(max, zip(report.source_tokens, report.target_tokens, strict=True)))[60]
    max_positions = int(middle) + 1 + more
    shorter = corpus_report(Corpus("mine", SAMPLES), 290, room_for(max_positions))
    corpus = Corpus("pairs", SAMPLES)
    kept = fitting(corpus, train_tokenizer(corpus, 290, 0), max_positions)
    assert shorter.n_too_long == 120 - len(kept.samples) > 0
    assert shorter.n_test == len(kept.part("test"))
    assert shorter.n_train == len(kept.part("train"))
    assert shorter.source_tokens.tolist() == report.source_tokens.tolist()


def test_the_tokenizer_is_the_one_that_a_training_with_seed_0_learns(report):
    tokenizer = train_tokenizer(Corpus("mine", SAMPLES), 290, 0)
    assert report.vocab_size == tokenizer.vocab_size == 290
    assert report.source_tokens[5] == len(tokenizer.encode(SAMPLES[5].source).ids)
    assert report.examples[0] == (
        tokenizer.describe(tokenizer.encode(SAMPLES[0].source).ids),
        tokenizer.describe(tokenizer.encode(SAMPLES[0].target).ids),
    )


def test_examples_are_the_first_the_longest_and_the_one_split_finest():
    longest = Sample(" ".join(["the cat saw birds"] * 12), "birds")
    report = corpus_report(Corpus("mine", [*SAMPLES, longest, FINEST]), 290, room_for(200))
    assert [tuple(map(written, pair)) for pair in report.examples] == [
        ("thecatsaw␣0birds", "␣0birds,thecatsawthem"),
        ("thecatsawbirds" * 12, "birds"),
        (f"␣{FINEST.source}", f"␣{FINEST.target}"),
    ]


def test_too_few_sources_that_fit_are_refused():
    with pytest.raises(CorpusError, match="0 different sources that fit the model"):
        corpus_report(Corpus("mine", SAMPLES), 290, room_for(2))
