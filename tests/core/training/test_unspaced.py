"""What is learned of a language without spaces between words, or with joiners within them."""

import pytest

from core.evaluate.bleu import bleu_tokens
from core.evaluate.evaluation import evaluate
from core.runs.run import load_run
from core.tasks import Sample
from core.tasks.corpus import Corpus
from core.tokenizer.words import has_unspaced
from core.training.prepare import prepare_run, train_tokenizer
from core.training.presets import PRESETS, vocabulary_for
from core.training.settings import with_settings
from core.training.trainer import train_run
from tests.corpora import LANGUAGES, pairs


def samples(language):
    return tuple(Sample(*pair) for pair in pairs(language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_characters_are_tokens_of_the_vocabulary_and_joined_words_are_whole(
    language,
):
    corpus = Corpus(language, samples(language))
    size = vocabulary_for(len(corpus.samples), corpus.samples)
    tokenizer = train_tokenizer(corpus, size, 0)
    for sample in corpus.samples[:50]:
        ids = tokenizer.encode(sample.target).ids
        unspaced = has_unspaced(sample.target)
        words = list(sample.target[:-1]) if unspaced else sample.target[:-1].split()
        assert tokenizer.word_texts(ids) == [*words, sample.target[-1]]
        assert not unspaced or len(ids) == len(sample.target)


@pytest.mark.parametrize(
    ("language", "tokens"), [("chinese", "zh"), ("japanese", "char"), ("persian", "13a")]
)
def test_bleu_counts_what_a_corpus_is_written_in(language, tokens):
    assert bleu_tokens(target for _, target in pairs(language)) == tokens


@pytest.mark.slow
def test_right_translations_to_chinese_have_a_high_bleu(tmp_path):
    corpus = Corpus("chinese", samples("chinese"))
    changes = {
        **{"n_encoder_layers": 1, "n_decoder_layers": 1, "learning_rate_factor": 2.0},
        **{"steps": 200, "warmup": 50, "cooldown": 100, "batch_size": 32},
        **{"evaluate_every": 200, "checkpoint_every": 200},
        "vocab_size": vocabulary_for(len(corpus.samples), corpus.samples),
    }
    preset = with_settings(PRESETS["tiny"], changes)
    prepare_run(tmp_path / "run", corpus, "tiny", preset, "python -m core train …")
    for _ in train_run(tmp_path / "run"):
        pass
    figures = evaluate(load_run(tmp_path / "run"))
    assert figures["bleu"] > 80
    assert "tok:zh|" in figures["bleu_signature"]
